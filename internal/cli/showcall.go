package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/record"
	"github.com/openagent-ci/openagent/internal/view"
	"github.com/openagent-ci/openagent/schema"
)

// shownPart is what show was asked for of a run: a step or a call in full, or
// with the zero value all of it in short.
type shownPart struct {
	step int
	call string
}

func (p shownPart) whole() bool { return p == shownPart{} }

func (p shownPart) has(step int, call string) bool {
	return (p.step == 0 || p.step == step) && (p.call == "" || p.call == call)
}

func (p shownPart) String() string {
	text := "call"
	if p.call != "" {
		text += " " + p.call
	}
	if p.step != 0 {
		text += fmt.Sprintf(" in step %d", p.step)
	}
	return text
}

// shownCall is a tool call as it is shown in full.
type shownCall struct {
	step                     int
	id, tool                 string
	arguments                string
	decision, source, reason string
	finished, ok             bool
	summary, text            string
	durationMS               int64
	cutArguments, cutText    string // say how much is missing, empty for nothing
}

// recordedCall returns a call of a run record, which has it whole.
func recordedCall(c record.Call) shownCall {
	return shownCall{
		step: c.Step, id: c.ID, tool: c.Tool, arguments: c.Arguments,
		decision: c.Decision, source: c.DecidedBy, reason: c.Reason,
		finished: true, ok: c.Result.Facts().OK, summary: c.Result.SummaryText, text: c.Rendered, durationMS: c.DurationMS,
	}
}

// print writes the call for people. Its texts are an agent's.
func (c shownCall) print(w io.Writer) {
	fmt.Fprintf(w, "call %s: %s, step %d\n", view.OneLine(c.id, maxShownName), view.OneLine(c.tool, maxShownName), c.step)
	printText(w, "arguments", indentedJSON(c.arguments), c.cutArguments)
	if c.decision != "" {
		text := "decision: " + c.decision
		if c.source != "" {
			text += " by " + c.source
		}
		if c.reason != "" {
			text += ": " + c.reason
		}
		fmt.Fprintln(w, "  "+view.OneLine(text, maxDifference))
	}
	if !c.finished {
		fmt.Fprintln(w, "  result: none, the call did not end")
		return
	}
	word := "failed"
	if c.ok {
		word = "ok"
	}
	fmt.Fprintf(w, "  result: %s (%d ms)", word, c.durationMS)
	if c.summary != "" {
		fmt.Fprint(w, ": "+view.OneLine(c.summary, maxDifference))
	}
	fmt.Fprintln(w)
	printText(w, "text", c.text, c.cutText)
}

// maxShownName bounds an id or the name of a tool, in characters.
const maxShownName = 200

// printText writes a text of several lines below its name.
func printText(w io.Writer, name, text, cut string) {
	fmt.Fprintf(w, "  %s:\n", name)
	for _, line := range view.Clean(strings.TrimSuffix(text, "\n")) {
		fmt.Fprintln(w, "    "+line)
	}
	if cut != "" {
		fmt.Fprintln(w, "    ("+cut+")")
	}
}

// indentedJSON returns a text of JSON in lines, any other as it is.
func indentedJSON(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

// streamCalls gathers the calls of a part of a stream, as far as the stream
// tells of them.
type streamCalls struct {
	part  shownPart
	calls []*shownCall
	known []string // ids of all calls
}

// add takes what an event tells of its call.
func (s *streamCalls) add(e *schema.Event) {
	switch d := e.Data.(type) {
	case *schema.ToolCallDetected:
		if c := s.call(e, d.ToolCallID, d.Tool); c != nil {
			c.arguments, _ = d.ArgumentsPreview.Get()
			if n, ok := d.ArgumentsBytes.Get(); ok && n > int64(len(c.arguments)) {
				c.cutArguments = fmt.Sprintf("%d of %d bytes are in the stream", len(c.arguments), n)
			}
		}
	case *schema.ToolDecision:
		if c := s.call(e, d.ToolCallID, d.Tool); c != nil {
			c.decision, c.source, c.reason = plain(d.Decision), plain(d.Source), plain(d.Reason)
		}
	case *schema.ToolExecStarted:
		s.call(e, d.ToolCallID, d.Tool)
	case *schema.ToolExecFinished:
		if c := s.call(e, d.ToolCallID, d.Tool); c != nil {
			c.finished, c.ok, c.text = true, d.OK != nil && *d.OK, plain(d.ContentPreview)
			c.summary, _ = d.SummaryText.Get()
			c.durationMS, _ = d.DurationMS.Get()
			if d.Truncated && d.OriginalBytes != nil {
				c.cutText = fmt.Sprintf("%d of %d bytes are in the stream", len(c.text), *d.OriginalBytes)
			}
		}
	}
}

// call returns the call of that id, a new one at its first event, nil when it
// is no part of what is shown.
func (s *streamCalls) call(e *schema.Event, id, tool *string) *shownCall {
	name, step := plain(id), int(e.Step)
	if !slices.Contains(s.known, name) {
		s.known = append(s.known, name)
	}
	if !s.part.has(step, name) {
		return nil
	}
	for _, c := range slices.Backward(s.calls) {
		if c.id == name && c.step == step {
			return c
		}
	}
	s.calls = append(s.calls, &shownCall{step: step, id: name, tool: plain(tool)})
	return s.calls[len(s.calls)-1]
}

// plain returns what p points to, the zero value where that is nothing.
func plain[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
