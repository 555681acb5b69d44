package diff

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema"
)

// A final text that is longer than the stream has it is compared by its size, and
// by its digest where both runs have one.
func TestCompare_FinalTextBeyondTheStream(t *testing.T) {
	one := func(size int64, digest string) *Run {
		r := &Run{FinalDigest: digest}
		r.Add(&schema.Event{Data: &schema.RunFinished{FinalOutput: strings.Repeat("x", 4096), OriginalBytes: schema.Some(size)}})
		return r
	}
	for _, tt := range []struct {
		base, head *Run
		want       bool
	}{
		{one(5000, "a"), one(5000, "a"), false},
		{one(5000, "a"), one(5000, "b"), true},
		{one(5000, "a"), one(5000, ""), false},
		{one(5000, ""), one(6000, ""), true},
		{one(4096, "a"), one(4096, "b"), false}, // the stream has it whole
	} {
		if d := Compare(tt.base, tt.head); d.Final.Changed != tt.want || len(d.Final.Lines) > 0 {
			t.Errorf("texts of %d bytes (%q) and %d (%q) differ: %t, want %t", d.Final.BaseBytes, tt.base.FinalDigest, d.Final.HeadBytes, tt.head.FinalDigest, d.Final.Changed, tt.want)
		}
	}
}

// The last line end of a text counts too, and what differs is shown.
func TestCompare_LineEnds(t *testing.T) {
	for _, tt := range []struct{ base, head, want string }{
		{"a\nb", "a\nb\n", `-"a\nb" +"a\nb\n"`},
		{"a\nb\n\n", "a\nb\n", `-`},
		{"a\r\nb", "a\nb", `-"a\r\nb" +"a\nb"`},
		{"a", "a\u202e", `-"a" +"a\u202e"`},
		{"a\nb\u00a0c\nd", "e\nb c", `-a -"b\u00a0c" -d +e +"b c"`}, // each line with that at its place
	} {
		base, head := usual(), usual()
		base.final, head.final = tt.base, tt.head
		d := Compare(base.run(), head.run())
		if got := strings.Join(d.Final.Lines, " "); got != tt.want || len(d.Changed) != 1 || d.Changed[0] != NameFinal {
			t.Errorf("Compare of %q and %q changed %q, with the lines %s, want final and %s", tt.base, tt.head, d.Changed, got, tt.want)
		}
	}
}
