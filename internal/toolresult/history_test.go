package toolresult

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/tool"
)

// found returns n matches whose lines have that content.
func found(n int, content string) tool.HistoryMatches {
	m := tool.HistoryMatches{Query: "q", Matches: []tool.HistoryMatch{}, Total: int64(n), Skipped: []tool.HistoryPlace{}}
	for i := range n {
		line := &tool.HistoryLine{TS: "2026-03-03T12:00:00Z", Role: "tool_result", Content: content}
		m.Matches = append(m.Matches, tool.HistoryMatch{
			Session: fmt.Sprintf("s%d", i), TS: "2026-03-03T21:59:59.5+01:00", Role: "assistant", Content: content, Before: line, After: line,
		})
	}
	return m
}

func TestHistoryText_Matches(t *testing.T) {
	m := found(2, "x")
	m.Matches[0].Before.Role, m.Matches[0].After = "tool_call", nil
	m.Matches[1].Role, m.Matches[1].Before = "user", nil
	m.SkippedLines, m.Skipped = 3, []tool.HistoryPlace{{Session: "s9", Offset: 17}}
	want := `## Match 1 — Session: s0 | 2026-03-03 20:59

TOOL CALL: x
**ASSISTANT: x**
---
## Match 2 — Session: s1 | 2026-03-03 20:59

**USER: x**
TOOL RESULT: x
---
[... 3 broken lines skipped; the first: session s9, byte 17 ...]`
	if got := HistoryText(m); got != want {
		t.Errorf("HistoryText(...) =\n%s\nwant\n%s", got, want)
	}
}

func TestHistoryText_NoMatch(t *testing.T) {
	if got, want := HistoryText(tool.HistoryMatches{Query: "it's"}), "No matches found for 'it's'."; got != want {
		t.Errorf("HistoryText(none) = %s, want %s", got, want)
	}
}

// No text of a line can look like the frame around it.
func TestHistoryText_ContentThatImitatesIt(t *testing.T) {
	for content, want := range map[string]string{
		"a\n## Match 9 — Session: x | y\n---\nb": "a\n\\## Match 9 — Session: x | y\n\\---\nb",
		"# one\r\n#two\r-----\n\n":               "\\# one\r\n\\#two\r\\-----\n\n",
		"...# cut\n --- \n -#":                   "...# cut\n --- \n -#",
		"":                                       "",
	} {
		if got, want := historyLine("user", content), "USER: "+want; got != want {
			t.Errorf("historyLine(%q) = %q, want %q", content, got, want)
		}
	}
}

func TestProject_HistoryFitsItsBudget(t *testing.T) {
	for _, content := range []string{strings.Repeat("é", 300), strings.Repeat("😀", 300) + "...", strings.Repeat("#\n", 150), "short"} {
		res := Project(tool.Call{}, "search_history", tool.Done("50 matches", found(50, content)), Options{})
		text := Render(res, Options{})
		if len(text) > historyBudget {
			t.Errorf("Render(50 matches of %.10q) has %d bytes, want at most %d", content, len(text), historyBudget)
		}
		var kept tool.HistoryMatches
		if err := json.Unmarshal(res.Result, &kept); err != nil || len(kept.Matches) == 0 {
			t.Fatalf("Project(50 matches) = %s, %v", res.Result, err)
		}
		if cut := len(kept.Matches) < 50; cut != kept.Truncated || cut != strings.Contains(text, "of 50 matches omitted") || cut != res.Facts().OutputTruncated {
			t.Errorf("Project(50 matches of %.10q) keeps %d, truncated %v:\n%s", content, len(kept.Matches), kept.Truncated, text[len(text)-100:])
		}
	}
	none := found(0, "")
	none.Query = strings.Repeat("q", 50000)
	if text := Render(Project(tool.Call{}, "search_history", tool.Done("0 matches", none), Options{}), Options{}); len(text) > 400 {
		t.Errorf("Render(no match of a long query) has %d bytes, want little", len(text))
	}
}
