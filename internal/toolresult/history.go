package toolresult

import (
	"fmt"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/tool"
)

// historyLabels are how the roles of history lines are shown.
var historyLabels = map[string]string{
	"user":        "USER",
	"assistant":   "ASSISTANT",
	"tool_call":   "TOOL CALL",
	"tool_result": "TOOL RESULT",
}

// maxQuery bounds a query that is told again, in characters.
const maxQuery = 300

// projectHistory keeps the newest matches that fit the budget. What is left
// out needs no artifact: the sessions hold it.
func projectHistory(_ tool.Call, found tool.HistoryMatches, _ Options) tool.HistoryMatches {
	if query, cut := clip.Chars(found.Query, maxQuery); cut {
		found.Query = query + "..."
	}
	room := historyBudget - noteRoom - len(historyNotes(found))
	kept := []tool.HistoryMatch{}
	for i, m := range found.Matches {
		if room -= len(historyMatch(i+1, m)); room < 0 {
			break
		}
		kept = append(kept, m)
	}
	found.Matches, found.Truncated = kept, int64(len(kept)) < found.Total
	return found
}

// HistoryText returns what a search found as it is shown, without a bound.
func HistoryText(found tool.HistoryMatches) string {
	var b strings.Builder
	for i, m := range found.Matches {
		b.WriteString(historyMatch(i+1, m))
	}
	if found.Total == 0 {
		fmt.Fprintf(&b, "No matches found for '%s'.\n", found.Query)
	}
	b.WriteString(historyNotes(found))
	if found.Truncated {
		fmt.Fprintf(&b, "[... %d of %d matches omitted; narrow the query, or give days ...]\n",
			found.Total-int64(len(found.Matches)), found.Total)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// historyNotes tells of lines that a search could not read.
func historyNotes(found tool.HistoryMatches) string {
	if found.SkippedLines == 0 {
		return ""
	}
	lines, first := "lines", ""
	if found.SkippedLines == 1 {
		lines = "line"
	}
	if len(found.Skipped) > 0 {
		first = fmt.Sprintf("; the first: session %s, byte %d", found.Skipped[0].Session, found.Skipped[0].Offset)
	}
	return fmt.Sprintf("[... %d broken %s skipped%s ...]\n", found.SkippedLines, lines, first)
}

func historyMatch(number int, m tool.HistoryMatch) string {
	at := m.TS
	if t, err := time.Parse(time.RFC3339, m.TS); err == nil {
		at = t.UTC().Format("2006-01-02 15:04")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "## Match %d — Session: %s | %s\n\n", number, m.Session, at)
	if m.Before != nil {
		b.WriteString(historyLine(m.Before.Role, m.Before.Content) + "\n")
	}
	fmt.Fprintf(&b, "**%s**\n", historyLine(m.Role, m.Content))
	if m.After != nil {
		b.WriteString(historyLine(m.After.Role, m.After.Content) + "\n")
	}
	b.WriteString("---\n")
	return b.String()
}

// historyLine shows one line. A line of its text that could be taken for a
// heading or for the end of a match gets a backslash.
func historyLine(role, content string) string {
	var b strings.Builder
	b.WriteString(historyLabels[role] + ": ")
	for _, line := range splitLines(content) {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "---") {
			b.WriteByte('\\')
		}
		b.WriteString(line)
	}
	return b.String()
}

// splitLines splits text after each line feed and each carriage return, which
// some readers take for a line's end.
func splitLines(s string) []string {
	var lines []string
	for s != "" {
		end := strings.IndexAny(s, "\r\n") + 1
		if end == 0 {
			end = len(s)
		}
		lines, s = append(lines, s[:end]), s[end:]
	}
	return lines
}
