package key

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestExtract_RefusesADescriptorThatIsNone(t *testing.T) {
	for _, fd := range []string{"x", "-1", "0", "2", "3x", "999"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{"TEST_KEY=sk-test-0123456789", childVar + "=wipe", fdVariable + "=" + fd}
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.HasPrefix(string(out), "error: ") || strings.Contains(string(out), "sk-test") {
			t.Errorf("Extract with %s=%s: %v, %q, want an error without the key", fdVariable, fd, err, out)
		}
	}
}

func TestExtract_NoneIsNoError(t *testing.T) {
	for _, env := range [][]string{{"A=1"}, {"TEST_KEY="}} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(env, childVar+"=wipe")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "key=\n") {
			t.Errorf("Extract with %v: %v, %q, want no key", env, err, out)
		}
	}
}

// A key is handed on through a pipe that nobody reads yet.
func TestExtract_Bounds(t *testing.T) {
	for value, want := range map[string]string{
		" sk-test-0123456789\r\n":            "key=sk-test-0123456789\n",
		strings.Repeat("k", maxBytes+1):      "error: take key: TEST_KEY is longer than 16384 bytes",
		strings.Repeat("k", maxBytes) + "\n": "key=kkk",
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{"TEST_KEY=" + value, childVar + "=wipe"}
		if out, _ := cmd.CombinedOutput(); !strings.HasPrefix(string(out), want) {
			t.Errorf("Extract of %d bytes = %.100q, want %q", len(value), out, want)
		}
	}
}

func TestDescriptor_Names(t *testing.T) {
	for path, want := range map[string]int{
		"/dev/fd/3": 3, "/proc/self/fd/12": 12,
		"/dev/fd/2": -1, "/dev/fd/0": -1, "/dev/fd/": -1, "/dev/fd/-3": -1, "/dev/fd/3/x": -1, "/dev/fdx/3": -1, "3": -1, "key": -1,
	} {
		n, ok := descriptor(path)
		if !ok {
			n = -1
		}
		if n != want {
			t.Errorf("descriptor(%s) = %d, want %d", path, n, want)
		}
	}
}

func TestReadFile_LongestKey(t *testing.T) {
	key := strings.Repeat("k", maxBytes)
	path := filepath.Join(t.TempDir(), "key")
	for name, tt := range map[string]struct {
		text string
		ok   bool
	}{"as long as may be": {key, true}, "too long by its line end": {key + "\n", false}, "with a zero byte": {"sk-test\x00", false}, "with CR": {"sk\rtest", false}} {
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFile(path); (err == nil) != tt.ok || tt.ok && got.Key != key {
			t.Errorf("%s: ReadFile = %d bytes, %v, want it read: %v", name, len(got.Key), err, tt.ok)
		}
	}
	if got, err := ReadFile(filepath.Dir(path)); err == nil {
		t.Errorf("ReadFile of a folder = %+v, want an error", got)
	}
}
