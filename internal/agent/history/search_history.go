package history

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/clip"

	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

//go:embed search_history.md
var searchText string

type searchArgs struct {
	Query      string `json:"query" arg:"required,empty" doc:"Text to look for, in any case." example:"flaky test"`
	Days       int64  `json:"days" default:"0" min:"0" doc:"Only matches of the last so many days; 0 for all." example:"7"`
	MaxResults int64  `json:"max_results" default:"10" min:"1" max:"50" doc:"Most matches to return." example:"5"`
}

const (
	searchBudget = 12 << 10 // bytes of text for the matches
	maxQuery     = 300      // characters of a query that is shown again
)

// Matches is the payload of search_history, complete and canonical alike: the
// matches, newest first.
type Matches struct {
	Query   string  `json:"query"`
	Matches []Match `json:"matches"`
	// Truncated reports that Matches holds fewer than Total, which were found
	// within the number that was asked for.
	Truncated bool  `json:"truncated"`
	Total     int64 `json:"total"`
	// SkippedLines counts lines that are no records; Skipped has the first.
	SkippedLines int64    `json:"skipped_lines"`
	Skipped      []Place  `json:"skipped"`
	Broken       []Broken `json:"-"` // the sessions that have such lines
}

// Match is a line that a search found, with its neighbours in the same session;
// nil where it has none.
type Match struct {
	Session string `json:"session"`
	Excerpt
	Before *Excerpt `json:"before"`
	After  *Excerpt `json:"after"`
}

// Excerpt is one line of an earlier talk, as much of it as is shown.
type Excerpt struct {
	TS      string `json:"ts"`
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Place is where a line of a session begins, in bytes.
type Place struct {
	Session string `json:"session"`
	Offset  int64  `json:"offset"`
}

// Tool returns the tool search_history over the sessions in a folder.
func Tool(dir string, clock *event.Clock) tool.Tool {
	spec := tool.Spec{Name: "search_history", Description: searchText, Budget: searchBudget}
	return tool.Define(spec, func(ctx context.Context, _ tool.Call, args searchArgs) (Matches, *tool.Error) {
		s := Search{Dir: dir, Query: args.Query, Days: args.Days, Results: args.MaxResults, Now: clock.Now()}
		found, err := s.Run(ctx)
		switch {
		case errors.Is(err, ErrNoQuery):
			return found, tool.NewError(tool.KindInvalidInput, err.Error())
		case ctx.Err() != nil:
			return found, tool.NewError(tool.KindCancelled, "the run ended while history was searched")
		case err != nil:
			return found, tool.NewError(tool.KindIO, err.Error()).WithHint("Go on without the history.")
		}
		return found, nil
	})
}

// Summary says how much was found.
func (m Matches) Summary() string {
	if m.Total == 1 {
		return "1 match"
	}
	return fmt.Sprintf("%d matches", m.Total)
}

// Project leaves out the oldest matches that do not fit the budget. They need no
// artifact: the sessions hold them.
func (m Matches) Project() Matches {
	if query, cut := clip.Chars(m.Query, maxQuery); cut {
		m.Query = query + "..."
	}
	room := searchBudget - result.NoteRoom - len(m.skippedNote())
	number := 0
	m.Matches = result.Fit(m.Matches, room, func(match Match) string { number++; return match.text(number) })
	m.Truncated = int64(len(m.Matches)) < m.Total
	return m
}

// Document is what programs read of matches, with their text.
type Document struct {
	Matches      []Match `json:"matches"`
	SkippedLines int64   `json:"skipped_lines"`
	Rendered     string  `json:"rendered"`
}

// Text shows the matches; unless they were projected, without a bound.
func (m Matches) Text() string {
	var b strings.Builder
	for i, match := range m.Matches {
		b.WriteString(match.text(i + 1))
	}
	if m.Total == 0 {
		fmt.Fprintf(&b, "No matches found for '%s'.\n", m.Query)
	}
	b.WriteString(m.skippedNote())
	if m.Truncated {
		fmt.Fprintf(&b, "[... %s ...]\n", result.Omitted(len(m.Matches), m.Total, "matches", "; narrow the query, or give days"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// skippedNote names the lines that a search could not read.
func (m Matches) skippedNote() string {
	if len(m.Skipped) == 0 {
		return ""
	}
	first := m.Skipped[0]
	return fmt.Sprintf("[... %s skipped; the first: session %s, byte %d ...]\n", result.Counted(m.SkippedLines, "broken line"), first.Session, first.Offset)
}

func (m Match) text(number int) string {
	at := m.TS
	if t, err := time.Parse(time.RFC3339, m.TS); err == nil {
		at = t.UTC().Format(Minutes)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "## Match %d — Session: %s | %s\n\n", number, m.Session, at)
	if m.Before != nil {
		b.WriteString(m.Before.text() + "\n")
	}
	fmt.Fprintf(&b, "**%s**\n", m.Excerpt.text())
	if m.After != nil {
		b.WriteString(m.After.text() + "\n")
	}
	b.WriteString("---\n")
	return b.String()
}

// escaped puts a backslash before lines that could be taken for a heading or for
// the end of a match. Some readers take a carriage return for a line's end.
var escaped = strings.NewReplacer("\n#", "\n\\#", "\n---", "\n\\---", "\r#", "\r\\#", "\r---", "\r\\---")

// text shows one line: LABEL: content.
func (e Excerpt) text() string {
	label := strings.ToUpper(strings.ReplaceAll(e.Role, "_", " "))
	return label + ": " + escaped.Replace("\n" + e.Content)[1:]
}
