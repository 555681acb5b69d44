package workspace

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

// bench is a workspace for one test, with a folder outside beside it.
type bench struct {
	t       testing.TB
	w       *Workspace
	root    string
	outside string
	ctx     context.Context // of calls that must succeed
	step    int             // of calls, 1 if not set
}

func newBench(t testing.TB, change ...func(*Options)) *bench {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, ctx: context.Background(), root: filepath.Join(base, "ws"), outside: filepath.Join(base, "outside")}
	for _, dir := range []string{b.root, b.outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	opts := Options{
		Root:    b.root,
		Results: result.Options{Artifacts: result.NewArtifacts(filepath.Join(base, "run", "artifacts"), nil)},
		Clock:   event.NewFixedClock(time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)),
	}
	for _, f := range change {
		f(&opts)
	}
	if b.w, err = Open(opts); err != nil {
		t.Fatalf("Open(%s) = %v", b.root, err)
	}
	t.Cleanup(func() { b.w.Close() })
	return b
}

// put writes a file below the workspace's parent: "ws/a" or "outside/a".
func (b *bench) put(name, content string) {
	b.t.Helper()
	path := filepath.Join(filepath.Dir(b.root), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) link(target, name string) {
	b.t.Helper()
	err := os.Symlink(target, filepath.Join(b.root, name))
	if err != nil && runtime.GOOS == "windows" {
		b.t.Skipf("this user may not make links: %v", err)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) remove(name string) {
	b.t.Helper()
	if err := os.RemoveAll(filepath.Join(b.root, name)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) get(name string) string {
	b.t.Helper()
	content, err := os.ReadFile(filepath.Join(filepath.Dir(b.root), filepath.FromSlash(name)))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(content)
}

// call runs one tool to its canonical result and text.
func (b *bench) call(ctx context.Context, name string, args any) (tool.Result, string) {
	b.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	found, ok := tool.NewRegistry(b.w.Tools()...).Lookup(name)
	if !ok {
		b.t.Fatalf("no tool %s", name)
	}
	call := tool.Call{ID: "c1", Step: max(b.step, 1)}
	var out tool.Output
	prepared, refused := found.Prepare(raw)
	if refused != nil {
		out = tool.Failed(refused)
	} else {
		out = prepared.Run(ctx, call)
	}
	res := result.Project(found, out)
	if err := res.Validate(); err != nil {
		b.t.Fatalf("%s(%s) gave an invalid result: %v", name, raw, err)
	}
	return res, result.Render(found, res)
}

// prepared returns a call that is ready to run.
func (b *bench) prepared(name string, args m) tool.Prepared {
	b.t.Helper()
	p, refused := prepare(b.w, name, args)
	if refused != nil {
		b.t.Fatal(refused.Message)
	}
	return p
}

func prepare(w *Workspace, name string, args m) (tool.Prepared, *tool.Error) {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	found, _ := tool.NewRegistry(w.Tools()...).Lookup(name)
	return found.Prepare(raw)
}

type m map[string]any

// want runs a tool that must succeed and returns its payload and text.
func want[T any](b *bench, name string, args any) (T, string) {
	b.t.Helper()
	res, text := b.call(b.ctx, name, args)
	if res.Error != nil {
		b.t.Fatalf("%s(%v) = %s", name, args, text)
	}
	var payload T
	if err := json.Unmarshal(res.Result, &payload); err != nil {
		b.t.Fatal(err)
	}
	return payload, text
}

// refused runs a tool that must fail with a kind and returns its receipt.
func (b *bench) refused(kind tool.ErrorKind, name string, args any) string {
	b.t.Helper()
	res, text := b.call(context.Background(), name, args)
	if res.Error == nil || res.Error.Kind != kind {
		b.t.Errorf("%s(%v) = %q, want an error of kind %s", name, args, text, kind)
	}
	return text
}

func TestTools_EachHasADescriptionAndParameters(t *testing.T) {
	var names []string
	for _, x := range newBench(t).w.Tools() {
		names = append(names, x.Spec.Name)
		if len(x.Spec.Description) < 40 || len(x.Spec.Description) > 800 || !json.Valid(x.Spec.Parameters) {
			t.Errorf("tool %s: description of %d bytes, parameters %s", x.Spec.Name, len(x.Spec.Description), x.Spec.Parameters)
		}
	}
	want := []string{
		"create_directory", "delete_file", "edit_file", "execute_command", "get_workspace_summary", "git_commit", "git_status",
		"list_files", "read_file", "search_files", "task_output", "task_stop", "write_file",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("Tools() (-want +got):\n%s", diff)
	}
}

func TestTools_SpecsForTheGuards(t *testing.T) {
	r := tool.NewRegistry(newBench(t).w.Tools()...)
	for name, want := range map[string]string{
		"list_files":            "path false false",
		"read_file":             "path false false",
		"search_files":          "path false false",
		"write_file":            "path true true",
		"edit_file":             "path true true",
		"create_directory":      "path true true",
		"delete_file":           "path true true",
		"execute_command":       "workdir true false",
		"git_commit":            "files true false",
		"git_status":            " false false",
		"get_workspace_summary": " false false",
		"task_output":           " false false",
		"task_stop":             " true false",
	} {
		x, _ := r.Lookup(name)
		got := strings.Join(x.Spec.PathArguments, ",")
		for _, flag := range []bool{x.Spec.SideEffects, x.Spec.Writes} {
			got += map[bool]string{true: " true", false: " false"}[flag]
		}
		if got != want {
			t.Errorf("%s: paths, side effects, writes = %s, want %s", name, got, want)
		}
	}
}

func TestOpen_Refused(t *testing.T) {
	dir := t.TempDir()
	for name, opts := range map[string]Options{
		"missing": {Root: filepath.Join(dir, "none")},
		"key":     {Root: dir, PassEnv: []string{"OPENAI_API_KEY"}},
		"runner":  {Root: dir, PassEnv: []string{"ACTIONS_RUNTIME_TOKEN"}},
		"file":    {Root: dir, PassEnv: []string{"GITHUB_ENV"}},
		"no name": {Root: dir, PassEnv: []string{"A=B"}},
	} {
		if w, err := Open(opts); err == nil {
			w.Close()
			t.Errorf("Open(%s) = no error, want one", name)
		}
	}
}

func TestTools_StayInTheOpenedFolder(t *testing.T) {
	b := newBench(t)
	b.put("ws/a", "inside")
	if err := os.Rename(b.root, b.root+"-moved"); err != nil {
		t.Skipf("this system does not move an open folder: %v", err)
	}
	b.put("ws/a", "impostor")
	if got, _ := want[filePreview](b, "read_file", m{"path": "a"}); got.ContentPreview != "inside" {
		t.Errorf("read_file(a) = %q, want the file of the folder that was opened", got.ContentPreview)
	}
}
