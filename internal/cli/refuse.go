package cli

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/actions"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/key"
	"github.com/openagent-ci/openagent/internal/redact"
)

// unbegun is an error that came before anything was run, so that nobody else
// tells the job of it.
type unbegun struct{ error }

func (u unbegun) Unwrap() error { return u.error }

// unlessRefused runs what ci or test do. As the action, where nobody has typed
// a command line, it tells what is wrong with one, and what else kept it from
// running anything, as a refusal of the job. Only the first can be skipped.
func (p *program) unlessRefused(run func() error) error {
	if !actions.InAction(os.Getenv) {
		return run()
	}
	err := actions.CheckAction(os.Getenv)
	if err != nil {
		err = &statusError{StatusUsage, err}
	} else {
		err = run()
	}
	var status *statusError
	if !errors.As(err, &status) || status.err == nil || status.status != StatusUsage && !errors.As(err, &unbegun{}) {
		return err
	}
	masks := redact.New(p.Secrets(nil, p.Key))
	skip := status.status == StatusUsage && actions.SkipsRefusals(os.Getenv)
	told := actions.Begin(os.Getenv, p.Err).Refuse(actions.Refusal{
		Reason: masks.String(inputWords(status.err.Error())), WayOut: masks.String(inputHint(hint.Of(err))),
		Skip: skip, Summary: os.Getenv(variable("summary")) != "off",
	})
	if told != nil {
		return &statusError{StatusDelivery, told}
	}
	if skip {
		return nil
	}
	return exit(status.status)
}

// inputs are the flags of ci and test that are inputs of the action, by their
// names.
var inputs = []string{
	"allow-tools", "annotations", "api", "base-url", "cassette", "deny-tools", "events-file", "fail-on", "golden",
	"idle-timeout", "max-steps", "max-tokens", "model", "policy", "prompt-file", "redact", "script", "session",
	"strict", "summary", "timeout", "tool-calls",
}

// flagWords find a flag, with its variable if that is named too; what is quoted
// is somebody's value.
var flagWords = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|variable [A-Z_]+ \(for --([a-z-]+)\)|--([a-z-]+)`)

// inputWords returns a text about a command line in the words of a workflow.
func inputWords(text string) string {
	return flagWords.ReplaceAllStringFunc(text, func(found string) string {
		m := flagWords.FindStringSubmatch(found)
		if name := m[1] + m[2]; slices.Contains(inputs, name) {
			return "input " + name
		}
		return found
	})
}

// inputHint returns a hint in the words of a workflow, empty for one that only
// a command line can follow.
func inputHint(hint string) string {
	hint = strings.ReplaceAll(inputWords(hint), key.Variable, "input api-key")
	if strings.Contains(hint, "--") || strings.Contains(hint, "openagent ") {
		return ""
	}
	return hint
}
