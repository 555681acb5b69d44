package view

import (
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/openagent-ci/openagent/internal/event"
)

// Bounds of a progress line, in characters.
const (
	maxArgument = 60
	maxNote     = 160
	maxNumber   = 20
)

// Human is a sink that tells people of a run while it goes on: a line when a
// tool starts and one when it is done, so that a long command is seen to run.
type Human struct {
	w      io.Writer
	stream bool
	delta  deltas
}

// NewHuman returns a Human that writes to w; with stream it also shows the
// model's text as it arrives.
func NewHuman(w io.Writer, stream bool) *Human {
	return &Human{w: w, stream: stream, delta: deltas{w: w}}
}

// Emit writes the lines that e is worth. Progress that cannot be shown is no
// reason to end a run, so it never fails.
func (h *Human) Emit(e event.Event) error {
	if e.Kind == event.ModelDelta {
		if h.stream {
			h.delta.add(str(e.Data, "text"))
		}
		return nil
	}
	h.delta.end()
	if line := h.line(e); line != "" {
		fmt.Fprintln(h.w, line)
	}
	return nil
}

func (h *Human) line(e event.Event) string {
	d := e.Data
	switch e.Kind {
	case event.RunStart:
		line := "run " + OneLine(e.RunID, maxNote)
		if model := OneLine(str(d, "provider")+" "+str(d, "model"), maxNote); model != "" {
			line += " with " + model
		}
		return line
	case event.StepStarted:
		return fmt.Sprintf("step %d", e.Step)
	case event.ToolCallDetected:
		return "  > " + OneLine(str(d, "tool"), maxArgument) + arguments(str(d, "arguments_preview"))
	case event.ToolDecision:
		if str(d, "decision") == "deny" {
			return "    denied: " + OneLine(str(d, "reason"), maxNote)
		}
	case event.ToolExecEnd:
		return "    " + outcome(d)
	case event.StepBlocked:
		return "  blocked: " + OneLine(str(d, "reason"), maxNote)
	case event.ProviderRetry:
		return fmt.Sprintf("  provider: %s%s, attempt %s of %s failed, next in %s ms", OneLine(str(d, "kind"), maxArgument),
			status(d), number(d["attempt"]), number(d["max_attempts"]), number(d["backoff_ms"]))
	case event.ProviderError:
		return fmt.Sprintf("  provider: %s%s: %s", OneLine(str(d, "kind"), maxArgument), status(d), OneLine(str(d, "message_short"), maxNote))
	case event.RunEnd:
		return ending(d)
	}
	return ""
}

func str(d event.Data, key string) string {
	s, _ := d[key].(string)
	return s
}

// number shows a figure. A saved or foreign event can hold anything in its
// place.
func number(v any) string { return OneLine(fmt.Sprint(v), maxNumber) }

func status(d event.Data) string {
	if d["status"] == nil {
		return ""
	}
	return " (status " + number(d["status"]) + ")"
}

// arguments shows a call's arguments as name=value, the values shortened.
func arguments(raw string) string {
	var args map[string]any
	if json.Unmarshal([]byte(raw), &args) != nil {
		if raw == "" {
			return ""
		}
		return " " + OneLine(raw, maxNote)
	}
	names := make([]string, 0, len(args))
	for n := range args {
		names = append(names, n)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, n := range names {
		value, ok := args[n].(string)
		if !ok {
			value = fmt.Sprint(args[n])
		}
		value = OneLine(value, maxArgument)
		if strings.ContainsAny(value, " \"") || value == "" {
			value = fmt.Sprintf("%q", value)
		}
		b.WriteString(" " + OneLine(n, maxArgument) + "=" + value)
	}
	return b.String()
}

func outcome(d event.Data) string {
	word := "ok"
	if ok, _ := d["ok"].(bool); !ok {
		word = "failed"
	}
	if summary := OneLine(str(d, "summary_text"), maxNote); summary != "" {
		word += ": " + summary
	}
	return word + took(d, " (%s ms)")
}

// ending sums a run up with the counts that it told.
func ending(d event.Data) string {
	var counts []string
	for _, c := range []struct{ key, noun string }{{"steps", "step"}, {"tool_calls", "tool call"}} {
		if n := d[c.key]; n != nil {
			counts = append(counts, plural(n, c.noun))
		}
	}
	if usage, ok := d["usage"].(map[string]any); ok && usage["total_tokens"] != nil {
		counts = append(counts, plural(usage["total_tokens"], "token"))
	}
	line := "end: " + OneLine(str(d, "exit_reason"), maxNote)
	if len(counts) > 0 {
		line += " after " + strings.Join(counts, ", ")
	}
	line += took(d, " in %s ms")
	if text := str(d, "error"); text != "" {
		line += ": " + OneLine(text, maxNote)
	}
	return line
}

// plural returns "1 step", "2 steps".
func plural(n any, noun string) string {
	count := number(n)
	if count != "1" {
		noun += "s"
	}
	return count + " " + noun
}

// took tells the duration of d in the form given, if it has one.
func took(d event.Data, form string) string {
	if d["duration_ms"] == nil {
		return ""
	}
	return fmt.Sprintf(form, number(d["duration_ms"]))
}

// deltas shows text as it arrives, line by line behind a prefix: what has no
// end yet is held, since half a line cannot be cleaned.
type deltas struct {
	w    io.Writer
	held string
}

const deltaPrefix = "  | "

func (t *deltas) add(text string) {
	t.held += text
	cut := strings.LastIndexByte(t.held, '\n')
	if cut < 0 {
		return
	}
	t.print(t.held[:cut+1])
	t.held = t.held[cut+1:]
}

func (t *deltas) end() {
	t.print(t.held)
	t.held = ""
}

func (t *deltas) print(text string) {
	for _, line := range Clean(text) {
		fmt.Fprintln(t.w, deltaPrefix+line)
	}
}
