package adapter

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/adapter/raw"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/schema"
)

// codex is `codex exec --json`. It prints neither times nor where a model's turn
// ends, and of a command the shell's line, not what the model asked for.
var codex = &Agent{
	Name: "codex", Package: "@openai/codex", Binary: "codex", VersionArgs: []string{"--version"}, Tested: []string{"0.169.0", "0.171.0"},
	Format: "codex", Mapping: "codex/1", Time: "arrival", Gaps: Gaps{Decisions: true, Steps: true},
	Prints: "--json",
	Silent: []string{"write_stdin", "update_plan", "view_image", "request_user_input", "get_goal", "create_goal", "update_goal"}, HidesAgents: true,
	printed: codexPrinted,
	Wire:    "responses", Upstream: "https://api.openai.com/v1",
	Keys: []string{"CODEX_API_KEY"}, OpenAI: true, HomeVariable: "CODEX_HOME", HomeFolder: ".codex",
	Options: map[string]string{
		"policy":      `"--sandbox MODE", which bounds what commands can change`,
		"allow-tools": `"--sandbox MODE"; it has no list of tools`,
		"deny-tools":  `"--sandbox MODE"; it has no list of tools`,
		"session":     `"codex exec resume ID" as a command of your own`,
		"mcp-config":  `"-c mcp_servers.NAME.command=PROGRAM", or its config.toml`,
		"system-file": "AGENTS.md in the workspace",
	},
	Owned:     map[string]string{"--json": "", "-C": "workspace", "--cd": "workspace", "-m": "model", "--model": "model", "--output-schema": "output-schema"},
	start:     startCodex,
	begins:    func(line object) bool { return line.Str("type") == "thread.started" },
	converter: func(e *emit.Emitter) emit.Converter { return &codexStream{Emitter: e} },
}

// startCodex gives the user's endpoint a provider of its own: the built-in one
// tries WebSockets first. Of analytics the program waits for the end of, unless
// they are off. A snapshot of the shell is a file of all variables, the key too,
// which stays where the program is killed.
func startCodex(l Launch) Start {
	s := Start{Args: []string{"exec", "--json", "--skip-git-repo-check", "-C", l.Dir}, Stdin: l.Prompt}
	if l.Model != "" {
		s.Args = append(s.Args, "-m", l.Model)
	}
	if !slices.ContainsFunc(l.Args, choosesSandbox) {
		s.Args = append(s.Args, "-s", codexSandbox(l)) // without it nothing can be written
	}
	if l.OutputSchema != "" {
		s.Args = append(s.Args, "--output-schema", l.OutputSchema)
	}
	if l.Home == "" {
		s.Args = append(s.Args, codexFlags(l)...)
	} else {
		s.Files = map[string]string{".codex/config.toml": codexConfig(l)}
	}
	s.Args = append(s.Args, l.Args...)
	s.Args = append(s.Args, "-")
	return s
}

// codexSandbox is the program's own sandbox. Within another it cannot be made.
func codexSandbox(l Launch) string {
	if l.Walled {
		return "danger-full-access"
	}
	return "workspace-write"
}

// codexConfig returns the configuration of a home of the run's own.
func codexConfig(l Launch) string {
	const off = "[analytics]\nenabled = false\n\n[features]\nshell_snapshot = false\n"
	if l.BaseURL == "" {
		return off
	}
	provider := fmt.Sprintf("model_provider = \"openagent\"\n\n[model_providers.openagent]\nname = \"openagent\"\nbase_url = %q\nwire_api = \"responses\"\n", l.BaseURL)
	if l.Key != "" {
		provider += fmt.Sprintf("env_key = %q\n", l.Key)
	}
	return provider + "\n" + off
}

// codexFlags are the same settings for the user's home, in which nothing is
// written.
func codexFlags(l Launch) []string {
	flags := []string{"-c", "analytics.enabled=false", "-c", "features.shell_snapshot=false"}
	if l.BaseURL == "" {
		return flags
	}
	provider := fmt.Sprintf(`name="openagent",base_url=%q,wire_api="responses"`, l.BaseURL)
	if l.Key != "" {
		provider += fmt.Sprintf(",env_key=%q", l.Key)
	}
	return append(flags, "-c", `model_provider="openagent"`, "-c", "model_providers.openagent={"+provider+"}")
}

// choosesSandbox reports whether an argument says what commands may do.
func choosesSandbox(arg string) bool {
	for _, option := range []string{"--sandbox", "--dangerously-bypass-approvals-and-sandbox", "--approve-for-me", "sandbox_mode", "--config=sandbox_mode"} {
		if rest, ok := strings.CutPrefix(arg, option); ok && (rest == "" || strings.HasPrefix(strings.TrimSpace(rest), "=")) {
			return true
		}
	}
	return strings.HasPrefix(arg, "-s") || strings.HasPrefix(arg, "-csandbox_mode")
}

// codexStream converts the lines of one thread.
type codexStream struct {
	*emit.Emitter
	// failure is an error that is no retry, nil for none. It is held: turn.failed
	// says it again.
	failure *string
}

func (c *codexStream) Convert(line object) bool {
	switch kind := line.Str("type"); kind {
	case "thread.started":
		if c.InSession(line.Str("thread_id")) {
			c.Begin()
		}
	case "turn.started":
		if c.Steps == 0 {
			c.StartStep(schema.StepStarted{})
		}
		c.Resume()
	case "item.started", "item.completed":
		return c.item(line.Object("item"), kind == "item.completed")
	case "item.updated":
	case "error":
		return c.problem(line.Get("message"))
	case "turn.completed":
		c.printFailure()
		if usage := line.Object("usage"); usage != nil {
			c.Spend(usageOf("codex", usage))
		}
		c.End(emit.Terminal{Reason: schema.ExitOK})
	case "turn.failed":
		c.failed(line.Str("error", "message"))
	default:
		return false
	}
	return true
}

func (c *codexStream) Close(emit.End) { c.printFailure() }

// item converts the start or the end of what a turn does.
func (c *codexStream) item(item object, completed bool) bool {
	switch item.Str("type") {
	case "command_execution", "mcp_tool_call", "file_change", "web_search", "collab_tool_call":
		asked := emit.Call{ID: item.Str("id")}
		if asked.ID == "" {
			return false
		}
		if c.Lookup(asked.ID) == nil || !completed {
			asked.Tool, asked.Args = codexTool(item), codexArguments(item)
		}
		c.printFailure()
		switch {
		case completed:
			c.finishItem(asked, item)
		case asked.Args.IsNull():
			c.Postpone(asked)
		default:
			c.Run(asked)
		}
	case "agent_message":
		if completed {
			c.SetFinal(item.Str("text"))
			c.Say("", item.Str("text")+"\n")
		}
	case "reasoning", "todo_list":
	case "error": // among the items it is a warning
		if text := item.Str("message"); codexLoss(text) {
			c.Lost(text)
		}
	default:
		return false
	}
	return true
}

// codexLoss reports whether a warning is that codex dropped events of its stream.
func codexLoss(text string) bool {
	return strings.Contains(text, "event stream lagged") || strings.Contains(text, "dropped ") && strings.Contains(text, " events")
}

// finishItem converts the end of a call. One that was declined did not run,
// unless it was told before that it does.
func (c *codexStream) finishItem(asked emit.Call, item object) {
	r := codexResult(c.Emitter, item)
	status := item.Str("status")
	if !*r.OK && deny(c.Emitter, asked, nil, status, item.Str("aggregated_output")) {
		return
	}
	if status == "declined" {
		r.ErrorKind = schema.Some(status)
	}
	c.FinishTool(asked, r)
}

// codexTool names what ran: the stream has the kind of an item in place of the
// model's tool.
func codexTool(item object) string {
	if server := item.Str("server"); server != "" {
		return server + "." + item.Str("tool")
	}
	if own := item.Str("tool"); own != "" { // of a sub-agent
		return own
	}
	return item.Str("type")
}

// codexArguments returns what an item was asked to do, as JSON, nothing where it does
// not say yet.
func codexArguments(item object) value {
	for _, name := range []string{"command", "query", "action", "changes", "prompt", "receiver_thread_ids"} {
		v := item.Get(name)
		unknown := v.IsNull() || string(v) == `""` || name == "receiver_thread_ids" && string(v) == "[]"
		if kind := v.Get("type").Text(); !unknown && (name != "action" || kind != "" && kind != "other") {
			return slices.Concat(value(`{"`), value(name), value(`":`), v, value("}"))
		}
	}
	return item.Get("arguments")
}

// codexPrinted returns the kind of item that codex prints for a call of the model: a patch
// is one also when it comes as a command, and a server's tool has a dot in its name.
func codexPrinted(tool, arguments string) string {
	switch {
	case tool == "apply_patch" || strings.Contains(arguments, "apply_patch") && strings.Contains(arguments, "*** Begin Patch"):
		return "file_change"
	case tool == "wait_agent" || tool == "resume_agent":
		return "wait"
	}
	return strings.ReplaceAll(strings.TrimPrefix(tool, "mcp__"), "__", ".")
}

// codexCut is the size above which codex cuts an output: it prints the first and
// the last half, and between them a line that says how many bytes it left out.
const codexCut = 1 << 20

// codexWhole returns the size of the output of which text is what codex left,
// nil when that is all.
func codexWhole(text string) *int64 {
	if len(text) <= codexCut {
		return nil
	}
	const after = " bytes omitted ...\n"
	end := strings.Index(text[codexCut/2:], after)
	if end < 0 {
		return nil
	}
	line := text[:codexCut/2+end]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	digits, ok := strings.CutPrefix(line, "... ")
	omitted := value(digits).Integer()
	if !ok || omitted == nil {
		return nil
	}
	return sum(omitted, new(int64(len(text)-len("\n")-len(line)-len(after))))
}

// codexResult reads how an item ended. A command that failed ran all the same
// when it has an exit status; items of some kinds have no status.
func codexResult(e *emit.Emitter, item object) schema.ToolExecFinished {
	status := item.Str("status")
	problem := item.At("error", "message")
	completed := (status == "completed" || status == "") && !problem.Is('"')
	r := schema.ToolExecFinished{
		OK: &completed, Status: statusOf(completed),
		ContentPreview: item.Get("aggregated_output").Optional(), ExitStatus: schema.Null[int64](),
	}
	ended(e, item.Get("type").Optional(), &r, item.Get("exit_code").Integer())
	if r.ContentPreview == nil {
		r.ContentPreview = problem.Optional()
	}
	result := item.Object("result")
	if text, ok := shown(result.Get("content")); ok {
		r.ContentPreview = &text
	}
	structured(&r, result)
	for _, agent := range item.Get("agents_states").Object() {
		text := string(agent.Name) + ": " + strings.TrimSuffix(agent.Value.Get("status").Text()+": "+agent.Value.Get("message").Text(), ": ")
		if status := agent.Value.Get("status").Text(); status == "errored" || status == "not_found" {
			e.Lost("sub-agent " + text)
		}
		if r.ContentPreview != nil {
			text = *r.ContentPreview + "\n" + text
		}
		r.ContentPreview = &text
	}
	if r.ContentPreview != nil {
		if whole := codexWhole(*r.ContentPreview); whole != nil {
			r.OutputTruncated, r.OutputBytes = new(true), schema.Some(*whole)
		}
	}
	return r
}

// problem converts an error line: an attempt that is repeated, or what turn.failed
// says again.
func (c *codexStream) problem(message value) bool {
	if !message.Is('"') {
		return false
	}
	c.printFailure()
	text := message.Text()
	again, ok := strings.CutPrefix(text, "Reconnecting... ")
	if codexLoss(text) {
		c.Lost(text)
		return true
	}
	if !ok {
		c.failure = &text
		return true
	}
	count, why, _ := strings.Cut(again, " (")
	if n, of, ok := strings.Cut(count, "/"); ok {
		status := statusIn(why)
		c.Retry(schema.ProviderRetry{Attempt: value(n).Integer(), MaxAttempts: value(of).Integer(), Kind: codexKind(why, status), Status: status})
		return true
	}
	c.Retry(schema.ProviderRetry{Kind: new("connection")}) // it waits for the network
	return true
}

// printFailure prints an error that no turn.failed said again.
func (c *codexStream) printFailure() {
	if c.failure != nil {
		c.Overrule(emit.Terminal{Reason: schema.ExitProviderError, Text: c.printError(*c.failure)})
		c.failure = nil
	}
}

// failed converts the failure of a turn.
func (c *codexStream) failed(message string) {
	if c.failure != nil && *c.failure == message {
		c.failure = nil
	}
	c.printFailure()
	if strings.Contains(message, "token budget exhausted") { // of the run, and no request failed
		c.End(emit.Terminal{Reason: schema.ExitBudgetExceeded, Text: message})
		return
	}
	c.End(emit.Terminal{Reason: schema.ExitProviderError, Text: c.printError(message)})
}

// printError prints why a request failed and returns that in words. The body of a
// response stands in place of them for status 400 alone.
func (c *codexStream) printError(message string) string {
	status := statusIn(message)
	if body, why := raw.Read([]byte(message)); why == "" && status == nil {
		status = new(int64(http.StatusBadRequest))
		message = cmp.Or(body.Str("error", "message"), message)
	}
	f := schema.ProviderError{Kind: codexKind(message, status), Status: status}
	if message != "" {
		f.MessageShort = &message
	}
	c.Fail(f)
	return message
}

// statusSearch is how much of a text is searched for a status.
const statusSearch = 4 << 10

var statusWord = lazyregexp.New(`status:? (\d{3})\b`)

// statusIn finds the HTTP status in a text, nil for none.
func statusIn(text string) *int64 {
	m := statusWord().FindStringSubmatch(text[:min(len(text), statusSearch)])
	if m == nil {
		return nil
	}
	n, _ := strconv.ParseInt(m[1], 10, 64)
	return &n
}

// codexKind is the kind of a failed request by its status, or by codex's words.
func codexKind(text string, status *int64) *string {
	switch {
	case status != nil:
		return kindOf(status)
	case strings.Contains(text, "stream disconnected"):
		return new("incomplete")
	case strings.Contains(text, "high demand"):
		return new("server")
	}
	return nil
}
