package key

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// exposed asks a child of a shell, which has the key in its own environment
// and starts the child without it.
func exposed(t *testing.T, key, environment string) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", `/usr/bin/env -i `+childVar+`=exposed "$0" "$1"; true`, os.Args[0], key)
	cmd.Env = []string{"A=1", environment, "B=2"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("sh: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestExposed_NamesTheProcess(t *testing.T) {
	for name, tt := range map[string]struct{ key, environment, want string }{
		"in a variable":       {"sk-test-0123456789", "KEY=sk-test-0123456789", "true sh"},
		"inside of a value":   {"sk-test-0123456789", "HEADER=Bearer sk-test-0123456789;", "true sh"},
		"another key":         {"sk-test-0123456789", "KEY=sk-test-012345678", "false"},
		"eight bytes":         {"sk-test8", "KEY=sk-test8", "true sh"},
		"too short to tell":   {"sk-test", "KEY=sk-test", "false"},
		"no key":              {"", "KEY=", "false"},
		"nowhere to be found": {"sk-test-0123456789", "KEY=", "false"},
	} {
		if got := exposed(t, tt.key, tt.environment); got != tt.want {
			t.Errorf("%s: Exposed = %s, want %s", name, got, tt.want)
		}
	}
}

// A process may call itself anything, also what looks like the next fields.
func TestLineage_NameWithParentheses(t *testing.T) {
	old, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	const name = "a) S 1 (b ) 2"
	if err := os.WriteFile("/proc/self/comm", []byte(name), 0); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.WriteFile("/proc/self/comm", old, 0) }()
	if comm, parent, err := lineage(os.Getpid()); comm != name || parent != os.Getppid() || err != nil {
		t.Errorf("lineage = %q, %d, %v, want %q, %d", comm, parent, err, name, os.Getppid())
	}
	if comm, parent, err := lineage(1 << 30); err == nil {
		t.Errorf("lineage of no process = %q, %d, want an error", comm, parent)
	}
}
