package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/schema"
)

// fullCall is a tool call as it is shown in full.
type fullCall struct {
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
func recordedCall(c record.Call) fullCall {
	result, _ := tool.DecodeResult(c.Result) // an empty one, not ok, where the record is damaged
	return fullCall{
		step: c.Step, id: c.ID, tool: c.Tool, arguments: c.Arguments,
		decision: c.Decision, source: c.DecidedBy, reason: c.Reason,
		finished: true, ok: result.Facts().OK, summary: result.SummaryText, text: c.Rendered, durationMS: c.DurationMS,
	}
}

// print writes the call for people. Its texts are an agent's.
func (c fullCall) print(w io.Writer) {
	fmt.Fprintf(w, "call %s: %s, step %d\n", term.OneLine(c.id, maxName), term.OneLine(c.tool, maxName), c.step)
	printText(w, "arguments", indentedJSON(c.arguments), c.cutArguments)
	if c.decision != "" {
		text := "decision: " + c.decision
		if c.source != "" {
			text += " by " + c.source
		}
		if c.reason != "" {
			text += ": " + c.reason
		}
		fmt.Fprintln(w, "  "+term.OneLine(text, maxLine))
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
		fmt.Fprint(w, ": "+term.OneLine(c.summary, maxLine))
	}
	fmt.Fprintln(w)
	printText(w, "text", c.text, c.cutText)
}

// maxName bounds an id or the name of a tool, and maxLine another text of one
// line, in characters.
const (
	maxName = 200
	maxLine = 800
)

// printText writes a text of several lines below its name.
func printText(w io.Writer, name, text, cut string) {
	fmt.Fprintf(w, "  %s:\n", name)
	for _, line := range term.Clean(strings.TrimSuffix(text, "\n")) {
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

// calls prints the calls of a part; that there are none is an error.
func (p *printer) calls(part Part, calls []*fullCall, ids []string) error {
	if len(calls) == 0 {
		err := fmt.Errorf("the run has no %s", part)
		if part.Call != "" && len(ids) > 0 {
			err = hint.With(err, "its calls are: "+term.OneLine(strings.Join(ids, ", "), maxLine))
		}
		return err
	}
	for _, c := range calls {
		c.print(p)
	}
	return nil
}

// callsOfStream gathers the calls of a part of a stream, as far as the stream
// names them.
type callsOfStream struct {
	part  Part
	calls []*fullCall
	shown map[stepCall]*fullCall // the calls, by what events name of them
	ids   []string               // ids of all calls
	seen  map[string]bool        // these
}

// stepCall identifies a call of a stream.
type stepCall struct {
	step int
	id   string
}

// add adds what an event says of its call.
func (s *callsOfStream) add(e *schema.Event) {
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
			c.decision, c.source, c.reason = event.Value(d.Decision), event.Value(d.Source), event.Value(d.Reason)
		}
	case *schema.ToolExecStarted:
		s.call(e, d.ToolCallID, d.Tool)
	case *schema.ToolExecFinished:
		if c := s.call(e, d.ToolCallID, d.Tool); c != nil {
			c.finished, c.ok, c.text = true, d.OK != nil && *d.OK, event.Value(d.ContentPreview)
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
func (s *callsOfStream) call(e *schema.Event, id, tool *string) *fullCall {
	if s.seen == nil {
		s.seen, s.shown = map[string]bool{}, map[stepCall]*fullCall{}
	}
	at := stepCall{int(e.Step), event.Value(id)}
	if !s.seen[at.id] {
		s.seen[at.id], s.ids = true, append(s.ids, at.id)
	}
	if !s.part.has(at.step, at.id) {
		return nil
	}
	if s.shown[at] == nil {
		s.shown[at] = &fullCall{step: at.step, id: at.id, tool: event.Value(tool)}
		s.calls = append(s.calls, s.shown[at])
	}
	return s.shown[at]
}
