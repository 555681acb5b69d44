package live

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Bounds of parts of a line, in characters. What a screen has room for is
// often less.
const (
	maxName  = 60
	maxValue = 120
	maxNote  = 400

	maxArguments = 20
)

// call is a tool call as it is shown: the tool and its arguments, which are
// shortened when it is known for which width.
type call struct {
	tool      string
	arguments []argument
	raw       string // arguments that are no object
}

type argument struct{ name, value string }

func newCall(d event.ToolCallDetected) call {
	c := call{tool: term.OneLine(d.Tool, maxName)}
	raw := event.Value(d.ArgumentsPreview)
	var args map[string]any
	if json.Unmarshal([]byte(raw), &args) != nil {
		c.raw = term.OneLine(raw, maxNote)
		return c
	}
	for name, v := range args {
		value, ok := v.(string)
		if !ok {
			value = fmt.Sprint(v)
		}
		c.arguments = append(c.arguments, argument{term.OneLine(name, maxName), term.OneLine(value, maxValue)})
	}
	sort.Slice(c.arguments, func(i, j int) bool { return c.arguments[i].name < c.arguments[j].name })
	if len(c.arguments) > maxArguments {
		c.arguments = append(c.arguments[:maxArguments], argument{term.Ellipsis, term.Ellipsis})
	}
	return c
}

// leastValue is the width that a value has at least, in cells.
const leastValue = 12

// format returns the call in width cells: the longest values are shortened
// first, so that a path beside the content of a file stays readable.
func (c call) format(width int) string {
	if c.raw != "" {
		return term.Cut(c.tool+" "+c.raw, width)
	}
	longest := leastValue
	for _, a := range c.arguments {
		longest = max(longest, term.Cells(a.format(maxValue)))
	}
	text := c.with(longest)
	for over := term.Cells(text) - width; over > 0 && longest > leastValue; over = term.Cells(text) - width {
		// Each shortened value gives one cell at least, all of them one each.
		longest = max(leastValue, longest-max(1, over/len(c.arguments)))
		text = c.with(longest)
	}
	return term.Cut(text, width)
}

// with returns the call with values of at most limit cells.
func (c call) with(limit int) string {
	var b strings.Builder
	b.WriteString(c.tool)
	for _, a := range c.arguments {
		b.WriteString(" " + a.name + "=" + a.format(limit))
	}
	return b.String()
}

// format returns the value in at most limit cells, in quotes where it could
// not be distinguished from what stands around it.
func (a argument) format(limit int) string {
	if a.value != "" && !strings.ContainsAny(a.value, " \"") {
		return term.Cut(a.value, limit)
	}
	quoted := strconv.Quote(a.value)
	for room := limit - len(`""`); term.Cells(quoted) > limit && room > 0; {
		// What had to be escaped takes more room than it had.
		quoted = strconv.Quote(term.Cut(a.value, room))
		room -= max(1, (term.Cells(quoted)-limit)/2)
	}
	return quoted
}

// number shows a figure, which a foreign event may lack.
func number(n *int64) string {
	if n == nil {
		return "<nil>"
	}
	return strconv.FormatInt(*n, 10)
}

// duration returns a duration in milliseconds as people say it.
func duration(ms *int64) string {
	if ms == nil || *ms > int64(1000*time.Hour/time.Millisecond) {
		return number(ms) + " ms"
	}
	return term.Spoken(time.Duration(*ms) * time.Millisecond)
}

// tokens shows the counts of a usage, empty when there are none.
func tokens(u event.Usage) string {
	switch {
	case u.Input != nil && u.Output != nil:
		return term.Counted(*u.Input, "token") + " in and " + number(u.Output) + " out"
	case u.Total != nil:
		return term.Counted(*u.Total, "token")
	}
	return ""
}
