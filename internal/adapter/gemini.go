package adapter

import (
	"cmp"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/adapter/raw"
	"github.com/openagent-ci/openagent/schema"
)

// gemini is `gemini --output-format stream-json`. It does not print the exit
// status of a command, nor where a model's turn begins: that is made of what
// follows on what.
var gemini = &Agent{
	Name: "gemini", Package: "@google/gemini-cli", Binary: "gemini", VersionArgs: []string{"--version"}, Tested: []string{"0.61.0"},
	Format: "gemini", Mapping: "gemini/1", Time: "source", Gaps: Gaps{Decisions: true, ExitStatus: true, Steps: true},
	Prints: "--output-format stream-json", Noise: "two keys in its environment or a notice of an MCP server",
	HidesAgents: true,
	Wire:        "gemini", Upstream: "https://generativelanguage.googleapis.com",
	Keys: []string{"GEMINI_API_KEY"}, HomeVariable: "GEMINI_CLI_HOME",
	Options: map[string]string{
		"policy":      `"--policy=FILE" in the form of its policy engine`,
		"allow-tools": `"--policy=FILE" in the form of its policy engine`,
		"deny-tools":  `"--policy=FILE" in the form of its policy engine`,
		"max-steps":   `"maxSessionTurns" in its settings.json`,
		"session":     `"--resume=ID"`,
		"mcp-config":  `"mcpServers" in its settings.json`,
		"system-file": "GEMINI.md in the workspace",
	},
	Owned: map[string]string{"--output-format": "", "-o": "", "-p": "", "--prompt": "", "-m": "model", "--model": "model"},
	Allow: []string{"--approval-mode=yolo"},
	start: startGemini,
	begins: func(line object) bool {
		return line.Str("type") == "init" && line.Get("session_id").Is('"')
	},
	converter: func(e *emit.Emitter) emit.Converter { return &geminiStream{Emitter: e} },
}

// geminiQuiet are the settings of a private home, geminiAuth the one that makes
// the program use a key: it asks for it where there is a base URL.
const (
	geminiQuiet = `"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},` +
		`"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false}`
	geminiAuth = `"security":{"auth":{"selectedType":"gemini-api-key"}}`
)

// startGemini trusts the folder: nobody can be asked whether to.
func startGemini(l Launch) Start {
	s := Start{
		Args: []string{"--output-format", "stream-json", "--skip-trust"}, Stdin: l.Prompt,
		Env: []string{"GEMINI_TELEMETRY_ENABLED=false"},
	}
	if l.Model != "" {
		s.Args = append(s.Args, "-m", l.Model)
	}
	if l.BaseURL != "" {
		s.Env = append(s.Env, "GOOGLE_GEMINI_BASE_URL="+l.BaseURL)
	}
	if l.Walled { // before what its settings say
		s.Env = append(s.Env, "GEMINI_SANDBOX=false")
	}
	if l.Home != "" {
		settings := geminiQuiet
		if l.Key != "" {
			settings = geminiAuth + "," + geminiQuiet
		}
		s.Files = map[string]string{".gemini/settings.json": "{" + settings + "}\n"}
	}
	s.Args = append(s.Args, l.Args...)
	return s
}

// geminiStream converts the lines of one session.
type geminiStream struct {
	*emit.Emitter
	text []byte // of the assistant since the last result of a tool
	// answered says that a result of a tool was the last thing, so that the next
	// thing that the model does is a new turn.
	answered bool
	// problem is the end that the last line announced, nil when there was none.
	problem *emit.Terminal
}

func (g *geminiStream) Convert(line object) bool {
	g.StampText(line.Str("timestamp"))
	switch line.Str("type") {
	case "init":
		return g.opened(line)
	case "message":
		return g.message(line)
	case "tool_use":
		return g.called(line)
	case "tool_result":
		return g.result(line)
	case "error":
		return g.announced(line)
	case "result":
		return g.finished(line)
	}
	return false
}

// Close notes the text, and how the exit status explains a failure that the
// stream does not: as an HTTP status it counts modulo 256, so it is a hint only.
func (g *geminiStream) Close(end emit.End) {
	g.SetFinal(string(g.text))
	if t := g.Terminal; t != nil && t.Reason == schema.ExitProviderError && end.ExitStatus != nil {
		t.Reason = cmp.Or(geminiStatuses[*end.ExitStatus], t.Reason)
	}
}

// geminiStatuses has the exit statuses by which the program means something else
// than a request that failed.
var geminiStatuses = map[int]string{
	42: schema.ExitPreRunError, 52: schema.ExitPreRunError, 53: schema.ExitMaxSteps,
	55: schema.ExitPreRunError, 130: schema.ExitCancelled,
}

func (g *geminiStream) opened(line object) bool {
	if !g.InSession(line.Str("session_id")) {
		return true
	}
	if !g.Started {
		if model := line.Str("model"); model != "" {
			g.About.Model = schema.Some(model)
		}
	}
	g.Begin()
	g.Resume()
	return true
}

// turn begins the model's next turn where one must begin, and notes that the
// source goes on.
func (g *geminiStream) turn() {
	if g.Steps == 0 || g.answered {
		g.StartStep(schema.StepStarted{})
	}
	g.answered, g.problem = false, nil
	g.Resume()
}

func (g *geminiStream) message(line object) bool {
	content := line.Get("content")
	if !content.Is('"') {
		return false
	}
	switch line.Str("role") {
	case "user":
		g.Begin()
		g.Resume()
	case "assistant":
		g.turn()
		text := content.Text()
		g.Say("", text)
		if room := emit.MaxFinal - len(g.text); room > 0 {
			g.text = append(g.text, text[:min(room, len(text))]...)
		}
	default:
		return false
	}
	return true
}

func (g *geminiStream) called(line object) bool {
	if !line.Get("tool_id").Is('"') || !line.Get("tool_name").Is('"') {
		return false
	}
	g.turn()
	g.Hold(emit.Call{ID: line.Str("tool_id"), Tool: line.Str("tool_name"), Args: line.Get("parameters")})
	return true
}

// result converts how a call ended. That it succeeded says nothing of the exit
// status of a command.
func (g *geminiStream) result(line object) bool {
	status := line.Str("status")
	ok := status == "success"
	if !ok && status != "error" || !line.Get("tool_id").Is('"') {
		return false
	}
	if g.Steps == 0 {
		g.turn()
	}
	r := schema.ToolExecFinished{
		OK: &ok, Status: statusOf(ok), ExitStatus: schema.Null[int64](), ExitUnknown: new(true),
		ContentPreview: line.Get("output").Optional(),
	}
	if r.ContentPreview == nil {
		r.ContentPreview = line.At("error", "message").Optional()
	}
	call := emit.Call{ID: line.Str("tool_id")}
	why := cmp.Or(line.Str("error", "message"), line.Str("output"))
	if ok || !deny(g.Emitter, call, nil, line.Str("error", "type"), why) {
		g.FinishTool(call, r)
	}
	g.text, g.answered, g.problem = g.text[:0], true, nil
	return true
}

// geminiStops has the words by which the program says that a run cannot go on,
// and the reason that a run has which ends with them.
var geminiStops = []struct{ words, reason string }{
	{"exceeded the token limit", schema.ExitBudgetExceeded},
	{"Maximum session turns exceeded", schema.ExitMaxSteps},
	{"Loop detected", schema.ExitBlocked},
	{"was blocked", schema.ExitBlocked},
	{"empty response", schema.ExitBlocked},
	{"no final response text", schema.ExitBlocked},
	{"Invalid stream", schema.ExitBlocked},
}

// announced converts an error line. Whether it was the end shows in what follows:
// a result right behind it does not say more, or even success.
func (g *geminiStream) announced(line object) bool {
	message := line.Get("message")
	if !message.Is('"') {
		return false
	}
	text := message.Text()
	var problem *emit.Terminal
	for _, stop := range geminiStops {
		if problem == nil && strings.Contains(text, stop.words) {
			problem = &emit.Terminal{Reason: stop.reason, Text: text}
		}
	}
	if problem == nil && line.Str("severity") != "error" { // a warning
		g.Begin()
		if strings.HasPrefix(text, "Agent execution ") { // a hook blocked or stopped it
			g.Lost(text)
		}
		return true
	}
	if g.Terminal == nil {
		g.turn()
	}
	if problem != nil {
		g.StepBlocked(schema.StepBlocked{Reason: &text})
	} else {
		problem = g.failed(text, false)
	}
	g.problem = problem
	g.Overrule(*problem)
	return true
}

// finished converts the terminal of the source.
func (g *geminiStream) finished(line object) bool {
	status, problem := line.Str("status"), line.Object("error")
	if status != "success" && status != "error" {
		return false
	}
	if g.Steps == 0 {
		g.turn()
	}
	g.spent(line.Object("stats"))
	fault, found := faultText(string(g.text))
	if found {
		g.text = g.text[:0]
	}
	switch {
	case problem == nil && g.problem == nil && found && status == "success":
		g.End(*g.failed(apiError+fault+"]", false))
	case problem != nil:
		g.End(*g.ended(problem.Str("type"), problem.Str("message")))
	case g.problem != nil:
		g.End(*g.problem)
	case status == "error":
		g.End(emit.Terminal{Reason: schema.ExitInternalError, Text: "the agent reported a failure and no cause"})
	default:
		g.End(emit.Terminal{Reason: schema.ExitOK})
	}
	return true
}

// geminiTypes has the types of errors that are not about the model's endpoint.
var geminiTypes = map[string]string{
	"FatalInputError": schema.ExitPreRunError, "FatalConfigError": schema.ExitPreRunError,
	"FatalSandboxError": schema.ExitPreRunError, "FatalUntrustedWorkspaceError": schema.ExitPreRunError,
	"FatalTurnLimitedError": schema.ExitMaxSteps, "FatalCancellationError": schema.ExitCancelled,
	"FatalToolExecutionError": schema.ExitInternalError, "no_space_left": schema.ExitInternalError,
}

// ended returns the end that the error of a result makes.
func (g *geminiStream) ended(kind, message string) *emit.Terminal {
	if reason := geminiTypes[kind]; reason != "" {
		text, _ := geminiMessage(message)
		return &emit.Terminal{Reason: reason, Text: text}
	}
	return g.failed(message, kind == "FatalAuthenticationError")
}

// failed prints that a request failed for good.
func (g *geminiStream) failed(message string, unauthorized bool) *emit.Terminal {
	text, status := geminiMessage(message)
	kind := kindOf(status)
	switch {
	case unauthorized:
		kind = new("unauthorized")
	case text == "terminated", strings.HasSuffix(text, "fetch failed"):
		kind = new("connection")
	}
	g.Fail(schema.ProviderError{Kind: kind, Status: status, MessageShort: &text})
	return &emit.Terminal{Reason: schema.ExitProviderError, Text: text}
}

// apiError is how gemini and qwen begin what they say of a failed request.
const apiError = "[API Error: "

// faultAdvice is how the advice behind such a text begins.
var faultAdvice = []string{"\nPossible quota limitations", "\nPlease wait and try again"}

// faultText returns what such a text says where it is all that a text has: one that
// only quotes it is an answer.
func faultText(text string) (message string, whole bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, apiError) {
		return "", false
	}
	depth := 0
	for i, c := range text {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth == 0 {
			rest := text[i+1:]
			whole = rest == "" || slices.ContainsFunc(faultAdvice, func(s string) bool { return strings.HasPrefix(rest, s) })
			return text[len(apiError):i], whole
		}
	}
	return "", false
}

// cutAPIError returns what such a text says, without the advice behind it, and
// whether it is one.
func cutAPIError(text string) (message string, found bool) {
	message, found = strings.CutPrefix(text, apiError)
	if end := strings.LastIndexByte(message, ']'); found && end >= 0 {
		message = message[:end]
	}
	return message, found
}

// geminiMessage returns what an error says and the HTTP status in it: the body of
// a response may stand inside, and another one inside that.
func geminiMessage(message string) (text string, status *int64) {
	text, _ = cutAPIError(message)
	for range 2 {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			break
		}
		body, why := raw.Read([]byte(text[at:]))
		inner := body.At("error", "message")
		if why != "" || !inner.Is('"') {
			break
		}
		text = inner.Text()
		if code := body.At("error", "code").Integer(); code != nil && status == nil {
			status = code
		}
	}
	return text, status
}

// spent notes the usage of the session. A duration of 0 stands for none.
func (g *geminiStream) spent(stats object) {
	if stats == nil {
		return
	}
	g.Spend(usageOf("gemini", stats))
	if ms := stats.Get("duration_ms").Integer(); ms != nil && *ms > 0 {
		g.DurationMS = ms
	}
}
