package adapter

import (
	"cmp"
	"strings"

	"github.com/openagent-ci/openagent/internal/preset"
	"github.com/openagent-ci/openagent/schema"
)

// gemini is `gemini --output-format stream-json`. It does not print the exit
// status of a command, nor where a model's turn begins: that is made of what
// follows on what.
var gemini = &Agent{
	Name: "gemini", Package: "@google/gemini-cli", Binary: "gemini", VersionArgs: []string{"--version"}, Tested: []string{"0.61.0"},
	Format: "gemini", Mapping: "gemini/1", Time: "source", Gaps: Gaps{Decisions: true, ExitStatus: true, Steps: true},
	Keys: []string{"GEMINI_API_KEY"}, HomeVariable: "GEMINI_CLI_HOME",
	Options: map[string]string{
		"policy":      `"--policy=FILE" in the form of its policy engine`,
		"allow-tools": `"--policy=FILE" in the form of its policy engine`,
		"deny-tools":  `"--policy=FILE" in the form of its policy engine`,
		"max-steps":   `"maxSessionTurns" in its settings.json`,
		"session":     `"--resume=ID"`,
		"system-file": "GEMINI.md in the workspace",
	},
	Owned: map[string]string{"--output-format": "", "-o": "", "-p": "", "--prompt": "", "-m": "model", "--model": "model"},
	start: preset.Gemini,
	begins: func(line object) bool {
		return line.Str("type") == "init" && line.Get("session_id").Is('"')
	},
	converter: func(e *emitter) converter { return &geminiStream{emitter: e} },
}

// geminiStream converts the lines of one session.
type geminiStream struct {
	*emitter
	text []byte // of the assistant since the last result of a tool
	// answered says that a result of a tool was the last thing, so that the next
	// thing that the model does is a new turn.
	answered bool
	// problem is the end that the last line announced, nil when there was none.
	problem *terminal
}

func (g *geminiStream) convert(line object) bool {
	g.stampText(line.Str("timestamp"))
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

// close notes the text, and how the exit status explains a failure that the
// stream does not: as an HTTP status it counts modulo 256, so it is a hint only.
func (g *geminiStream) close(end End) {
	g.say(string(g.text))
	if t := g.terminal; t != nil && t.reason == schema.ExitProviderError && end.ExitStatus != nil {
		t.reason = cmp.Or(geminiStatuses[*end.ExitStatus], t.reason)
	}
}

// geminiStatuses has the exit statuses by which the program means something else
// than a request that failed.
var geminiStatuses = map[int]string{
	42: schema.ExitPreRunError, 52: schema.ExitPreRunError, 53: schema.ExitMaxSteps,
	55: schema.ExitPreRunError, 130: schema.ExitCancelled,
}

func (g *geminiStream) opened(line object) bool {
	if !g.inSession(line.Str("session_id")) {
		return true
	}
	if !g.started {
		g.about.Model = optional(line.Get("model").Optional())
	}
	g.begin()
	g.terminal = nil
	return true
}

// turn begins the model's next turn where one must begin, and notes that the
// source goes on.
func (g *geminiStream) turn() {
	if g.steps == 0 || g.answered {
		g.startStep(schema.StepStarted{})
	}
	g.answered, g.problem, g.terminal = false, nil, nil
}

func (g *geminiStream) message(line object) bool {
	content := line.Get("content")
	if !content.Is('"') {
		return false
	}
	switch line.Str("role") {
	case "user":
		g.begin()
		g.terminal = nil
	case "assistant":
		g.turn()
		if room := maxFinal - len(g.text); room > 0 {
			text := content.Text()
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
	g.run(call{id: line.Str("tool_id"), tool: line.Str("tool_name"), args: line.Get("parameters")})
	return true
}

// result converts how a call ended. That it succeeded says nothing of the exit
// status of a command.
func (g *geminiStream) result(line object) bool {
	status := line.Str("status")
	if status != "success" && status != "error" || !line.Get("tool_id").Is('"') {
		return false
	}
	if g.steps == 0 {
		g.turn()
	}
	r := schema.ToolExecFinished{
		OK: new(status == "success"), Status: &status, ExitStatus: schema.Null[int64](), ExitUnknown: new(true),
		ContentPreview: line.Get("output").Optional(),
	}
	if r.ContentPreview == nil {
		r.ContentPreview = line.At("error", "message").Optional()
	}
	g.finishTool(call{id: line.Str("tool_id")}, r)
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
	for _, stop := range geminiStops {
		if strings.Contains(text, stop.words) {
			g.turn()
			g.block(schema.StepBlocked{Reason: &text})
			g.problem = &terminal{reason: stop.reason, text: text}
			return true
		}
	}
	if line.Str("severity") != "error" { // a warning
		g.begin()
		g.terminal = nil
		return true
	}
	g.turn()
	g.problem = g.failed(text, false)
	return true
}

// finished converts the terminal of the source.
func (g *geminiStream) finished(line object) bool {
	status, problem := line.Str("status"), g.object(line.Get("error"))
	if status != "success" && status != "error" {
		return false
	}
	if g.steps == 0 {
		g.turn()
	}
	g.spent(g.object(line.Get("stats")))
	switch {
	case problem != nil:
		g.end(*g.ended(problem.Str("type"), problem.Str("message")))
	case g.problem != nil:
		g.end(*g.problem)
	case status == "error":
		g.end(terminal{reason: schema.ExitInternalError, text: "the agent reported a failure and no cause"})
	default:
		g.end(terminal{reason: schema.ExitOK})
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
func (g *geminiStream) ended(kind, message string) *terminal {
	if reason := geminiTypes[kind]; reason != "" {
		text, _ := geminiMessage(message)
		return &terminal{reason: reason, text: text}
	}
	return g.failed(message, kind == "FatalAuthenticationError")
}

// failed prints that a request failed for good.
func (g *geminiStream) failed(message string, unauthorized bool) *terminal {
	text, status := geminiMessage(message)
	kind := kindOf(status)
	switch {
	case unauthorized:
		kind = new("unauthorized")
	case text == "terminated", strings.HasSuffix(text, "fetch failed"):
		kind = new("connection")
	}
	g.fail(schema.ProviderError{Kind: kind, Status: status, MessageShort: &text})
	return &terminal{reason: schema.ExitProviderError, text: text}
}

// apiError is how gemini and qwen begin what they say of a failed request.
const apiError = "[API Error: "

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
		body, why := readLine([]byte(text[at:]), nil)
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
	g.usage = &schema.Usage{
		InputTokens: stats.Get("input_tokens").Integer(), OutputTokens: stats.Get("output_tokens").Integer(),
		TotalTokens: stats.Get("total_tokens").Integer(), CachedInputTokens: stats.Get("cached").Integer(),
	}
	if ms := stats.Get("duration_ms").Integer(); ms != nil && *ms > 0 {
		g.durationMS = ms
	}
}
