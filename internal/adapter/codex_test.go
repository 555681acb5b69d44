package adapter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/schema"
)

const (
	codexThread = `{"type":"thread.started","thread_id":"t-1"}`
	codexTurn   = `{"type":"turn.started"}`
	codexOK     = `{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":4,"output_tokens":3,"reasoning_output_tokens":1}}`
	codexBegin  = `{"type":"item.started","item":{"id":"c1","type":"command_execution","command":"ls","aggregated_output":"","exit_code":null,"status":"in_progress"}}`
)

func codexItem(members string) string { return `{"type":"item.completed","item":{` + members + `}}` }

func codexCommand(members string) string {
	return codexItem(`"id":"c1","type":"command_execution","command":"ls",` + members)
}

func codexError(message string) string { return `{"type":"error","message":"` + message + `"}` }

func codexFailed(message string) string {
	return `{"type":"turn.failed","error":{"message":"` + message + `"}}`
}

const (
	codexStep    = `1 step_started`
	codexUsage   = ` usage={"input_tokens":9,"output_tokens":3,"total_tokens":12,"cached_input_tokens":4,"reasoning_tokens":1}`
	codexSuccess = `1 run_finished exit_reason="ok" ok=true tool_calls=1` + codexUsage
	ofCommand    = ` tool="command_execution" tool_call_id="c1"`
)

// codexCalled are the events of the start of a call.
func codexCalled(tool, args string) []string {
	of := ` tool="` + tool + `" tool_call_id="c1"`
	return []string{codexStep, `1 tool_call_detected` + args + ` source="native" status="complete"` + of, `1 tool_decision decision="allow" source="inferred"` + of, `1 tool_exec_started` + of}
}

var codexRan = codexCalled("command_execution", ` arguments_bytes=16 arguments_preview="{\"command\":\"ls\"}"`)

func TestCodex_Commands(t *testing.T) {
	for _, m := range []struct{ name, done, want string }{
		{"completed", `"aggregated_output":"a\n","exit_code":0,"status":"completed"`, `content_preview="a\n" exit_status=0 ok=true status="success"`},
		{"an exit status", `"aggregated_output":"a","exit_code":3,"status":"failed"`, `content_preview="a" exit_status=3 ok=false status="success"`},
		{"an exit status of a completed one", `"aggregated_output":"a","exit_code":3,"status":"completed"`, `content_preview="a" exit_status=3 ok=false status="success"`},
		{"did not run", `"aggregated_output":"","exit_code":null,"status":"failed"`, `ok=false status="error"`},
		{"a status that is not known", `"aggregated_output":"","status":"in_progress"`, `ok=false status="error"`},
		{"declined behind its begin", `"aggregated_output":"","exit_code":null,"status":"declined"`, `error_kind="declined" ok=false status="error"`},
	} {
		for _, source := range [][]string{
			{codexTurn, codexBegin, codexCommand(m.done), codexOK},
			{codexTurn, codexBegin, codexBegin, codexCommand(m.done), codexCommand(m.done), codexOK},
		} {
			testMappings(t, "codex", codexThread, []mapping{{m.name, source, exited(0), emit.Success, append(slices.Clone(codexRan), `1 tool_exec_finished `+m.want+ofCommand, codexSuccess)}})
		}
	}
	testMappings(t, "codex", codexThread, []mapping{
		{"an end without a begin", []string{codexTurn, codexCommand(`"aggregated_output":"a","exit_code":0,"status":"completed"`), codexOK}, exited(0), emit.Success,
			append(slices.Clone(codexRan), `1 tool_exec_finished content_preview="a" exit_status=0 ok=true status="success"`+ofCommand, codexSuccess)},
		{"declined", []string{codexTurn, codexCommand(`"status":"declined"`), codexCommand(`"status":"declined"`), codexOK}, exited(0), emit.Success,
			[]string{codexStep, codexRan[1], `1 tool_decision decision="deny" reason="declined" source="codex"` + ofCommand, codexSuccess}},
		{"cut by a signal", []string{codexTurn, codexBegin}, signalled(15), emit.Crash,
			append(slices.Clone(codexRan), `1 tool_exec_finished error_kind="interrupted" ok=false status="error"`+ofCommand,
				`1 run_finished error="signal 15 ended the agent" error_code="signal_15" exit_reason="cancelled" ok=false tool_calls=1`)},
	})
}

func TestCodex_Items(t *testing.T) {
	for _, m := range []struct{ tool, args, item, done, want string }{
		{"docs.find", ` arguments_bytes=7 arguments_preview="{\"q\":1}"`, `"type":"mcp_tool_call","server":"docs","tool":"find","arguments":{"q":1}`,
			`"result":{"content":[{"type":"text","text":"a"},{"type":"image","text":"no"},{"type":"text","text":"b"}]},"error":null,"status":"completed"`,
			`content_preview="a\n[image]\nb" ok=true status="success"`},
		{"docs.find", ` arguments_bytes=7 arguments_preview="{\"q\":1}"`, `"type":"mcp_tool_call","server":"docs","tool":"find","arguments":{"q":1}`,
			`"result":null,"error":{"message":"no such page"},"status":"failed"`, `content_preview="no such page" ok=false status="error"`},
		{"file_change", ` arguments_bytes=42 arguments_preview="{\"changes\":[{\"path\":\"a\",\"kind\":\"update\"}]}"`,
			`"type":"file_change","changes":[{"path":"a","kind":"update"}]`, `"status":"completed"`, `ok=true status="success"`},
		{"file_change", ` arguments_bytes=14 arguments_preview="{\"changes\":[]}"`, `"type":"file_change","changes":[]`, `"status":"failed"`, `ok=false status="error"`},
		{"web_search", ` arguments_bytes=13 arguments_preview="{\"query\":\"x\"}"`, `"type":"web_search","query":"x"`, `"action":{}`, `ok=true status="success"`},
		{"spawn_agent", ` arguments_bytes=14 arguments_preview="{\"prompt\":\"x\"}"`, `"type":"collab_tool_call","tool":"spawn_agent","prompt":"x"`, `"status":"completed"`, `ok=true status="success"`},
	} {
		begin := `{"type":"item.started","item":{"id":"c1",` + m.item + `,"status":"in_progress"}}`
		testMappings(t, "codex", codexThread, []mapping{{m.tool, []string{codexTurn, begin, codexItem(`"id":"c1",` + m.item + `,` + m.done), codexOK}, exited(0), emit.Success,
			append(codexCalled(m.tool, m.args), `1 tool_exec_finished `+m.want+` tool="`+m.tool+`" tool_call_id="c1"`, codexSuccess)}})
	}
}

// Codex leaves half a MiB from each end of a long output.
func TestCodex_LongOutput(t *testing.T) {
	half := strings.Repeat("0123456\n", 1<<16)
	for name, m := range map[string]struct {
		output string
		want   *int64
	}{
		"whole":                 {half + half, nil},
		"longer and whole":      {half + half + "x", nil},
		"cut":                   {half + "\n... 151424 bytes omitted ...\n" + half, new(int64(1200000))},
		"cut, with a wide head": {half + "��" + "\n... 5 bytes omitted ...\n" + half, new(int64(1<<20 + 6 + 5))},
		"words":                 {half + "\n... some bytes omitted ...\n" + half, nil},
		"no size":               {half + "\n5 bytes omitted ...\n" + half, nil},
		"no begin":              {half + " bytes omitted ...\n" + half, nil},
	} {
		done := codexCommand(`"aggregated_output":"` + strings.ReplaceAll(m.output, "\n", `\n`) + `","exit_code":0,"status":"completed"`)
		got := convert(t, "codex", strings.Join([]string{codexThread, codexTurn, codexBegin, done, codexOK, ""}, "\n"), exited(0))
		var finished *schema.ToolExecFinished
		for _, e := range got.events {
			if f, ok := e.Data.(*schema.ToolExecFinished); ok {
				finished = f
			}
		}
		size, ok := finished.OutputBytes.Get()
		if ok != (m.want != nil) || ok && (size != *m.want || !*finished.OutputTruncated) || !ok && finished.OutputTruncated != nil {
			t.Errorf("%s: output_bytes is %d, %t, output_truncated %v, want %v", name, size, ok, finished.OutputTruncated, m.want)
		}
		if *finished.OriginalBytes != int64(len(m.output)) {
			t.Errorf("%s: original_bytes is %d, want %d", name, *finished.OriginalBytes, len(m.output))
		}
	}
}

func TestCodex_Requests(t *testing.T) {
	end := func(message, usage string) string {
		return `1 run_finished error="` + message + `" exit_reason="provider_error" ok=false tool_calls=0` + usage
	}
	for _, m := range []struct{ message, kind, short string }{
		{"unexpected status 401 Unauthorized: m, url: u", `kind="unauthorized"`, "status=401"},
		{"exceeded retry limit, last status: 429 Too Many Requests", `kind="rate_limit"`, "status=429"},
		{"stream disconnected before completion: m", `kind="incomplete"`, ""},
		{"We’re currently experiencing high demand", `kind="server"`, ""},
		{"Missing environment variable: `K`.", ``, ""},
		{strings.Repeat("x", 5000) + " status 401", ``, ""},
	} {
		kind, short := strings.TrimLeft(m.kind+" ", " "), strings.TrimRight(" "+m.short, " ")
		text := m.message[:min(len(m.message), 200)]
		final := m.message[:min(len(m.message), 4096)]
		named := ""
		if len(m.message) > 4096 {
			named = ` truncated_fields=[{"field":"error","original_bytes":5011}]`
		}
		cut := ""
		if len(m.message) > 200 {
			cut = ` truncated_fields=[{"field":"message_short","original_bytes":5011}]`
		}
		testMappings(t, "codex", codexThread, []mapping{
			{"failed", []string{codexTurn, codexError(m.message), codexFailed(m.message)}, exited(1), emit.Failure,
				[]string{codexStep, `1 provider_error ` + kind + `message_short="` + text + `"` + short + cut, end(final, named)}},
			{"again", []string{codexTurn, codexError("Reconnecting... 2/5 (" + m.message + ")"), codexOK}, exited(0), emit.Success,
				[]string{codexStep, strings.TrimRight(`1 provider_retry attempt=2 `+kind+`max_attempts=5`+short, " "), strings.Replace(codexSuccess, "calls=1", "calls=0", 1)}},
		})
	}
	body := `{\"error\":{\"message\":\"scripted fault\",\"type\":\"script\"}}`
	testMappings(t, "codex", codexThread, []mapping{
		{"a response's body", []string{codexTurn, codexError(body), codexFailed(body)}, exited(1), emit.Failure,
			[]string{codexStep, `1 provider_error kind="client" message_short="scripted fault" status=400`, end("scripted fault", "")}},
		{"a body without a message", []string{codexTurn, codexFailed(`{}`)}, exited(1), emit.Failure,
			[]string{codexStep, `1 provider_error kind="client" message_short="{}" status=400`, end("{}", "")}},
		{"no message", []string{codexTurn, `{"type":"turn.failed"}`}, exited(1), emit.Failure, []string{codexStep, `1 provider_error`, end("provider_error", "")}},
		{"the network is away", []string{codexTurn, codexError("Reconnecting... waiting for network (Connection failed: error sending request)")}, emit.End{TimedOut: true, Signal: 15}, emit.TimedOut,
			[]string{codexStep, `1 provider_retry kind="connection"`, `1 run_finished error="the agent did not end in time" error_code="timeout" exit_reason="timeout" ok=false tool_calls=0`}},
		{"a budget is over", []string{codexTurn, codexError("rollout token budget exhausted"), codexFailed("rollout token budget exhausted")}, exited(1), emit.Failure,
			[]string{codexStep, strings.Replace(end("rollout token budget exhausted", ""), "provider_error", "budget_exceeded", 1)}},
		{"an error of its own", []string{codexTurn, codexError("a"), codexFailed("b")}, exited(1), emit.Failure,
			[]string{codexStep, `1 provider_error message_short="a"`, `1 provider_error message_short="b"`, end("b", "")}},
		{"an error that was not the end", []string{codexTurn, codexError("a"), codexBegin, codexError("b"), codexTurn, codexError("c"), codexOK}, exited(0), emit.Success,
			append([]string{codexStep, `1 provider_error message_short="a"`}, append(codexRan[1:4:4], `1 provider_error message_short="b"`, `1 provider_error message_short="c"`,
				`1 tool_exec_finished error_kind="interrupted" ok=false status="error"`+ofCommand, codexSuccess)...)},
		{"an error and a crash", []string{codexTurn, codexError("a"), codexError("b")}, exited(101), emit.Crash,
			[]string{codexStep, `1 provider_error message_short="a"`, `1 provider_error message_short="b"`,
				`1 run_finished error="the agent exited with status 101 and did not say how the run ended" error_code="no_terminal_event" exit_reason="provider_error" ok=false tool_calls=0`}},
	})
}

func TestCodex_Ends(t *testing.T) {
	answer := func(text string) string { return codexItem(`"id":"m","type":"agent_message","text":"` + text + `"`) }
	noCalls := strings.Replace(codexSuccess, "calls=1", "calls=0", 1)
	answered := strings.Replace(noCalls, ` ok=true`, ` final_output="b" ok=true`, 1)
	testMappings(t, "codex", codexThread, []mapping{
		{"the last message is the answer", []string{codexTurn, answer("a"), answer("b"), codexOK}, exited(0), emit.Success, []string{codexStep, answered}},
		{"a message that is not whole", []string{codexTurn, `{"type":"item.started","item":{"id":"m","type":"agent_message","text":"x"}}`, codexOK}, exited(0), emit.Success, []string{codexStep, noCalls}},
		{"no usage", []string{codexTurn, `{"type":"turn.completed"}`}, exited(0), emit.Success, []string{codexStep, `1 run_finished exit_reason="ok" ok=true tool_calls=0`}},
		{"usage of nothing", []string{codexTurn, `{"type":"turn.completed","usage":{"input_tokens":0,"cached_input_tokens":0,"output_tokens":0}}`}, exited(0), emit.Success,
			[]string{codexStep, `1 run_finished exit_reason="ok" ok=true tool_calls=0 usage={"input_tokens":0,"output_tokens":0,"total_tokens":0,"cached_input_tokens":0}`}},
	})
	failed := convert(t, "codex", codexThread+"\n"+`{"type":"turn.failed"}`+"\n", exited(1)).events[1].Data.(*schema.ProviderError)
	if failed.MessageShort != nil {
		t.Errorf("message_short of a failure without a message: got %q, want null", *failed.MessageShort)
	}
	started := convert(t, "codex", codexThread+"\n", exited(0)).events[0]
	if started.RunID != "t-1" || started.TS != "2026-11-20T20:00:00.000Z" {
		t.Errorf("run_started is of %s at %s, want t-1 at its arrival", started.RunID, started.TS)
	}
}

func TestCodex_Start(t *testing.T) {
	args := func(more ...string) []string {
		return append(append([]string{"exec", "--json", "--skip-git-repo-check", "-C", "/w"}, more...), "-")
	}
	const (
		quiet    = "[analytics]\nenabled = false\n\n[features]\nshell_snapshot = false\n"
		provider = "model_provider = \"openagent\"\n\n[model_providers.openagent]\nname = \"openagent\"\nbase_url = \"http://127.0.0.1:1/v1\"\nwire_api = \"responses\"\n"
		off      = "analytics.enabled=false"
		bare     = "features.shell_snapshot=false"
		url      = "http://127.0.0.1:1/v1"
	)
	config := func(text string) map[string]string { return map[string]string{".codex/config.toml": text} }
	testStarts(t, "codex", []start{
		{"plain", adapter.Launch{Dir: "/w", Prompt: "p"}, adapter.Start{Args: args("-s", "workspace-write", "-c", off, "-c", bare), Stdin: "p"}},
		{"model and schema", adapter.Launch{Dir: "/w", Model: "m", OutputSchema: "/s.json", Args: []string{"--ephemeral"}}, adapter.Start{
			Args: args("-m", "m", "-s", "workspace-write", "--output-schema", "/s.json", "-c", off, "-c", bare, "--ephemeral")}},
		{"private home", adapter.Launch{Dir: "/w", Home: "/h", Key: "CODEX_API_KEY"}, adapter.Start{Args: args("-s", "workspace-write"), Files: config(quiet)}},
		{"endpoint in a private home", adapter.Launch{Dir: "/w", Home: "/h", BaseURL: url, Key: "CODEX_API_KEY"}, adapter.Start{
			Args: args("-s", "workspace-write"), Files: config(provider + "env_key = \"CODEX_API_KEY\"\n\n" + quiet)}},
		{"endpoint without a key", adapter.Launch{Dir: "/w", Home: "/h", BaseURL: url}, adapter.Start{Args: args("-s", "workspace-write"), Files: config(provider + "\n" + quiet)}},
		{"endpoint in the user's home", adapter.Launch{Dir: "/w", BaseURL: url, Key: "K"}, adapter.Start{Args: args("-s", "workspace-write", "-c", off, "-c", bare, "-c", `model_provider="openagent"`,
			"-c", `model_providers.openagent={name="openagent",base_url="http://127.0.0.1:1/v1",wire_api="responses",env_key="K"}`)}},
	})
	a, err := adapter.ByName("codex")
	if err != nil {
		t.Fatal(err)
	}
	for arg, chosen := range map[string]bool{
		"-s": true, "-sread-only": true, "--sandbox": true, "--sandbox=read-only": true, "--dangerously-bypass-approvals-and-sandbox": true, "--approve-for-me": true,
		`sandbox_mode="read-only"`: true, `-csandbox_mode="read-only"`: true, `--config=sandbox_mode="read-only"`: true,
		"--skip-git-repo-check": false, "sandbox_workspace_write.network_access=true": false, "--ephemeral": false,
	} {
		if got := !slices.Contains(a.Start(adapter.Launch{Args: []string{arg}}).Args, "workspace-write"); got != chosen {
			t.Errorf("sandbox chosen by %s: got %t, want %t", arg, got, chosen)
		}
	}
}
