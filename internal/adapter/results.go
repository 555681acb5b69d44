package adapter

import (
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/schema"
)

// denials has the forms in which the result of a call says that the agent denied
// it: the kind of the error in the agent's own member, or the text of the error, of
// which * stands for any part.
var denials = map[string]struct{ kinds, texts []string }{
	"claude": {
		[]string{"permission-rule", "automode-blocked", "automode-unavailable", "automode-parsing-error"},
		[]string{
			"Permission to use * has been denied*", "Claude requested permissions to *, but you haven't granted it yet*",
			"This command requires approval*", "<tool_use_error>Blocked: *",
		},
	},
	"codex":   {[]string{"declined"}, []string{"exec command rejected by user*", "rejected by user*"}},
	"copilot": {[]string{"denied", "rejected"}, []string{"Permission denied *", "Permission to run this tool was denied*", "The user rejected this tool call*"}},
	"gemini": {[]string{"policy_violation"}, []string{
		"Tool execution denied by policy*", "Tool execution for * requires user confirmation, which is not supported in non-interactive mode*",
	}},
	"opencode": {texts: []string{"*the request was rejected. Continue without this action*", "The user rejected permission to use this specific tool call*", "The user has specified a rule which prevents you from using this specific tool call*"}},
	"qwen": {texts: []string{
		"Tool execution denied by policy*", "Qwen Code requires permission to use *, but that permission was declined*", "Blocked: standalone sleep *",
		"This * invocation was denied by permission rules*", "Tool blocked by plan mode: *", "Permission denied by hook for *", "Tool execution blocked by hook*",
		"Tool invocation denied by host policy*", "Tool * requires permission, but background agents cannot prompt for confirmation*",
	}},
}

// commands has the tools that run a command whose result has its exit status, by
// agent.
var commands = map[string][]string{
	"codex": {"command_execution"}, "copilot": {"bash", "powershell"}, "opencode": {"bash", "shell"},
}

// ended notes the exit status in the result of a call. Where a command has none, its
// end was not seen, whatever the agent reports of it.
func ended(e *emit.Emitter, tool *string, r *schema.ToolExecFinished, exit *int64) {
	if exit == nil && *r.OK && tool != nil && slices.Contains(commands[e.About.Agent.Name], *tool) {
		interrupt(r)
	}
	ran(r, exit)
}

// ran notes the exit status of a command, which then ran to its end.
func ran(r *schema.ToolExecFinished, exit *int64) {
	if exit == nil {
		return
	}
	r.Status, r.ExitStatus = success, schema.Some(*exit)
	r.OK = new(*r.OK && *exit == 0)
}

func interrupt(r *schema.ToolExecFinished) {
	r.OK, r.Status, r.ErrorKind = new(false), failure, schema.Some("interrupted")
}

// deny prints that the agent denied a call, where what is known of the call's error
// is a form of that, and reports whether it is. The error's text is the reason.
func deny(e *emit.Emitter, c emit.Call, source *string, kind, text string) bool {
	forms := denials[e.About.Agent.Name]
	if !slices.Contains(forms.kinds, kind) && !slices.ContainsFunc(forms.texts, func(form string) bool { return fits(form, text) }) {
		return false
	}
	l := e.LookupOrDetect(c)
	reason := &text
	if text == "" && kind != "" {
		reason = &kind
	}
	e.Deny(l, source, reason)
	return l.Denied()
}

// fits reports whether a text has a form.
func fits(form, text string) bool {
	head, rest, _ := strings.Cut(form, "*")
	text, ok := strings.CutPrefix(text, head)
	if inner, open := strings.CutSuffix(rest, "*"); open {
		return ok && strings.Contains(text, inner)
	}
	return ok
}
