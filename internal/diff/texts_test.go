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

// Other files are named, those of tools of other agents too; a call that failed
// wrote none.
func TestCompare_Files(t *testing.T) {
	base, head := usual(), usual()
	base.calls = []string{`Edit {"file_path":"/w/a"}`, `write {"filePath":"b","content":""}`}
	head.calls = []string{
		`Edit {"file_path":"/w/a"} fail`, `write {"filePath":"./b","content":""}`,
		`file_change {"changes":[{"path":"c","kind":"add"},{"path":"d","kind":"delete"}]}`, `replace {"file_path":"e"}`, `delete_file {"path":"f"}`,
	}
	f := Compare(base.run(), head.run()).Files
	if got := strings.Join(f.Added, " "); got != "c d e f" || len(f.Removed) != 1 || f.Removed[0] != "/w/a" {
		t.Errorf("files added %q and removed %q, want c d e f, and /w/a", f.Added, f.Removed)
	}
}
