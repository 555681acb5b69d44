package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// groupRoot is a folder that looks like the control groups of this process.
func groupRoot(t *testing.T) (root, own string) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Skip("the kernel has no control groups")
	}
	_, path, ok := strings.Cut(string(text), "0::")
	if !ok {
		t.Skip("the kernel has no control groups of version 2")
	}
	path, _, _ = strings.Cut(path, "\n")
	root = t.TempDir()
	own = filepath.Join(root, path)
	if err := os.MkdirAll(own, 0o755); err != nil {
		t.Fatal(err)
	}
	return root, own
}

func TestOwnGroup(t *testing.T) {
	root, own := groupRoot(t)
	if dir, err := ownGroup(root); err == nil {
		t.Errorf("ownGroup finds %s where there is none", dir)
	}
	if err := os.WriteFile(filepath.Join(own, "cgroup.controllers"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if dir, err := ownGroup(root); err != nil || dir != own {
		t.Errorf("ownGroup = %s, %v, want %s", dir, err, own)
	}
}

// A group without the controllers is removed again.
func TestNewGroup_WithoutControllers(t *testing.T) {
	root, own := groupRoot(t)
	if err := os.WriteFile(filepath.Join(own, "cgroup.controllers"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if g, err := newGroup(root, Limits{Memory: 1}); err == nil {
		t.Errorf("newGroup makes %v where nothing can be bounded", g)
	}
	if left, _ := filepath.Glob(filepath.Join(own, "openagent-*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// What the kernel counted is told once.
func TestGroup_Hits(t *testing.T) {
	g := &group{dir: t.TempDir(), seen: map[string]uint64{}}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("memory.events", "low 0\nmax 7\noom 1\noom_kill 0\n")
	write("pids.events", "max 0\n")
	if hits := g.hits(); len(hits) > 0 {
		t.Errorf("hits are %q, want none", hits)
	}
	write("memory.events", "low 0\nmax 7\noom 1\noom_kill 2\n")
	write("pids.events", "max 3\n")
	if hits := g.hits(); !slices.Equal(hits, []string{"memory", "processes"}) {
		t.Errorf("hits are %q, want memory and processes", hits)
	}
	if hits := g.hits(); len(hits) > 0 {
		t.Errorf("hits are %q again, want none", hits)
	}
}
