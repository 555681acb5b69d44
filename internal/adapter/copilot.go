package adapter

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/schema"
)

// copilot is `copilot --output-format json`. Most of its lines are ephemeral:
// pieces of what a whole line says later, and the only word of retries.
var copilot = &Agent{
	Name: "copilot", Package: "@github/copilot", Binary: "copilot", VersionArgs: []string{"--version"}, Tested: []string{"1.0.102"},
	Format: "copilot", Mapping: "copilot/1", Time: "source", Gaps: Gaps{Decisions: true, Usage: true},
	Prints:     "--output-format json",
	Unprompted: []string{"read_agent", "read_bash"}, // when work in the background has ended
	Wire:       "chat", Keys: []string{"GH_TOKEN", "COPILOT_GITHUB_TOKEN", "GITHUB_TOKEN"}, EndpointKey: "COPILOT_PROVIDER_API_KEY", OpenAI: true,
	HomeVariable: "COPILOT_HOME", HomeFolder: ".copilot", CacheVariable: "COPILOT_CACHE_HOME", CacheFolder: "copilot",
	Options: map[string]string{
		"policy":      `"--deny-tool=RULES"`,
		"allow-tools": `"--available-tools=NAMES"`,
		"deny-tools":  `"--excluded-tools=NAMES"`,
		"session":     `"--resume=ID"`,
		"mcp-config":  `"--additional-mcp-config=@FILE"`,
	},
	Owned: map[string]string{"--output-format": "", "-p": "", "--prompt": "", "-C": "workspace", "--model": "model"},
	start: startCopilot,
	begins: func(line object) bool {
		return strings.HasPrefix(line.Str("type"), "session.") && len(line.Get("parentId")) > 0
	},
	converter: func(e *emit.Emitter) emit.Converter { return &copilotStream{Emitter: e, agents: map[string]bool{}} },
}

// startCopilot lets all tools run: without that it refuses each of them when
// nobody can be asked. An endpoint of the user's needs no login, and then the
// program calls nobody else.
func startCopilot(l Launch) Start {
	s := Start{Args: []string{"--output-format", "json", "--allow-all-tools", "--no-auto-update"}, Stdin: l.Prompt}
	if l.BaseURL == "" {
		s.Args = append(s.Args, "--disable-client-telemetry")
		if l.Model != "" {
			s.Args = append(s.Args, "--model", l.Model)
		}
	} else {
		s.Env = append(s.Env, "COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL="+l.BaseURL)
		if l.Model != "" {
			s.Env = append(s.Env, "COPILOT_MODEL="+l.Model)
		}
	}
	s.Args = append(s.Args, l.Args...)
	return s
}

// copilotStream converts the lines of one session.
type copilotStream struct {
	*emit.Emitter
	// turn is the id of the turn that is open, nil between turns.
	turn *string
	// request is the last one to the model that failed, nil for none in this turn.
	request *copilotRequest
	// failure is an error of the session after which nothing went on, nil for none.
	failure *string
	aborted string // why the run was aborted, empty when it was not
	agent   string // the sub-agent that the line is of, empty for the main loop
	// starts are calls that start a sub-agent which did not say anything yet, agents those
	// that did.
	starts []string
	agents map[string]bool
}

// copilotRequest is a request to the model that failed.
type copilotRequest struct {
	retry schema.ProviderRetry
	at    time.Time
}

// copilotDropped are the types of whole lines of which nothing is converted.
var copilotDropped = strings.Fields(`assistant.fusion_phase_completed assistant.fusion_phase_failed assistant.reasoning external_tool.completed
	external_tool.requested hook.end hook.start permission.assentDetected permission.carriedForward
	permission.contextualAuthorization permission.messageAuthorization permission.messageAuthorizationDegraded
	permission.messageAuthorizationRead permission.requested session.auto_mode_resolved session.autopilot_objective_changed
	session.binary_asset session.canvas.recorded session.canvas.removed session.compaction_complete session.compaction_start
	session.completion_receipt session.context_changed session.context_cleared session.fusion_completed session.fusion_resolved
	session.fusion_route_failed session.handoff session.info session.mode_changed session.mode_notice_delivered
	session.model_change session.permissions_changed session.plan_changed session.remote_steerable_changed session.resume
	session.schedule_cancelled session.schedule_created session.schedule_rearmed session.session_limits_changed session.shutdown
	session.start session.truncation session.usage_checkpoint session.usage_record session.warning
	session.workspace_file_changed skill.context_delivered skill.context_delivered_ref skill.invoked skill.invoked_ref
	subagent.completed subagent.configured subagent.deselected subagent.selected system.message
	tool.user_requested tool_search.activated`)

func (c *copilotStream) Convert(line object) bool {
	kind := line.Str("type")
	switch kind {
	case "session.tools_updated", "user.message", "assistant.turn_start", "assistant.turn_end", "assistant.turn_retry", "assistant.message",
		"permission.completed", "tool.execution_start", "tool.execution_complete", "model.call_failure", "session.error", "abort", "subagent.started", "subagent.failed", "session.task_complete", "system.notification":
		c.StampText(line.Str("timestamp"))
		data := line.Object("data")
		c.agent = cmp.Or(line.Str("agentId"), data.Str("parentToolCallId"))
		if kind != "subagent.started" {
			c.meet()
		}
		return c.event(kind, data)
	case "result":
		c.StampText(line.Str("timestamp"))
		return c.result(line)
	}
	if line.Get("ephemeral").IsTrue() {
		return !strings.Contains(kind, "***")
	}
	return slices.Contains(copilotDropped, kind)
}

func (c *copilotStream) Close(emit.End) {}

func (c *copilotStream) event(kind string, data object) bool {
	switch kind {
	case "session.tools_updated":
		if model := data.Str("model"); model != "" {
			c.About.Model = schema.Some(model)
		}
		c.Begin()
	case "user.message":
		c.Begin()
	case "assistant.turn_start":
		return c.startTurn(data)
	case "assistant.turn_end":
		if c.agent == "" {
			c.turn = nil
		}
	case "assistant.turn_retry":
		c.retryRequest(data)
	case "assistant.message":
		return c.message(data)
	case "permission.completed":
		return c.permission(data)
	case "tool.execution_start":
		return c.startCall(data)
	case "tool.execution_complete":
		return c.finishCall(data)
	case "model.call_failure":
		if c.agent == "" {
			c.request = c.failedRequest(data)
		}
	case "session.error":
		return c.problem(data)
	case "abort":
		if c.agent == "" {
			c.aborted = cmp.Or(data.Str("reason"), "unknown")
		}
	case "subagent.started":
		c.StartAgent(c.agent, data.Str("toolCallId"))
		c.agents[c.agent] = true
	case "subagent.failed":
		c.Lost("sub-agent " + data.Str("agentName") + " failed: " + data.Str("error"))
	case "session.task_complete":
		if string(data.Get("success")) == "false" {
			c.Lost("task not complete: " + cmp.Or(data.Str("reason"), data.Str("summary")))
		}
	case "system.notification":
		c.notified(data.Object("kind"))
	}
	return true
}

// notified converts how work in the background ended.
func (c *copilotStream) notified(about object) {
	words := cmp.Or(about.Str("description"), about.Str("shellId"), about.Str("agentId"))
	if exit := about.Get("exitCode").Integer(); exit != nil && *exit != 0 {
		c.Lost(fmt.Sprintf("in the background, exit status %d: %s", *exit, words))
	} else if about.Str("status") == "failed" {
		c.Lost("in the background, failed: " + words)
	}
}

// maxAgents bounds the sub-agents that are remembered.
const maxAgents = 1024

// meet notes the sub-agent of a line. One that nothing has named before was started by
// the one call that started none yet.
func (c *copilotStream) meet() {
	if c.agent == "" || c.agents[c.agent] || len(c.agents) >= maxAgents {
		return
	}
	c.agents[c.agent] = true
	if len(c.starts) == 1 && c.Lookup(c.agent) == nil {
		c.StartAgent(c.agent, c.starts[0])
		c.starts = nil
	}
}

// startTurn opens a step. The turns of a subagent are part of the call that
// started it.
func (c *copilotStream) startTurn(data object) bool {
	id := data.Get("turnId").Optional()
	if id == nil {
		return false
	}
	if c.agent != "" || c.turn != nil && *c.turn == *id {
		return true
	}
	c.turn, c.request = id, nil
	if n, err := strconv.ParseUint(*id, 10, 31); err == nil {
		c.Step = max(c.Step, int64(n)) // turns count from 0, steps from 1
	}
	c.StartStep(schema.StepStarted{StepID: id})
	return true
}

// message converts a whole reply: the calls that it asks for, or the text that
// ends a turn.
func (c *copilotStream) message(data object) bool {
	text := data.Get("content")
	if !text.Is('"') {
		return false
	}
	last := c.agent == ""
	c.Say(c.agent, text.Text()+"\n")
	if last {
		c.failure = nil
	}
	for asked := range data.Get("toolRequests").Items() {
		o := asked.Object()
		c.Detect(emit.Call{ID: o.Str("toolCallId"), Tool: o.Str("name"), Args: o.Get("arguments"), Agent: c.agent})
		if last = false; o.Str("name") == "task" && len(c.starts) < maxAgents {
			c.starts = append(c.starts, o.Str("toolCallId"))
		}
	}
	if last {
		c.SetFinal(text.Text())
	}
	return true
}

// permission converts how a question about a call was answered.
func (c *copilotStream) permission(data object) bool {
	l, answer := c.Lookup(data.Str("toolCallId")), data.Str("result", "kind")
	if answer == "" {
		return false
	}
	if l == nil {
		return true // about no call, or about none that is known
	}
	source := data.Get("decisionSource").Optional()
	if strings.HasPrefix(answer, "approved") {
		c.Decide(l, schema.ToolDecision{Decision: new("allow"), Reason: &answer, Source: cmp.Or(source, new("copilot"))})
		return true
	}
	c.Deny(l, source, &answer)
	if source != nil && *source == "unattended_fallback" || strings.Contains(answer, "could-not-request-from-user") {
		c.blocked(l, answer)
	}
	return true
}

// blocked prints, once, that nobody was there who could have allowed a call.
func (c *copilotStream) blocked(l *emit.CallState, reason string) {
	if !l.Told {
		c.StepBlocked(schema.StepBlocked{Reason: &reason, Tool: l.Tool, StepID: c.turn, Code: schema.Some("denied")})
	}
	l.Told = true
}

// startCall converts the start of a call. It is printed before the program asks
// whether the call may run, so the call is held.
func (c *copilotStream) startCall(data object) bool {
	id := data.Str("toolCallId")
	if l := c.Lookup(id); id != "" && (l == nil || !l.Over()) {
		c.Hold(emit.Call{ID: id, Tool: data.Str("toolName"), Args: data.Get("arguments"), Agent: c.agent})
	}
	return id != ""
}

// unattended begins the message of a call that nobody was there to allow.
const unattended = "Permission denied because no interactive user response was available"

func (c *copilotStream) finishCall(data object) bool {
	id, success := data.Str("toolCallId"), data.Get("success").Truth()
	if id == "" || success == nil {
		return false
	}
	r := schema.ToolExecFinished{OK: success, Status: statusOf(*success), ExitStatus: schema.Null[int64]()}
	if text := data.At("result", "content"); text.Is('"') {
		r.ContentPreview = new(withoutShellEnd(text.Text()))
		if strings.HasPrefix(*r.ContentPreview, "Output too large to read at once (") {
			r.OutputTruncated = new(true)
		}
	}
	result := data.Object("result")
	if r.ContentPreview == nil || *r.ContentPreview == "" {
		if text, ok := shown(result.Get("contents")); ok {
			r.ContentPreview = &text
		}
	}
	structured(&r, result)
	problem := data.Object("error")
	if r.ContentPreview == nil {
		r.ContentPreview = problem.Get("message").Optional()
	}
	if code := problem.Str("code"); code != "" {
		r.ErrorKind = schema.Some(code)
	}
	call := emit.Call{ID: id, Agent: c.agent}
	l := c.LookupOrDetect(call)
	if !*success && deny(c.Emitter, call, nil, problem.Str("code"), problem.Str("message")) {
		if strings.HasPrefix(problem.Str("message"), unattended) {
			c.blocked(l, problem.Str("message"))
		}
		return true
	}
	ended(c.Emitter, l.Tool, &r, data.At("shellExecution", "exitCode").Integer())
	c.FinishTool(call, r)
	return true
}

// withoutShellEnd returns what a command printed, without the line in which
// copilot gives the model its exit status.
func withoutShellEnd(text string) string {
	at := strings.LastIndexByte(text, '\n') + 1
	if last := text[at:]; strings.HasPrefix(last, "<shellId: ") && strings.Contains(last, " completed with exit code ") && strings.HasSuffix(last, ">") {
		return text[:at]
	}
	return text
}

// failedRequest notes a request that failed. Whether it is sent again is seen
// later.
func (c *copilotStream) failedRequest(data object) *copilotRequest {
	f := &copilotRequest{at: c.LineTime, retry: schema.ProviderRetry{Status: data.Get("statusCode").Integer()}}
	f.retry.Kind = kindOf(f.retry.Status)
	if data.Str("failureKind") == "transport" {
		f.retry.Kind = new("connection")
	}
	if n := data.Get("retryAttempt").Integer(); n != nil {
		f.retry.Attempt = new(*n + 1)
	}
	return f
}

// retryRequest converts that a turn asks the model again. Until then it waited.
func (c *copilotStream) retryRequest(data object) {
	var r schema.ProviderRetry
	if f := c.request; f != nil && c.turn != nil && data.Str("turnId") == *c.turn {
		r = f.retry
		if wait := c.LineTime.Sub(f.at); !f.at.IsZero() && !c.LineTime.IsZero() && wait >= 0 {
			r.BackoffMS = new(wait.Milliseconds())
		}
	}
	c.request = nil
	c.Retry(r)
}

// problem converts an error of the session. The failed request behind it is the
// same failure.
func (c *copilotStream) problem(data object) bool {
	message := data.Get("message").Optional()
	if message == nil {
		return false
	}
	if c.agent != "" {
		c.Lost("sub-agent " + c.agent + " failed: " + *message)
		return true
	}
	c.failure = message
	status := data.Get("statusCode").Integer()
	f := schema.ProviderError{Kind: kindOf(status), Status: status, MessageShort: message}
	switch kind := data.Str("errorType"); {
	case kind == "authentication", kind == "authorization":
		f.Kind = new("unauthorized")
	case f.Kind == nil && (kind == "rate_limit" || kind == "quota"):
		f.Kind = &kind
	case status == nil && (kind == "query" || kind == ""):
		f.Kind = new("connection")
	}
	c.Fail(f)
	c.Overrule(emit.Terminal{Reason: schema.ExitProviderError, Text: *message})
	return true
}

// result converts the last line, the only one that has the session's id.
func (c *copilotStream) result(line object) bool {
	exit := line.Get("exitCode").Integer()
	if exit == nil {
		return false
	}
	c.Begin()
	if !c.InSession(line.Str("sessionId")) {
		return true
	}
	c.turn = nil
	c.Last(line.At("usage", "sessionDurationMs").Integer())
	switch {
	case c.aborted == "autopilot_credit_limit":
		c.End(emit.Terminal{Reason: schema.ExitBudgetExceeded, Text: "the run reached its limit of credits"})
	case c.aborted != "":
		c.End(emit.Terminal{Reason: schema.ExitCancelled, Text: "the run was aborted"})
	case c.failure != nil:
		c.End(emit.Terminal{Reason: schema.ExitProviderError, Text: *c.failure})
	case *exit != 0:
		c.End(emit.Terminal{Reason: schema.ExitInternalError, Code: emit.CodeExitStatus, Text: fmt.Sprintf("the agent reported exit status %d", *exit)})
	default:
		c.End(emit.Terminal{Reason: schema.ExitOK})
	}
	return true
}
