package cli

import (
	"errors"
	"fmt"
	"os"

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
		Reason: masks.String(actions.InputWords(status.err.Error())), WayOut: masks.String(actions.InputHint(hint.Of(err))),
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

// keyInReach says what gives the process a key, empty for nothing.
func (p *program) keyInReach() string {
	if p.Key == "" {
		return ""
	}
	return "a key by " + key.Variable
}

// admit refuses jobs that must not run an agent, or scripts, which may start
// one. key says where it has a key, empty if the environment decides.
func admit(what, key string) error {
	if name := actions.KeyInReach(os.Environ()); key == "" && name != "" {
		key = "the variable " + name
	}
	trigger, err := actions.Inputs(os.Getenv, key)
	if err == nil {
		err = actions.Admit(trigger)
	}
	if err != nil {
		return &statusError{StatusUsage, fmt.Errorf("this job may not run %s: %w", what, err)}
	}
	return nil
}
