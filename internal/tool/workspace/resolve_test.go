package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/tool"
)

// maze is a tree with links of every kind.
func maze(b *bench) {
	b.put("ws/a/b/file", "x")
	b.put("ws/c/file", "x")
	b.put("outside/file", "x")
	for name, target := range map[string]string{
		"toa": "a", "a/up": "..", "a/b/top": "../..", "a/toc": "../c/./", "deep": "a/b/top/a/up/c", "gone": "c/none/far",
		"self": ".", "out": "../outside", "a/out": "../../outside", "c/twice": "../toa/toc/file", "slash": "a//b/",
		"over": "a/../../ws/a", "loop": "loop", "file": "a/b/file", "through": "file/x",
	} {
		b.link(target, name)
	}
}

func TestResolve(t *testing.T) {
	b := newBench(t)
	maze(b)
	for give, want := range map[string]string{
		".":             ".",
		"./":            ".",
		"a/":            "a",
		"a/b/file":      "a/b/file",
		"toa":           "a",
		"toa/b/../b":    "a/b",
		"a/up":          ".",
		"a/up/a/up/c":   "c",
		"a/b/top/c":     "c",
		"a/toc/file":    "c/file",
		"deep":          "c",
		"deep/file":     "c/file",
		"gone":          "c/none/far",
		"gone/further":  "c/none/far/further",
		"self/self/toa": "a",
		"c/twice":       "c/file",
		"slash/file":    "a/b/file",
		"new/x":         "new/x",
		"file/x":        "a/b/file/x",
		"through":       "a/b/file/x",
		// The path is cleaned before links are looked at, as a policy does.
		"toa/../c": "c",
		"out/../c": "c",
	} {
		if got, err := b.w.resolve(give); err != nil || got != want {
			t.Errorf("resolve(%q) = %q, %+v, want %q", give, got, err, want)
		}
	}
	for _, give := range []string{"out", "out/file", "a/out/file", "over", "over/b", "toa/out", "self/out/none", "..", "a/../..", "/a", "deep/../../x"} {
		if got, err := b.w.resolve(give); err == nil || err.Kind != tool.KindPathOutsideWorkspace {
			t.Errorf("resolve(%q) = %q, %+v, want %s", give, got, err, tool.KindPathOutsideWorkspace)
		}
	}
	if got, err := b.w.resolve("loop/x"); err == nil || err.Kind != tool.KindNotFound {
		t.Errorf("resolve(loop/x) = %q, %+v, want %s", got, err, tool.KindNotFound)
	}
}

func TestQuoted_LongNamesAreCut(t *testing.T) {
	if got := quoted(strings.Repeat("x", 5000)); len(got) > 310 || !strings.HasSuffix(got, `..."`) {
		t.Errorf("quoted(long) has %d bytes, want it cut", len(got))
	}
	if got := clipped(strings.Repeat("ä", 500)); len([]rune(got)) != 120 || !strings.HasPrefix(got, "...") {
		t.Errorf("clipped(long) = %q, want the last 117 characters", got)
	}
}

// Whatever path is asked for, the answer is inside, has no link on the way and
// is the same when it is asked for again.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"a/b/file", "deep/../toa//up", "out/x", "../x", "gone/..", "loop", "/", "a\\..\\..", "self/self/over", ".git/x"} {
		f.Add(seed)
	}
	base, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	root := filepath.Join(base, "ws")
	if err := os.MkdirAll(filepath.Join(root, "a", "b"), 0o755); err != nil {
		f.Fatal(err)
	}
	for name, target := range map[string]string{"toa": "a", "a/up": "..", "out": "../x", "gone": "a/none/../b", "loop": "loop", "abs": "/etc"} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			f.Fatal(err)
		}
	}
	w, err := Open(Options{Root: root})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { w.Close() })
	f.Fuzz(func(t *testing.T, name string) {
		got, refused := w.resolve(name)
		if refused != nil || strings.ContainsRune(name, 0) {
			return
		}
		if !filepath.IsLocal(filepath.FromSlash(got)) {
			t.Fatalf("resolve(%q) = %q, want a path inside", name, got)
		}
		at := root
		for part := range strings.SplitSeq(got, "/") {
			at = filepath.Join(at, part)
			if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				t.Fatalf("resolve(%q) = %q has the link %s", name, got, part)
			}
		}
		if again, _ := w.resolve(got); again != got {
			t.Fatalf("resolve(resolve(%q)) = %q, want %q", name, again, got)
		}
	})
}
