package scenarioresult

import (
	"strings"
	"testing"
)

func TestCutLog(t *testing.T) {
	long := strings.Repeat("0123456789\n", 10_000)
	for _, tt := range []struct {
		name, log          string
		first, last, lacks string
	}{
		{"short", "> a\nFAIL: s.txtar:1: b\n", "> a\n", "FAIL: s.txtar:1: b\n", "left out"},
		{"at the bound", long[:logHead+logTail], "0123456789\n", "", "left out"},
		{"long", "> a\n" + long + "FAIL: s.txtar:1: b\n", "> a\n0123456789\n", "0123456789\nFAIL: s.txtar:1: b\n", "\n123456789\n"},
		{"long message", "> a\n" + long + "FAIL: s.txtar:1: b\n" + long, "> a\n0123456789\n", " bytes left out ...\n", ""},
		{"one line", strings.Repeat("é", 1<<20) + "\n", "... ", "é\n", "\uFFFD\uFFFD"},
	} {
		got := CutLog(tt.log)
		if !strings.HasPrefix(got, tt.first) || !strings.HasSuffix(got, tt.last) || tt.lacks != "" && strings.Contains(got, tt.lacks) {
			t.Errorf("CutLog of a log that is %s = %q...%q, want %q first, %q last, not %q", tt.name, got[:min(40, len(got))], got[max(0, len(got)-60):], tt.first, tt.last, tt.lacks)
		}
		if len(got) > logHead+logTail+100 {
			t.Errorf("CutLog of a log that is %s has %d bytes, want %d and a few more", tt.name, len(got), logHead+logTail)
		}
		if strings.Contains(tt.log, "FAIL: ") && !strings.Contains(got, "\nFAIL: s.txtar:1: b\n") {
			t.Errorf("CutLog of a log that is %s lacks what failed", tt.name)
		}
	}
}

func TestRecap(t *testing.T) {
	failed := Script{Name: "a", File: "d/a.txtar", Outcome: Failed, Log: "> x\nFAIL: d/a.txtar:3: stdout is not as want:\nline 1\n"}
	for want, scripts := range map[string][]Script{
		"": {{Outcome: Passed}},
		"failed:\n  d/a.txtar:3: stdout is not as want\n  b.txtar: the script failed\n": {failed, {File: "b.txtar", Outcome: Failed}},
	} {
		if got := recap(Totals{Scripts: scripts}); got != want {
			t.Errorf("recap = %q, want %q", got, want)
		}
	}
	var all []Script
	for range maxRecap + 3 {
		all = append(all, failed)
	}
	if many := recap(Totals{Scripts: all}); !strings.HasSuffix(many, "  and 3 more\n") || strings.Count(many, "\n") != maxRecap+2 {
		t.Errorf("recap of many = %q, want %d and a count of the rest", many, maxRecap)
	}
}
