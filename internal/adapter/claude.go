package adapter

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/adapter/raw"
	"github.com/openagent-ci/openagent/schema"
)

// claude is `claude -p --output-format stream-json --verbose`. What it decided
// about a call stands beside the call's result, so that it is seen only then.
var claude = &Agent{
	Name: "claude", Package: "@anthropic-ai/claude-code", Binary: "claude", VersionArgs: []string{"--version"}, Scripts: true, Tested: []string{"2.1.329", "2.1.332"},
	Format: "claude", Mapping: "claude/1", Time: "mixed", Ends: true,
	Prints: "--output-format stream-json --verbose", Noise: "the variable ANTHROPIC_LOG",
	Wire: "anthropic", Upstream: "https://api.anthropic.com",
	Keys: []string{"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"}, HomeVariable: "CLAUDE_CONFIG_DIR", HomeFolder: ".claude",
	Owned: map[string]string{
		"-p": "", "--print": "", "--output-format": "", "--input-format": "", "--verbose": "", "--model": "model",
	},
	Options: map[string]string{
		"policy":      `"--settings=FILE" with rules for permissions`,
		"allow-tools": `"--tools=NAMES"`,
		"deny-tools":  `"--disallowedTools=NAMES"`,
		"max-steps":   `"--max-turns=N"`,
		"session":     `"--resume=ID"`,
		"mcp-config":  `"--mcp-config=FILE"`,
		"system-file": `"--append-system-prompt=TEXT"`,
	},
	Allow: []string{"--permission-mode=acceptEdits", "--allowedTools=Bash"},
	start: startClaude,
	begins: func(line object) bool {
		return line.Str("type") == "system" && line.Str("subtype") == "init" && line.Get("claude_code_version").Is('"') || claudeAtEnd(line)
	},
	atEnd:     claudeAtEnd,
	converter: newClaude,
}

// claudeAtEnd reports whether a line is a success, which no stream begins with.
func claudeAtEnd(line object) bool {
	return line.Str("type") == "result" && !line.Get("is_error").IsTrue() && line.Get("total_cost_usd").Number() != nil
}

// startClaude turns off what the program sends and fetches by itself.
func startClaude(l Launch) Start {
	s := Start{
		Args:  []string{"-p", "--output-format", "stream-json", "--verbose"},
		Stdin: l.Prompt,
		Env:   []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"},
	}
	if l.Model != "" {
		s.Args = append(s.Args, "--model", l.Model)
	}
	if l.Walled && !slices.ContainsFunc(l.Args, func(arg string) bool { return strings.HasPrefix(arg, "--settings") }) {
		s.Args = append(s.Args, "--settings", `{"sandbox":{"enabled":false}}`)
	}
	s.Args = append(s.Args, l.Args...)
	if l.BaseURL != "" { // the program adds /v1 by itself
		s.Env = append(s.Env, "ANTHROPIC_BASE_URL="+strings.TrimSuffix(strings.TrimSuffix(l.BaseURL, "/"), "/v1"))
	}
	return s
}

// claudeStream converts the lines of one session.
type claudeStream struct {
	messages
	// answerID is the id of the model's message whose blocks come, one a line.
	answerID string
	// refused are calls whose refusal the result line will explain: when the run
	// was aborted, they may have run.
	refused []refusal
	// problem is claude's word for the error that it last told in place of an
	// answer.
	problem string
	// tasks are those in the background, by their ids with their descriptions.
	tasks   map[string]string
	ended   map[string]bool // tasks that were noted as lost
	printed int64           // results, as claude counts them
}

// refusal is a call that was refused, and what claude says of that.
type refusal struct {
	call *emit.CallState
	text string
}

func newClaude(e *emit.Emitter) emit.Converter {
	c := &claudeStream{messages: messages{Emitter: e, dropped: claudeDropped}, tasks: map[string]string{}, ended: map[string]bool{}}
	c.lines = map[string]func(object) bool{
		"system/init": c.begun, "system/api_retry": c.retried, "system/permission_denied": c.denied,
		"assistant": c.assistant, "user": c.user, "result": c.result, "conversation_reset": c.reset,
	}
	c.notice = c.noticed
	return c
}

// claudeDropped are parts of messages, progress, and notices.
var claudeDropped = []string{
	"active_goal", "auth_status", "control_cancel_request", "control_request", "control_response", "keep_alive", "prompt_suggestion", "rate_limit_event", "stream_event", "tool_progress", "tool_use_summary",
	"system/commands_changed", "system/compact_boundary", "system/control_request_progress", "system/elicitation_complete",
	"system/hook_progress", "system/hook_started", "system/local_command_output", "system/memory_recall",
	"system/model_refusal_fallback", "system/model_refusal_no_fallback", "system/notification", "system/plugin_install",
	"system/session_state_changed", "system/status", "system/task_progress", "system/thinking_tokens", "system/worker_shutting_down",
}

func (c *claudeStream) begun(line object) bool {
	c.About.Sandbox = schema.Null[string]() // claude has one and does not say whether it is on
	return c.beginWith(line, "claude_code_version", "permissionMode")
}

// reset converts that claude goes on in another session: it says so before.
func (c *claudeStream) reset(line object) bool {
	c.Move(line.Str("new_conversation_id"))
	return true
}

// Close gives the refusals that no result line explained, and what claude left in
// the background.
func (c *claudeStream) Close(emit.End) {
	c.explain(true)
	if c.Terminal != nil {
		for _, id := range slices.Sorted(maps.Keys(c.tasks)) {
			c.Lost("still running at the end: " + c.tasks[id])
		}
	}
}

// maxTasks bounds the tasks in the background that are remembered.
const maxTasks = 1024

// runTask notes a task in the background. One that is no work of the run is ambient.
func (c *claudeStream) runTask(task object) {
	if !task.Get("ambient").IsTrue() && len(c.tasks) < maxTasks {
		c.tasks[task.Str("task_id")] = cmp.Or(task.Str("description"), task.Str("task_id"))
	}
}

// noticed converts what claude says of tasks, hooks and its own files.
func (c *claudeStream) noticed(name string, line object) bool {
	switch id := line.Str("task_id"); name {
	case "system/task_started":
		c.StartAgent(id, line.Str("tool_use_id"))
		if line.Get("is_backgrounded").IsTrue() {
			c.runTask(line)
		}
	case "system/task_updated":
		patch := line.Object("patch")
		if status := patch.Str("status"); status != "pending" && status != "running" && status != "paused" {
			c.endTask(id, status, patch.Str("error"))
		}
	case "system/task_notification":
		if !line.Get("ambient").IsTrue() {
			c.endTask(id, line.Str("status"), line.Str("summary"))
		}
	case "system/background_tasks_changed": // as they are now
		clear(c.tasks)
		for task := range line.Get("tasks").Items() {
			c.runTask(task.Object())
		}
	case "system/informational":
		if line.Get("prevent_continuation").IsTrue() {
			c.Lost(cmp.Or(line.Str("content"), "a hook stopped the run"))
		}
	case "system/hook_response":
		answer, _ := raw.Read([]byte(cmp.Or(line.Str("output"), line.Str("stdout"))))
		if string(answer.Get("continue")) == "false" {
			c.Lost(cmp.Or(answer.Str("stopReason"), line.Str("hook_name")+" stopped the run"))
		}
	case "system/files_persisted":
		for file := range line.Get("failed").Items() {
			c.Lost("file not saved: " + file.Get("filename").Text() + ": " + file.Get("error").Text())
		}
	case "system/mirror_error":
		c.Lost("transcript not mirrored: " + line.Str("error"))
	case "system/session_writes_lost":
		c.Lost("session writes lost: " + line.Str("error_code") + " " + string(line.Get("lost")))
	default:
		return false
	}
	return true
}

// endTask notes that a task ended, and once that it did not complete.
func (c *claudeStream) endTask(id, status, words string) {
	if status != "" && status != "completed" && !c.ended[id] {
		c.Lost(cmp.Or(words, cmp.Or(c.tasks[id], "task "+id)+": "+status))
		if len(c.ended) < maxTasks {
			c.ended[id] = true
		}
	}
	if status != "" {
		delete(c.tasks, id)
	}
}

// claudeKinds are the kinds of failed requests by claude's words for them, where
// those say more than the status.
var claudeKinds = map[string]string{
	"account_on_hold": "unauthorized", "authentication_failed": "unauthorized", "cloud_credential_error": "unauthorized",
	"oauth_org_not_allowed": "unauthorized", "verification_required": "unauthorized",
	"billing_error": "quota", "rate_limit": "rate_limit", "overloaded": "server", "server_error": "server",
	"invalid_request": "client", "model_not_found": "client",
}

// claudeKind is the kind of a failed request. One of which claude knows neither
// cause nor status got no answer.
func claudeKind(word string, status *int64) *string {
	kind, known := claudeKinds[word]
	switch {
	case known:
		return &kind
	case word == "unknown" && status == nil:
		return new("connection")
	}
	return kindOf(status)
}

func (c *claudeStream) retried(line object) bool {
	status := line.Get("error_status").Integer()
	c.Retry(schema.ProviderRetry{
		Attempt: line.Get("attempt").Integer(), MaxAttempts: line.Get("max_retries").Integer(),
		Kind: claudeKind(line.Str("error"), status), Status: status, BackoffMS: line.Get("retry_delay_ms").Integer(),
	})
	return true
}

// denied converts a denial that claude prints before the call's result.
func (c *claudeStream) denied(line object) bool {
	id := line.Str("tool_use_id")
	if id == "" {
		return false
	}
	reason := cmp.Or(line.Str("message"), line.Str("decision_reason_type"))
	c.Deny(c.LookupOrDetect(emit.Call{ID: id, Tool: line.Str("tool_name"), Agent: subagent(line)}), nil, &reason)
	return true
}

func (c *claudeStream) assistant(line object) bool {
	message, content, ok := c.message(line)
	if !ok {
		return false
	}
	c.StampText(line.Str("timestamp"))
	if message.Str("model") == "<synthetic>" || line.Get("is_api_error_message").IsTrue() {
		if subagent(line) == "" {
			c.problem = line.Str("error") // the result line has the text, too
			if c.problem == "" && line.Get("is_api_error_message").IsTrue() {
				c.problem = "api_error"
			}
		}
		return true
	}
	if subagent(line) == "" {
		c.problem = ""
		c.explain(false)
		if id := message.Str("id"); id == "" || id != c.answerID {
			c.turn(id)
			c.answerID = id
		}
		if text, ok := texts(content); ok {
			c.SetFinal(text)
		}
	}
	c.calls(line, content)
	return true
}

func (c *claudeStream) user(line object) bool {
	_, content, ok := c.message(line)
	if !ok {
		return false
	}
	c.StampText(line.Str("timestamp"))
	return c.results(line, content, func(call emit.Call, block object) {
		var about object
		for item := range line.Get("tool_result_meta").Items() {
			if o := item.Object(); o.Str("id") == call.ID {
				about = o
			}
		}
		c.finished(call, about, block, line.Get("tool_use_result"))
	})
}

// Why a call did not run, in claude's words, where they need words of ours. A text
// says the same as the first where an older claude has no words.
const (
	refusedByUser = "user-rejected"
	refusedText   = "The user doesn't want to proceed with this tool use"
	cancelledCall = "cancelled"
)

// finished converts a call's result, with what claude says about it and its
// output beside the block.
func (c *claudeStream) finished(call emit.Call, about, block object, output value) {
	l := c.LookupOrDetect(call)
	if l.Over() && (!l.Denied() || l.Told) || slices.ContainsFunc(c.refused, func(r refusal) bool { return r.call == l }) {
		return
	}
	r := claudeOutcome(block, output)
	kind, text := about.Str("non_execution_kind"), ""
	if !*r.OK && r.ContentPreview != nil {
		text = *r.ContentPreview
	}
	var source *string
	if d := about.Get("permission_decision").Object(); d != nil {
		source = d.Get("source").Optional()
		if d.Str("decision") == "accept" {
			c.Decide(l, schema.ToolDecision{Decision: new("allow"), Source: source, Reason: d.Get("reason_type").Optional()})
		} else {
			c.Deny(l, source, new(cmp.Or(text, d.Str("reason_type"))))
		}
	}
	switch {
	case kind == refusedByUser, kind == "" && strings.HasPrefix(text, refusedText):
		c.refused = append(c.refused, refusal{l, cmp.Or(text, refusedByUser)})
	case l.Over():
	case kind == cancelledCall:
		c.Unobserved(l, kind)
	case !*r.OK && deny(c.Emitter, call, source, kind, text):
	default:
		if kind == "interrupted" {
			interrupt(&r)
		}
		c.FinishTool(call, r)
	}
}

// claudeOutcome reads how a call ended.
func claudeOutcome(block object, output value) schema.ToolExecFinished {
	r := outcome(block)
	if r.ContentPreview != nil && !*r.OK {
		var exit int64
		if n, _ := fmt.Sscanf(*r.ContentPreview, "Exit code %d", &exit); n == 1 {
			ran(&r, &exit)
		}
	}
	beside := output.Object()
	structured(&r, beside)
	if size := beside.Get("persistedOutputSize").Integer(); size != nil {
		r.OutputTruncated, r.OutputBytes = new(true), schema.Some(*size)
	}
	if beside.Get("interrupted").IsTrue() {
		interrupt(&r)
	}
	return r
}

// explain converts the calls that were refused. When the run was aborted claude
// says so of a call that had begun, too.
func (c *claudeStream) explain(aborted bool) {
	for _, r := range c.refused {
		l := r.call
		if aborted && l.Undecided() {
			c.Unobserved(l, refusedByUser)
			continue
		}
		c.Deny(l, nil, &r.text)
		b := schema.StepBlocked{Reason: new(refusedByUser), Tool: l.Tool}
		if c.answerID != "" {
			b.StepID = &c.answerID
		}
		c.StepBlocked(b)
		l.Told = true
	}
	c.refused = nil
}

// claudeEnds are the exit reasons by claude's reasons for its end and, of an older
// claude, by the subtypes of its result.
var claudeEnds = map[string]string{
	"completed":                           schema.ExitOK,
	"max_turns":                           schema.ExitMaxSteps,
	"budget_exhausted":                    schema.ExitBudgetExceeded,
	"api_error":                           schema.ExitProviderError,
	"prompt_too_long":                     schema.ExitProviderError,
	"aborted_tools":                       schema.ExitCancelled,
	"aborted_streaming":                   schema.ExitCancelled,
	"malformed_tool_use_exhausted":        schema.ExitBlocked,
	"hook_stopped":                        schema.ExitBlocked,
	"stop_hook_prevented":                 schema.ExitBlocked,
	"tool_deferred":                       schema.ExitBlocked,
	"tool_deferred_unavailable":           schema.ExitBlocked,
	"blocking_limit":                      schema.ExitBudgetExceeded,
	"rapid_refill_breaker":                schema.ExitBlocked,
	"image_error":                         schema.ExitProviderError,
	"model_error":                         schema.ExitProviderError,
	"structured_output_retry_exhausted":   schema.ExitOutputInvalid,
	"turn_setup_failed":                   schema.ExitInternalError,
	"background_requested":                schema.ExitInternalError,
	"error_max_structured_output_retries": schema.ExitOutputInvalid,
	"error_max_turns":                     schema.ExitMaxSteps,
	"error_max_budget_usd":                schema.ExitBudgetExceeded,
}

// claudeReason is the exit reason of a result line. Success has to be told by all
// members that could say otherwise, and by the last text, in place of which claude
// may have told a problem.
func claudeReason(line object, problem string) string {
	why, subtype := line.Str("terminal_reason"), line.Str("subtype")
	reason, known := claudeEnds[why]
	clean := subtype == "success" && string(line.Get("is_error")) == "false"
	switch {
	case line.Get("startup_failure_reason").Is('"'):
		return schema.ExitPreRunError
	case known && reason != schema.ExitOK:
		return reason
	case clean && problem == "" && (known || line.Get("terminal_reason").IsNull()):
		return schema.ExitOK
	case !line.Get("api_error_status").IsNull(), problem != "":
		return schema.ExitProviderError
	case line.Get("stopped_by_permission_check").IsTrue():
		return schema.ExitBlocked
	}
	return cmp.Or(claudeEnds[subtype], schema.ExitInternalError)
}

// result converts the end of a turn; the last one is that of the run.
func (c *claudeStream) result(line object) bool {
	if subagent(line) != "" {
		return true
	}
	if !line.Get("subtype").Is('"') {
		c.Resume()
		return false
	}
	if n := line.Get("result_index").Integer(); n != nil {
		if *n > c.printed {
			c.Lost(fmt.Sprintf("results lost before the one with result_index %d", *n))
		}
		c.printed = *n + 1
	}
	why := line.Str("terminal_reason")
	c.explain(strings.HasPrefix(why, "aborted_"))
	c.listed(line)
	c.Last(line.Get("duration_ms").Integer())
	c.spent(line)
	t := emit.Terminal{Reason: claudeReason(line, c.problem)}
	switch status := line.Get("api_error_status").Integer(); t.Reason {
	case schema.ExitOK:
		c.answer(line)
	case schema.ExitCancelled:
	case schema.ExitProviderError:
		t.Text = claudeMessage(line, why)
		f := schema.ProviderError{Kind: claudeKind(c.problem, status), Status: status, MessageShort: &t.Text}
		if why == "prompt_too_long" {
			t.Code = "payload_too_large"
			f.Kind = &t.Code
		}
		c.Fail(f)
	default:
		t.Text = claudeMessage(line, why)
	}
	c.End(t)
	return true
}

// claudeMessage is what a result line says of its failure, or else why.
func claudeMessage(line object, why string) string {
	text := line.Str("result")
	if message, found := strings.CutPrefix(text, "API Error: "); found {
		_, text = leadingStatus(message)
	}
	for item := range line.Get("errors").Items() {
		text = cmp.Or(text, item.Text())
	}
	return cmp.Or(text, why)
}

// spent notes what the run used up to a result line.
func (c *claudeStream) spent(line object) {
	u := line.Object("usage")
	if u == nil {
		return
	}
	used := usageOf("claude", u)
	var models *schema.Usage // of sub-agents too
	for _, model := range line.Object("modelUsage") {
		m := usageOf("claude modelUsage", model.Value.Object())
		m.CachedInputTokens = cmp.Or(m.CachedInputTokens, new(int64))
		models = new(added(models, m))
	}
	if models != nil {
		models.ReasoningTokens = used.ReasoningTokens
		used = *models
	}
	if cost := line.Get("total_cost_usd").Number(); cost != nil && schema.USD(*cost).Valid() {
		used.CostUSD = schema.Some(schema.USD(*cost))
	}
	c.Spend(used)
}
