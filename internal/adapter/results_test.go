package adapter_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
)

// calls are the lines of an agent with one call: up to the call, and its result with a
// kind and a text of an error, or with a text alone.
var calls = map[string]struct {
	head     []string
	failed   func(kind, text string) string
	done, ok string
}{
	"claude": {[]string{claudeInit, claudeSays("m1", claudeCall)}, func(kind, text string) string {
		return claudeResult(`"content":"`+text+`","is_error":true`, `"non_execution_kind":"`+kind+`"`, `{}`)
	}, claudeResult(`"content":"out"`, `"remedy":{}`, `{}`), claudeOK},
	"codex": {[]string{codexThread, codexTurn}, func(kind, text string) string {
		return codexCommand(`"status":"` + kind + `","aggregated_output":"` + text + `","exit_code":null`)
	}, codexCommand(`"status":"completed","aggregated_output":"out","exit_code":0`), codexOK},
	"copilot": {append([]string{copilotFirst, copilotTurn}, copilotCall()...), func(kind, text string) string {
		return copilotDone(`"success":false,"error":{"message":"` + text + `","code":"` + kind + `"}`)
	}, copilotDone(`"success":true,"shellExecution":{"exitCode":0},"result":{"content":"out"}`), copilotEnd},
	"gemini": {[]string{geminiInit, geminiUser, geminiCall}, func(kind, text string) string {
		return `{"type":"tool_result","tool_id":"c1","status":"error","output":"` + text + `","error":{"type":"` + kind + `","message":"` + text + `"}}`
	}, geminiDone, geminiOK},
	"opencode": {[]string{opencodeStart("m1")}, func(_, text string) string { return opencodeTool(`"status":"error","error":"` + text + `"`) },
		opencodeTool(`"status":"completed","output":"out","metadata":{"exit":0}`), opencodeFinish("m1", "stop")},
	"qwen": {[]string{qwenInit, qwenSays("m1", qwenCall)}, func(_, text string) string { return qwenResult(`"is_error":true,"content":"` + text + `"`) },
		qwenResult(`"is_error":false,"content":"out"`), qwenOK},
}

func qwenResult(block string) string {
	return `{"type":"user","session_id":"s-1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1",` + block + `}]}}`
}

// about are the events of a run about its calls: what was decided and why, and how the
// calls ended.
func about(t *testing.T, c converted) string {
	t.Helper()
	var list []string
	for _, e := range c.events {
		text := brief(t, e)
		if strings.Contains(text, " tool_decision ") || strings.Contains(text, " tool_exec_") {
			text, _, _ = strings.Cut(text[2:], " tool=")
			list = append(list, strings.NewReplacer("tool_decision decision=", "", "tool_exec_", "", `"`, "", `\u003c`, "<", `\u003e`, ">").Replace(text))
		}
	}
	return strings.Join(list, "; ")
}

// TestResults_Denied has the forms in which agents say that they denied a call.
func TestResults_Denied(t *testing.T) {
	for _, c := range []struct{ agent, kind, text string }{
		{"claude", "permission-rule", "not by this rule"}, {"claude", "", "Permission to use Bash has been denied."},
		{"claude", "", "<tool_use_error>Blocked: standalone sleep 30.</tool_use_error>"},
		{"claude", "", "Claude requested permissions to write to /f, but you haven't granted it yet."},
		{"codex", "declined", "rejected by the user"},
		{"copilot", "denied", "by a rule"}, {"copilot", "rejected", "by somebody"}, {"copilot", "failure", "Permission denied and could not request permission from user"},
		{"gemini", "policy_violation", "no"}, {"gemini", "unknown", "Tool execution denied by policy. You are in Plan Mode."},
		{"gemini", "unhandled_exception", "Tool execution for Shell requires user confirmation, which is not supported in non-interactive mode."},
		{"opencode", "", "The user rejected permission to use this specific tool call with the following feedback: no"},
		{"qwen", "", "Qwen Code requires permission to use sh, but that permission was declined."}, {"qwen", "", "Tool execution denied by policy."}, {"qwen", "", "Blocked: standalone sleep 30."},
		{"qwen", "", "This 'sh' invocation was denied by permission rules. Matching deny rule: 'Bash(touch *)'."}, {"qwen", "", "Tool blocked by plan mode: 'sh' is not a read-only tool."},
		{"qwen", "", "Permission denied by hook for sh"}, {"qwen", "", "Tool execution blocked by hook"}, {"qwen", "", "Tool invocation denied by host policy"},
		{"qwen", "", "Tool 'sh' requires permission, but background agents cannot prompt for confirmation. The tool call was denied."},
	} {
		w := calls[c.agent]
		got := convert(t, c.agent, strings.Join(append(w.head[:len(w.head):len(w.head)], w.failed(c.kind, c.text), w.ok), "\n")+"\n", exited(0))
		if s, want := about(t, got), "deny reason="+c.text+" source="+c.agent; s != want || got.Denied != 1 || len(got.facts) > 0 {
			t.Errorf("%s, %s: got %s, %d denied, facts %v, want %s", c.agent, c.kind, s, got.Denied, got.facts, want)
		}
	}
	// The words of a denial in what a tool printed are output.
	for agent, w := range calls {
		done := strings.NewReplacer(`"out"`, `"Tool execution denied by policy."`, `"a"`, `"Tool execution denied by policy."`).Replace(w.done)
		got := convert(t, agent, strings.Join(append(w.head[:len(w.head):len(w.head)], done, w.ok), "\n")+"\n", exited(0))
		if s := about(t, got); !strings.HasPrefix(s, "allow ") || !strings.Contains(s, "ok=true") {
			t.Errorf("%s: got %s, want a call that ran", agent, s)
		}
	}
}

// TestResults_Held: decision and start of a call wait for its result where only that
// shows a denial, and are printed at the end of the source at the latest.
func TestResults_Held(t *testing.T) {
	for _, agent := range []string{"claude", "copilot", "gemini", "qwen"} {
		w := calls[agent]
		source := strings.Join(w.head, "\n") + "\n"
		for name, c := range map[string]struct {
			rest string
			end  emit.End
			kind string
		}{
			"signal":   {"", signalled(15), "interrupted"},
			"kill":     {"", signalled(9), "interrupted"},
			"crash":    {w.done[:30], exited(1), "interrupted"},
			"torn":     {w.done[:30], exited(0), "torn_line"},
			"deadline": {"", emit.End{TimedOut: true}, "interrupted"},
			"success":  {w.ok, exited(0), "interrupted"},
		} {
			got := convert(t, agent, source+c.rest, c.end)
			want := "allow source=inferred; started; finished error_kind=" + c.kind + " ok=false status=error"
			if s := about(t, got); s != want {
				t.Errorf("%s, %s: got %s, want %s", agent, name, s, want)
			}
		}
	}
	timed := func(line, at string) string {
		return strings.Replace(line, `"type"`, `"timestamp":"2026-11-22T22:39:`+at+`Z","type"`, 1)
	}
	for agent, lines := range map[string][]string{
		"claude": {claudeInit, timed(claudeSays("m1", claudeCall), "51.000"), timed(calls["claude"].done, "51.250"), claudeOK},
		"gemini": {geminiInit, geminiUser, timed(geminiCall, "51.000"), timed(geminiDone, "51.250"), geminiOK},
		"qwen":   {qwenInit, qwenSays("m1", qwenCall), calls["qwen"].done, qwenOK},
	} {
		s := about(t, convert(t, agent, strings.Join(lines, "\n")+"\n", exited(0)))
		if has := strings.Contains(s, "duration_ms=250"); has != (agent != "qwen") {
			t.Errorf("%s: got %s, want the time between the source's lines where they have one", agent, s)
		}
	}
}

// TestResults_ListedDenials: the list in the last line denies what is not decided, and
// changes nothing of a call that was shown as run.
func TestResults_ListedDenials(t *testing.T) {
	for agent, id := range map[string]string{"claude": "t1", "qwen": "c1"} {
		w := calls[agent]
		list := func(ids string) string {
			return strings.Replace(w.ok, `"is_error"`, `"permission_denials":[`+ids+`],"is_error"`, 1)
		}
		item := `{"tool_name":"sh","tool_use_id":"` + id + `","tool_input":{}}`
		late := []emit.Fact{{Line: 4, Kind: emit.LateDenial, Name: id}}
		const ran = "allow source=inferred; started; finished content_preview=no way ok=false status=error"
		for name, c := range map[string]struct {
			lines  []string
			want   string
			facts  []emit.Fact
			denied int
		}{
			"held":         {[]string{list(item)}, "deny source=" + agent, nil, 1},
			"shown as run": {[]string{w.failed("", "no way"), list(item + "," + item)}, ran, late, 1},
			"denied":       {[]string{w.failed("", "Permission to use sh has been denied, Tool"), list(item)}, "", nil, 1},
			"unknown":      {[]string{w.failed("", "no way"), list(strings.Replace(item, id, "x9", 1))}, ran + "; deny source=" + agent, nil, 1},
		} {
			if name == "denied" && agent == "qwen" {
				c.lines[0] = w.failed("", "Tool execution denied by policy.")
			}
			got := convert(t, agent, strings.Join(append(w.head[:len(w.head):len(w.head)], c.lines...), "\n")+"\n", exited(0))
			s := about(t, got)
			if name == "denied" {
				c.want = s
			}
			if s != c.want || strings.Count(s, "deny") > 1 || got.Denied != c.denied || got.Class != emit.Success {
				t.Errorf("%s, %s: got %s, %d denied, %s, want %s", agent, name, s, got.Denied, got.Class, c.want)
			}
			if diff := cmp.Diff(c.facts, got.facts); diff != "" {
				t.Errorf("%s, %s: facts (-want +got):\n%s", agent, name, diff)
			}
		}
	}
}

// TestResults_NoExitStatus: a command that succeeds without its exit status was left.
func TestResults_NoExitStatus(t *testing.T) {
	const left = "error_kind=interrupted ok=false status=error"
	for _, c := range []struct{ agent, result, want string }{
		{"codex", codexCommand(`"status":"completed","exit_code":null`), left},
		{"codex", codexCommand(`"status":"completed"`), left},
		{"codex", codexItem(`"id":"c1","type":"file_change","changes":[],"status":"completed"`), "ok=true status=success"},
		{"copilot", copilotDone(`"success":true,"shellExecution":{"exitCode":null}`), "duration_ms=1 " + left},
		{"opencode", opencodeTool(`"status":"completed","metadata":{"exit":null}`), left},
		{"opencode", strings.Replace(opencodeTool(`"status":"completed"`), `"bash"`, `"read"`, 1), "ok=true status=success"},
		{"qwen", qwenResult(`"is_error":false,"content":"Command: x\nExit Code: (none)"`), `content_preview=Command: x\nExit Code: (none) ` + left},
		{"claude", calls["claude"].done, "content_preview=out ok=true status=success"},
	} {
		w := calls[c.agent]
		got := convert(t, c.agent, strings.Join(append(w.head[:len(w.head):len(w.head)], c.result, w.ok), "\n")+"\n", exited(0))
		if s := about(t, got); !strings.HasSuffix(s, "finished "+c.want) {
			t.Errorf("%s: %s: got %s, want %s", c.agent, c.result, s, c.want)
		}
	}
}

// TestResults_FaultAsAnswer: a fault of the agent's request as the whole last text
// denies a success; a text that quotes one is an answer.
func TestResults_FaultAsAnswer(t *testing.T) {
	for text, fault := range map[string]bool{
		"[API Error: 401 no]": true, `[API Error: 429 slow]\nPossible quota limitations in place.`: true, "[API Error: [a] terminated]": true,
		"[API Error: 401 no] is in the log": false, "[API Error: 401 no] and [API Error: 402 no]": false, "The log has [API Error: 500 x].": false,
	} {
		for agent, lines := range map[string][]string{
			"qwen":   {qwenInit, qwenSays("m1", claudeText(text)), strings.Replace(qwenOK, `"done"`, `"`+text+`"`, 1)},
			"gemini": {geminiInit, geminiUser, geminiText(text[:5]), geminiText(text[5:]), geminiOK},
		} {
			got := convert(t, agent, strings.Join(lines, "\n")+"\n", exited(0))
			want := emit.Success
			if fault {
				want = emit.Failure
			}
			if end := got.terminal(); got.Class != want || fault != (end.ExitReason == "provider_error") || fault != (end.FinalOutput == "") {
				t.Errorf("%s: %s: got %s, %s, final text %q", agent, text, got.Class, end.ExitReason, end.FinalOutput)
			}
		}
	}
}

// TestResults_Answer: what is empty does not replace what is known.
func TestResults_Answer(t *testing.T) {
	empty := strings.Replace(claudeOK, `"done"`, `""`, 1)
	zero := strings.NewReplacer(`:0.0012345678`, `:0`, `_tokens":1`, `_tokens":0`, `_tokens":2`, `_tokens":0`, `_tokens":4`, `_tokens":0`, `_tokens":8`, `_tokens":0`, `_ms":7`, `_ms":0`).Replace(empty)
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"an empty result":            {[]string{empty}, "said"},
		"an empty result later":      {[]string{claudeOK, claudeSays("m2", ""), zero}, "done"},
		"no cost later":              {[]string{claudeOK, claudeSays("m2", ""), strings.Replace(claudeOK, ":0.0012345678", ":0", 1)}, "done"},
		"structured output":          {[]string{strings.Replace(empty, `"result":`, `"structured_output":{"a":1},"result":`, 1)}, `{"a":1}`},
		"structured output and text": {[]string{strings.Replace(claudeOK, `"result":`, `"structured_output":{"a":1},"result":`, 1)}, "done"},
		"no structured output":       {[]string{strings.Replace(empty, `"result":`, `"structured_output":null,"result":`, 1)}, "said"},
	} {
		end := convert(t, "claude", strings.Join(append([]string{claudeInit, claudeSays("m1", claudeText("said"))}, c.lines...), "\n")+"\n", exited(0)).terminal()
		usage, _ := end.Usage.Get()
		ms, _ := end.DurationMS.Get()
		if cost, _ := usage.CostUSD.Get(); end.FinalOutput != c.want || *usage.TotalTokens != 15 || cost == 0 || ms != 7 {
			t.Errorf("%s: got %q, usage %+v after %d ms, want %q and what is known", name, end.FinalOutput, usage, ms, c.want)
		}
	}
}
