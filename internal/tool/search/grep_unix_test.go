//go:build unix

package search

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// goSources returns the sources of Go itself, which nobody wrote for these tests.
func goSources(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	dir := filepath.Join(strings.TrimSpace(string(out)), "src")
	if _, statErr := os.Stat(dir); err != nil || statErr != nil {
		t.Skipf("no sources of Go here: %v, %v", err, statErr)
	}
	if _, err := exec.LookPath("grep"); err != nil {
		t.Skip("grep is not there")
	}
	return dir
}

// asGrep returns what grep -rn finds below the folder where it runs, sorted.
func asGrep(t testing.TB, dir string, args ...string) []string {
	t.Helper()
	cmd := exec.Command("grep", append([]string{"-rnI"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
		t.Fatalf("grep %q: %v", args, err)
	}
	var lines []string
	for scan := bufio.NewScanner(bytes.NewReader(out)); scan.Scan(); {
		lines = append(lines, scan.Text())
	}
	slices.Sort(lines)
	return lines
}

// A search of Go's own library finds the lines that grep finds, but in files that hold
// private keys.
func TestRun_AsGrep(t *testing.T) {
	dir := filepath.Join(goSources(t), "net")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	line := regexp.MustCompile(`^([^:]*):(\d+):`)
	for _, test := range []struct {
		opts Options
		args []string
	}{
		{Options{Text: "func "}, []string{"-F", "func ", "."}},
		{Options{Text: "HANDLER", IgnoreCase: true}, []string{"-iF", "HANDLER", "."}},
		{Options{Text: `^func \([a-z]+ \*?Server\) [A-Z]`, Regex: true}, []string{"-E", `^func \([a-z]+ \*?Server\) [A-Z]`, "."}},
		{Options{Text: `(err|ok) :?= [a-z]+\(.*\)$`, Regex: true}, []string{"-E", `(err|ok) :?= [a-z]+\(.*\)$`, "."}},
		{Options{Text: `[0-9]{4,}|^}$`, Regex: true}, []string{"-E", `[0-9]{4,}|^}$`, "."}},
		{Options{Text: "test", Glob: "*_test.go"}, []string{"--include=*_test.go", "-F", "test", "."}},
	} {
		test.opts.Max = 1 << 20
		got := found(t, root, test.opts)
		var ours []string
		for _, m := range got.Matches {
			ours = append(ours, fmt.Sprintf("./%s:%d:", m.Path, m.Line))
		}
		var grep []string
		for _, l := range asGrep(t, dir, test.args...) {
			grep = append(grep, line.FindString(l))
		}
		slices.Sort(ours)
		slices.Sort(grep)
		grep = slices.Compact(grep)
		if len(grep) < 10 {
			t.Errorf("grep %q finds %d lines, want more to compare", test.args, len(grep))
		}
		missing, more := 0, 0
		for _, l := range grep {
			if _, ok := slices.BinarySearch(ours, l); !ok {
				missing++
				t.Errorf("grep %q finds %s, Run(%+v) does not", test.args, l, test.opts)
			}
		}
		for _, l := range ours {
			if _, ok := slices.BinarySearch(grep, l); !ok {
				more++
				t.Errorf("Run(%+v) finds %s, grep %q does not", test.opts, l, test.args)
			}
		}
		if missing+more > 0 {
			t.Errorf("Run(%+v) lacks %d lines of %d and has %d more than grep", test.opts, missing, len(grep), more)
		}
	}
}

// What is no regular file is not opened: a pipe would wait, a link leads elsewhere.
func TestRun_PipesAndLinks(t *testing.T) {
	root := tree(t, map[string]string{"a/f": "x", "outside": "x"})
	dir := root.Name()
	if err := syscall.Mkfifo(filepath.Join(dir, "a", "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"a/link": "../outside", "dir": "a"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := found(t, root, Options{Text: "x"}); places(got) != "a/f:1 outside:1" {
		t.Errorf("Run = %s, want the files alone", places(got))
	}
	q, err := Compile(Options{Text: "x", Max: 9})
	if err != nil {
		t.Fatal(err)
	}
	got, err := q.Run(context.Background(), root, Scope{Files: []string{"a/pipe", "a/link", "dir/f"}})
	if err != nil || got.Files != 0 {
		t.Errorf("Run of a pipe, a link and a file behind a link = %+v, %v, want none searched", got, err)
	}
}
