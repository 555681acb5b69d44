package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// said is a chunk whose delta has these members.
func said(members string) string { return `{"choices":[{"delta":{` + members + `}}]}` }

// The shapes are those of DeepSeek, OpenRouter, Gemini and LiteLLM.
func TestAnswer_Extra(t *testing.T) {
	tests := []struct{ name, body, members string }{
		{"nothing", stream(said(`"role":"assistant","content":"hi","refusal":null,"audio":null`)), ""},
		{"a text in pieces", stream(said(`"reasoning_content":"so "`), said(`"reasoning_content":"so "`), said(`"content":"hi","reasoning_content":null`)),
			`{"reasoning_content":"so so "}`},
		{"an empty text", stream(said(`"reasoning_content":""`)), `{"reasoning_content":""}`},
		{"half a pair of surrogates, half a character", stream(said(`"r":"\ud83d"`), said(`"r":"\ude42 \n<`+"\xc3\""), said("\"r\":\"\xbc\"")),
			`{"r":"\ud83d\ude42 \n<ü"}`},
		{"numbered parts", stream(
			said(`"reasoning_details":[{"type":"reasoning.text","text":"a","format":"f-v1","index":0}]`),
			said(`"reasoning_details":[{"type":"reasoning.text","text":"b","format":"f-v1","index":0,"signature":null}]`),
			said(`"reasoning_details":[{"type":"reasoning.encrypted","data":"x","format":"f-v1","index":0,"id":"t1"}]`),
			said(`"reasoning_details":[{"type":"reasoning.text","signature":"s==","index":0}]`),
			said(`"reasoning_details":[{"type":"reasoning.text","text":"c","index":1}]`),
		), `{"reasoning_details":[{"format":"f-v1","index":0,"signature":"s==","text":"ab","type":"reasoning.text"},` +
			`{"data":"x","format":"f-v1","id":"t1","index":0,"type":"reasoning.encrypted"},{"index":1,"text":"c","type":"reasoning.text"}]}`},
		{"parts without number", stream(said(`"l":[1,{"text":"a"}]`), said(`"l":["b",{"text":"a"}]`)), `{"l":[1,{"text":"a"},"b",{"text":"a"}]}`},
		{"members of an object", stream(said(`"extra_content":{"google":{"thought":true}}`), said(`"extra_content":{"google":{"thought":true,"thought_signature":"s"}}`)),
			`{"extra_content":{"google":{"thought":true,"thought_signature":"s"}}}`},
		{"a signature with each piece", stream(said(`"x":{"signature":"s","t":"a"}`), said(`"x":{"signature":"s","t":null}`)), `{"x":{"signature":"s","t":"a"}}`},
		{"another kind of value", stream(said(`"x":"a"`), said(`"x":{"b":1}`), said(`"x":[ {"c" : -1.50e3 } ]`)), `{"x":[{"c":-1.50e3}]}`},
		{"a name with an escape", stream(said(`"a\"b":"1"`), said(`"a\u0022b":"2"`)), `{"a\"b":"12"}`},
		{"the whole message after its deltas", stream(said(`"r":"a"`), `{"choices":[{"message":{"content":"hi","r":"a"}}]}`), `{"r":"a"}`},
		{"a message that is not streamed", stream(`{"choices":[{"message":{"content":"hi","r":"a"}}]}`), `{"r":"a"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, _ := readAll("text/event-stream", tt.body)
			if got := string(a.reply().Extra.Members); got != tt.members {
				t.Errorf("members are\n%s, want\n%s", got, tt.members)
			}
		})
	}
}

func TestAnswer_ExtraOfCalls(t *testing.T) {
	a, _ := readAll("text/event-stream", stream(
		delta(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}","provider":{"s":"1"}},"extra_content":{"google":{"thought_signature":"x"}}}`),
		delta(`{"index":1,"id":"b","function":{"name":"f","arguments":"{"}}`), delta(`{"index":1,"function":{"arguments":"}"},"more":[2]}`), stop))
	var got []string
	for _, c := range a.reply().Calls {
		got = append(got, string(c.Extra.Members))
	}
	want := []string{`{"extra_content":{"google":{"thought_signature":"x"}},"function":{"provider":{"s":"1"}}}`, `{"more":[2]}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("members of the calls (-want +got):\n%s", diff)
	}
}

// A part of what an endpoint gave is worth nothing to it.
func TestAnswer_ExtraIsBounded(t *testing.T) {
	text := func(n int) string { return said(`"r":"` + strings.Repeat("x", n) + `"`) }
	for _, tt := range []struct {
		name, body string
		whole      bool
	}{
		{"as much as may be", stream(text(maxExtraBytes/2), text(maxExtraBytes/2-8), said(`"content":"hi"`)), true},
		{"more", stream(text(maxExtraBytes/2), text(maxExtraBytes/2), text(8), said(`"content":"hi"`)), false},
		{"labels told with each of many pieces", stream(strings.Repeat(said(`"l":[{"index":0,"format":"anthropic-claude-v1","text":"x"}]`)+"\n\ndata: ", 20000) + said(`"n":1`)), true},
		{"many parts", stream(said(`"l":[` + strings.Repeat("1,", maxExtraValues) + `1]`)), false},
	} {
		a, _ := readAll("text/event-stream", tt.body)
		r := a.reply()
		if got := r.Extra.Members != nil; got != tt.whole || r.LeftOut == tt.whole {
			t.Errorf("%s: kept is %t, left out %t, want %t", tt.name, got, r.LeftOut, tt.whole)
		}
	}
}

// The items of a response go back in their places.
func TestResponses_ExtraInPlace(t *testing.T) {
	thought := func(n int) string {
		return fmt.Sprintf(`{"type":"reasoning","id":"rs_%d","summary":[],"content":null,"encrypted_content":"e%d=="}`, n, n)
	}
	call := func(n int) string {
		return fmt.Sprintf(`{"type":"function_call","id":"fc_%d","status":"completed","call_id":"c%d","name":"f","arguments":"{}","seal":%d}`, n, n, n)
	}
	const message = `{"type":"message","id":"msg_1","status":"completed","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"hi"}]}`
	output := []string{thought(1), message, thought(2), call(2), call(3), thought(4), thought(5), call(5)}
	var events []string
	for i, item := range output {
		for _, event := range []string{"added", "done"} {
			events = append(events, fmt.Sprintf(`{"type":"response.output_item.%s","output_index":%d,"item":%s}`, event, i, item))
		}
		if item == message {
			events = append(events, `{"type":"response.output_text.delta","delta":"hi"}`)
		}
	}
	calls := slices.DeleteFunc(slices.Clone(events), func(e string) bool { return !strings.Contains(e, "function_call") })
	whole := `{"status":"completed","output":[` + strings.Join(output, ",") + `]}`
	for name, body := range map[string]string{
		"in pieces":                            stream(append(events, `{"type":"response.completed","response":{}}`)...),
		"in pieces and whole":                  stream(append(events, `{"type":"response.completed","response":`+whole+`}`)...),
		"in the end":                           stream(`{"type":"response.completed","response":` + whole + `}`),
		"calls in pieces, the rest in the end": stream(append(calls, `{"type":"response.completed","response":`+whole+`}`)...),
	} {
		t.Run(name, func(t *testing.T) {
			a, failure := readBy(APIResponses, "text/event-stream", body)
			if failure != nil {
				t.Fatal(failure)
			}
			r := a.reply()
			got := responsesMessage(&chat.Message{Role: chat.RoleAssistant, Content: r.Text, ToolCalls: r.Calls, Extra: r.Extra})
			sent := func(n int) string {
				return fmt.Sprintf(`{"arguments":"{}","call_id":"c%d","name":"f","seal":%d,"type":"function_call"}`, n, n)
			}
			want := strings.Join([]string{thought(1), `{"content":"hi","phase":"commentary","role":"assistant","type":"message"}`,
				thought(2), sent(2), sent(3), thought(4), thought(5), sent(5)}, ",")
			if string(got) != want {
				t.Errorf("items are\n%s, want\n%s", got, want)
			}
		})
	}
}

func TestChatMessage_Extra(t *testing.T) {
	m := &chat.Message{
		Role: chat.RoleAssistant, Extra: chat.Extra{Members: json.RawMessage(`{"reasoning_content":"<so>"}`)},
		ToolCalls: []chat.ToolCall{
			{ID: "a", Name: "f", Extra: chat.Extra{Members: json.RawMessage(`{"function":{"more":1},"extra_content":{"s":"<x>"}}`)}},
			{ID: "b", Name: "f"},
		},
	}
	got := chatMessage(m)
	want := `{"reasoning_content":"<so>","role":"assistant","tool_calls":[{"extra_content":{"s":"<x>"},"function":{"arguments":"{}","more":1,"name":"f"},"id":"a","type":"function"},` +
		`{"function":{"arguments":"{}","name":"f"},"id":"b","type":"function"}]}`
	if string(got) != want {
		t.Errorf("message is\n%s, want\n%s", got, want)
	}
}

func TestAnswer_LegacyCall(t *testing.T) {
	a, failure := readAll("text/event-stream", stream(
		said(`"function_call":{"name":"look","arguments":""}`), said(`"function_call":{"arguments":"{\"at\""}`), said(`"function_call":{"arguments":":1}"}`),
		`{"choices":[{"delta":{},"finish_reason":"function_call"}]}`))
	if failure != nil {
		t.Fatal(failure)
	}
	want := []chat.ToolCall{{Name: "look", Arguments: `{"at":1}`}}
	if diff := cmp.Diff(want, a.reply().Calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// A member that holds no call is none, whichever way it is spelt; a call in both
// spellings is one.
func TestAnswer_SpellingsOfACall(t *testing.T) {
	const text = `"content":"hel",`
	for _, none := range []string{
		`"function_call":null`, `"function_call":{}`, `"function_call":{"name":null,"arguments":null}`, `"function_call":{"name":"","arguments":""}`,
		`"tool_calls":null`, `"tool_calls":[]`, `"tool_calls":[null]`, `"tool_calls":[{}]`,
		`"tool_calls":[{"index":0,"id":"","type":"function","function":{"name":"","arguments":""}}]`,
	} {
		a, failure := readAll("text/event-stream", stream(said(text+none), `{"choices":[{"delta":{`+none+`,"content":"lo"},"message":{`+none+`},"finish_reason":"stop"}]}`))
		if r := a.reply(); failure != nil || r.Text != "hello" || len(r.Calls) != 0 {
			t.Errorf("%s beside a text: reply is %+v, %v, want the text alone", none, r, failure)
		}
	}
	look, at := chat.ToolCall{ID: "a", Name: "look", Arguments: `{"at":1}`}, `"function_call":{"name":"look","arguments":"{\"at\":1}"}`
	const native = `"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\"at\":1}"}}]`
	for _, tt := range []struct {
		name   string
		pieces []string
		want   []chat.ToolCall
	}{
		{"in one message", []string{said(native + "," + at)}, []chat.ToolCall{look}},
		{"one behind the other", []string{said(at), said(native)}, []chat.ToolCall{look}},
		{"in pieces", []string{
			said(`"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\"at\""}}],"function_call":{"name":"look","arguments":"{\"at\""}`),
			said(`"tool_calls":[{"index":0,"function":{"arguments":":1}"}}],"function_call":{"arguments":": 1}"}`),
		}, []chat.ToolCall{look}},
		{"an empty member before the message", []string{
			said(`"tool_calls":[{}],"function_call":{}`), `{"choices":[{"message":{` + native + `}}]}`,
		}, []chat.ToolCall{look}},
		{"the old one with each piece", []string{said(at), said(at)}, []chat.ToolCall{{Name: "look", Arguments: look.Arguments}}},
		{"of two calls", []string{said(native + `,"function_call":{"name":"look","arguments":"{}"}`)},
			[]chat.ToolCall{look, {Name: "look", Arguments: "{}"}}},
	} {
		a, failure := readAll("text/event-stream", stream(append(tt.pieces, stop)...))
		if diff := cmp.Diff(tt.want, a.reply().Calls); diff != "" || failure != nil {
			t.Errorf("%s: %v, calls (-want +got):\n%s", tt.name, failure, diff)
		}
	}
}
