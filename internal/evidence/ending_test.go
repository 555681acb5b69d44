package evidence

import (
	"strings"
	"testing"
)

// However stderr comes in pieces, what is kept of its end is whole lines without
// a secret; the log has the rest.
func TestClose_EndOfStderr(t *testing.T) {
	long := strings.Repeat("x", maxEnding+1)
	for name, tt := range map[string]struct {
		text, want string
	}{
		"nothing":            {"", ""},
		"all of a short one": {"a\nb", "a\nb"},
		"whole lines":        {long + "\nb\nc\n", "b\nc\n"},
		"half a long line":   {"a\n" + long, long[:maxEnding]},
		"no secret":          {"a " + secret + "\n", "a [redacted]\n"},
	} {
		for _, size := range []int{1 << 20, 7, 4096} {
			f := open(t)
			for rest := tt.text; rest != ""; {
				n := min(size, len(rest))
				f.Stderr([]byte(rest[:n]))
				rest = rest[n:]
			}
			if got := closeFolder(t, f, truncated(), Closing{}).Stderr; got != tt.want {
				t.Errorf("%s in pieces of %d: Close.Stderr has %d bytes and ends %q, want %d that end %q",
					name, size, len(got), got[max(len(got)-20, 0):], len(tt.want), tt.want[max(len(tt.want)-20, 0):])
			}
		}
	}
}
