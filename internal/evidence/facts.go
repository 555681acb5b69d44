package evidence

import (
	"encoding/json"
	"fmt"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// facts says what the manifest states of the run that is not what the stream says. Of
// what it leaves open, as that of an older version may, nothing is said.
func (s *Saved) facts(again *runner.Execution) (list []string) {
	if m := s.Manifest; m.DurationMS < 0 || m.Ended.Before(m.Started) {
		list = append(list, "the run ended before it began")
	}
	want, err := described(again)
	if err != nil {
		return append(list, err.Error())
	}
	wanted := statedFacts(want)
	for i, got := range statedFacts(s.Manifest) {
		if is, of := inJSON(got.value), inJSON(wanted[i].value); !agrees(decoded(is), decoded(of)) {
			list = append(list, fmt.Sprintf("%s is %.200s, the stream has %.200s", got.name, is, of))
		}
	}
	return list
}

// described returns a manifest of the execution as it would be read: masked and with
// its numbers as they are written.
func described(e *runner.Execution) (m schema.Manifest, err error) {
	describe(&m, e)
	text, err := m.Encode()
	if err != nil {
		return m, err
	}
	var read schema.Manifest
	return read, json.Unmarshal(redact.New(nil).JSON(text), &read)
}

// fact is a value of a manifest that the stream has too.
type fact struct {
	name  string
	value any
}

// statedFacts returns the facts of a manifest, always the same ones.
func statedFacts(m schema.Manifest) []fact {
	return []fact{
		{"run_id", m.RunID}, {"exit_reason", m.ExitReason}, {"usage", m.Usage}, {"cost_usd", m.CostUSD}, {"agent", m.Versions.Agent},
		{"model", m.Model}, {"provider", m.Provider}, {"parent_run_id", m.ParentRunID},
	}
}

// inJSON returns the value as JSON, or why it has none.
func inJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// agrees reports whether a value is the other one, as far as it says anything.
func agrees(is, of any) bool {
	members, ok := is.(map[string]any)
	if !ok {
		return is == nil || is == of
	}
	others, _ := of.(map[string]any)
	for name, value := range members {
		if !agrees(value, others[name]) {
			return false
		}
	}
	return true
}

// decoded returns the value of a JSON text, or the text where it is none. No fact has
// a list.
func decoded(text string) any {
	value, err := jsontext.Decode([]byte(text))
	if err != nil {
		return text
	}
	return value
}

// exit says how the end of the process contradicts what the stream says of the run:
// that of an agent whose stream was not converted would be a finding. Of other verdicts
// nothing is known, since the harness may have ended the process.
func (s *Saved) exit(again *runner.Execution, found savedFindings) []string {
	m := s.Manifest
	decided := m.Verdict == string(runner.VerdictSuccess) || m.Verdict == string(runner.VerdictFailure)
	if !decided || !again.Finished() || m.Source != nil || found.counts[validate.RuleExitStatus] > 0 {
		return nil
	}
	switch ok := again.RunFinished.OK; {
	case ok && m.Signal != nil:
		return []string{fmt.Sprintf("the verdict is %q, and the signal %.60q ended the agent", m.Verdict, *m.Signal)}
	case m.ExitStatus != nil && ok != (*m.ExitStatus == 0):
		return []string{fmt.Sprintf("the verdict is %q, and the exit status is %d", m.Verdict, *m.ExitStatus)}
	}
	return nil
}
