package harness

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/platform/process"
)

// files fills a folder and returns it; names end with a slash for folders.
func files(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			path = filepath.Join(path, "x")
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// below returns what streamsBelow finds, relative to the folder.
func below(t *testing.T, folder string) (list []string, problems []error) {
	t.Helper()
	found, problems := streamsBelow(&process.Process{Err: t.Output()}, folder)
	for _, path := range found {
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, filepath.ToSlash(rel))
	}
	return list, problems
}

func TestStreamsBelow_FollowsALinkToTheFolderAlone(t *testing.T) {
	dir := files(t, "a.jsonl", "sub/b.jsonl", "sub/c.txt", "d.jsonl/")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip("links cannot be made here: ", err)
	}
	if err := os.Symlink(filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "z.jsonl")); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{dir, link} {
		got, problems := below(t, folder)
		if diff := cmp.Diff([]string{"a.jsonl", "sub/b.jsonl"}, got); diff != "" || len(problems) > 0 {
			t.Errorf("streamsBelow, problems %v (-want +got):\n%s", problems, diff)
		}
	}
}

func TestStreamsBelow_GoesOnAfterAFolderThatCannotBeRead(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("every folder can be read here")
	}
	dir := files(t, "a.jsonl", "b/hidden.jsonl", "c.jsonl")
	if err := os.Chmod(filepath.Join(dir, "b"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "b"), 0o755) })
	got, problems := below(t, dir)
	if diff := cmp.Diff([]string{"a.jsonl", "c.jsonl"}, got); diff != "" || len(problems) != 1 {
		t.Errorf("streamsBelow, problems %v, want one (-want +got):\n%s", problems, diff)
	}
}

func TestStreams(t *testing.T) {
	dir, empty := files(t, "a.jsonl", "b.jsonl"), t.TempDir()
	missing := filepath.Join(dir, "none")
	for _, tt := range []struct {
		args, want []string
		problem    string
	}{
		{nil, []string{"-"}, ""},
		{[]string{"-", missing}, []string{"-", missing}, ""}, // whoever opens it finds out
		{[]string{dir, "-"}, []string{filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl"), "-"}, ""},
		{[]string{empty, missing}, []string{missing}, "no *.jsonl file in folder " + empty},
	} {
		got, problems := Streams(&process.Process{Err: t.Output()}, tt.args)
		if err := errors.Join(problems...); !slices.Equal(got, tt.want) || (err == nil) != (tt.problem == "") || err != nil && err.Error() != tt.problem {
			t.Errorf("Streams(%q) = %q, %v, want %q and the problem %q", tt.args, got, err, tt.want, tt.problem)
		}
	}
}
