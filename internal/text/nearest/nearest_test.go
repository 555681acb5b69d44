package nearest

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	known := []string{"run", "ci", "check", "read_file", "write_file", "execute_command"}
	for word, want := range map[string]string{
		"rnu": "run", "runn": "run", "rn": "run", "rum": "run", "RUN": "run", "raed_file": "read_file", "readfile": "read_file", "Read-File": "read_file",
		"execute_comand": "execute_command", "exec_command": "execute_command", "chek": "check", "ic": "ci",
		"": "", "x": "", "foo": "", "frobnicate": "", "re": "", "read": "read_file", "nur": "", strings.Repeat("read_file", 100): "",
	} {
		if got := Name(word, known); got != want {
			t.Errorf("Name(%.20q) = %q, want %q", word, got, want)
		}
	}
	if got := Name("aa", []string{"ab", "ba"}); got != "ab" {
		t.Errorf("Name(aa) = %q, want the first of two", got)
	}
}

func TestHint(t *testing.T) {
	if got, want := Hint("rnu", []string{"run"}), `; did you mean "run"?`; got != want {
		t.Errorf("Hint(rnu) = %q, want %q", got, want)
	}
	if got := Hint("rnu", nil); got != "" {
		t.Errorf("Hint(rnu) = %q, want nothing", got)
	}
}
