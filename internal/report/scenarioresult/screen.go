package scenarioresult

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

// A failed script fits a screen: so many of its lines before the failure, so many of
// what the last command printed and of what was expected, each of so many cells.
const (
	maxScreenSteps  = 6
	maxScreenOutput = 12
	maxScreenCause  = 14
	screenWidth     = 80
	screenIndent    = "      "
)

// maxLogLine bounds the line that says what failed, in characters.
const maxLogLine = 800

// allOfLog says where people find what the screen leaves out.
const allOfLog = "(all of its log: --format json, or --out)"

// onScreen returns the log of a script as it fits a screen: its remarks and commands,
// the one that failed last, the output of the last one that printed something, and what
// was expected.
func onScreen(log string, colored bool) string {
	lines := term.Clean(strings.TrimSuffix(log, "\n"))
	cause := len(lines)
	for i, line := range lines {
		if strings.HasPrefix(line, "FAIL: ") {
			cause = i
		}
	}
	steps, left := parted(lines[:cause])
	var b strings.Builder
	add := func(color term.Colour, lines ...string) {
		for _, line := range lines {
			b.WriteString(screenIndent + color.Paint(line, colored && color != "") + "\n")
		}
	}
	if n := len(steps) - maxScreenSteps; n > 0 {
		add(term.Grey, "... "+term.Counted(n, "line")+" before")
		steps, left = steps[n:], true
	}
	for i, s := range steps {
		color := term.Grey
		if i == len(steps)-1 {
			color = ""
		}
		add(color, wrapped([]string{s.line})...)
		output := wrapped(s.output)
		if n := len(output) - maxScreenOutput; n > 0 {
			add(term.Grey, "... "+term.Counted(n, "line")+" before")
			output, left = output[n:], true
		}
		add("", output...)
	}
	if cause < len(lines) {
		add(term.Red, wrapped(lines[cause:cause+1])...)
		why := wrapped(lines[cause+1:])
		add("", why[:min(len(why), maxScreenCause)]...)
		if n := len(why) - maxScreenCause; n > 0 {
			add(term.Grey, "... "+term.Counted(n, "line")+" more")
			left = true
		}
	}
	if left {
		add(term.Grey, allOfLog)
	}
	return b.String()
}

// wrapped breaks lines at the width of a screen; the second part and those after it are
// indented. One with a command to be copied stays whole, and so does what an assertion got
// and wants, which people search for.
func wrapped(lines []string) (out []string) {
	const width = screenWidth - len(screenIndent)
	for _, line := range lines {
		line, _ = clip.Chars(line, maxLogLine)
		whole := strings.HasPrefix(line, "FAIL: ") && strings.Contains(line, ": got ") || strings.Contains(line, ": openagent ") || strings.Contains(line, " by openagent ")
		for indent := ""; ; indent = "  " {
			line = indent + line
			if whole || term.Cells(line) <= width {
				out = append(out, line)
				break
			}
			at := term.Fitting(line, width)
			if space := strings.LastIndexByte(line[:at], ' '); space > len(indent)+width/3 {
				at = space + 1
			}
			out = append(out, strings.TrimRight(line[:at], " "))
			line = line[at:]
		}
	}
	return out
}

// step is a remark or a command of a script.
type step struct {
	line   string
	output []string
}

// remarkTime ends a remark: how long its commands took.
var remarkTime = lazyregexp.New(` \([0-9.]+s\)$`)

// parted divides a log into remarks and commands. Only the last command that printed
// something keeps that, and of a stream the number of its events and how it ended; left
// reports that there is more.
func parted(lines []string) (steps []step, left bool) {
	events, end := 0, ""
	count := func() {
		if events > 0 {
			last := &steps[len(steps)-1]
			last.output, left = append(last.output, "("+term.Counted(events, "event")+end+")"), true
		}
		events, end = 0, ""
	}
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "> "), strings.HasPrefix(line, "# "):
			count()
			steps = append(steps, step{line: remarkTime().ReplaceAllString(line, "")})
		case len(steps) == 0:
			steps = append(steps, step{line: line})
		case strings.HasPrefix(line, `{"schema_version":`):
			events++
			var event struct{ Data schema.RunFinished }
			command := steps[len(steps)-1].line // which says itself why, but for openagent
			alone := strings.Contains(command, "openagent ") && !strings.Contains(command, "agent openagent ")
			if alone && json.Unmarshal([]byte(line), &event) == nil && event.Data.Error != nil {
				end = "; the run ended: " + *event.Data.Error
			}
		case line != "":
			count()
			last := &steps[len(steps)-1]
			last.output = append(last.output, line)
		}
	}
	count()
	shown := false
	for i, s := range slices.Backward(steps) {
		if shown && s.output != nil {
			steps[i].output, left = nil, true
		}
		shown = shown || s.output != nil
	}
	return steps, left
}
