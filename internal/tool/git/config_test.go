package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestParseConfig_AsGit compares what is read with what git itself reads.
func TestParseConfig_AsGit(t *testing.T) {
	for _, text := range []string{
		"[core]\n\tbare = false\n\tEmpty =\n\talone\n\talone-too\t\n",
		"\ufeff[Core] a = 1\r\n[core] B=2\n",
		"[http \"https://Git.Test/\"] ExtraHeader = AUTHORIZATION: basic eDp5 # comment\n",
		"[a \"q\\\"u\\\"\"]k = v ; c\n[a.B.c]\n\tk-1 = v\n",
		"[a]\nk = \"a\" ; d\nl = \"x\"\"y\" z  \nm = a\"b\"c\t# e\n",
		"[a]\nk = one \\\n  two\\\n\n l = \\\n three # four\n m = 5\n",
		"[a]\r\nk = one \\\r\n two\r\n",
		"[include]\npath = ../x\n",
	} {
		at := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("git", "config", "-f", at, "--no-includes", "--list", "-z")
		cmd.Env = append(fixedEnv, "PATH="+os.Getenv("PATH"))
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("git refuses %q: %v", text, err)
			continue
		}
		var want []setting
		for _, entry := range fields(out) {
			key, value, _ := strings.Cut(entry, "\n")
			want = append(want, setting{key, value})
		}
		if got := parseConfig(text); !slices.Equal(got, want) {
			t.Errorf("parseConfig(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add("[a \"b\"] c = \"d\" ; e\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range parseConfig(text) {
			if len(s.key)+len(s.value) > len(text)+2 || !strings.Contains(s.key, ".") {
				t.Errorf("parseConfig(%q) has %q", text, s)
			}
		}
	})
}
