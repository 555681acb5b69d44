package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/demo"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/key"
	"github.com/openagent-ci/openagent/internal/nearest"
	"github.com/openagent-ci/openagent/internal/policy"
	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/provider"
	"github.com/openagent-ci/openagent/internal/session"
	"github.com/openagent-ci/openagent/internal/workspace"
)

// runFlags are the flags that describe a run of the built-in agent; run and ci
// have them alike.
type runFlags struct {
	promptFile string
	workspace  string
	model      string
	baseURL    address
	keyFile    string
	script     string
	cassette   string
	systemFile string
	policyFile string
	stateDir   string
	events     string

	toolCalls    choice
	cassetteMode choice
	api          choice
	// What was given, by flag or variable: a replay asks as it was recorded
	// unless told otherwise, and a mode without a cassette is a mistake.
	apiGiven, modeGiven bool
	// The demo fills the workspace that was asked for, be it this folder.
	workspaceGiven bool

	onDeny     choice
	allowTools names
	denyTools  names
	passEnv    names
	redact     lines

	maxSteps        count
	maxToolCalls    count
	maxTokens       count
	timeout         span
	toolTimeout     span
	providerTimeout span
	asking          endpointFlags
	maxToolOutput   size
	maxContext      size

	session              identifier
	keepSessions         age
	historyWindow        integer
	consolidate          bool
	consolidateThreshold integer
	consolidateKeep      part

	runID identifier
	clock clockValue

	// prompt is the argument, or what takes its place.
	prompt string
}

func newRunFlags() *runFlags {
	return &runFlags{
		workspace: ".", maxSteps: 30,
		toolCalls:    newChoice(string(agent.CallsAuto), string(agent.CallsNative), string(agent.CallsText)),
		cassetteMode: newChoice(session.CassetteReplay, session.CassetteRecord, session.CassetteAuto),
		api:          newChoice(string(provider.APIChat), string(provider.APIResponses)), onDeny: newChoice(session.DenyContinue, session.DenyStop),
		timeout: span(15 * time.Minute), toolTimeout: span(2 * time.Minute), providerTimeout: span(5 * time.Minute),
		asking:        newEndpointFlags(),
		maxToolOutput: 32 << 10, maxContext: 400 << 10,
		keepSessions: age(30 * day), historyWindow: integer{value: 40}, consolidateThreshold: integer{value: 100, least: 1}, consolidateKeep: 0.2,
	}
}

func (f *runFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.promptFile, "prompt-file", "", "read the prompt from this `file`")
	fs.StringVar(&f.workspace, "workspace", f.workspace, "the only `folder` the file tools can reach")
	fs.StringVar(&f.model, "model", "", "`name` of the model")
	fs.Var(&f.baseURL, "base-url", "`address` of an OpenAI-compatible endpoint (also OPENAI_BASE_URL)")
	fs.Var(&f.api, "api", "API of the endpoint: Chat Completions, or Responses")
	fs.StringVar(&f.keyFile, "api-key-file", "", "read the endpoint's key from this `file`, - for standard input (else from OPENAI_API_KEY)")
	fs.StringVar(&f.script, "script", "", "answer from the turns in this `file`, without network or key; demo is built in")
	fs.StringVar(&f.cassette, "cassette", "", "`file` of recorded replies: answer from it, without network or key")
	fs.Var(&f.cassetteMode, "cassette-mode", "answer from the cassette, or call the endpoint and record; auto records when the file does not exist and CI is not set")
	fs.StringVar(&f.systemFile, "system-file", "", "replace the task part of the system prompt by this `file`")
	fs.Var(&f.toolCalls, "tool-calls", "how the model makes calls: through the API or else as text, only through the API, or only as text")
	fs.StringVar(&f.policyFile, "policy", "", "policy `file` that allows or denies tool calls")
	fs.Var(&f.allowTools, "allow-tools", "offer only these tools, by name or glob")
	fs.Var(&f.denyTools, "deny-tools", "do not offer these tools, by name or glob")
	fs.Var(&f.onDeny, "on-deny", "what a denied call does: tell the model and go on, or end the run")
	fs.Var(&f.maxSteps, "max-steps", "maximum number of model turns, 0 for no limit")
	fs.Var(&f.maxToolCalls, "max-tool-calls", "maximum number of tool calls that are executed (default: no limit)")
	fs.Var(&f.maxTokens, "max-tokens", "maximum number of input and output tokens together, as reported (default: no limit)")
	fs.Var(&f.timeout, "timeout", "time limit for the whole run")
	fs.Var(&f.toolTimeout, "tool-timeout", "time limit for one command")
	fs.Var(&f.providerTimeout, "provider-timeout", "time limit for the endpoint to send anything")
	f.asking.register(fs)
	fs.Var(&f.maxToolOutput, "max-tool-output", "how much of a command's output the model sees; the whole goes to an artifact")
	fs.Var(&f.maxContext, "max-context", "size of the conversation at which older tool results are shortened")
	fs.Var(&f.passEnv, "pass-env", "environment variables that commands may see, besides the basic ones")
	fs.Var(&f.redact, "redact", "secret to keep out of all output; may be given several times")
	fs.Var(&f.session, "session", "continue the session of this name, or begin it (default: a new one)")
	fs.Var(&f.keepSessions, "keep-sessions", "remove sessions that nothing was added to for this long, like 30d; 0 for never")
	fs.Var(&f.historyWindow, "history-window", "maximum number of earlier messages of the session that are sent along, 0 for none")
	fs.BoolVar(&f.consolidate, "consolidate", false, "send a summary and all messages since then, in place of --history-window")
	fs.Var(&f.consolidateThreshold, "consolidate-threshold", "summarise when more messages than this have no summary")
	fs.Var(&f.consolidateKeep, "consolidate-keep", "part of the threshold that is kept when the rest is summarised")
	fs.StringVar(&f.stateDir, "state-dir", "", "`folder` for run records and history (default: the user's state folder)")
	fs.StringVar(&f.events, "events", "", "append the internal event log to this `file`")
	fs.Var(&f.runID, "run-id", "id of the run (default: a random one)")
	fs.Var(&f.clock, "clock", "fixed clock that advances 1 ms per event, for reproducible output")
}

// further names variables that stand in for a flag besides OPENAGENT_*.
func (f *runFlags) further() map[string]string {
	return map[string]string{"base-url": "OPENAI_BASE_URL"}
}

// complete fills the flags up from the environment and checks them, before any
// file or key is read.
func (f *runFlags) complete(p process.Place, fs *pflag.FlagSet, args []string) error {
	given, err := f.fill(p, fs)
	if err != nil {
		return err
	}
	return f.check(given, args)
}

// fill fills the flags up from the environment and returns which were given on
// the command line.
func (f *runFlags) fill(p process.Place, fs *pflag.FlagSet) (given map[string]bool, err error) {
	if err := refuseEmpty(fs); err != nil {
		return nil, err
	}
	given = map[string]bool{}
	fs.Visit(func(fl *pflag.Flag) { given[fl.Name] = true })
	err = fillFromEnvironment(p, fs, f.further())
	f.apiGiven, f.modeGiven = fs.Changed("api"), fs.Changed("cassette-mode")
	f.workspaceGiven = fs.Changed("workspace")
	if err == nil {
		err = f.asking.resolve(p.Getenv)
	}
	return given, err
}

// check finds what is wrong with the flags as a whole; given names those on
// the command line.
func (f *runFlags) check(given map[string]bool, args []string) error {
	if err := f.takePrompt(args); err != nil {
		return err
	}
	if f.prompt == "-" && f.keyFile == key.Stdin {
		return usage("prompt and --api-key-file are both -: only one of them can come by standard input")
	}
	if err := f.checkCassette(); err != nil {
		return err
	}
	if given["script"] && (given["model"] || given["base-url"]) {
		return usage("--script answers without an endpoint: leave out --model and --base-url")
	}
	if f.script == "" && f.model == "" && !f.replays() {
		return &statusError{StatusUsage, hint.With(fmt.Errorf("no model: give --model NAME, or --script FILE for a scripted one"),
			"try --script demo, which needs no key and no network")}
	}
	if err := workspace.CheckPassEnv(f.passEnv); err != nil {
		return usage("--pass-env: %w", err)
	}
	for _, patterns := range []struct {
		flag  string
		names names
	}{{"allow-tools", f.allowTools}, {"deny-tools", f.denyTools}} {
		if err := knownTools(patterns.flag, patterns.names); err != nil {
			return err
		}
	}
	return nil
}

// checkCassette finds flags that contradict a cassette. Which of them was given
// by flag and which by variable makes no difference: neither may be ignored.
func (f *runFlags) checkCassette() error {
	switch {
	case f.modeGiven && f.cassette == "":
		return usage("--cassette-mode is %q without a cassette: name one by --cassette FILE", f.cassetteMode.value)
	case f.cassette != "" && f.script != "":
		return usage("--cassette and --script both stand in for an endpoint: give one of them")
	}
	return nil
}

// replays reports whether the cassette answers by itself, so that a model need
// not be named.
func (f *runFlags) replays() bool {
	return f.cassette != "" && f.cassetteMode.value == session.CassetteReplay
}

// takePrompt makes sure that there is exactly one prompt.
func (f *runFlags) takePrompt(args []string) error {
	switch {
	case len(args) > 1:
		return &statusError{StatusUsage, hint.With(fmt.Errorf("%d prompts given, want one", len(args)), "put the prompt in quotes")}
	case len(args) == 1 && f.promptFile != "":
		return usage("two prompts given: one as argument, one by --prompt-file; want one")
	case len(args) == 1 && strings.TrimSpace(args[0]) == "":
		return usage("the prompt is empty")
	case len(args) == 1:
		f.prompt = args[0]
	case f.promptFile == "" && f.script != demo.Name:
		return &statusError{StatusUsage, hint.With(fmt.Errorf("no prompt"),
			"give it as argument, by --prompt-file FILE, or as - on standard input")}
	}
	return nil
}

// knownTools refuses names that no tool has: a misspelt one would silently
// allow or deny nothing. Those of an MCP server's tools are not known yet.
func knownTools(flag string, patterns names) error {
	known := session.ToolNames()
	for _, p := range patterns {
		matched := strings.HasPrefix(p, policy.ServerTools)
		for _, name := range known {
			matched = matched || policy.Match(p, name)
		}
		if !matched {
			return usage("--%s is %q: no tool has that name; the tools are %s%s", flag, p, strings.Join(known, ", "), nearest.Hint(p, known))
		}
	}
	return nil
}

// options returns what a run of these flags is to do at p.
func (f *runFlags) options(p process.Place) session.Options {
	return session.Options{
		Version: Version(), ArtifactsDir: p.Getenv(process.ArtifactsVariable),
		Prompt: f.prompt, PromptFile: f.promptFile, TaskFile: f.systemFile,
		Workspace: f.workspace, WorkspaceGiven: f.workspaceGiven,
		Model: f.model, Endpoint: f.endpoint(), APIGiven: f.apiGiven, Calls: agent.CallMode(f.toolCalls.value),
		Script: f.script, Cassette: f.cassette, CassetteMode: f.cassetteMode.value, KeyFile: f.keyFile,
		PolicyFile: f.policyFile, AllowTools: f.allowTools, DenyTools: f.denyTools, OnDeny: f.onDeny.value,
		PassEnv: f.passEnv, Redact: f.redact,
		MaxSteps: int64(f.maxSteps), MaxToolCalls: int64(f.maxToolCalls), MaxTokens: int64(f.maxTokens),
		Timeout: f.timeout.duration(), ToolTimeout: f.toolTimeout.duration(),
		MaxToolOutput: int64(f.maxToolOutput), MaxContext: int64(f.maxContext),
		Session: string(f.session), KeepSessions: time.Duration(f.keepSessions), HistoryWindow: f.historyWindow.value,
		Consolidate: f.consolidate, ConsolidateThreshold: f.consolidateThreshold.value, ConsolidateKeep: float64(f.consolidateKeep),
		StateDir: f.stateDir, Events: f.events, RunID: string(f.runID), Clock: f.clock.at,
	}
}

// endpoint returns where the model is, and how it is asked.
func (f *runFlags) endpoint() session.Endpoint {
	e := f.asking.endpoint()
	e.BaseURL, e.API, e.Timeout = string(f.baseURL), provider.API(f.api.value), f.providerTimeout.duration()
	return e
}
