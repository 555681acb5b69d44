package term

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestClean(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"plain", "a b", []string{"a b"}},
		{"line ends", "a\nb\rc\r\nd\u0085e\u2028f\u2029g", []string{"a", "b", "c", "d", "e", "f", "g"}},
		{"last line end", "a\n", []string{"a"}},
		{"blank lines stay", "a\n\nb", []string{"a", "", "b"}},
		{"colours", "\x1b[31mred\x1b[0m", []string{"red"}},
		{"private parameters", "\x1b[?25lx\x1b[>4;2my", []string{"xy"}},
		{"one-byte CSI", "a\u009b31mb", []string{"ab"}},
		{"title, BEL", "a\x1b]0;title\ab", []string{"ab"}},
		{"link, ST", "\x1b]8;;http://x.test\x1b\\text\x1b]8;;\x1b\\", []string{"text"}},
		{"OSC as one character", "a\u009d0;t\u009cb", []string{"ab"}},
		{"DCS", "a\x1bPq#0\x1b\\b", []string{"ab"}},
		{"unended OSC hides nothing", "a\x1b]0;shown", []string{"a0;shown"}},
		{"OSC does not cross lines", "a\x1b]0;x\ny\az", []string{"a0;x", "yz"}},
		{"charset", "\x1b(Ba\x1b=b", []string{"ab"}},
		{"lone ESC", "a\x1b", []string{"a"}},
		{"controls", "a\x00\x08\x7f\u0080b", []string{"ab"}},
		{"tab", "a\tb", []string{"a b"}},
		{"direction", "a\u202eb\u2066c\u200ed\u061c", []string{"abcd"}},
		{"not UTF-8", "a\xffb", []string{"a\ufffdb"}},
		{"command", "::set-output name=ok::true", []string{": :set-output name=ok::true"}},
		{"command behind blanks", " \t::error::x", []string{"  : :error::x"}},
		{"command behind a wide blank", "\u3000::error::x", []string{"\u3000: :error::x"}},
		{"command behind CR", "x\r::error::y", []string{"x", ": :error::y"}},
		{"command made by dropping", ":\x1b[0m:error::x", []string{": :error::x"}},
		{"old command", "a ##[error]b", []string{"a # #[error]b"}},
		{"old command made by dropping", "#\x00#\u202e[error]b", []string{"# #[error]b"}},
		{"colons inside stay", "a::b", []string{"a::b"}},
		{"secret made by dropping", "Bea\x1b[1mrer sk-test-\x00123\nTO\u202eKEN=x", []string{"Bearer [redacted]", "TOKEN=[redacted]"}},
		{"private key made by dropping", "a\n-----BEGIN PRIVATE \x1b[1mKEY-----\nAA\n-----END PRIVATE KEY-----\nb", []string{"a", "[redacted]", "b"}},
		{"old command made by a mask", "##-----BEGIN PRIVATE KEY-----", []string{"# #[redacted]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Clean(tt.in)); diff != "" {
				t.Errorf("Clean(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestOneLine(t *testing.T) {
	tests := []struct {
		in   string
		max  int
		want string
	}{
		{"  a\nb \n", 10, "a b"},
		{"##\n[error]", 40, "## [error]"},
		{"\n::error::x", 40, ": :error::x"},
		{"äöüß", 4, "äöüß"},
		{"äöüßx", 4, "äöü…"},
		{"", 4, ""},
		{"--password\nsk-test", 40, "--password [redacted]"},
	}
	for _, tt := range tests {
		if got := OneLine(tt.in, tt.max); got != tt.want {
			t.Errorf("OneLine(%q, %d) = %q, want %q", tt.in, tt.max, got, tt.want)
		}
	}
}

// harmless tells what no cleaned line may hold.
func harmless(line string) bool {
	bad := strings.ContainsFunc(line, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029
	})
	return !bad && utf8.ValidString(line) && !strings.Contains(line, "##[") &&
		!strings.HasPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::")
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"::a", "##[", "#\x1b[0m#[", "\x1b]0;", "\u009b", "a\u2028b", "\xc2\x9b", "###[", ":::"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, line := range append(Clean(s), OneLine(s, 50)) {
			if !harmless(line) {
				t.Errorf("Clean(%q) has the line %q, want it harmless", s, line)
			}
		}
	})
}
