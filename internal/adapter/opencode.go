package adapter

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/schema"
)

// opencode is `opencode run --format json`. It prints a call when that is over,
// and no line for the end of a run: the last line is it.
var opencode = &Agent{
	Name: "opencode", Package: "opencode-ai", Binary: "opencode", VersionArgs: []string{"--version"}, Scripts: true, Tested: []string{"1.18.33"},
	Format: "opencode", Mapping: "opencode/1", Time: "source", Gaps: Gaps{Decisions: true}, Ends: true,
	Prints:      "--format json",
	HidesAgents: true,
	Wire:        "chat", Keys: []string{"OPENAI_API_KEY"}, OpenAI: true,
	Options: map[string]string{
		"policy":      `"permission" in opencode.json`,
		"allow-tools": `"permission" in opencode.json`,
		"deny-tools":  `"permission" in opencode.json`,
		"session":     `"--session=ID"`,
		"mcp-config":  `"mcp" in opencode.json`,
		"system-file": "AGENTS.md in the workspace",
	},
	Owned: map[string]string{"--format": "", "--dir": "workspace", "-m": "model", "--model": "model"},
	start: startOpencode,
	begins: func(line object) bool {
		return line.Get("sessionID").Is('"') && line.Get("timestamp").Number() != nil
	},
	converter: func(e *emit.Emitter) emit.Converter {
		return &opencodeStream{Emitter: e, turns: map[string]*opencodeTurn{}}
	},
}

// opencodeProvider is the name of the provider that a base URL makes.
const opencodeProvider = "endpoint"

// startOpencode hands the whole configuration over as one file, or as text where
// nothing may be written into the user's home.
func startOpencode(l Launch) Start {
	s := Start{
		// A title of ours spares the request for one.
		Args: []string{"run", "--format", "json", "--title", "run"}, Stdin: l.Prompt,
		Env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
	}
	model := l.Model
	if model != "" && l.BaseURL != "" {
		model = opencodeProvider + "/" + model
	}
	if model != "" {
		s.Args = append(s.Args, "-m", model)
	}
	s.Args = append(s.Args, l.Args...)
	if l.Dir != "" { // the program believes this before the folder that it is in
		s.Env = append(s.Env, "PWD="+l.Dir)
	}
	config := opencodeConfig(l)
	switch {
	case l.Home != "":
		s.Files = map[string]string{"opencode.json": config}
		s.Env = append(s.Env, "OPENCODE_CONFIG="+filepath.Join(l.Home, "opencode.json"))
	case l.BaseURL != "":
		s.Env = append(s.Env, "OPENCODE_CONFIG_CONTENT="+config)
	}
	return s
}

// opencodeConfig returns the configuration of a run: with a base URL, the
// provider behind that.
func opencodeConfig(l Launch) string {
	type model struct {
		Name string `json:"name"`
	}
	type provider struct {
		NPM     string            `json:"npm"`
		Name    string            `json:"name"`
		Options map[string]string `json:"options"`
		Models  map[string]model  `json:"models"`
	}
	config := struct {
		AutoUpdate bool                `json:"autoupdate"`
		Share      string              `json:"share"`
		Provider   map[string]provider `json:"provider,omitempty"`
	}{Share: "disabled"}
	if l.BaseURL != "" {
		p := provider{NPM: "@ai-sdk/openai-compatible", Name: opencodeProvider, Options: map[string]string{"baseURL": l.BaseURL}, Models: map[string]model{}}
		if l.Key != "" {
			p.Options["apiKey"] = "{env:" + l.Key + "}"
		}
		if l.Model != "" {
			p.Models[l.Model] = model{l.Model}
		}
		config.Provider = map[string]provider{opencodeProvider: p}
	}
	text, err := jsontext.Marshal(config)
	if err != nil {
		panic(err) // strings and booleans always encode
	}
	return string(text) + "\n"
}

// opencodeStream converts the lines of one session.
type opencodeStream struct {
	*emit.Emitter
	cost  schema.USD               // of the turns so far
	turns map[string]*opencodeTurn // by the id of their message
	// message is that of the last line, text what the model said in it.
	message string
	text    []byte
}

// opencodeTurn is what became of a turn of the model: how often its request was
// repeated, and whether it is over.
type opencodeTurn struct {
	retries  int64
	finished bool
	reason   string // of its end
}

// maxTurns bounds the turns that are remembered.
const maxTurns = 4096

func (o *opencodeStream) Convert(line object) bool {
	o.StampMillis(line.Get("timestamp").Integer())
	if !o.InSession(line.Str("sessionID")) {
		return true
	}
	o.Begin()
	part := line.Object("part")
	switch line.Str("type") {
	case "step_start":
		return o.start(part)
	case "tool_use":
		return o.called(part)
	case "text":
		return o.said(part)
	case "reasoning":
		o.goOn()
	case "done":
		o.done(line)
	case "step_finish":
		return o.finished(part)
	case "error":
		return o.failed(line.Object("error"))
	default:
		return false
	}
	return true
}

func (o *opencodeStream) Close(emit.End) { o.SetFinal(string(o.text)) }

// goOn notes that the source goes on with the turn, so that its end was none. An
// error stands until the next turn begins.
func (o *opencodeStream) goOn() {
	if o.Terminal != nil && o.Terminal.Reason == schema.ExitOK {
		o.Resume()
	}
}

// at notes the message that a part belongs to, and that the source goes on. It
// is false for a part without one.
func (o *opencodeStream) at(part object) (message string, ok bool) {
	id := part.Get("messageID")
	if !id.Is('"') {
		return "", false
	}
	if message = id.Text(); message != o.message {
		o.message, o.text = message, o.text[:0]
	}
	return message, true
}

// start converts the start of a turn, or of another attempt at one.
func (o *opencodeStream) start(part object) bool {
	message, ok := o.at(part)
	if !ok {
		return false
	}
	o.Resume()
	switch turn := o.turns[message]; {
	case turn == nil:
		if len(o.turns) >= maxTurns {
			clear(o.turns)
		}
		o.turns[message] = &opencodeTurn{}
		o.StartStep(schema.StepStarted{StepID: &message})
	case turn.finished:
		turn.reason = ""
	default:
		turn.retries++
		o.Retry(schema.ProviderRetry{Attempt: new(turn.retries)})
	}
	return true
}

// called converts a call, which is over when it is printed.
func (o *opencodeStream) called(part object) bool {
	state := part.Object("state")
	status := state.Str("status")
	id := part.Get("callID")
	if part.Get("partID").Is('"') { // its second version
		id = part.Get("id")
	}
	if status != "completed" && status != "error" || !id.Is('"') {
		return false
	}
	o.at(part)
	asked := emit.Call{ID: id.Text(), Tool: part.Str("tool"), Args: state.Get("input")}
	start, end := state.At("time", "start").Integer(), state.At("time", "end").Integer()
	o.StampMillis(start)
	l := o.Detect(asked)
	if problem := opencodeProblem(state); status == "error" && problem != nil && deny(o.Emitter, asked, nil, "", *problem) {
		o.StepBlocked(schema.StepBlocked{Reason: problem, Tool: l.Tool, StepID: part.Get("messageID").Optional()})
		return true
	}
	o.Run(asked)
	o.StampMillis(end)
	r := opencodeResult(state, status == "completed", optional(elapsed(start, end)))
	exit := state.At("metadata", "exit").Integer()
	ended(o.Emitter, l.Tool, &r, cmp.Or(exit, state.At("metadata", "metadata", "exit").Integer()))
	o.FinishTool(asked, r)
	return true
}

// opencodeResult reads how a call ended. A command that failed is completed too.
func opencodeResult(state object, completed bool, elapsed schema.Optional[int64]) schema.ToolExecFinished {
	about := state.Get("metadata").Object()
	r := schema.ToolExecFinished{
		OK: &completed, Status: statusOf(completed), ContentPreview: state.Get("output").Optional(),
		ExitStatus: schema.Null[int64](), OutputTruncated: about.Get("truncated").Truth(), DurationMS: elapsed,
	}
	if r.ContentPreview == nil {
		r.ContentPreview = opencodeProblem(state)
	}
	if inner := about.Get("metadata").Object(); inner != nil { // of its second version
		r.OutputTruncated = inner.Get("truncated").Truth()
	}
	if text, ok := shown(about.Get("content")); ok && (r.ContentPreview == nil || *r.ContentPreview == "") {
		r.ContentPreview = &text
	}
	return r
}

// opencodeProblem returns what the error of a call says.
func opencodeProblem(state object) *string {
	if problem := state.Get("error"); problem.Is('"') {
		return problem.Optional()
	}
	return state.At("error", "message").Optional()
}

// elapsed is the time between two, nil when one of them is not known.
func elapsed(start, end *int64) *int64 {
	if start == nil || end == nil {
		return nil
	}
	return new(*end - *start)
}

func (o *opencodeStream) said(part object) bool {
	message, ok := o.at(part)
	if !ok || !part.Get("text").Is('"') {
		return false
	}
	if turn := o.turns[message]; turn == nil || !turn.finished { // else what was left out before
		o.goOn()
	}
	text := part.Str("text")
	o.Say("", text+"\n")
	if room := emit.MaxFinal - len(o.text); room > 0 {
		o.text = append(o.text, text[:min(room, len(text))]...)
	}
	return true
}

// finished converts the end of a turn, which is that of the run when nothing
// follows.
func (o *opencodeStream) finished(part object) bool {
	message, ok := o.at(part)
	if !ok {
		return false
	}
	reason := part.Str("reason")
	turn := o.turns[message]
	if turn == nil || !turn.finished || turn.reason != reason { // else the same again
		o.spent(part.Object("tokens"), part.Get("cost").Number())
	}
	if turn != nil {
		turn.finished, turn.reason = true, reason
	}
	switch reason {
	case "stop":
		o.End(emit.Terminal{Reason: schema.ExitOK})
	case "length":
		o.End(emit.Terminal{Reason: schema.ExitBudgetExceeded, Text: "the answer reached the limit of its length"})
	case "content-filter":
		o.Fail(schema.ProviderError{Kind: new("refused")})
		o.End(emit.Terminal{Reason: schema.ExitProviderError, Text: "the provider refused the answer"})
	}
	return true
}

// spent adds what a turn used and cost. A turn of a model without a price costs 0
// there, so a run that costs nothing is one of which the cost is not known.
func (o *opencodeStream) spent(tokens object, cost *float64) {
	o.Usage = new(added(o.Usage, usageOf("opencode", tokens)))
	if cost != nil {
		o.cost += schema.USD(*cost)
	}
	if o.cost > 0 && o.cost.Valid() {
		o.Usage.CostUSD = schema.Some(o.cost)
	}
}

// done converts the last line of newer versions. Where it names rejected permissions
// after a turn that wanted calls, the rejection ended the run.
func (o *opencodeStream) done(line object) {
	reason, rejected := line.Str("reason"), ""
	for item := range line.Get("rejected").Items() {
		rejected += " " + cmp.Or(item.Text(), item.Get("permission").Text())
	}
	turn := o.turns[o.message]
	switch {
	case o.Terminal != nil:
	case reason != "idle":
		o.End(emit.Terminal{Reason: schema.ExitInternalError, Text: "the agent ended: " + cmp.Or(reason, "no reason")})
	case rejected != "" && (turn == nil || turn.reason == "tool-calls"):
		o.End(emit.Terminal{Reason: schema.ExitBlocked, Text: "permissions were rejected:" + rejected})
	default:
		o.End(emit.Terminal{Reason: schema.ExitOK})
	}
}

// opencodeKinds are the kinds of failed requests by the types of errors, those of the
// second version in small letters.
var opencodeKinds = map[string]string{
	"provider.auth": "unauthorized", "provider.content-filter": "refused", "provider.context-overflow": "payload_too_large",
	"provider.not-found": "client", "provider.quota": "quota", "provider.rate-limit": "rate_limit",
	"provider.timeout": "timeout", "provider.transport": "connection",
	"ContextOverflowError": "payload_too_large", "ProviderAuthError": "unauthorized",
}

// opencodeEnds are the errors that are no failed requests.
var opencodeEnds = map[string]string{
	"aborted": schema.ExitCancelled, "MessageAbortedError": schema.ExitCancelled,
	"MessageOutputLengthError": schema.ExitBudgetExceeded, "StructuredOutputError": schema.ExitOutputInvalid,
}

// failed converts an error, which is the end of the run when nothing follows.
func (o *opencodeStream) failed(problem object) bool {
	name, data := problem.Str("name"), problem.Get("data").Object()
	if problem == nil {
		return false
	}
	if data == nil && name == "" { // its second version has both on one level
		name, data = problem.Str("type"), problem
	}
	f := schema.ProviderError{MessageShort: data.Get("message").Optional()}
	if f.MessageShort == nil {
		f.MessageShort = &name
	}
	f.Status = data.Get("status").Integer()
	f.Kind = kindOf(f.Status)
	if kind := opencodeKinds[name]; kind != "" {
		f.Kind = &kind
	}
	text := *f.MessageShort
	if reason := opencodeEnds[name]; reason != "" {
		o.End(emit.Terminal{Reason: reason, Text: text})
		return true
	}
	if name == "APIError" {
		f.Status, f.Retryable = data.Get("statusCode").Integer(), data.Get("isRetryable").Truth()
		f.Kind = kindOf(f.Status)
		if f.Status == nil && (data.Str("metadata", "code") == "ECONNRESET" || strings.Contains(strings.ToLower(text), "connect")) {
			f.Kind = new("connection")
		}
	}
	o.Fail(f)
	o.End(emit.Terminal{Reason: schema.ExitProviderError, Text: text})
	return true
}
