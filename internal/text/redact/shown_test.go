package redact

import (
	"strings"
	"testing"
)

// A key among the parameters of an address is not shown with it.
func TestShown_Address(t *testing.T) {
	if got := Shown("htp://host/v1?token=sk-test-1"); strings.Contains(got, "sk-test-1") || !strings.Contains(got, "htp://host/v1?") {
		t.Errorf("shown as %q", got)
	}
	if got := Shown("really?"); got != "really?" {
		t.Errorf("shown as %q", got)
	}
}
