package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
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

// A group is made beside our own one only where ours has no limit that this escapes.
func TestGroupParents(t *testing.T) {
	root, _ := groupRoot(t)
	// The folder of a mount is that of our own group where that is the topmost one.
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "0::/\n") {
		root = filepath.Join(root, "below")
	}
	own, err := filepath.Abs(filepath.Join(root, ownPath(string(text))))
	if err != nil {
		t.Fatal(err)
	}
	above := filepath.Dir(own)
	write := func(dir, name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write(own, "cgroup.controllers", "memory pids\n")
	check := func(what string, want ...string) {
		t.Helper()
		if got, err := groupParents(root); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: groupParents = %q, %v, want %q", what, got, err, want)
		}
	}
	check("nothing above", own)
	write(above, "cgroup.controllers", "memory pids\n")
	check("no limit", own, above)
	write(own, "memory.max", "max\n")
	write(own, "cpu.max", "max 100000\n")
	check("limits that bound nothing", own, above)
	write(own, "cpu.max", "50000 100000\n")
	check("a limit", own)
}

// ownPath is the path of our control group of version 2.
func ownPath(text string) string {
	_, path, _ := strings.Cut(text, "0::")
	path, _, _ = strings.Cut(path, "\n")
	return path
}

// A group of the kernel has the processes that joined it, and ends what is left of
// them; one that a killed run left goes too.
func TestGroup_OfTheKernel(t *testing.T) {
	above, err := ownGroup(cgroupRoot)
	if err != nil {
		t.Skip(err)
	}
	g, err := makeGroup(above, Limits{})
	if err != nil {
		t.Skip(err)
	}
	left, err := os.MkdirTemp(above, groupPrefix)
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(left)
	if err := os.Chtimes(left, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Log(err)
		left = g.dir
	}
	cmd := exec.Command("sh", "-c", "sleep 999 & exec sleep 999")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if _, err := g.procs.WriteString(strconv.Itoa(cmd.Process.Pid)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", cmd.Process.Pid))
	if err != nil || !strings.HasSuffix(ownPath(string(text)), filepath.Base(g.dir)) {
		t.Errorf("the process is in %s, %v, want %s", text, err, g.dir)
	}
	go cmd.Wait() // so that it is not a zombie of ours, which stays in its group
	if err := g.remove(); err != nil {
		t.Errorf("remove: %v", err)
	}
	for _, dir := range []string{g.dir, left} {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", dir, err)
		}
	}
}

// Where the machine lets a group bound memory and processes, it does, and says so.
func TestGroup_Bounds(t *testing.T) {
	for _, tt := range []struct {
		limits    Limits
		line, hit string
	}{
		{Limits{Memory: 64 << 20}, "head -c 300m /dev/zero | tail -n 1 >/dev/null", "memory"},
		{Limits{Processes: 20}, "for i in $(seq 60); do sleep 5 & done; wait", "processes"},
	} {
		g, err := newGroup(cgroupRoot, tt.limits)
		if err != nil {
			t.Skip("no control group bounds anything here: ", err)
		}
		cmd := exec.Command("sh", "-c", "read go; "+tt.line)
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.procs.WriteString(strconv.Itoa(cmd.Process.Pid)); err != nil {
			t.Fatal(err)
		}
		_ = in.Close()
		_ = cmd.Wait()
		if hits := g.hits(); !slices.Equal(hits, []string{tt.hit}) {
			t.Errorf("%+v: hits are %q, want %s", tt.limits, hits, tt.hit)
		}
		if err := g.remove(); err != nil {
			t.Errorf("remove: %v", err)
		}
	}
}
