package cli

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// unbegun is an error that came before anything was run, so that nobody else
// reports it to the job.
type unbegun struct{ error }

func (u unbegun) Unwrap() error { return u.error }

// refuseFlags has flags of cmd that cannot be parsed reported to a job too.
func (p *program) refuseFlags(cmd *cobra.Command, o *flags.Outcome) {
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return p.unlessRefused(o, func() error { return flags.ParseError(cmd.Flags(), cmd.CommandPath(), err) })
	})
}

// unlessRefused runs what ci or test do, and says to a job why nothing was run. As
// the action, where nobody has typed a command line, that is also what is wrong
// with one, and only that can be skipped.
func (p *program) unlessRefused(o *flags.Outcome, run func() error) error {
	if !job.InAction(os.Getenv) {
		return p.unlessUnbegun(o, run())
	}
	err := job.CheckAction(os.Getenv)
	if err != nil {
		err = &flags.UsageError{Err: err}
	} else {
		err = run()
	}
	status, said, refused := refusalOf(err)
	if !refused {
		return err
	}
	skip := status == StatusUsage && job.SkipsRefusals(os.Getenv)
	reportErr := p.refuse(job.Refusal{
		Reason: job.InputWords(said.Error()), WayOut: job.InputHint(hint.Of(err)),
		Skip: skip, Summary: os.Getenv(flags.Variable("job")) != "off",
	})
	if reportErr != nil {
		return &statusError{StatusDelivery, reportErr}
	}
	if skip {
		return nil
	}
	return exit(status)
}

// refusalOf returns the exit status of an error because of which nothing was run, and
// what is said of it.
func refusalOf(err error) (status int, said error, ok bool) {
	status, said, known := statusOf(err)
	return status, said, known && said != nil && (status == StatusUsage || errors.As(err, &unbegun{}))
}

// unlessUnbegun reports to the job why nothing was run in a step of its own. The
// author of the step reads it in its words, so it stays the error of the command too.
func (p *program) unlessUnbegun(o *flags.Outcome, err error) error {
	if _, _, refused := refusalOf(err); !refused || !job.InJob(os.Getenv) {
		return err
	}
	reportErr := p.refuse(job.Refusal{Reason: err.Error(), WayOut: hint.Of(err), Summary: o.Job.Value != "off"})
	if reportErr != nil {
		return &statusError{StatusDelivery, errors.Join(err, reportErr)}
	}
	return err
}

// refuse reports a refusal to the job, without secrets.
func (p *program) refuse(r job.Refusal) error {
	masks := redact.New(p.Secrets(nil, p.Key))
	r.Reason, r.WayOut = masks.String(r.Reason), masks.String(r.WayOut)
	return job.Begin(os.Getenv, p.Err).Refuse(r)
}

// keyInReach says what gives the process a key, empty for nothing.
func (p *program) keyInReach() string {
	if p.Key == "" {
		return ""
	}
	return "a key by " + key.Variable
}
