package provider

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// readAll takes chunks in as one answer.
func readAll(contentType, body string) (*answer, *chat.Failure) {
	return readBy(APIChat, contentType, body)
}

// readBy is readAll for an API.
func readBy(api API, contentType, body string) (*answer, *chat.Failure) {
	a := newAnswer(api.dialect(), nil)
	failure := a.read(&http.Response{
		Header: http.Header{"Content-Type": {contentType}},
		Body:   io.NopCloser(strings.NewReader(body)),
	})
	if failure == nil {
		failure = a.check(false)
	}
	return a, failure
}

func stream(chunks ...string) string {
	return "data: " + strings.Join(chunks, "\n\ndata: ") + "\n\ndata: [DONE]\n\n"
}

// delta is a chunk with one piece of a tool call.
func delta(call string) string { return `{"choices":[{"delta":{"tool_calls":[` + call + `]}}]}` }

const stop = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`

// Arguments that may be those of several calls make the answer none.
func TestAnswer_ArgumentsOfNobody(t *testing.T) {
	for name, pieces := range map[string][]string{
		"two calls without": {
			delta(`{"index":0,"id":"a","function":{"name":"f"}}`), delta(`{"index":1,"id":"b","function":{"name":"g"}}`),
			delta(`{"index":2,"function":{"arguments":"{}"}}`),
		},
		"before the call": {delta(`{"index":1,"function":{"arguments":"{\"x\":1}"}}`), delta(`{"index":0,"id":"a","function":{"name":"f"}}`)},
	} {
		_, failure := readAll("text/event-stream", stream(append(pieces, stop)...))
		if failure == nil || failure.Kind != chat.FailIncomplete || !failure.Retryable {
			t.Errorf("%s: failure = %+v, want an incomplete answer, asked for again", name, failure)
		}
	}
}

func TestAnswer_ToolCallPieces(t *testing.T) {
	a, b := chat.ToolCall{ID: "a", Name: "f", Arguments: `{"x":1}`}, chat.ToolCall{ID: "b", Name: "g", Arguments: `{}`}
	tests := []struct {
		name   string
		pieces []string
		want   []chat.ToolCall
	}{
		{"by index, interleaved", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`,
			`{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}`,
			`{"index":0,"function":{"arguments":"{\"x\":"}}`,
			`{"index":1,"function":{"arguments":"}"}}`,
			`{"index":0,"function":{"arguments":"1}"}}`,
		}, []chat.ToolCall{a, b}},
		{"whole calls in one chunk", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}},{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}`,
		}, []chat.ToolCall{a, b}},
		{"no index, whole calls", []string{
			`{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}`,
			`{"id":"b","function":{"name":"g","arguments":"{}"}}`,
		}, []chat.ToolCall{a, b}},
		{"no index, pieces", []string{
			`{"id":"a","function":{"name":"f","arguments":"{\"x\""}}`,
			`{"function":{"arguments":":1}"}}`,
			`{"id":"b","function":{"name":"g"}}`,
			`{"id":"b","function":{"arguments":"{}"}}`,
		}, []chat.ToolCall{a, b}},
		{"index 0 for every call", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}`,
			`{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}`,
		}, []chat.ToolCall{a, b}},
		{"index 0 for every call, no ids", []string{
			`{"index":0,"function":{"name":"f","arguments":"{\"x\":1}"}}`,
			`{"index":0,"function":{"name":"g","arguments":"{}"}}`,
		}, []chat.ToolCall{{Name: "f", Arguments: `{"x":1}`}, {Name: "g", Arguments: "{}"}}},
		{"index 0 for every call, no ids, arguments that are no JSON", []string{
			`{"index":0,"function":{"name":"f","arguments":"{x: 1}"}}`,
			`{"index":0,"function":{"name":"g","arguments":"{}"}}`,
		}, []chat.ToolCall{{Name: "f", Arguments: `{x: 1}`}, {Name: "g", Arguments: "{}"}}},
		{"name and id in every piece", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}`,
			`{"index":0,"id":"a","function":{"name":"f","arguments":":1}"}}`,
			`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`,
		}, []chat.ToolCall{a}},
		{"no index, no id", []string{
			`{"function":{"name":"f","arguments":"{\"x\":"}}`, `{"function":{"arguments":"1}"}}`,
			`{"function":{"name":"g"}}`, `{"function":{"arguments":"{}"}}`,
		}, []chat.ToolCall{{Name: "f", Arguments: `{"x":1}`}, {Name: "g", Arguments: "{}"}}},
		{"name in every piece, no ids", []string{
			`{"index":0,"function":{"name":"f","arguments":"{\"x\""}}`,
			`{"index":0,"function":{"name":"f","arguments":":1}"}}`,
			`{"index":0,"function":{"name":"f","arguments":""}}`,
		}, []chat.ToolCall{{Name: "f", Arguments: `{"x":1}`}}},
		{"name in pieces", []string{
			`{"index":0,"id":"a","function":{"name":"look"}}`, `{"index":0,"function":{"name":"_"}}`,
			`{"index":0,"function":{"name":"up","arguments":""}}`, `{"index":0,"function":{"name":"look_up","arguments":"{}"}}`,
		}, []chat.ToolCall{{ID: "a", Name: "look_up", Arguments: "{}"}}},
		{"name that grows", []string{
			`{"index":0,"id":"a","function":{"name":"look"}}`, `{"index":0,"function":{"name":"look_up"}}`, `{"index":0,"function":{"name":"look_up","arguments":"{}"}}`,
		}, []chat.ToolCall{{ID: "a", Name: "look_up", Arguments: "{}"}}},
		{"name after the arguments", []string{
			`{"index":0,"id":"a","function":{"arguments":"{\"x\":"}}`, `{"index":0,"function":{"name":"f","arguments":"1}"}}`, `{"index":0,"function":{"name":"g"}}`,
		}, []chat.ToolCall{a}},
		{"brackets in text, no ids", []string{
			`{"index":0,"function":{"name":"f","arguments":"{\"x\":\"}\\\\\\\""}}`,
			`{"index":0,"function":{"name":"f","arguments":"{[\"}"}}`,
			`{"index":0,"function":{"name":"f","arguments":"{}"}}`,
		}, []chat.ToolCall{{Name: "f", Arguments: `{"x":"}\\\"{["}`}, {Name: "f", Arguments: "{}"}}},
		{"an index beside an id without", []string{
			`{"id":"a","function":{"name":"f","arguments":"{\"x\""}}`, `{"index":0,"id":"a","function":{"arguments":":1}"}}`,
			`{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}`, `{"id":"b","function":{"arguments":"}"}}`,
		}, []chat.ToolCall{a, b}},
		{"one id under two indices", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}`, `{"index":1,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}`,
		}, []chat.ToolCall{a, a}},
		{"arguments at another index", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`,
			`{"index":1,"function":{"arguments":"{\"x\":"}}`, `{"index":1,"function":{"arguments":"1}"}}`,
			`{"index":1,"id":"b","function":{"name":"g","arguments":""}}`, `{"index":2,"function":{"arguments":"{}"}}`,
		}, []chat.ToolCall{a, b}},
		{"arguments at the index of a whole call", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}`, `{"index":1,"id":"b","function":{"name":"g"}}`,
			`{"index":0,"function":{"arguments":"{"}}`, `{"index":0,"function":{"arguments":"}"}}`,
		}, []chat.ToolCall{a, b}},
		{"arguments at another index, with the id", []string{
			`{"index":0,"id":"a","function":{"name":"f"}}`, `{"index":1,"id":"b","function":{"name":"g"}}`,
			`{"index":2,"id":"a","function":{"arguments":"{\"x\":1}"}}`, `{"index":1,"function":{"arguments":"{}"}}`,
		}, []chat.ToolCall{a, b}},
		{"arguments at another index, an empty object before them", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`, `{"index":1,"function":{"arguments":"{\"x\":1}"}}`,
		}, []chat.ToolCall{{ID: "a", Name: "f", Arguments: `{}{"x":1}`}}},
		{"indices of any size", []string{
			`{"index":-1,"id":"a","function":{"name":"f","arguments":"{\"x\""}}`, `{"index":9007199254740993,"id":"b","function":{"name":"g","arguments":"{}"}}`,
			`{"index":-1,"function":{"arguments":":1}"}}`,
		}, []chat.ToolCall{a, b}},
		{"arguments as an object", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":{"x" : 1}}}`,
		}, []chat.ToolCall{a}},
		{"arguments that are no object", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":["x"]}}`, `{"index":1,"id":"b","function":{"name":"g","arguments":5}}`,
		}, []chat.ToolCall{{ID: "a", Name: "f", Arguments: `["x"]`}, {ID: "b", Name: "g", Arguments: "5"}}},
		{"cut inside a surrogate pair", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\"\ud83d"}}`, `{"index":0,"function":{"arguments":"\ude00\"}"}}`,
		}, []chat.ToolCall{{ID: "a", Name: "f", Arguments: `{"x":"😀"}`}}},
		{"cut inside a character, at each byte", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\"é` + "\xf0" + `"}}`, `{"index":0,"function":{"arguments":"` + "\x9f" + `"}}`,
			`{"index":0,"function":{"arguments":"` + "\x98" + `"}}`, `{"index":0,"function":{"arguments":"` + "\x80" + `\"}"}}`,
		}, []chat.ToolCall{{ID: "a", Name: "f", Arguments: `{"x":"é😀"}`}}},
		{"half a character, and no other half", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\"\ud83d"}}`, `{"index":0,"function":{"arguments":"\"}"}}`,
			`{"index":1,"id":"b","function":{"name":"g","arguments":"{\ud83d"}}`,
		}, []chat.ToolCall{{ID: "a", Name: "f", Arguments: "{\"x\":\"\ufffd\"}"}, {ID: "b", Name: "g", Arguments: "{\ufffd"}}},
		{"null arguments", []string{
			`{"index":7,"id":"a","function":{"name":"f","arguments":null}}`,
		}, []chat.ToolCall{{ID: "a", Name: "f"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var chunks []string
			for _, p := range tt.pieces {
				chunks = append(chunks, delta(p))
			}
			got, failure := readAll("text/event-stream", stream(append(chunks, stop)...))
			if failure != nil {
				t.Fatal(failure)
			}
			if diff := cmp.Diff(tt.want, got.reply().Calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

// An endless name does not grow by pieces, one that comes whole is kept for the
// agent to judge.
func TestAnswer_NamesAreBounded(t *testing.T) {
	var pieces []string
	for i := range 100 {
		pieces = append(pieces, delta(fmt.Sprintf(`{"index":0,"function":{"name":"%d-name"}}`, i)))
	}
	got, failure := readAll("text/event-stream", stream(append(pieces, stop)...))
	if failure != nil || len(got.reply().Calls) != 1 {
		t.Fatalf("reply is %+v, %v, want one call", got.reply(), failure)
	}
	if n := len(got.reply().Calls[0].Name); n > maxNamePieces || n < maxNamePieces-10 {
		t.Errorf("name has %d bytes, want at most %d", n, maxNamePieces)
	}
	long := strings.Repeat("x", 1000)
	got, _ = readAll("text/event-stream", stream(delta(`{"index":0,"function":{"name":"`+long+`"}}`), stop))
	if name := got.reply().Calls[0].Name; name != long {
		t.Errorf("name has %d bytes, want the %d that came", len(name), len(long))
	}
}

func TestAnswer_MoreCallsThanAnybodyMeans(t *testing.T) {
	for api, spell := range map[API]func(i int) string{
		APIChat: func(i int) string {
			return delta(fmt.Sprintf(`{"index":%d,"id":"c%d","function":{"name":"f","arguments":"{}"}}`, i, i))
		},
		APIResponses: func(i int) string { return item("done", fmt.Sprintf(`,"output_index":%d`, i), `"name":"f"`) },
	} {
		var events []string
		for i := range maxCalls + 1 {
			events = append(events, spell(i))
		}
		end := map[API]string{APIChat: stop, APIResponses: completed}[api]
		a, f := readBy(api, "text/event-stream", stream(append(slices.Clone(events[:maxCalls]), end)...))
		if f != nil || len(a.calls) != maxCalls {
			t.Errorf("%s: %d calls are %d, failure %v, want all", api, maxCalls, len(a.calls), f)
		}
		_, f = readBy(api, "text/event-stream", stream(append(events, end)...))
		if f == nil || f.Kind != chat.FailPayloadTooLarge || f.Retryable {
			t.Errorf("%s: %d calls: failure is %v, want payload_too_large, not retryable", api, maxCalls+1, f)
		}
	}
}

func TestAnswer_Shapes(t *testing.T) {
	five := int64(5)
	tests := []struct {
		name, contentType, body string
		want                    chat.Reply
	}{
		{"usage in a chunk without choices", "text/event-stream; charset=utf-8", stream(
			`{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}`,
			`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":null,"total_tokens":1.5,"prompt_tokens_details":{"cached_tokens":-3}}}`,
		), chat.Reply{Text: "hi", FinishReason: "stop", Usage: chat.Usage{Input: &five}}},
		{"usage that nobody can have", "text/event-stream", stream(
			`{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9223372036854775807,"completion_tokens":1099511627777}}`,
		), chat.Reply{Text: "hi", FinishReason: "stop"}},
		{"null members", "text/event-stream", stream(
			`{"error":null,"usage":null,"choices":[{"delta":{"role":"assistant","content":null,"tool_calls":null},"finish_reason":null}]}`,
			`{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}`,
		), chat.Reply{Text: "hi", FinishReason: "stop"}},
		{"content as parts", "text/event-stream", stream(
			`{"choices":[{"delta":{"content":[{"type":"text","text":"h"},{"type":"text","text":"i"}]},"finish_reason":"stop"}]}`,
		), chat.Reply{Text: "hi", FinishReason: "stop"}},
		{"no content type, CRLF, comments", "", ": ping\r\n\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\r\n\r\n",
			chat.Reply{Text: "hi", FinishReason: "stop"}},
		{"byte order mark", "text/event-stream", "\ufeff" + stream(
			`{"choices":[{"delta":{"content":"h"}}]}`, `{"choices":[{"delta":{"content":"i"},"finish_reason":"stop"}]}`,
		), chat.Reply{Text: "hi", FinishReason: "stop"}},
		{"empty events", "text/event-stream", "data:\n\ndata: \n\n" + stream(`{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}`),
			chat.Reply{Text: "hi", FinishReason: "stop"}},
		{"other choices", "text/event-stream", stream(
			`{"choices":[{"index":1,"delta":{"content":"B"},"finish_reason":"length"},{"index":0,"delta":{"content":"h"}}]}`,
			`{"choices":[{"index":1,"delta":{"content":"B"}}]}`, `{"choices":[{"index":0,"delta":{"content":"i"},"finish_reason":"stop"}]}`,
			`{"choices":[{"index":1,"delta":{},"finish_reason":"length"}]}`,
		), chat.Reply{Text: "hi", FinishReason: "stop"}},
		{"the whole message after its deltas", "text/event-stream", stream(
			`{"choices":[{"delta":{"content":"h"}}]}`, `{"choices":[{"delta":{"content":"i"}}]}`,
			`{"choices":[{"delta":{},"message":{"content":"hi","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
			`{"choices":[{"delta":{"tool_calls":[]},"message":{"content":"hi"},"finish_reason":"tool_calls"}]}`,
		), chat.Reply{Text: "hi", FinishReason: "tool_calls", Calls: []chat.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}}},
		{"the whole message after the calls", "text/event-stream", stream(
			delta(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`),
			`{"choices":[{"message":{"content":"hi","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
		), chat.Reply{Text: "hi", FinishReason: "tool_calls", Calls: []chat.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}}},
		{"text cut inside characters", "text/event-stream", stream(
			`{"choices":[{"delta":{"content":"\ud83d"}}]}`, `{"choices":[{"delta":{"content":"\ude00`+"\xc3"+`"}}]}`,
			`{"choices":[{"delta":{"content":"`+"\xa9"+` \ufffd"},"finish_reason":"stop"}]}`,
		), chat.Reply{Text: "😀é \ufffd", FinishReason: "stop"}},
		{"not streamed", "application/json; charset=utf-8",
			`{"choices":[{"message":{"content":"hi","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
			chat.Reply{Text: "hi", FinishReason: "tool_calls", Calls: []chat.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, failure := readAll(tt.contentType, tt.body)
			if failure != nil {
				t.Fatal(failure)
			}
			if diff := cmp.Diff(tt.want, got.reply()); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzAnswer checks that any body is a reply with a finish reason, or a
// failure, and that its texts are the sum of its deltas.
func FuzzAnswer(f *testing.F) {
	f.Add("text/event-stream", stream(delta(`{"index":0,"id":"a","function":{"name":"f","arguments":{"x":1}}}`), stop))
	f.Add("text/event-stream", stream(`{"choices":[{"delta":{"content":["x"]}}]}`, `{"error":{"code":"429"}}`))
	f.Add("application/json", `{"choices":[{"message":{"content":"hi"},"finish_reason":"length"}],"usage":{"total_tokens":1e9}}`)
	f.Add("text/html", "<html>")
	f.Add("text/event-stream", stream(`{"choices":[{"delta":{"r":[{"index":1,"a":"\\ud83d"},{"index":1,"a":"\\ude00","b":null}], "o" : {"p":[]}}}]}`, stop))
	fuzzAnswers(f, chatDialect())
}

// fuzzAnswers checks that any body is a reply with a finish reason, or a
// failure, and that the text of either is the sum of its deltas.
func fuzzAnswers(f *testing.F, api *dialect) {
	f.Fuzz(func(t *testing.T, contentType, body string) {
		var deltas strings.Builder
		a := newAnswer(api, func(s string) { deltas.WriteString(s) })
		failure := a.read(&http.Response{
			Header: http.Header{"Content-Type": {contentType}},
			Body:   io.NopCloser(strings.NewReader(body)),
		})
		if failure == nil {
			failure = a.check(false)
		}
		reply := a.reply()
		if failure == nil && reply.FinishReason == "" {
			t.Errorf("read(%q): reply without a finish reason", body)
		}
		if reply.Text != deltas.String() {
			t.Errorf("read(%q): text is %q, want the deltas %q", body, reply.Text, deltas.String())
		}
		for _, c := range append(reply.Calls, chat.ToolCall{Extra: reply.Extra}) {
			for _, extra := range []json.RawMessage{c.Extra.Members, c.Extra.Before} {
				if extra != nil && !(json.Valid(extra) && utf8.Valid(extra)) {
					t.Errorf("read(%q): %q is no JSON", body, extra)
				}
			}
		}
	})
}

// A model that saw results may have nothing to add, in whichever way it made
// the calls.
func TestAfterTool_ResultsOfBothKinds(t *testing.T) {
	for _, tt := range []struct {
		last chat.Message
		want bool
	}{
		{chat.Message{Role: chat.RoleTool}, true}, {chat.Message{Role: chat.RoleUser, ToolResult: true}, true},
		{chat.Message{Role: chat.RoleUser}, false}, {chat.Message{Role: chat.RoleAssistant}, false},
	} {
		if got := afterTool([]*chat.Message{{Role: chat.RoleTool}, &tt.last}); got != tt.want {
			t.Errorf("afterTool with %+v last = %v, want %v", tt.last, got, tt.want)
		}
	}
	if afterTool(nil) {
		t.Error("afterTool of nothing = true, want false")
	}
}
