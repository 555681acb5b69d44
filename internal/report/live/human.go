package live

import (
	"fmt"
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Human is a sink that shows people a run while it goes on: a line when a
// tool is called and one when it is done, so that a long command is seen to
// run.
type Human struct {
	w      io.Writer
	screen term.Screen
	stream bool
	delta  deltas
}

// NewHuman returns a Human that writes to w, in lines as wide as the screen;
// with stream it also shows the model's text as it arrives.
func NewHuman(w io.Writer, s term.Screen, stream bool) *Human {
	return &Human{w: w, screen: s, stream: stream, delta: deltas{w: w}}
}

// Emit writes the lines that e is worth. Progress that cannot be shown is no
// reason to end a run, so it never fails.
func (h *Human) Emit(e event.Event) error {
	if d, delta := e.Data.(event.ModelDelta); delta {
		if h.stream {
			h.delta.add(d.Text)
		}
		return nil
	}
	h.delta.end()
	width := h.screen.Width()
	for _, l := range lines(e, width) {
		fmt.Fprintln(h.w, l.show(width, h.screen.Colored()))
	}
	return nil
}

const callIndent, resultIndent = "  > ", "    "

// lines returns what an event is worth telling.
func lines(e event.Event, width int) []line {
	switch d := e.Data.(type) {
	case event.RunStart:
		return []line{{text: title(e.RunID, d)}}
	case event.StepStarted:
		return []line{{word: fmt.Sprintf("step %d", e.Step)}}
	case event.ToolCallDetected:
		return []line{{indent: callIndent, text: newCall(d).format(width - term.Cells(callIndent))}}
	case event.ToolDecision:
		if d.Decision == "deny" {
			return []line{denial(d)}
		}
	case event.ToolExecEnd:
		return []line{outcome(d)}
	case event.ToolRetry:
		return []line{retry(d)}
	case event.StepBlocked:
		return []line{{indent: "  ", word: "blocked", colour: term.Red, text: because(d.Reason), whole: true}}
	case event.ProviderRetry:
		return []line{provider(term.Yellow, d.Failure, d.Status, attempt(d))}
	case event.ProviderError:
		return []line{provider(term.Red, d.Failure, d.Status, because(d.MessageShort))}
	case event.RunEnd:
		return ending(d)
	}
	return nil
}

// attempt says which attempt failed and when the next one comes, as far as the
// stream tells.
func attempt(d event.ProviderRetry) string {
	text := ", an attempt failed"
	if d.Attempt != nil {
		text = ", attempt " + number(d.Attempt)
		if d.MaxAttempts != nil {
			text += " of " + number(d.MaxAttempts)
		}
		text += " failed"
	}
	if d.BackoffMS != nil {
		text += ", next in " + duration(d.BackoffMS)
	}
	return text
}

// title names the run, its model and the run that it goes on with.
func title(runID string, d event.RunStart) string {
	text := "run " + term.OneLine(runID, maxName)
	if model := term.OneLine(d.Provider+" "+d.Model, maxNote); model != "" {
		text += " with " + model
	}
	if d.ParentRunID != nil {
		text += ", after " + term.OneLine(*d.ParentRunID, maxName)
	}
	return text
}

// because returns a reason as the end of a line.
func because(reason string) string {
	if reason = term.OneLine(reason, maxNote); reason == "" {
		return ""
	}
	return ": " + reason
}

// denial says who denied a call, and why.
func denial(d event.ToolDecision) line {
	l := line{indent: resultIndent, word: "denied", colour: term.Yellow, whole: true}
	if source := term.OneLine(d.Source, maxName); source != "" {
		l.text = " by " + source
	}
	l.text += because(event.Value(d.Reason))
	return l
}

func outcome(d event.ToolExecEnd) line {
	l := line{indent: resultIndent, word: "ok", colour: term.Green, text: because(d.SummaryText)}
	if !d.OK {
		l.word, l.colour, l.whole = "failed", term.Red, true
	}
	if d.DurationMS != nil {
		l.text += " (" + duration(d.DurationMS) + ")"
	}
	return l
}

// retry reports whether a call that did not come through may be tried again;
// why it did not was told before.
func retry(d event.ToolRetry) line {
	l := line{indent: resultIndent, word: "retry", colour: term.Yellow, text: ": the model was told"}
	var facts []string
	if class := term.OneLine(d.FailureClass, maxName); class != "" {
		facts = append(facts, class)
	}
	if d.Action == "stop" {
		l.text = ": no more"
	} else if event.Value(d.MaxRetries) != 0 {
		facts = append(facts, number(d.Attempt)+" of "+number(d.MaxRetries))
	}
	if len(facts) > 0 {
		l.text += " (" + strings.Join(facts, ", ") + ")"
	}
	return l
}

// provider reports a request that failed, for now or for good.
func provider(colour term.Colour, failure string, status *int64, more string) line {
	l := line{indent: "  ", word: "provider", colour: colour, text: because(failure), whole: true}
	if status != nil {
		l.text += " (status " + number(status) + ")"
	}
	l.text += more
	return l
}

// ending sums a run up with the counts that it reported, and says why it failed.
func ending(d event.RunEnd) []line {
	var counts []string
	if d.Steps != nil {
		counts = append(counts, term.Counted(*d.Steps, "step"))
	}
	if d.ToolCalls != nil {
		counts = append(counts, term.Counted(*d.ToolCalls, "tool call"))
	}
	if used := tokens(event.Value(d.Usage)); used != "" {
		counts = append(counts, used)
	}
	if cost := event.Value(event.Value(d.Usage).CostUSD); cost != nil {
		counts = append(counts, term.Dollars(*cost))
	}
	end := line{word: "end: " + term.OneLine(d.ExitReason, maxName), colour: term.Red, whole: true}
	if d.OK {
		end.colour = term.Green
	}
	if len(counts) > 0 {
		end.text = " after " + strings.Join(counts, ", ")
	}
	if d.DurationMS != nil {
		end.text += ", in " + duration(d.DurationMS)
	}
	if text := term.OneLine(event.Value(d.Error), maxNote); text != "" && text != d.ExitReason {
		return []line{end, {indent: "  ", text: text, whole: true}}
	}
	return []line{end}
}
