package process

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestSecrets_OfTheEnvironment(t *testing.T) {
	t.Setenv("PROCESS_TEST_TOKEN", "ghs-test-0123456789")
	got := Env{}.Secrets([]string{"named", "key"}, "", "key")
	if len(got) < 3 || got[0] != "key" || got[1] != "named" || !slices.Contains(got, "ghs-test-0123456789") {
		t.Errorf("Secrets = %q, want the key, what was named, and the token", got)
	}
}

func TestWarnOfRoot(t *testing.T) {
	for _, tt := range []struct {
		root    bool
		secrets []string
		want    bool
	}{{true, []string{"", "sk-test-0"}, true}, {true, []string{"sk-test"}, false}, {true, nil, false}, {false, []string{"sk-test-0"}, false}} {
		var errs bytes.Buffer
		(&Process{Err: &errs, Superuser: tt.root}).WarnOfRoot(tt.secrets)
		if got := strings.Contains(errs.String(), "run as another user"); got != tt.want {
			t.Errorf("WarnOfRoot(%q) as root %v says %q, want a warning with its way out: %v", tt.secrets, tt.root, errs.String(), tt.want)
		}
	}
}
