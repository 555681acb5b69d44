package flags

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/agent/demo"
	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Run are the flags that describe a run of the built-in agent; run and ci have
// them alike. Those that need more than a value have fields of their own.
type Run struct {
	session.Options

	calls, cassetteMode, api, onDeny    Choice
	outputVia                           Choice
	effort                              Choice
	attempts                            Integer
	header, query                       Pairs
	historyWindow, consolidateThreshold Integer
	clock                               Clock
	wall                                *Sandbox
	// modeGiven reports that --cassette-mode was given, by flag or variable: a
	// mode without a cassette is a mistake.
	modeGiven bool
}

// NewRun returns the flags with their defaults.
func NewRun() *Run {
	return &Run{
		Options: session.Options{
			Workspace: ".", MaxSteps: 30, Timeout: 15 * time.Minute, ToolTimeout: 2 * time.Minute,
			Endpoint:       session.Endpoint{RetryFor: provider.DefaultRetryFor, Timeout: 5 * time.Minute},
			OutputAttempts: 2,
			MaxToolOutput:  32 << 10, MaxContext: 400 << 10, KeepSessions: 30 * Day, ConsolidateKeep: 0.2,
		},
		calls:         NewChoice(string(agent.CallsAuto), string(agent.CallsNative), string(agent.CallsText)),
		cassetteMode:  NewChoice(session.CassetteReplay, session.CassetteRecord, session.CassetteAuto),
		api:           NewChoice(string(provider.APIChat), string(provider.APIResponses)),
		onDeny:        NewChoice(session.DenyContinue, session.DenyStop),
		outputVia:     NewChoice(session.OutputByPrompt, session.OutputByAPI),
		effort:        Choice{Among: provider.Efforts()},
		attempts:      Integer{Value: provider.DefaultAttempts, Least: 1},
		historyWindow: Integer{Value: 40},
		wall:          NewSandbox(),
	}
}

// Register adds the flags to fs.
func (r *Run) Register(fs *pflag.FlagSet) {
	fs.StringVar(&r.PromptFile, "prompt-file", "", "read the prompt from this `file`")
	fs.StringVar(&r.Workspace, "workspace", r.Workspace, "the only `folder` the file tools can reach")
	fs.StringVar(&r.Model, "model", "", "`name` of the model")
	fs.Var((*Address)(&r.Endpoint.BaseURL), "base-url", "`address` of an OpenAI-compatible endpoint (also OPENAI_BASE_URL)")
	fs.Var(&r.api, "api", "API of the endpoint: Chat Completions, or Responses")
	fs.StringVar(&r.KeyFile, "api-key-file", "", "read the endpoint's key from this `file`, - for standard input (else from OPENAI_API_KEY)")
	fs.StringVar(&r.Script, "script", "", "answer from the turns in this `file`, without network or key; demo is built in and writes its project to --workspace")
	fs.StringVar(&r.Cassette, "cassette", "", "`file` of recorded replies: answer from it, without network or key")
	fs.Var(&r.cassetteMode, "cassette-mode", "answer from the cassette, or call the endpoint and record; auto records when the file does not exist and CI is not set")
	fs.StringVar(&r.TaskFile, "system-file", "", "replace the task part of the system prompt by this `file`")
	fs.Var((*Lines)(&r.Instructions), "instructions", "`file` of the workspace, such as AGENTS.md, whose text is added to the system prompt as the repository's own; may be given several times")
	fs.Var(&r.calls, "tool-calls", "how the model makes calls: through the API or else as text, only through the API, or only as text")
	fs.StringVar(&r.OutputSchema, "output-schema", "", "JSON Schema `file`, draft 2020-12 or 07, that the final text has to fit as one JSON value")
	fs.Var((*Count)(&r.OutputAttempts), "output-attempts", "how many more times the model is asked for a final text that fits")
	fs.Var(&r.outputVia, "output-schema-via", "how the model gets the schema: in the prompt, or in the request to the endpoint as well")
	fs.StringVar(&r.PolicyFile, "policy", "", "policy `file` that allows or denies tool calls")
	fs.Var((*Names)(&r.AllowTools), "allow-tools", "offer only these tools, by name or glob")
	fs.Var((*Names)(&r.DenyTools), "deny-tools", "do not offer these tools, by name or glob")
	fs.Var(&r.onDeny, "on-deny", "what a denied call does: tell the model and go on, or end the run")
	fs.Var((*Count)(&r.MaxSteps), "max-steps", "maximum number of model turns, 0 for no limit")
	fs.Var((*Count)(&r.MaxToolCalls), "max-tool-calls", "maximum number of tool calls that are executed (default: no limit)")
	fs.Var((*Count)(&r.MaxTokens), "max-tokens", "maximum number of input and output tokens together, as reported (default: no limit)")
	fs.StringVar(&r.PricesFile, "prices", "", "`file` with what a million tokens of each model cost")
	fs.Var((*Dollars)(&r.MaxCost), "max-cost", "maximum cost of the tokens in US dollars, by --prices (default: no limit)")
	fs.Var((*Span)(&r.Timeout), "timeout", "time limit for the whole run")
	fs.Var((*Span)(&r.ToolTimeout), "tool-timeout", "time limit for one command, or one call of an MCP server's tool, which progress begins anew")
	fs.Var(&Settings{
		{Name: "attempts", Value: &r.attempts}, {Name: "for", Value: (*Span)(&r.Endpoint.RetryFor)}, {Name: "timeout", Value: (*Span)(&r.Endpoint.Timeout)},
	}, "retry", "attempts at one request, the time for all waits between them, and the timeout for the endpoint to send anything")
	fs.Var(&r.header, "header", "header of each request, NAME=VALUE or NAME=env:VARIABLE; may be given several times")
	fs.Var(&r.query, "query", "parameter of each request's address, written alike")
	fs.Var((*Edits)(&r.Endpoint.Edits), "request-set", "JSON that takes the place of what is at a JSON pointer in each request's body; null removes it")
	fs.Var(&r.effort, "reasoning-effort", "`level` of reasoning, none to xhigh, of a model that reasons (default: as the endpoint has it)")
	fs.Var((*Temperature)(&r.Endpoint.Parameters.Temperature), "temperature", "how freely the model chooses its words, 0 to 2 (default: as the endpoint has it)")
	fs.Var((*Count)(&r.Endpoint.Parameters.MaxOutput), "max-output-tokens", "maximum number of tokens of one reply, those of reasoning included (default: no limit)")
	fs.Var((*Size)(&r.MaxToolOutput), "max-tool-output", "how much of a command's output the model sees; the whole goes to an artifact")
	fs.Var((*Size)(&r.MaxContext), "max-context", "size of the conversation at which older tool results are shortened")
	r.wall.AddTo(fs)
	fs.StringVar(&r.MCPConfig, "mcp-config", "", "JSON `file` that names MCP servers, whose tools the model may call")
	fs.Var((*Names)(&r.PassEnv), "pass-env", "environment variables that commands may see, besides the basic ones")
	fs.Var((*Lines)(&r.Redact), "redact", "secret to keep out of all output; may be given several times")
	fs.Var((*Identifier)(&r.Session), "session", "continue the session of this name, or begin it (default: a new one)")
	fs.StringVar(&r.Resume, "resume", "", "go on with the conversation of an earlier `run`: its evidence, its run folder or its id; a prompt may be left out")
	fs.Var((*Age)(&r.KeepSessions), "keep-sessions", "remove sessions that nothing was added to for this long, like 30d; 0 for never")
	fs.Var(&Settings{
		{Name: "window", Value: &r.historyWindow}, {Name: "consolidate", Value: &r.consolidateThreshold}, {Name: "keep", Value: (*Part)(&r.ConsolidateKeep)},
	}, "history", "earlier messages of the session that are sent: the last window of them, or with consolidate=100 a summary and the rest, of which more than 100 are summarized down to the part keep")
	fs.StringVar(&r.StateDir, "state-dir", "", "`folder` for run records and history (default: the user's state folder)")
	fs.StringVar(&r.Events, "events", "", "append the internal event log to this `file`")
	fs.Var((*Identifier)(&r.RunID), "run-id", "id of the run (default: a random one)")
	fs.Var(&r.clock, "clock", "fixed clock that advances 1 ms per event, for reproducible output")
}

// Fill fills the flags up from the environment and returns which were given on
// the command line.
func (r *Run) Fill(p process.Env, fs *pflag.FlagSet) (given map[string]bool, err error) {
	if err := refuseEmpty(fs); err != nil {
		return nil, err
	}
	given = OnCommandLine(fs)
	err = Fill(p, fs, map[string]string{"base-url": "OPENAI_BASE_URL"})
	r.APIGiven, r.modeGiven = fs.Changed("api"), fs.Changed("cassette-mode")
	r.WorkspaceGiven = fs.Changed("workspace")
	if err != nil {
		return given, err
	}
	err = r.header.Resolve("header", p.Getenv)
	if err == nil {
		err = r.query.Resolve("query", p.Getenv)
	}
	if err != nil {
		return given, &UsageError{err}
	}
	r.Sandbox, err = r.wall.Policy(p, given)
	return given, err
}

// Check finds what is wrong with the flags as a whole, before any file or key is
// read; given names those on the command line.
func (r *Run) Check(p process.Env, given map[string]bool, args []string) error {
	if err := r.setPrompt(p, args); err != nil {
		return err
	}
	if r.Prompt == "-" && r.KeyFile == key.Stdin {
		return usagef("prompt and --api-key-file are both -: only one of them can come by standard input")
	}
	if err := r.checkCassette(given); err != nil {
		return err
	}
	if err := r.checkModel(given); err != nil {
		return err
	}
	if err := errors.Join(r.checkOutput(given), r.checkCost(p, given)); err != nil {
		return err
	}
	if err := process.CheckPassEnv(r.PassEnv); err != nil {
		return usagef("%s: %w", source("pass-env", given), err)
	}
	for _, patterns := range []struct {
		flag  string
		names Names
	}{{"allow-tools", r.AllowTools}, {"deny-tools", r.DenyTools}} {
		if err := knownTools(source(patterns.flag, given), patterns.names); err != nil {
			return err
		}
	}
	return nil
}

// checkModel finds what is wrong with the model and how it is asked.
func (r *Run) checkModel(given map[string]bool) error {
	if given["script"] && (given["model"] || given["base-url"]) {
		return usagef("--script answers without an endpoint: leave out --model and --base-url")
	}
	replays := r.Cassette != "" && r.cassetteMode.Value == session.CassetteReplay // and names the model
	if r.Script == "" && r.Model == "" && !replays {
		return &UsageError{hint.With(fmt.Errorf("no model: give --model NAME, or --script FILE for a scripted one"),
			"try --script demo, which needs no key and no network")}
	}
	if flag, pointer := r.parameters().Contradicted(r.Endpoint.Edits); flag != "" {
		return usagef("%s and --request-set %s say the same thing twice: give one of them", source(flag, given), pointer)
	}
	return nil
}

// checkCassette finds flags that contradict a cassette. Which of them was given
// by flag and which by variable makes no difference: neither may be ignored.
func (r *Run) checkCassette(given map[string]bool) error {
	switch {
	case r.modeGiven && r.Cassette == "":
		return usagef("%s is %q without a cassette: name one by --cassette FILE", source("cassette-mode", given), r.cassetteMode.Value)
	case r.Cassette != "" && r.Script != "":
		return usagef("--cassette and --script both stand in for an endpoint: give one of them")
	}
	return nil
}

// checkOutput finds flags about a schema that is not there.
func (r *Run) checkOutput(given map[string]bool) error {
	for _, flag := range []string{"output-attempts", "output-schema-via"} {
		if given[flag] && r.OutputSchema == "" {
			return usagef("--%s is about a schema, and there is none: give --output-schema FILE, or leave it out", flag)
		}
	}
	return nil
}

// checkCost refuses a limit that could not hold: a model without a price costs
// nobody knows what.
func (r *Run) checkCost(p process.Env, given map[string]bool) error {
	if r.MaxCost == 0 {
		return nil
	}
	limit := source("max-cost", given)
	if r.PricesFile == "" {
		return usagef("%s needs to know what the model costs: name a file by --prices", limit)
	}
	if err := session.CheckPrice(p, r.SessionOptions(p)); err != nil {
		return &UsageError{hint.With(fmt.Errorf("%s could not hold: %w", limit, err), session.AddPrice)}
	}
	return nil
}

// setPrompt makes sure that there is exactly one prompt.
func (r *Run) setPrompt(p process.Env, args []string) error {
	switch {
	case len(args) > 1:
		return &UsageError{hint.With(fmt.Errorf("%d prompts given, want one", len(args)), "put the prompt in quotes; the command of another agent comes after --")}
	case len(args) == 1 && r.PromptFile != "":
		return usagef("two prompts given: one as argument, one by --prompt-file; want one")
	case len(args) == 1 && strings.TrimSpace(args[0]) == "":
		return usagef("the prompt is empty")
	case len(args) == 1:
		r.Prompt = args[0]
	case r.Resume != "" && r.Script == demo.Name:
		return usagef("--resume and --script %s exclude each other: the demo begins anew each time", demo.Name)
	case r.PromptFile == "" && r.Script != demo.Name && r.Resume == "":
		if _, err := p.Stat(r.Script); errors.Is(err, fs.ErrNotExist) && nearest.Name(r.Script, []string{demo.Name}) != "" {
			return usagef("--script is %q: there is no such file; did you mean %q?", redact.Shown(r.Script), demo.Name)
		}
		return &UsageError{hint.With(fmt.Errorf("no prompt"),
			"give it as argument, by --prompt-file FILE, or as - on standard input")}
	}
	return nil
}

// parameters returns what the model is told of how to answer.
func (r *Run) parameters() provider.Parameters {
	p := r.Endpoint.Parameters
	p.Effort = r.effort.Value
	return p
}

// knownTools refuses names that no tool has: a misspelt one would silently
// allow or deny nothing.
func knownTools(source string, patterns Names) error {
	if p := session.UnknownTool(patterns); p != "" {
		known := session.ToolNames()
		return usagef("%s is %q: no tool has that name; the tools are %s%s", source, redact.Shown(p), strings.Join(known, ", "), nearest.Hint(p, known))
	}
	return nil
}

// SessionOptions returns what a run of these flags is to do at p, but for the version
// of the program.
func (r *Run) SessionOptions(p process.Env) session.Options {
	o := r.Options
	o.ArtifactsDir = p.Getenv(process.ArtifactsVariable)
	o.Calls, o.CassetteMode, o.OnDeny = agent.CallMode(r.calls.Value), r.cassetteMode.Value, r.onDeny.Value
	o.OutputVia = r.outputVia.Value
	o.Endpoint.API, o.Endpoint.Attempts = provider.API(r.api.Value), r.attempts.Value
	o.Endpoint.Parameters = r.parameters()
	o.Endpoint.Header, o.Endpoint.Query = r.header.Plain(), r.query.Plain()
	o.HistoryWindow, o.ConsolidateThreshold, o.Clock = r.historyWindow.Value, r.consolidateThreshold.Value, r.clock.At
	o.Consolidate = o.ConsolidateThreshold > 0
	return o
}

// Values returns the values of all flags but those that are secrets.
func Values(fs *pflag.FlagSet) map[string]any {
	values := map[string]any{}
	fs.VisitAll(func(fl *pflag.Flag) {
		switch fl.Name {
		case "help":
		case "output":
			values["output_mode"] = fl.Value.String()
		case "redact":
			if fl.Value.String() != "" {
				values[fl.Name] = redact.Mask
			}
		default:
			values[fl.Name] = fl.Value.String()
		}
	})
	return values
}
