package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/record"
)

// earlier runs an agent and returns what it recorded, cut after so many messages
// and calls as if it had been killed there.
func earlier(t *testing.T, m *answers, mode CallMode, messages, calls int) Earlier {
	t.Helper()
	_, k := try(t, m, func(c *Config) { c.Calls = mode })
	e := Earlier{Messages: k.messages[:messages], Calls: k.calls[:calls], TextCalls: mode != CallsNative}
	e.Requests = e.Messages[messages-1].Requests
	return e
}

// goOn restores e and runs an agent that goes on with it.
func goOn(t *testing.T, e Earlier, m *answers, edit func(*Config)) (*Restored, *recording) {
	t.Helper()
	r, err := e.Restore(testTools())
	if err != nil {
		t.Fatal(err)
	}
	again, err := e.Restore(testTools()) // the run changes the other one
	if err != nil {
		t.Fatal(err)
	}
	_, k := try(t, m, func(c *Config) {
		c.RunID, c.Prompt, c.Resume = "next", "", r
		if edit != nil {
			edit(c)
		}
	})
	return again, k
}

// said returns a request as one line for each message.
func said(messages []chat.Message) (lines []string) {
	for _, m := range messages[1:] {
		line := string(m.Role) + " " + m.Content
		for _, c := range m.ToolCalls {
			line += "[" + c.ID + " " + c.Name + c.Arguments + "]"
		}
		if m.ToolCallID != "" {
			line += " <" + m.ToolCallID + ">"
		}
		lines = append(lines, line)
	}
	return lines
}

const (
	begunText   = "Error (interrupted): the run was interrupted before this call ended: it may have been done in whole, in part or not at all, and it was not run again\nHint: Look at what there is before you do it again."
	unbegunText = "Error (interrupted): the run was interrupted before this call began: it was not done\nHint: Look at what there is before you do it again."
)

// Of the calls of the last step those that ended keep their results, and the others
// are told to have been interrupted; none is run again, and numbers go on.
func TestRestore_InterruptedStep(t *testing.T) {
	three := func() *answers {
		return model(calls("echo", `{"text":"a"}`), calls("act", `{"text":"b"}`, "echo", `{"text":"c"}`, "echo", `{"text":"d"}`), says("done"))
	}
	next := model(replies(chat.Reply{FinishReason: "tool_calls", Calls: []chat.ToolCall{{ID: "id-act-0", Name: "act", Arguments: `{"text":"b"}`}}}), says("over"))
	restored, k := goOn(t, earlier(t, three(), CallsAuto, 5, 2), next, nil)
	first := next.requests[0]
	want := []string{
		"user do it", `assistant [id-echo-0 echo{"text":"a"}]`, "tool wrote a <id-echo-0>",
		`assistant [id-act-0 act{"text":"b"}][id-echo-2 echo{"text":"c"}][id-echo-4 echo{"text":"d"}]`,
		"tool wrote b <id-act-0>", "tool " + begunText + " <id-echo-2>", "tool " + unbegunText + " <id-echo-4>",
	}
	if diff := cmp.Diff(want, said(first)); diff != "" {
		t.Errorf("the first request (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"echo (id-echo-2)", "echo (id-echo-4)"}, restored.Interrupted); diff != "" || !restored.Waits {
		t.Errorf("waits %v, interrupted (-want +got):\n%s", restored.Waits, diff)
	}
	if len(k.calls) != 1 || k.calls[0].Tool != "act" || k.calls[0].Step != 1 || k.calls[0].ID != "call_3_0" {
		t.Errorf("calls of the run = %+v, want the one of its own, which has the next number: its id was taken", k.calls)
	}
	last := k.messages[len(k.messages)-1]
	if last.Step != 4 || last.Requests != 4 || k.outcome.Requests != 4 || k.messages[0].About.RunID != "next" {
		t.Errorf("the last message is %+v after %d requests, want turn 4 of 4", last, k.outcome.Requests)
	}
}

// A run killed at any place of its record can go on, with all that was recorded, by
// calls of either kind; each call has one answer.
func TestRestore_CutAnywhere(t *testing.T) {
	text := func(list ...string) string {
		var b strings.Builder
		for i := 0; i < len(list); i += 2 {
			b.WriteString("TOOL_CALL:\n" + `{"tool":"` + list[i] + `","arguments":` + list[i+1] + "}\n")
		}
		return b.String()
	}
	for mode, m := range map[CallMode]func() *answers{
		CallsAuto: func() *answers {
			return model(calls("act", `{"text":"a"}`, "fail", `{"text":"b"}`), calls("echo", `{"text":"c"}`), says("done"))
		},
		CallsText: func() *answers {
			return model(says(text("act", `{"text":"a"}`, "fail", `{"text":"b"}`)), says(text("echo", `{"text":"c"}`)), says("done"))
		},
	} {
		_, all := try(t, m(), func(c *Config) { c.Calls = mode })
		for messages := 2; messages <= len(all.messages); messages++ {
			for ended := 0; ended <= len(all.calls); ended++ {
				e := earlier(t, m(), mode, messages, ended)
				r, err := e.Restore(testTools())
				if err != nil {
					t.Fatalf("%s, %d messages, %d calls: %v", mode, messages, ended, err)
				}
				if end := messages == len(all.messages); r.Waits == end {
					t.Errorf("%s, %d messages: waits %v, want %v", mode, messages, r.Waits, !end)
				}
				answers := strings.Count(written(said(values(r.messages))), "wrote a")
				if recorded := messages > 3 || messages == 3 && ended > 0; recorded != (answers == 1) || answers > 1 {
					t.Errorf("%s, %d messages, %d calls: the first result stands there %d times", mode, messages, ended, answers)
				}
			}
		}
	}
}

func values(messages []*chat.Message) (all []chat.Message) {
	for _, m := range messages {
		all = append(all, *m)
	}
	return all
}

// What another run's record can hold and no conversation is refused before anything runs.
func TestRestore_Refused(t *testing.T) {
	system := record.Message{Role: chat.RoleSystem}
	user := record.Message{Role: chat.RoleUser, Text: "x"}
	asks := record.Message{Role: chat.RoleAssistant, Step: 1, Calls: []record.MessageCall{{ID: "c", Tool: "echo", Arguments: "{}"}}}
	for name, test := range map[string]struct {
		messages []record.Message
		want     string
	}{
		"no system prompt":  {[]record.Message{user}, "message 0: the system prompt is the first message"},
		"two of them":       {[]record.Message{system, user, system}, "message 2: the system prompt is the first"},
		"nobody asked":      {[]record.Message{system, user, {Role: chat.RoleTool, ToolCallID: "c"}}, "message 2: it answers a call that nobody made"},
		"answered twice":    {[]record.Message{system, asks, {Role: chat.RoleTool, ToolCallID: "c"}, {Role: chat.RoleTool, ToolCallID: "c"}}, "message 3: it answers a call that nobody made"},
		"no answer":         {[]record.Message{system, asks, user}, "message 2: 1 calls before it have no answer"},
		"a role of its own": {[]record.Message{system, {Role: "developer"}}, "message 1: its role is none"},
		"a user's call":     {[]record.Message{system, {Role: chat.RoleUser, Calls: asks.Calls}}, "message 1: only the model calls tools"},
		"one id twice":      {[]record.Message{system, {Role: chat.RoleAssistant, Step: 1, Calls: append(asks.Calls, asks.Calls...)}}, "message 1: it has calls without an id of their own"},
	} {
		if _, err := (Earlier{Messages: test.messages}).Restore(testTools()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: Restore() = %v, want an error with %q", name, err, test.want)
		}
	}
}

// What an endpoint gave goes back to it alone, and not where masking changed what it
// may sign, nor in a form that it cannot have given.
func TestRestore_WhatTheEndpointGave(t *testing.T) {
	given := func(members string) *chat.Extra { return &chat.Extra{Members: json.RawMessage(members)} }
	message := func(m record.Message, keep bool) chat.Message {
		m.Role, m.Step = chat.RoleAssistant, 1
		r, err := Earlier{Messages: []record.Message{{Role: chat.RoleSystem}, m}, SameEndpoint: keep}.Restore(testTools())
		if err != nil {
			t.Fatal(err)
		}
		return *r.messages[1]
	}
	for name, test := range map[string]struct {
		message record.Message
		keep    bool
		want    string
	}{
		"the same":   {record.Message{Extra: given(`{"reasoning":"r"}`)}, true, `{"reasoning":"r"}`},
		"another":    {record.Message{Extra: given(`{"reasoning":"r"}`)}, false, ""},
		"masked":     {record.Message{Extra: given(`{"reasoning":"r"}`), Masked: true}, true, ""},
		"no members": {record.Message{Extra: given(`"role"`)}, true, ""},
	} {
		if got := string(message(test.message, test.keep).Extra.Members); got != test.want {
			t.Errorf("%s: members sent again are %q, want %q", name, got, test.want)
		}
	}
	broken := message(record.Message{Calls: []record.MessageCall{{ID: "c", Tool: "no name", Arguments: `{"x":`}}}, true)
	if c := broken.ToolCalls[0]; c.Name != "no_name" || c.Arguments != "{}" {
		t.Errorf("a call goes back as %+v, want what endpoints accept", c)
	}
}

// This run's system prompt counts, a prompt comes last, and the session gets it.
func TestGoOn_WithAPrompt(t *testing.T) {
	h := &savedHistory{}
	e := earlier(t, model(says("done")), CallsAuto, 3, 0)
	next := model(says("more"))
	restored, _ := goOn(t, e, next, func(c *Config) {
		c.Prompt, c.Task, c.History = "and now?", "be brief", h
	})
	request := next.requests[0]
	if diff := cmp.Diff([]string{"user do it", "assistant done", "user and now?"}, said(request)); diff != "" || restored.Waits {
		t.Errorf("waits %v, request (-want +got):\n%s", restored.Waits, diff)
	}
	if !strings.HasPrefix(request[0].Content, "be brief\n") {
		t.Errorf("the system prompt is %.40q, want that of this run", request[0].Content)
	}
	wantLines(t, h, "user and now?", "answer more")
}

// Results of the earlier run can still be shortened, and those that were stay so.
func TestGoOn_Compacts(t *testing.T) {
	_, k := try(t, reads(6), func(c *Config) { c.Tools, c.MaxContext = pages(), 400<<10 })
	e := Earlier{Messages: k.messages[:len(k.messages)-1], Calls: k.calls, Requests: 6}
	r, err := e.Restore(pages())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.shown) != 6 {
		t.Fatalf("%d results can be shortened, want 6", len(r.shown))
	}
	m := model(says("done"))
	_, _ = try(t, m, func(c *Config) { c.Tools, c.MaxContext, c.Resume, c.Prompt = pages(), 4<<10, r, "" })
	if _, short := whole(m.requests[0]); strings.Count(short, "") < 2 {
		t.Errorf("no result was shortened in %v", said(m.requests[0]))
	}
}
