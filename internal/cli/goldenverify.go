package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/proc"
	"github.com/openagent-ci/openagent/internal/view"
)

// strictVariable tells the command that warnings count as errors.
const strictVariable = "OPENAGENT_STRICT"

// verifier tests a foreign validator with the conformance kit.
type verifier struct {
	process *process
	timeout span
	path    string // absolute
	command []string
}

func (p *process) goldenVerifyCommand() *cobra.Command {
	v := &verifier{process: p, timeout: span(10 * time.Second)}
	cmd := &cobra.Command{
		Use:   "verify [flags] -- COMMAND [ARG...]",
		Short: "Test your parser with every golden stream",
		Long: `Start COMMAND for each golden stream with the stream on its standard input, and
with OPENAGENT_STRICT=1 where warnings are to count as errors. It must exit with
0 exactly when the stream is valid; its output is not looked at. Streams that it
judges wrongly are listed with their purpose.

Exit status: 0 all were judged correctly, 1 some were not, 2 wrong command line,
3 the command could not be started, took too long or was ended by a signal.`,
		Example: `  openagent golden verify -- openagent check
  openagent golden verify -- python3 my_parser.py --check`,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{ownProcess: "yes"},
	}
	cmd.Flags().Var(&v.timeout, "timeout", "time for one stream")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		at := cmd.ArgsLenAtDash()
		if at != 0 || len(args) == 0 {
			return usage("want a command after --, as in: openagent golden verify -- ./my-parser")
		}
		v.command = args
		return v.verify(cmd.Context())
	}
	return cmd
}

func (v *verifier) verify(ctx context.Context) error {
	ctx, stop := untilSignal(ctx, proc.KillAll)
	defer stop()
	var err error
	if v.path, err = exec.LookPath(v.command[0]); err == nil {
		v.path, err = filepath.Abs(v.path)
	}
	if err != nil {
		return &statusError{StatusDelivery, fmt.Errorf("find the command: %w", err)}
	}
	failures, err := v.judge(ctx)
	if err != nil {
		return &statusError{StatusDelivery, fmt.Errorf("verify: %w", err)}
	}
	return v.tell(failures)
}

// judge runs the command on every vector.
func (v *verifier) judge(ctx context.Context) ([]golden.Failure, error) {
	progress := view.NewStatus(v.process.err)
	defer progress.Clear()
	done, all := 0, len(golden.Vectors())
	return golden.Verify(func(stream []byte, strict bool) (bool, error) {
		done++
		progress.Set(fmt.Sprintf("verify: %d of %d streams", done, all))
		return v.accepts(ctx, stream, strict)
	})
}

// accepts runs the command on one stream.
func (v *verifier) accepts(ctx context.Context, stream []byte, strict bool) (bool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, v.timeout.duration(),
		fmt.Errorf("took longer than %s", v.timeout.String()))
	defer cancel()
	env := foreignEnv(os.Environ())
	if strict {
		env = append(env, strictVariable+"=1")
	}
	p, err := proc.Start(proc.Command{Path: v.path, Args: v.command, Env: env, Stdin: bytes.NewReader(stream)})
	if err != nil {
		return false, err
	}
	switch exit := p.Wait(ctx); {
	case ctx.Err() != nil:
		return false, fmt.Errorf("%s: %w", v.command[0], context.Cause(ctx))
	case exit.Signal != "":
		return false, fmt.Errorf("%s was ended by %s", v.command[0], exit.Signal)
	default:
		return exit.Status == 0, nil
	}
}

// tell prints what was judged wrongly, and the sum.
func (v *verifier) tell(failures []golden.Failure) error {
	all := golden.Vectors()
	for _, f := range failures {
		line := f.String()
		if f.Vector.Strict {
			line += " (strict)"
		}
		for _, e := range f.Vector.Findings {
			line += fmt.Sprintf(" [%s at line %d]", e.Rule, e.Line)
		}
		if err := v.process.say("%s\n", line); err != nil {
			return err
		}
	}
	if err := v.process.say("%d of %d streams judged rightly\n", len(all)-len(failures), len(all)); err != nil {
		return err
	}
	switch {
	case len(failures) == 0:
		return nil
	case refusesAll(all, failures):
		return &statusError{StatusFailed, withHint(errors.New("the command refuses every stream"),
			"see whether it runs at all: openagent golden export kit, then feed it kit/valid/minimal.jsonl")}
	}
	return exit(StatusFailed)
}

// refusesAll reports whether no valid vector was accepted.
func refusesAll(all []golden.Vector, failures []golden.Failure) bool {
	valid, refused := 0, 0
	for _, v := range all {
		if v.Valid {
			valid++
		}
	}
	for _, f := range failures {
		if !f.Accepted {
			refused++
		}
	}
	return refused == valid
}
