package live

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/text/term"
)

func TestBlock_DrawnInPlace(t *testing.T) {
	var out strings.Builder
	p := &paper{t: t}
	b := term.Block{W: &out}
	for _, tt := range []struct{ above, lines, want string }{
		{"before\n", "one\ntwo\n", "before\none\ntwo\n\n"},
		{"", "one\ntwo\n", "before\none\ntwo\n\n"},
		{"", "1", "before\n1\n"},
		{"more\n", "1", "before\nmore\n1\n"},
		{"", "a\nb\nc", "before\nmore\na\nb\nc\n"},
		{"", "", "before\nmore\n\n"},
	} {
		out.Reset()
		if err := b.Draw(tt.above, tt.lines); err != nil {
			t.Fatal(err)
		}
		p.write(strings.ReplaceAll(out.String(), "\n", "\r\n"))
		p.cell()
		if got := p.text(); got != tt.want {
			t.Errorf("after draw(%q, %q) the screen holds %q, want %q", tt.above, tt.lines, got, tt.want)
		}
	}
	out.Reset()
	if err := b.Draw("", ""); err != nil || out.Len() > 0 {
		t.Errorf("draw of what stands there = %v and %q, want no write", err, out.String())
	}
}
