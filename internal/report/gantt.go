package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/runner"
)

const (
	maxGanttRows = 50
	maxGanttName = 40
	// maxGanttTime keeps a stream with wild time stamps from stretching the
	// chart beyond use.
	maxGanttTime = 7 * 24 * time.Hour
)

// writeGantt draws the time line as a Mermaid gantt chart, a section per step.
// A chart of more rows than maxGanttRows cannot be read and is left out.
func writeGantt(b *strings.Builder, spans []runner.Span) {
	if len(spans) == 0 || len(spans) > maxGanttRows {
		return
	}
	zero, end := spans[0].Start, spans[0].End
	for _, s := range spans {
		if s.Start.Before(zero) {
			zero = s.Start
		}
		if s.End.After(end) {
			end = s.End
		}
	}
	axis := "%M:%S"
	if end.Sub(zero) < time.Minute {
		axis = "%S.%L" // with milliseconds
	}
	fmt.Fprintf(b, "### Time line\n\n```mermaid\ngantt\n    dateFormat x\n    axisFormat %s\n    todayMarker off\n", axis)
	section := -1
	for _, s := range spans {
		if s.Step != section {
			section = s.Step
			fmt.Fprintf(b, "    section step %d\n", section)
		}
		from := offset(s.Start, zero)
		fmt.Fprintf(b, "    %s :%s, %d, %d\n", ganttName(s), ganttTag(s), from, max(from+1, offset(s.End, zero)))
	}
	b.WriteString("```\n\n")
}

// offset returns t in milliseconds after zero, within the bounds of a chart.
func offset(t, zero time.Time) int64 {
	return min(max(t.Sub(zero), 0), maxGanttTime).Milliseconds()
}

// ganttName returns a name that Mermaid reads as nothing but a name: it begins
// with a word that is no keyword and holds no sign of the notation.
func ganttName(s runner.Span) string {
	if !s.Tool {
		return "whole step"
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return '_'
	}, s.Name)
	name, _ = clip.Prefix(name, maxGanttName)
	return "tool " + name
}

func ganttTag(s runner.Span) string {
	switch {
	case s.OK == nil:
		return "active"
	case *s.OK:
		return "done"
	}
	return "crit"
}
