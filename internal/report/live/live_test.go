package live

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/text/term"
)

func TestLive_OtherTextWaitsForTheEnd(t *testing.T) {
	var out strings.Builder
	l := NewLive(&out, term.Screen{})
	write := func(s string) {
		if n, err := l.Write([]byte(s)); n != len(s) || err != nil {
			t.Errorf("Write(%q) = %d, %v", s, n, err)
		}
	}
	write("before\n")
	l.set(true)
	write("level=WARN msg=\"\x1b[2Jcareful\"\n")
	if got := out.String(); got != "before\n" {
		t.Errorf("written so far: %q, want only what came before", got)
	}
	if got, want := l.picture(t.Context()), "  level=WARN msg=\"careful\"\nturn 0 · Ctrl-C ends the run\n"; got != want {
		t.Errorf("picture = %q, want %q", got, want)
	}
	l.close()
	write("after\n")
	if got, want := out.String(), "before\nlevel=WARN msg=\"\x1b[2Jcareful\"\nafter\n"; strings.ReplaceAll(got, showCursor, "") != want {
		t.Errorf("written = %q, want %q", got, want)
	}
}
