package key

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openagent-ci/openagent/internal/testkit/testenv"
)

// childVar makes the test binary take a key and show its own environment.
const childVar = "KEY_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVar) == "" {
		os.Exit(m.Run())
	}
	if os.Getenv(childVar) == "exposed" {
		pid, name := Exposed(os.Args[1])
		fmt.Println(pid != 0, name)
		testenv.Exit(0)
	}
	if os.Getenv(childVar) == "arguments" {
		kept := HideArguments("--redact", os.Args[1:])
		cmdline, _ := os.ReadFile("/proc/self/cmdline")
		_, shown, _ := strings.Cut(string(cmdline), "\x00")
		os.Stdout.WriteString(strings.Join(kept, " ") + "\n" + strings.ReplaceAll(strings.TrimSuffix(shown, "\x00"), "\x00", " "))
		testenv.Exit(0)
	}
	var err error
	var key string
	if os.Getenv(childVar) == "restart" && os.Getenv(fdVariable) == "" {
		key = os.Getenv("TEST_KEY")
		os.Unsetenv("TEST_KEY")
		err = restart(key)
	} else {
		key, err = Extract("TEST_KEY")
	}
	if err != nil {
		os.Stdout.WriteString("error: " + err.Error())
		testenv.Exit(1)
	}
	environ, _ := os.ReadFile("/proc/self/environ")
	os.Stdout.WriteString("key=" + key + "\nenviron=" + strings.ReplaceAll(string(environ), "\x00", "\n") + strings.Join(os.Environ(), "\n"))
	testenv.Exit(0)
}

func TestExtract_LeavesNoTrace(t *testing.T) {
	modes := []string{"wipe"}
	if runtime.GOOS != "windows" {
		modes = append(modes, "restart")
	}
	for _, mode := range modes {
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{"A=1", "TEST_KEY=sk-test-0123456789", "B=2", childVar + "=" + mode}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", mode, err, out)
		}
		key, rest, _ := strings.Cut(string(out), "\n")
		if key != "key=sk-test-0123456789" {
			t.Errorf("%s: child got %q, want the key", mode, key)
		}
		if runtime.GOOS == "linux" && mode == "wipe" && strings.Count(rest, "B=2") != 1 {
			t.Errorf("%s: environment after Extract:\n%s\nwant B in the process's own copy alone", mode, rest)
		}
		if strings.Contains(rest, "sk-test") || !strings.Contains(rest, "B=2") {
			t.Errorf("%s: environment after Extract:\n%s\nwant it without the key, the rest whole", mode, rest)
		}
	}
}

func TestReadFile(t *testing.T) {
	file := func(content string) string {
		p := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	if h, err := ReadFile(file("  sk-test-1\n")); h.Key != "sk-test-1" || err != nil {
		t.Errorf("ReadFile = %q, %v, want sk-test-1", h.Key, err)
	}
	for name, content := range map[string]string{"empty": " \n", "two lines": "a\nb", "too long": strings.Repeat("k", maxBytes+1)} {
		if key, err := ReadFile(file(content)); err == nil {
			t.Errorf("%s: ReadFile = %q, want an error", name, key)
		}
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("ReadFile of a missing file: want an error")
	}
}

func TestReadFile_ClosesAnInheritedDescriptor(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteString("sk-test-2\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if h, err := ReadFile(path); h.Key != "sk-test-2" || err != nil {
		t.Errorf("ReadFile(%s) = %q, %v, want sk-test-2", path, h.Key, err)
	}
	if _, err := r.Stat(); err == nil {
		t.Error("the descriptor is still open; a command would inherit it")
	}
	r.Close() // forgets the number, which is free for others by now
	if _, ok := descriptor("/dev/fd/1"); ok {
		t.Error("descriptor(/dev/fd/1): want it refused, it is the output")
	}
}

func TestHideArguments(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows command lines as files")
	}
	tests := []struct{ name, given, shown string }{
		{"none", "run p", "run p"},
		{"apart and joined", "run --redact one --redact=three p", "run --redact *** --redact=***** p"},
		{"the same elsewhere", "one --redact one", "*** --redact ***"},
		{"no value", "run --redact", "run --redact"},
		{"an empty value", "run --redact=", "run --redact="},
		{"another program's", "ci -- agent --redact one", "ci -- agent --redact one"},
	}
	for _, tt := range tests {
		cmd := exec.Command(os.Args[0], strings.Fields(tt.given)...)
		cmd.Env = []string{childVar + "=arguments"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", tt.name, err, out)
		}
		if got, want := string(out), tt.given+"\n"+tt.shown; got != want {
			t.Errorf("%s: HideArguments kept and left\n%s\nwant\n%s", tt.name, got, want)
		}
	}
}

func TestHandover(t *testing.T) {
	for name, given := range map[string]Handover{
		"a key":             {Key: "sk-test-1"},
		"no key":            {Secrets: []string{"ghs-test-1"}},
		"all kinds of text": {Key: `sk-"test\1`, Secrets: []string{"two\nlines\n", "\xff\x00", "", "käse"}, Source: "--api-key-file +f", Further: []string{"@x", "+y"}},
	} {
		path := filepath.Join(t.TempDir(), "given")
		if err := os.WriteFile(path, given.Encode(), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFile(path); err != nil || !cmp.Equal(given, got, cmpopts.EquateEmpty()) {
			t.Errorf("%s: ReadFile = %+v, %v, want %+v", name, got, err, given)
		}
	}
	for name, text := range map[string]string{"nothing": "", "half a line": `"sk-test-1`, "no quotes": "sk-test-1\n", "cut": `"sk-test-1"` + "\n" + `"ghs"`} {
		if got, err := decode(handoverMark + text); err == nil || strings.Contains(err.Error(), "sk-test") {
			t.Errorf("%s: decode = %+v, %v, want an error without the key", name, got, err)
		}
	}
}
