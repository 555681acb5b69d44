package scenarioresult

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// A failed script fits a screen: what led to the failure, what the last command printed,
// and what was expected.
func TestOnScreen(t *testing.T) {
	stream := strings.Repeat(`{"schema_version":"openagent.run_event.v1","sequence":1}`+"\n", 3)
	many := func(format string, n int) (text string) {
		for i := range n {
			text += fmt.Sprintf(format, i+1)
		}
		return text
	}
	long := strings.Repeat("é", 100)
	for _, tt := range []struct{ name, log, want string }{
		{
			"one command", "> exec false\n[exit status 1]\nFAIL: s.txtar:1: unexpected command failure\n",
			"> exec false\n[exit status 1]\nFAIL: s.txtar:1: unexpected command failure\n",
		},
		{
			"a stream", "# It works. (0.03s)\n> agent codex hi\n[stdout]\n" + stream + "\n[stderr]\nstarts\n> call-has read_file\nFAIL: s.txtar:2: got no call of read_file, want one\nthe run made no call\n",
			"# It works.\n> agent codex hi\n[stdout]\n(3 events)\n[stderr]\nstarts\n> call-has read_file\nFAIL: s.txtar:2: got no call of read_file, want one\nthe run made no call\n" + allOfLog + "\n",
		},
		{
			"output of two", "> exec one\nfirst\n> exec two\nsecond\n> stdout third\nFAIL: s.txtar:3: no match\n",
			"> exec one\n> exec two\nsecond\n> stdout third\nFAIL: s.txtar:3: no match\n" + allOfLog + "\n",
		},
		{
			"a run that failed", "> openagent run p\n" + `{"schema_version":"openagent.run_event.v1","data":{"ok":false,"error":"no key"}}` + "\nFAIL: s.txtar:1: exit status 1\n",
			"> openagent run p\n(1 event; the run ended: no key)\nFAIL: s.txtar:1: exit status 1\n" + allOfLog + "\n",
		},
		{
			"many", many("> exec true %d\n", 8) + many("line %d\n", 14) + "FAIL: s.txtar:8: no\n" + many("got %d\n", 15),
			"... 2 lines before\n" + strings.Replace(many("> exec true %d\n", 8), many("> exec true %d\n", 2), "", 1) +
				"... 2 lines before\n" + strings.Replace(many("line %d\n", 14), "line 1\nline 2\n", "", 1) + "FAIL: s.txtar:8: no\n" + many("got %d\n", 14) + "... 1 line more\n" + allOfLog + "\n",
		},
		{
			"wide", "> exec " + long + "\nFAIL: s.txtar:1: " + long + "\ngot " + strings.Repeat("word ", 15) + "end\n" + long + "\n",
			"> exec " + long[:2*67] + "\n  " + long[2*67:] + "\nFAIL: s.txtar:1: " + long[:2*57] + "\n  " + long[2*57:] + "\ngot " + strings.Repeat("word ", 13) + "word\n  word end\n" + long[:2*74] + "\n  " + long[:2*26] + "\n",
		},
		{
			"an assertion", "FAIL: s.txtar:1: /final_output: got \"" + long[:2*60] + "\", want *=\"Water\"\n",
			"FAIL: s.txtar:1: /final_output: got \"" + long[:2*60] + "\", want *=\"Water\"\n",
		},
		{
			"a command to copy", "FAIL: s.txtar:1: a miss\nrecord it again: openagent test --live --record --agents openagent --models m2 s/notes.txtar\n",
			"FAIL: s.txtar:1: a miss\nrecord it again: openagent test --live --record --agents openagent --models m2 s/notes.txtar\n",
		},
	} {
		got := onScreen(tt.log, false)
		want := screenIndent + strings.ReplaceAll(strings.TrimSuffix(tt.want, "\n"), "\n", "\n"+screenIndent) + "\n"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if n := strings.Count(got, "\n"); n > 40 {
			t.Errorf("%s: %d lines, want at most a screen of 40", tt.name, n)
		}
	}
	if got := onScreen("> a\n> b\nFAIL: c\nd\n", true); got != screenIndent+term.Grey.Paint("> a", true)+"\n"+screenIndent+"> b\n"+screenIndent+term.Red.Paint("FAIL: c", true)+"\n"+screenIndent+"d\n" {
		t.Errorf("in color: %q, want earlier commands grey and the failure red", got)
	}
}
