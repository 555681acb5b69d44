package testscript

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/installed"
	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/cli"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/runner"
)

// agentsVariable is set to required by who wants a script to fail, not to be
// skipped, where an agent is not installed. A value that means neither fails it too:
// what was meant is not known, and a job that skips all is green.
const (
	agentsVariable = "OPENAGENT_TEST_AGENTS"
	required       = "required"
	// requiredInCI is what runScript sets in a CI job where the variable is not set.
	requiredInCI = "required in CI"
)

// agents says what becomes of a script whose agent is not installed.
type agents struct {
	t        testscript.T
	variable string // what agentsVariable holds
}

// agentsKey is the key of the agents of a script.
type agentsKey struct{}

// Limits of an agent, as in ci.
const (
	agentTimeout     = 15 * time.Minute
	agentIdleTimeout = 10 * time.Minute
)

// evidenceVariable names the evidence of the last agent in a script.
const evidenceVariable = "EVIDENCE"

// builtinAgent is the name of the agent of this program.
const builtinAgent = "openagent"

// agent is agent [-allow] NAME [ARG]...: an agent's program is started in the
// script's folder and checked as ci does it, another one by its preset and with a
// home of its own. With -allow it asks nobody before it runs a tool. The last ARG
// is the prompt; none, or a dash, takes what the command stdin set. The verdict
// must be success, with ! another one. The stream, converted, is stdout for what
// follows, and what ci says of the run is stderr. A run that could not begin is a
// fault of the script.
func agent(ctx context.Context, p *Params) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		allow := len(args) > 0 && args[0] == "-allow"
		if allow {
			args = args[1:]
		}
		if len(args) == 0 {
			ts.Fatalf("usage: [!] agent [-allow] NAME [ARG]...")
		}
		if args[0] == "" {
			ts.Fatalf("no agent is named: run openagent test --agents NAME,... for a script that says $AGENT")
		}
		place, o := agentOptions(ts, p, allow, args)
		e, refused := runAgent(ctx, ts, place, o, neg)
		switch success := e.Verdict == runner.VerdictSuccess; {
		case e.StartError != "":
			ts.Fatalf("the agent could not be started: %s", e.StartError)
		case neg && success && refused == nil:
			ts.Fatalf("the verdict is success, want another")
		case neg:
		case refused != nil:
			what, why := "scripted model", refused.Message
			if m := modelOf(ts); m.source != nil {
				what, why = "cassette", m.source.Miss()
			}
			ts.Fatalf("the verdict is %s, and the %s refused a request:\n%s", e.Verdict, what, why)
		case !success:
			ts.Fatalf("the verdict is %s, want success: %s", e.Verdict, e.Reason)
		}
	}
}

// agentOptions returns what the words of a command and the environment of the
// script have run, and where.
func agentOptions(ts *testscript.TestScript, p *Params, allow bool, args []string) (process.Env, harness.Options) {
	name, args, prompt := args[0], args[1:], "-"
	if n := len(args); n > 0 {
		args, prompt = args[:n-1], args[n-1]
	}
	switch {
	case strings.HasPrefix(prompt, "&") && strings.HasSuffix(prompt, "&"):
		ts.Fatalf("agent runs in the foreground: write exec openagent ci --agent %s to start it in the background", name)
	case strings.HasPrefix(prompt, "-") && prompt != "-":
		ts.Fatalf("%q stands where the prompt is expected: write that, or a dash for what the command stdin sets, behind it", prompt)
	}
	modelOf(ts).prompt = prompt
	place := process.Env{Dir: ts.MkAbs("."), Vars: environ(ts, p)}
	if name == builtinAgent {
		return place, ownAgent(ts, place, args, prompt)
	}
	a, err := adapter.ByName(name)
	if err != nil {
		ts.Fatalf("%v; the built-in one is %s", err, builtinAgent)
	}
	requireInstalled(ts, place, a)
	if allow {
		args = append(slices.Clone(a.Allow), args...)
	}
	return place, harness.Options{
		Foreign:   foreignAgent(ts, place, a, args, prompt),
		Workspace: place.Dir, Timeout: agentTimeout, IdleTimeout: agentIdleTimeout, ExitGrace: max(exitGrace, a.ExitGrace),
	}
}

// ownAgent returns what runs the agent of this program, with words of the command
// line of run.
func ownAgent(ts *testscript.TestScript, place process.Env, args []string, prompt string) harness.Options {
	o, err := flags.ParseBuiltin(place, args, prompt)
	ts.Check(err)
	o.Workspace, err = place.Abs(o.Workspace)
	ts.Check(err)
	o.Command[0] = locate(ts.Getenv, nil, builtinAgent)
	return o
}

// foreignAgent describes another agent.
func foreignAgent(ts *testscript.TestScript, place process.Env, a *adapter.Agent, args []string, prompt string) *harness.Foreign {
	f := &harness.Foreign{
		Agent: a, Preset: true, PrivateHome: true, Prompt: prompt, Args: args,
		Model: place.Getenv(flags.Variable("model")), BaseURL: place.Getenv(flags.Variable("base-url")),
		RunID: place.Getenv(flags.Variable("run-id")),
	}
	if m := modelOf(ts); f.BaseURL == "" && m.origin != "" {
		f.BaseURL = a.Endpoint(m.origin)
	}
	keys := a.KeyVariables("")
	if a.OpenAI {
		keys = append(keys, key.Variable)
	}
	for _, name := range keys {
		if f.BaseURL == "" && attemptOf(ts).passed(name) && place.Getenv("OPENAGENT_NETWORK") == "loopback" {
			ts.Fatalf("%s has a key by --env %s and would ask a real model: write model FILE before it, or see --recorded and --live of openagent test", a.Name, name)
		}
	}
	if f.BaseURL != "" {
		ts.Check(session.CheckNetwork(place, session.Options{Endpoint: session.Endpoint{BaseURL: f.BaseURL}}))
	}
	return f
}

// requireInstalled skips the script, or ends it where agents are required, when
// the agent's program is not installed.
func requireInstalled(ts *testscript.TestScript, place process.Env, a *adapter.Agent) {
	_, err := installed.Look(a, installed.Where{Path: place.Getenv("PATH"), Dir: place.Dir})
	if err == nil {
		return
	}
	of := ts.Value(agentsKey{}).(agents)
	switch v := of.variable; {
	case v == required:
		ts.Fatalf("%v; %s, or unset %s to skip the script", err, hint.Of(err), agentsVariable)
	case v == requiredInCI:
		ts.Fatalf("%v; %s, or give --allow-skip to skip the script in CI", err, hint.Of(err))
	case v != "" && !filepath.IsAbs(v): // the tests of this program name a folder
		ts.Fatalf("%v; %s is %q, want %s, or nothing to skip the script", err, agentsVariable, v, required)
	}
	of.t.Skip(err.Error() + "; " + hint.Of(err))
}

// theRefusal stands in the log for what the model said to a request that it refused.
const theRefusal = "(the model refused a request; the last line of this script says why)"

// runAgent runs the agent, with the verdict in the log and the evidence in a
// folder of its own. It returns why the scripted model refused a request, too; where
// that fails the script, which is said then, neither verdict nor stderr repeats it.
func runAgent(ctx context.Context, ts *testscript.TestScript, place process.Env, o harness.Options, neg bool) (*runner.Execution, *chat.Failure) {
	a := attemptOf(ts)
	dir, err := a.evidenceFolder(ts)
	ts.Check(err)
	ts.Setenv(evidenceVariable, dir)
	var verdict, stderr bytes.Buffer
	own := &process.Process{Env: place, In: noInput{}, Out: &verdict, Key: place.Getenv(key.Variable)}
	if f := o.Foreign; f != nil && f.Prompt == "-" || o.Builtin != nil && o.Builtin.Prompt == "-" {
		own.In = input(ts)
	}
	own.Err = &stderr
	o.Version, o.Outcome = cli.Version(), harness.Outcome{Dir: dir}
	e, err := harness.Run(ctx, own, o)
	a.add(e)
	refused, once := modelOf(ts).refused(), strings.NewReplacer()
	if refused != nil && !neg {
		said := refused.Message
		once = strings.NewReplacer(said, theRefusal, escaped(said), theRefusal, escaped(escaped(said)), theRefusal)
	}
	said := verdict.String()
	if a.evidence == "" {
		said, _, _ = strings.Cut(said, "\n  next: ") // about a folder that goes with the script
	}
	ts.Logf("%s", once.Replace(said))
	_, _ = once.WriteString(ts.Stderr(), stderr.String()) // to memory
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		ts.Fatalf("%v", err)
	}
	stream, err := os.ReadFile(filepath.Join(dir, evidence.EventsFile))
	ts.Check(err)
	_, err = ts.Stdout().Write(stream)
	ts.Check(err)
	return e, refused
}

// escaped returns text as it stands within quotes: in JSON, or JSON in a log.
func escaped(s string) string {
	s = strconv.Quote(s)
	return s[1 : len(s)-1]
}

// input returns what the command stdin of a script set, which only a program is
// given.
func input(ts *testscript.TestScript) io.Reader {
	program := []string{"cat"}
	if runtime.GOOS == "windows" {
		program = []string{"findstr", "^"}
	}
	if err := ts.Exec(program[0], program[1:]...); err != nil {
		ts.Fatalf("read what the command stdin set: %v", err)
	}
	return strings.NewReader(ts.ReadFile("stdout"))
}
