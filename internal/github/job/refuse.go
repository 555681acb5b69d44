package job

import (
	"errors"
	"fmt"
	"strings"

	githubactions "github.com/sethvargo/go-githubactions"

	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
)

// verdictRefused is the output verdict of what was not begun; it is none of the
// harness's verdicts, and there is no evidence of it.
const verdictRefused = "refused"

// Refusal is why an agent, or scripts, did not begin. Its texts are redacted.
type Refusal struct {
	// Reason names what is refused in the words of the workflow, WayOut what
	// would be accepted, empty where that is not known.
	Reason, WayOut string
	// Failure has the verdict failure: they should have run, and none was refused.
	Failure bool
	// Skip reports that the step does not fail.
	Skip bool
	// Summary has the refusal on the page of the job.
	Summary bool
}

// InAction reports whether the program runs as the action, which always says
// what a refusal comes to, and not as a command of a step.
func InAction(getenv func(string) string) bool { return InJob(getenv) && getenv(EnvOnRefusal) != "" }

// CheckAction returns what the action itself found wrong with its inputs.
func CheckAction(getenv func(string) string) error {
	if reason := getenv(EnvRefused); reason != "" {
		return errors.New(reason)
	}
	if on := getenv(EnvOnRefusal); on != refusalFail && on != refusalSkip {
		return fmt.Errorf("input on-refusal is %q: want %s or %s", on, refusalFail, refusalSkip)
	}
	return nil
}

// What on-refusal can be.
const (
	refusalFail = "fail"
	refusalSkip = "skip"
)

// SkipsRefusals reports whether a refusal does not fail the step.
func SkipsRefusals(getenv func(string) string) bool { return getenv(EnvOnRefusal) == refusalSkip }

// Refuse reports the refusal to the runner: an annotation, all outputs, and three
// lines on the page of the job.
func (j *Job) Refuse(r Refusal) error {
	verdict := verdictRefused
	if r.Failure {
		verdict = string(runner.VerdictFailure)
	}
	text := term.OneLine(sentences(r.Reason, r.WayOut), maxError)
	_, err := j.out.Write(command(func(a *githubactions.Action) {
		a = a.WithFieldsMap(map[string]string{"title": "openagent: " + verdict})
		if r.Skip {
			a.Noticef("%s", text)
		} else {
			a.Errorf("%s", text)
		}
	}))
	t := jobReport{outputs: outputsOf(map[string]string{"ok": "false", "verdict": verdict, "error": term.OneLine(r.Reason, maxError)})}
	if r.Summary {
		t.summary = fmt.Appendf(nil, "## openagent: %s\n\n`%s`\n\nNothing was run and there is no evidence.\n", verdict, strings.ReplaceAll(text, "`", "'"))
	}
	_, reportErr := j.report(t)
	return errors.Join(err, reportErr)
}

// outputsOf are the outputs of a run with these values by name, and else empty.
func outputsOf(values map[string]string) []output {
	outputs := Result{Exec: &runner.Execution{}}.outputs()
	for i := range outputs {
		outputs[i].value = values[outputs[i].name]
	}
	return outputs
}
