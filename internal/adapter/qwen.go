package adapter

import (
	"cmp"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/schema"
)

// qwen is `qwen --output-format stream-json`. Its lines have claude's shape, but
// neither times nor decisions.
var qwen = &Agent{
	Name: "qwen", Package: "@qwen-code/qwen-code", Binary: "qwen", VersionArgs: []string{"--version"}, Tested: []string{"0.24.4"},
	Format: "qwen", Mapping: "qwen/1", Time: "arrival", Gaps: Gaps{Decisions: true},
	Prints: "--output-format stream-json",
	// Where it ran a command, V8 goes on to optimize the WebAssembly that parsed it
	// (tree-sitter's grammar of Bash): 4 to 7 s of a processor, as 0.24.4 was traced.
	ExitGrace:   time.Minute,
	HidesAgents: true, // those in the background
	Wire:        "chat", Keys: []string{"OPENAI_API_KEY"}, OpenAI: true, HomeVariable: "QWEN_HOME", HomeFolder: ".qwen",
	Owned: map[string]string{
		"-p": "", "--prompt": "", "-o": "", "--output-format": "", "--input-format": "", "--auth-type": "",
		"-m": "model", "--model": "model",
	},
	Options: map[string]string{
		"policy":         `"--approval-mode=MODE" and rules for permissions in its settings.json`,
		"allow-tools":    `"--core-tools=NAMES"`,
		"deny-tools":     `"--exclude-tools=NAMES"`,
		"max-steps":      `"--max-session-turns=N"`,
		"max-tool-calls": `"--max-tool-calls=N"`,
		"session":        `"--resume=ID"`,
		"mcp-config":     `"mcpServers" in its settings.json`,
		"system-file":    `"--append-system-prompt=TEXT"`,
	},
	Allow: []string{"--approval-mode=yolo"},
	start: startQwen,
	begins: func(line object) bool {
		return line.Str("type") == "system" && line.Str("subtype") == "init" && line.Get("qwen_code_version").Is('"')
	},
	converter: newQwen,
}

// qwenSettings turn off what qwen sends and fetches by itself.
const qwenSettings = `{"privacy":{"usageStatisticsEnabled":false},"general":{"enableAutoUpdate":false},"telemetry":{"enabled":false},"memory":{"enableManagedAutoMemory":false,"enableManagedAutoDream":false}}` + "\n"

// startQwen has the endpoint and the model in its environment.
func startQwen(l Launch) Start {
	s := Start{Args: []string{"--output-format", "stream-json", "--auth-type", "openai"}, Stdin: l.Prompt}
	s.Args = append(s.Args, l.Args...)
	if l.Model != "" {
		s.Env = append(s.Env, "OPENAI_MODEL="+l.Model)
	}
	if l.BaseURL != "" {
		s.Env = append(s.Env, "OPENAI_BASE_URL="+l.BaseURL)
	}
	if l.Walled { // older versions have the second name
		s.Env = append(s.Env, "QWEN_SANDBOX=false", "GEMINI_SANDBOX=false")
	}
	if l.Home != "" {
		s.Files = map[string]string{".qwen/settings.json": qwenSettings}
	}
	return s
}

// qwenStream converts the lines of one session.
type qwenStream struct {
	messages
	// problem is the fault of a request that is the whole last text, nil for none.
	problem *string
}

func newQwen(e *emit.Emitter) emit.Converter {
	q := &qwenStream{messages: messages{Emitter: e, dropped: qwenDropped}}
	q.lines = map[string]func(object) bool{
		"system/init": q.begun, "system/retry": q.retried, "assistant": q.assistant, "user": q.user, "result": q.result,
	}
	q.notice = q.noticed
	return q
}

// qwenDropped are parts of messages, progress, and notices.
var qwenDropped = []string{
	"stream_event", "system/model_fallback", "system/task_started",
	"system/worktree_restored", "system/worktree_started",
}

func (q *qwenStream) Close(emit.End) {}

func (q *qwenStream) begun(line object) bool {
	return q.beginWith(line, "qwen_code_version", "permission_mode")
}

// retried converts the word that an attempt is repeated, which is nearly all that
// qwen says of it.
func (q *qwenStream) retried(line object) bool {
	data := line.Object("data")
	q.Retry(schema.ProviderRetry{
		Kind: data.Get("reason").Optional(), Attempt: data.Get("attempt").Integer(),
		MaxAttempts: data.Get("maxRetries").Integer(), BackoffMS: data.Get("delayMs").Integer(),
	})
	return true
}

// noticed converts how a task in the background ended.
func (q *qwenStream) noticed(name string, line object) bool {
	if name != "system/task_notification" {
		return false
	}
	if data := line.Object("data"); data != nil {
		line = data
	}
	if status := line.Str("status"); status != "" && status != "completed" {
		q.Lost(cmp.Or(line.Str("summary"), line.Str("description"), "a task in the background: "+status))
	}
	return true
}

func (q *qwenStream) assistant(line object) bool {
	message, content, ok := q.message(line)
	if !ok {
		return false
	}
	if subagent(line) == "" {
		said, _ := texts(content)
		if fault, found := faultText(said); found { // as if the model had said it
			q.Resume()
			q.problem = &fault
			return true
		}
		q.turn(message.Str("id"))
		q.SetFinal(said)
		q.problem = nil
	}
	q.calls(line, content)
	return true
}

func (q *qwenStream) user(line object) bool {
	_, content, ok := q.message(line)
	if !ok {
		return false
	}
	return q.results(line, content, func(c emit.Call, block object) {
		r := qwenOutcome(block)
		if *r.OK || r.ContentPreview == nil || !deny(q.Emitter, c, nil, "", *r.ContentPreview) {
			q.FinishTool(c, r)
		}
	})
}

// qwenOutcome reads how a call ended. Of a command there is its plain output, or
// a report whose lines have the exit status, too.
func qwenOutcome(block object) schema.ToolExecFinished {
	r := outcome(block)
	if r.ContentPreview == nil {
		return r
	}
	text := *r.ContentPreview
	if strings.HasPrefix(text, "Command: ") {
		exit := lastExitCode(text)
		if exit == nil && *r.OK {
			interrupt(&r) // its end was not seen
		}
		ran(&r, exit)
	}
	if strings.HasPrefix(text, "[Operation Cancelled]") {
		interrupt(&r)
	}
	if last := text[strings.LastIndexByte(text, '\n')+1:]; strings.HasPrefix(last, "Output too long and was saved to: ") {
		r.OutputTruncated = new(true)
	}
	return r
}

// lastExitCode is the number of the last line that has an exit code, nil for no
// such line.
func lastExitCode(text string) *int64 {
	const begin = "\nExit Code: "
	for {
		at := strings.LastIndex(text, begin)
		if at < 0 {
			return nil
		}
		word, _, _ := strings.Cut(text[at+len(begin):], "\n")
		if n := value(word).Integer(); n != nil && word[0] != '+' {
			return n
		}
		text = text[:at]
	}
}

// result converts the end of the run, or of a part of it where lines follow.
func (q *qwenStream) result(line object) bool {
	if subagent(line) != "" {
		return true
	}
	subtype := line.Str("subtype")
	if subtype == "" {
		q.Resume()
		return false
	}
	q.listed(line)
	q.Last(line.Get("duration_ms").Integer())
	if u := line.Object("usage"); u != nil {
		q.Spend(usageOf("qwen", u))
	}
	if subtype == "success" && string(line.Get("is_error")) == "false" {
		q.succeeded(line)
		return true
	}
	t := emit.Terminal{Reason: schema.ExitInternalError, Text: line.Str("error", "message")}
	q.Final = strings.TrimSuffix(q.Final, t.Text) // which may stand behind a part of an answer
	switch message, found := cutAPIError(t.Text); {
	case subtype == "error_max_turns":
		t.Reason = schema.ExitMaxSteps
	case subtype == "error_during_execution" && found:
		t.Reason = schema.ExitProviderError
		t.Text = q.fault(message)
	}
	q.End(t)
	return true
}

// succeeded converts a success. The fault of a request as the last text denies it.
func (q *qwenStream) succeeded(line object) {
	fault, found := faultText(line.Str("result"))
	if q.problem != nil {
		fault, found = *q.problem, true
	}
	if found {
		q.End(emit.Terminal{Reason: schema.ExitProviderError, Text: q.fault(fault)})
		return
	}
	q.answer(line)
	q.End(emit.Terminal{Reason: schema.ExitOK})
}

// fault prints the failure of a request and returns what was wrong.
func (q *qwenStream) fault(text string) string {
	status, message := leadingStatus(text)
	kind := kindOf(status)
	if status == nil && (strings.HasPrefix(message, "terminated") || strings.HasPrefix(message, "Connection error")) {
		kind = new("connection")
	}
	q.Fail(schema.ProviderError{Kind: kind, Status: status, MessageShort: &message})
	return message
}
