package testscript

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/internal/report/trace"
	"github.com/openagent-ci/openagent/runner"
)

// exitGrace is how long an agent may live after its run_finished, as in ci.
const exitGrace = 10 * time.Second

// verdicts returns those that ci can give but cancelled, which ends the script.
func verdicts() []string {
	return []string{
		string(runner.VerdictSuccess), string(runner.VerdictFailure), string(runner.VerdictViolation), string(runner.VerdictCrash),
		string(runner.VerdictPreRunError), string(runner.VerdictTimeout),
	}
}

// streamRun is stream-run [-verdict V] COMMAND...: the agent runs and is checked
// as ci does it, by stream, exit status and time together, and no evidence is
// kept. The verdict must be V, with ! another one; the stream is stdout for
// what follows. An agent that cannot be started is a fault of the script unless
// V is pre_run_error.
func streamRun(ctx context.Context, p *Params) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		const usage = "usage: [!] stream-run [-verdict V] COMMAND..."
		want := string(runner.VerdictSuccess)
		if len(args) > 1 && args[0] == "-verdict" {
			want, args = args[1], args[2:]
		}
		if !slices.Contains(verdicts(), want) {
			ts.Fatalf("%q is no verdict; known: %s", want, strings.Join(verdicts(), ", "))
		}
		if len(args) == 0 || strings.HasPrefix(args[0], "-") {
			ts.Fatalf(usage)
		}
		foreground(ts, args)
		e := run(ctx, ts, p, args)
		switch got := string(e.Verdict); {
		case ctx.Err() != nil:
			ts.Fatalf("%v", context.Cause(ctx))
		case e.StartError != "" && want != string(runner.VerdictPreRunError):
			ts.Fatalf("the agent could not be started: %s", e.StartError)
		case got == want && neg:
			ts.Fatalf("the verdict is %s, want another", got)
		case got != want && !neg:
			ts.Fatalf("the verdict is %s, want %s: %s%s", got, want, e.Reason, below(problems(e)))
		}
	}
}

// run runs the agent in the script's folder and environment.
func run(ctx context.Context, ts *testscript.TestScript, p *Params, command []string) *runner.Execution {
	artifacts, err := os.MkdirTemp(ts.Getenv("TMPDIR"), "artifacts-")
	ts.Check(err)
	defer os.RemoveAll(artifacts)
	command = slices.Clone(command)
	traced := trace.From(ctx, nil)
	if path := locate(ts.Getenv, []string{ts.MkAbs(".")}, command[0]); path != "" {
		command[0] = path
	}
	e := runner.Run(ctx, runner.Config{
		Command: command, Dir: ts.MkAbs("."), Env: append(traced.Environ(environ(ts, p)), "OPENAGENT_ARTIFACTS_DIR="+artifacts),
		File: "stdout", ExitGrace: exitGrace, Handler: &output{stdout: ts.Stdout(), stderr: ts.Stderr(), trace: traced},
	})
	traced.End(e, "")
	attemptOf(ts).add(e)
	return e
}

// output is a runner.Handler that gives a script what an agent prints.
type output struct {
	stdout, stderr io.Writer
	trace          *trace.Run
}

// Line passes a line of the stream on.
func (o *output) Line(l runner.Line) {
	o.trace.Add(l.Event)
	_, _ = o.stdout.Write(l.Raw) // to memory: never fails
}

// Stderr passes a piece of stderr on.
func (o *output) Stderr(piece []byte) { _, _ = o.stderr.Write(piece) }

// below returns a text for under a line, if there is one.
func below(text string) string {
	if text == "" {
		return ""
	}
	return "\n" + text
}
