package agent

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/policy"
)

func TestRun_SecretsAsNamesAreNotRecorded(t *testing.T) {
	const secret = "sk-test-abcdef"
	_, k := try(t, model(calls(secret, `{}`), says("done")), nil)
	if all := fmt.Sprintf("%+v", k.calls) + written(k.events); strings.Contains(all, secret) {
		t.Errorf("a secret that names a tool shows in record or events:\n%s", all)
	}
}

func TestRun_SecretsInPiecesAreMaskedInDeltas(t *testing.T) {
	const secret = "sk-test-abcdef"
	m := model(func(_ context.Context, req chat.Request) (chat.Reply, error) {
		for _, piece := range []string{"lost\n-----BEGIN RSA PRIVATE KEY-----\n", "MII"} {
			req.OnDelta(piece)
		}
		req.OnRetry(chat.Retry{Attempt: 1, MaxAttempts: 3, Failure: &chat.Failure{Kind: chat.FailServer}})
		for _, piece := range []string{"a ", secret[:5], secret[5:], " b\nc ", secret[:9], secret[9:]} {
			req.OnDelta(piece)
		}
		return chat.Reply{Text: "done", FinishReason: "stop"}, nil
	})
	_, k := try(t, m, nil)
	var got string
	for _, e := range k.events {
		switch d := e.Data.(type) {
		case event.ModelDelta:
			got += d.Text
		case event.ProviderRetry:
			got += "<retry>"
		}
	}
	mask := redact.Mask
	if want := "lost\n" + mask + "\n<retry>a " + mask + " b\nc " + mask; got != want {
		t.Errorf("deltas are %q, want %q", got, want)
	}
}

func TestRun_PolicyDecidesOnWhereAPathLeads(t *testing.T) {
	file, err := policy.Load("p.yaml", []byte(`version: 1
default: allow
rules:
  - {tool: open, decision: deny, when: [{arg: path, op: starts_with, value: closed/}], reason: it is closed}
`))
	if err != nil {
		t.Fatal(err)
	}
	type args struct {
		Path string `json:"path" arg:"required,path"`
	}
	opened := define("open", false, func(_ context.Context, _ tool.Call, a args) (did, *tool.Error) { return did{"opened " + a.Path}, nil })
	_, k := try(t, model(calls("open", `{"path":"link/x"}`, "open", `{"path":"free/x"}`), says("done")), func(c *Config) {
		c.Tools, c.Policy = tool.NewRegistry(opened), file
		c.RealPath = func(name string) string { return strings.Replace(name, "link/", "closed/", 1) }
	})
	wantEvents(t, k, "run_start", "step_started",
		"tool_call_detected", "deny:open:p.yaml", "retry:E_POLICY:repair",
		"tool_call_detected", "allow:open:p.yaml", "tool_exec_start", "end:open:true",
		"step_started", "run_end:ok")
	if got, want := k.calls[0].Reason, "it is closed; the path leads to closed/x"; got != want {
		t.Errorf("reason of the denial is %q, want %q", got, want)
	}
}

func TestRun_MadeUpNamesDoNotSpoilTheConversation(t *testing.T) {
	names := []string{"functions.read file", "", "ünï\x1b\xff", strings.Repeat("x", 70)}
	for _, name := range names {
		m := model(calls(name, `{}`), says("done"))
		if res, _ := try(t, m, nil); !res.OK {
			t.Errorf("Run after a call of %q = %+v, want ok", name, res)
		}
		sent := m.requests[1][2].ToolCalls[0].Name
		if !regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`).MatchString(sent) {
			t.Errorf("a call of %q is sent back as %q, want a name that endpoints accept", name, sent)
		}
	}
	m := model(calls("echo", `{"text":"a"}`), says("done"))
	try(t, m, nil)
	if sent := m.requests[1][2].ToolCalls[0].Name; sent != "echo" {
		t.Errorf("a call of echo is sent back as %q", sent)
	}
}

func TestRun_IDsThatCannotServeAreReplaced(t *testing.T) {
	m := model(replies(chat.Reply{FinishReason: "tool_calls", Calls: []chat.ToolCall{
		{ID: "", Name: "echo", Arguments: `{"text":"a"}`}, {ID: "x", Name: "echo", Arguments: `{"text":"b"}`},
		{ID: "x", Name: "echo", Arguments: `{"text":"c"}`}, {ID: strings.Repeat("y", 257), Name: "echo", Arguments: `{"text":"d"}`},
		{ID: strings.Repeat("z", 256), Name: "echo", Arguments: `{"text":"e"}`},
	}}), says("done"))
	_, k := try(t, m, nil)
	var ids []string
	for _, c := range k.calls {
		ids = append(ids, c.ID)
	}
	if diff := cmp.Diff([]string{"call_1_0", "x", "call_1_2", "call_1_3", strings.Repeat("z", 256)}, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}
