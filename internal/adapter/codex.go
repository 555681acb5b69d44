package adapter

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/schema"
)

// codex is `codex exec --json`. It prints neither times nor where a model's turn
// ends, and of a command the shell's line, not what the model asked for.
var codex = &Agent{
	Name: "codex", Package: "@openai/codex", Binary: "codex", VersionArgs: []string{"--version"}, Tested: []string{"0.169.0"},
	Format: "codex", Mapping: "codex/1", Time: "arrival", Gaps: Gaps{Decisions: true, Steps: true},
	Keys: []string{"CODEX_API_KEY"}, OpenAI: true, HomeVariable: "CODEX_HOME", HomeFolder: ".codex",
	start:     startCodex,
	begins:    func(line object) bool { return line.str("type") == "thread.started" },
	converter: func(e *emitter) converter { return &codexStream{emitter: e} },
}

func startCodex(l Launch) Start {
	s := Start{Args: []string{"exec", "--json", "--skip-git-repo-check", "-C", l.Dir}, Stdin: l.Prompt}
	if l.Model != "" {
		s.Args = append(s.Args, "-m", l.Model)
	}
	if l.OutputSchema != "" {
		s.Args = append(s.Args, "--output-schema", l.OutputSchema)
	}
	s.Args = append(s.Args, l.Args...)
	return s
}

// codexStream converts the lines of one thread.
type codexStream struct {
	*emitter
	// failure is the last error line that is no retry; turn.failed repeats it.
	failure string
}

func (c *codexStream) convert(line object) bool {
	switch line.str("type") {
	case "thread.started":
		if c.inSession(line.str("thread_id")) {
			c.begin()
		}
	case "turn.started":
		if c.steps == 0 {
			c.startStep(schema.StepStarted{})
		}
		c.terminal = nil
	case "item.started", "item.completed":
		return c.item(line.get("item").object(), line.str("type") == "item.completed")
	case "item.updated":
	case "error":
		return c.problem(line.get("message"))
	case "turn.completed":
		c.spent(line.get("usage").object())
		c.end(terminal{reason: schema.ExitOK})
	case "turn.failed":
		c.failed(line.str("error", "message"))
	default:
		return false
	}
	return true
}

func (c *codexStream) close(End) {}

// item converts the begin or the end of what a turn does.
func (c *codexStream) item(item object, completed bool) bool {
	switch item.str("type") {
	case "command_execution", "mcp_tool_call", "file_change", "web_search", "collab_tool_call":
		asked := call{id: item.str("id"), tool: codexTool(item), args: codexArguments(item)}
		switch {
		case !completed:
			c.run(asked)
		case item.str("status") == "declined":
			c.decide(c.detect(asked), schema.ToolDecision{Decision: new("deny"), Source: new("codex")})
		default:
			c.finishTool(asked, codexResult(item))
		}
	case "agent_message":
		if completed {
			c.say(item.str("text"))
		}
	case "reasoning", "todo_list", "error": // an error among the items is a warning
	default:
		return false
	}
	return true
}

// codexTool names what ran: the stream has the kind of an item in place of the
// model's tool.
func codexTool(item object) string {
	if server := item.str("server"); server != "" {
		return server + "." + item.str("tool")
	}
	return item.str("type")
}

// codexArguments returns what an item was asked to do, as JSON.
func codexArguments(item object) value {
	for _, name := range []string{"command", "query", "changes"} {
		if v := item.get(name); len(v) > 0 {
			return value(`{"` + name + `":` + string(v) + `}`)
		}
	}
	return item.get("arguments")
}

// ownCut is how codex says in a text that it cut the text itself.
var ownCut = regexp.MustCompile(`\[\.\.\. ?omitted|(\d+) (?:bytes|chars|characters|tokens) (?:truncated|omitted)`)

// codexResult reads how an item ended. A command that failed ran all the same
// when it has an exit status.
func codexResult(item object) schema.ToolExecFinished {
	exit, status := item.get("exit_code").integer(), item.str("status")
	r := schema.ToolExecFinished{
		OK: new(status == "completed" && (exit == nil || *exit == 0)), Status: new("error"),
		ContentPreview: item.get("aggregated_output").optional(), ExitStatus: optional(exit),
	}
	if status == "completed" || exit != nil {
		r.Status = new("success")
	}
	if text := item.str("result", "content"); text != "" && r.ContentPreview == nil {
		r.ContentPreview = &text
	}
	if r.ContentPreview != nil && len(*r.ContentPreview) >= 1<<19 && ownCut.MatchString(*r.ContentPreview) {
		r.OutputTruncated = new(true)
	}
	if message := item.str("error", "message"); message != "" {
		r.OK, r.Status = new(false), new("error")
		if r.ContentPreview == nil {
			r.ContentPreview = &message
		}
	}
	return r
}

// reconnecting is how codex announces another attempt.
var reconnecting = regexp.MustCompile(`^Reconnecting\.\.\. (\d+)/(\d+) \((.*)\)$`)

// problem converts an error line: an attempt that is repeated, or what turn.failed
// says again.
func (c *codexStream) problem(message value) bool {
	text := message.text()
	if !strings.HasPrefix(text, "Reconnecting... ") {
		c.failure = text
		return message.is('"')
	}
	m := reconnecting.FindStringSubmatch(strings.ReplaceAll(text, "\n", " "))
	if m == nil {
		c.retry(schema.ProviderRetry{Kind: new("connection")})
		return true
	}
	status := statusIn(m[3])
	c.retry(schema.ProviderRetry{Attempt: value(m[1]).integer(), MaxAttempts: value(m[2]).integer(), Kind: codexKind(m[3], status), Status: status})
	return true
}

// spent notes the usage of the thread so far.
func (c *codexStream) spent(u object) {
	in, out := u.get("input_tokens").integer(), u.get("output_tokens").integer()
	c.usage = &schema.Usage{InputTokens: in, OutputTokens: out, TotalTokens: sum(in, out), CachedInputTokens: u.get("cached_input_tokens").integer()}
	if n := u.get("reasoning_output_tokens").integer(); n != nil {
		c.usage.ReasoningTokens = schema.Some(*n)
	}
}

// failed converts the failure of a turn.
func (c *codexStream) failed(message string) {
	status := statusIn(message)
	// The body of a response stands there as it came for status 400 alone.
	if body, why := readLine([]byte(message)); why == "" && status == nil {
		status = new(int64(http.StatusBadRequest))
		if text := body.str("error", "message"); text != "" {
			message = text
		}
	}
	c.fail(schema.ProviderError{Kind: codexKind(message, status), Status: status, MessageShort: &message})
	c.end(terminal{reason: schema.ExitProviderError, text: message})
}

var statusWord = regexp.MustCompile(`status:? (\d{3})\b`)

// statusIn finds the HTTP status that a text tells of, nil for none.
func statusIn(text string) *int64 {
	m := statusWord.FindStringSubmatch(text)
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
