package cassette

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// ByPrompt returns a transport that answers by order, as Lenient does, but refuses a
// request of the conversation whose prompt or tools are not the recorded ones, and one to
// a judge about another rubric, task or answer. All else that differs is drift.
func (c *Cassette) ByPrompt() *Lenient { return c.lenient(true) }

// judgePrompt begins the system prompt of the judge of scenarios.
const judgePrompt = "You judge a run of an AI agent by a rubric."

// ownPrompt begins the system prompt of our own agent, which has nothing in it that
// depends on the machine.
const ownPrompt = "You are an agent that works alone in a CI job."

// machine begins the texts that agents add to a prompt about the machine and the day.
var machine = []string{"<environment_context>", "<system-reminder>", "<session_context>", "<permissions", "This is the Gemini CLI.", "This is the Qwen Code."}

// changedPrompt lists in what prompt and tools of a request differ from those of an
// exchange. body is that of the request without what differs each time.
func (o *Lenient) changedPrompt(at int, got *exchange, body []part) (changed []Difference) {
	for _, d := range o.differences(at, got, body) {
		if strings.HasPrefix(d.Part, toolPrefix) || strings.HasPrefix(d.Part, "tools/") {
			changed = append(changed, d)
			continue
		}
		before, after := promptTexts(d.Part, d.Was), promptTexts(d.Part, d.Is)
		if o.kinds[at] == ofJudge {
			before, after = judgedTexts(before), judgedTexts(after)
		}
		if !slices.Equal(before, after) {
			changed = append(changed, Difference{"prompt in " + d.Part, quoted(before), quoted(after)})
		}
	}
	return changed
}

// promptTexts returns the texts of the user in a part of a request, whichever API it
// is of.
func promptTexts(key, value string) (texts []string) {
	var whole string
	if key == "input" && json.Unmarshal([]byte(value), &whole) == nil {
		return []string{whole}
	}
	var m struct {
		Role           string
		Content, Parts json.RawMessage
	}
	if json.Unmarshal([]byte(value), &m) != nil {
		return nil
	}
	var items []struct{ Text string }
	list := slices.Concat(m.Content, m.Parts)
	if json.Unmarshal(list, &whole) == nil {
		texts = []string{whole}
	} else if json.Unmarshal(list, &items) == nil {
		for _, i := range items {
			texts = append(texts, i.Text)
		}
	}
	return slices.DeleteFunc(texts, func(text string) bool {
		text = strings.TrimSpace(text)
		if m.Role == "system" {
			return !strings.HasPrefix(text, ownPrompt)
		}
		return m.Role != "user" || text == "" ||
			slices.ContainsFunc(machine, func(begin string) bool { return strings.HasPrefix(text, begin) })
	})
}

// judgedTexts returns rubric, task and answer of the texts that a judge gets, without
// the transcript and the files, which may differ.
func judgedTexts(texts []string) (lines []string) {
	for _, text := range texts {
		var q struct {
			Rubric string
			Run    struct{ Task, Answer string }
		}
		if json.Unmarshal([]byte(text), &q) != nil {
			return texts
		}
		lines = append(lines, "rubric: "+q.Rubric, "task: "+q.Run.Task, "answer: "+q.Run.Answer)
	}
	return lines
}

// quoted returns texts as one value of a difference, empty for none.
func quoted(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return string(jsontext.MustMarshal(strings.Join(texts, "\n")))
}
