package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/event"
)

// Human is a sink that tells people of a run while it goes on: a line when a
// tool is called and one when it is done, so that a long command is seen to
// run.
type Human struct {
	w      io.Writer
	screen Screen
	stream bool
	delta  deltas
}

// NewHuman returns a Human that writes to w, in lines as wide as the screen;
// with stream it also shows the model's text as it arrives.
func NewHuman(w io.Writer, s Screen, stream bool) *Human {
	return &Human{w: w, screen: s, stream: stream, delta: deltas{w: w}}
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
	width := h.screen.width()
	for _, l := range lines(e, width) {
		fmt.Fprintln(h.w, l.show(width, h.screen.colours))
	}
	return nil
}

const callIndent, resultIndent = "  > ", "    "

// lines returns what an event is worth telling.
func lines(e event.Event, width int) []line {
	switch e.Kind {
	case event.RunStart:
		return []line{{text: title(e)}}
	case event.StepStarted:
		return []line{{word: fmt.Sprintf("step %d", e.Step)}}
	case event.ToolCallDetected:
		return []line{{indent: callIndent, text: newCall(e.Data).text(width - cells(callIndent))}}
	case event.ToolDecision:
		if str(e.Data, "decision") == "deny" {
			return []line{denial(e.Data)}
		}
	case event.ToolExecEnd:
		return []line{outcome(e.Data)}
	case event.ToolRetry:
		return []line{retry(e.Data)}
	case event.StepBlocked:
		return []line{{indent: "  ", word: "blocked", colour: Red, text: because(str(e.Data, "reason")), whole: true}}
	case event.ProviderRetry, event.ProviderError:
		return []line{provider(e)}
	case event.RunEnd:
		return ending(e.Data)
	}
	return nil
}

// title names the run and its model.
func title(e event.Event) string {
	text := "run " + OneLine(e.RunID, maxName)
	if model := OneLine(str(e.Data, "provider")+" "+str(e.Data, "model"), maxNote); model != "" {
		text += " with " + model
	}
	return text
}

// because returns a reason as the end of a line.
func because(reason string) string {
	if reason = OneLine(reason, maxNote); reason == "" {
		return ""
	}
	return ": " + reason
}

// denial tells who would not let a call run, and why.
func denial(d event.Data) line {
	l := line{indent: resultIndent, word: "denied", colour: Yellow, whole: true}
	if source := OneLine(str(d, "source"), maxName); source != "" {
		l.text = " by " + source
	}
	l.text += because(str(d, "reason"))
	return l
}

func outcome(d event.Data) line {
	l := line{indent: resultIndent, word: "ok", colour: Green, text: because(str(d, "summary_text"))}
	if ok, _ := d["ok"].(bool); !ok {
		l.word, l.colour, l.whole = "failed", Red, true
	}
	if d["duration_ms"] != nil {
		l.text += " (" + took(d["duration_ms"]) + ")"
	}
	return l
}

// retry reports whether a call that did not come through may be tried again;
// why it did not was told before.
func retry(d event.Data) line {
	l := line{indent: resultIndent, word: "retry", colour: Yellow, text: ": the model was told"}
	var facts []string
	if class := OneLine(str(d, "failure_class"), maxName); class != "" {
		facts = append(facts, class)
	}
	if str(d, "action") == "stop" {
		l.text = ": no more"
	} else if most := d["max_retries"]; most != nil && number(most) != "0" {
		facts = append(facts, number(d["attempt"])+" of "+number(most))
	}
	if len(facts) > 0 {
		l.text += " (" + strings.Join(facts, ", ") + ")"
	}
	return l
}

// provider tells of a request that failed, for now or for good.
func provider(e event.Event) line {
	d := e.Data
	l := line{indent: "  ", word: "provider", colour: Yellow, text: because(str(d, "kind")), whole: true}
	if d["status"] != nil {
		l.text += " (status " + number(d["status"]) + ")"
	}
	if e.Kind == event.ProviderError {
		l.colour = Red
		l.text += because(str(d, "message_short"))
		return l
	}
	l.text += fmt.Sprintf(", attempt %s of %s failed, next in %s", number(d["attempt"]), number(d["max_attempts"]), took(d["backoff_ms"]))
	return l
}

// ending sums a run up with the counts that it told, and says why it failed.
func ending(d event.Data) []line {
	var counts []string
	for _, c := range []struct{ key, noun string }{{"steps", "step"}, {"tool_calls", "tool call"}} {
		if n := d[c.key]; n != nil {
			counts = append(counts, plural(n, c.noun))
		}
	}
	if used := tokens(d["usage"]); used != "" {
		counts = append(counts, used)
	}
	end := line{word: "end: " + OneLine(str(d, "exit_reason"), maxName), colour: Red, whole: true}
	if ok, _ := d["ok"].(bool); ok {
		end.colour = Green
	}
	if len(counts) > 0 {
		end.text = " after " + strings.Join(counts, ", ")
	}
	if d["duration_ms"] != nil {
		end.text += ", in " + took(d["duration_ms"])
	}
	if text := OneLine(str(d, "error"), maxNote); text != "" && text != str(d, "exit_reason") {
		return []line{end, {indent: "  ", text: text, whole: true}}
	}
	return []line{end}
}
