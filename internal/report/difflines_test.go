package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/report/diff"
)

// What names something is wrapped, not cut: notes, paths and the names of tools.
func TestWriteDiff_WrapsNames(t *testing.T) {
	long := strings.Repeat("d/", 60)
	base := oneRun("base", "success", "", 1, [3]string{"write_file", `{"path":"` + long + `A.txt"}`, "ok"}, [3]string{strings.Repeat("t", 90) + "A", "{}", "ok"})
	head := oneRun("head", "success", "", 1, [3]string{"write_file", `{"path":"` + long + `B.txt"}`, "ok"}, [3]string{strings.Repeat("t", 90) + "B", "{}", "ok"})
	d := diff.Compare(base, head)
	d.Base.Notes = []string{"the stream has some arguments in part alone, and what is missing is compared by its size"}
	var b strings.Builder
	if err := WriteDiff(&b, d, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"      note: the stream has some arguments in part alone, and\n        what is missing is compared by its size\n",
		"d/A.txt\n", "d/B.txt\n", "tA\n", "tB\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("WriteDiff has not %q:\n%s", want, &b)
		}
	}
	for line := range strings.Lines(b.String()) {
		if n := cellsApart(strings.TrimSuffix(line, "\n")); n > diffWidth {
			t.Errorf("%d cells in %q, want at most %d", n, line, diffWidth)
		}
	}
}

// A reason that quotes the same of two long ends does not hide that they differ.
func TestWriteDiff_EndsBeyondTheReason(t *testing.T) {
	base, head := oneRun("base", "failure", "", 1), oneRun("head", "failure", "", 1)
	d := diff.Compare(base, head)
	d.Changed = []string{diff.NameReason}
	d.Base.Reason, d.Head.Reason = "blocked: xA and xB", "blocked: xA and xB"
	d.Base.Ended, d.Head.Ended = "xA", "xB"
	var b strings.Builder
	if err := WriteDiff(&b, d, false); err != nil || !strings.Contains(b.String(), "ended\n  - xA\n  + xB\n") {
		t.Errorf("WriteDiff = %v and does not say how the runs ended:\n%s", err, &b)
	}
}

// An annotation counts all that changed, not what is listed.
func TestDiffFindings_CountsAll(t *testing.T) {
	var calls [][3]string
	for i := range 400 {
		calls = append(calls, [3]string{"write_file", fmt.Sprintf(`{"path":"%d"}`, i), "ok"})
	}
	calls = append(calls, [3]string{"x", "{}", "ok"})
	base, head := oneRun("base", "success", "", 1, [3]string{"x", "{}", "fail"}), oneRun("head", "success", "", 1, calls...)
	text := fmt.Sprint(DiffFindings(diff.Compare(base, head)))
	for _, want := range []string{"400 new; the first", "0 not written any more, 400 new", "changed: 1 ended otherwise"} {
		if !strings.Contains(text, want) {
			t.Errorf("DiffFindings has not %q: %s", want, text)
		}
	}
}
