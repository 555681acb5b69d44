package cli

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/platform/key"
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

// unlessRefused runs what ci or test do, and says to a job why nothing was run. In a
// step of its own, whose author reads it in its words, that stays the error of the
// command too. As the action, where nobody has typed a command line, a wrong one can
// be skipped.
func (p *program) unlessRefused(o *flags.Outcome, run func() error) error {
	inAction := job.InAction(os.Getenv)
	var err error
	if inAction {
		err = job.CheckAction(os.Getenv)
	}
	if err != nil {
		err = &flags.UsageError{Err: err}
	} else {
		err = run()
	}
	status, said, known := statusOf(err)
	refused := known && said != nil && (status == StatusUsage || errors.As(err, &unbegun{}))
	if !refused || !inAction && !job.InJob(os.Getenv) {
		return err
	}
	r := job.Refusal{Reason: err.Error(), WayOut: p.fix(err), Summary: o.Job.Value != "off"}
	if inAction {
		r = job.Refusal{
			Reason: job.InputWords(said.Error()), WayOut: job.InputHint(p.fix(err)),
			Skip: status == StatusUsage && job.SkipsRefusals(os.Getenv), Summary: os.Getenv(flags.Variable("job")) != "off",
		}
		err = exit(status)
	}
	r.Failure = status == StatusFailed
	if reportErr := p.refuse(r); reportErr != nil {
		if inAction {
			err = nil // the report has it
		}
		return &statusError{StatusDelivery, errors.Join(err, reportErr)}
	}
	if r.Skip {
		return nil
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
