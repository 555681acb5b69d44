package transcript

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

// Headline returns the run in one line, without the parts that are zero or not known.
func (r *Run) Headline() string {
	return strings.Join(slices.DeleteFunc(r.Figures(), func(part string) bool { return part == "" }), " · ")
}

// Figures returns the parts of the headline: the verdict, turns, calls, tokens, cost and
// time, each empty where it is zero or not known.
func (r *Run) Figures() []string {
	parts := make([]string, 6)
	parts[0] = r.Word()
	if r.number > 0 {
		parts[1] = counted(int64(r.number), "turn")
	}
	if r.Calls > 0 {
		parts[2] = counts(r.Calls, r.Denied, r.Failed)
	}
	if r.End != nil {
		u, _ := r.End.Usage.Get()
		if n := r.Tokens(); n > 0 {
			parts[3] = counted(n, "token")
		}
		if usd, ok := u.CostUSD.Get(); ok && usd.Valid() && usd > 0 {
			parts[4] = term.Dollars(float64(usd))
		}
	}
	if d := r.Duration(); d > 0 {
		parts[5] = term.Spoken(d)
	}
	return parts
}

func counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Grouped(n) + " " + noun
}

// Word returns the verdict, or what is known of the end where the run has none.
func (r *Run) Word() string {
	word := r.Verdict
	switch {
	case word != "":
	case r.End == nil:
		word = "not finished"
	case r.End.OK:
		word = "success"
	default:
		word = cmp.Or(r.End.ExitReason, "failure")
	}
	return term.OneLine(word, 80)
}

// counts says how many calls there were, and what became of those that did not go well.
func counts(all, denied, failed int) string {
	var parts []string
	if denied > 0 {
		parts = append(parts, Grouped(int64(denied))+" denied")
	}
	if failed > 0 {
		parts = append(parts, Grouped(int64(failed))+" failed")
	}
	text := counted(int64(all), "call")
	if parts != nil {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text
}

// Duration returns how long the run took, 0 where that is not known.
func (r *Run) Duration() time.Duration {
	if r.End != nil {
		if ms, ok := r.End.DurationMS.Get(); ok {
			return time.Duration(ms) * time.Millisecond
		}
	}
	if r.Took > 0 {
		return r.Took
	}
	first, err := time.Parse(time.RFC3339Nano, r.first)
	last, lastErr := time.Parse(time.RFC3339Nano, r.last)
	if err != nil || lastErr != nil {
		return 0
	}
	return last.Sub(first)
}

// Answer returns the final text as far as the stream has it.
func (r *Run) Answer() string {
	if r.End == nil {
		return ""
	}
	return r.End.FinalOutput
}

// Error returns the error that the run reports.
func (r *Run) Error() string {
	if r.End == nil {
		return ""
	}
	return cmp.Or(event.Value(r.End.Error), "the run ended with "+r.End.ExitReason)
}

// Tokens returns how many tokens the run used, 0 where that is not known.
func (r *Run) Tokens() int64 {
	if r.End == nil {
		return 0
	}
	u, _ := r.End.Usage.Get()
	switch {
	case u.TotalTokens != nil:
		return *u.TotalTokens
	case u.InputTokens != nil && u.OutputTokens != nil:
		return *u.InputTokens + *u.OutputTokens
	}
	return 0
}

// Grouped returns a number with a comma between thousands.
func Grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Spoken returns a duration in milliseconds as people say it, empty where it is not
// known.
func Spoken(ms *int64) string {
	if ms == nil || *ms < 0 || *ms > int64(1000*time.Hour/time.Millisecond) {
		return ""
	}
	return term.Spoken(time.Duration(*ms) * time.Millisecond)
}

// because returns a reason as the end of a line.
func because(reason string) string {
	if reason = term.OneLine(reason, maxLine); reason == "" {
		return ""
	}
	return ": " + reason
}

func status(n *int64) string {
	if n == nil {
		return ""
	}
	return " (status " + strconv.FormatInt(*n, 10) + ")"
}

// attempt says which attempt failed and when the next one comes, as far as the stream
// says.
func attempt(d *schema.ProviderRetry) string {
	text := ", an attempt failed"
	if d.Attempt != nil {
		text = ", attempt " + strconv.FormatInt(*d.Attempt, 10)
		if d.MaxAttempts != nil {
			text += " of " + strconv.FormatInt(*d.MaxAttempts, 10)
		}
		text += " failed"
	}
	if next := Spoken(d.BackoffMS); next != "" {
		text += ", next in " + next
	}
	return text
}
