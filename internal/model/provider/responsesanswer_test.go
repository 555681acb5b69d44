package provider

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

const completed = `{"type":"response.completed","response":{"status":"completed","output":[]}}`

// item is an event about a call; members go into its item.
func item(event, place, members string) string {
	return `{"type":"response.output_item.` + event + `"` + place + `,"item":{"type":"function_call",` + members + `}}`
}

func piece(place, text string) string {
	return `{"type":"response.function_call_arguments.delta"` + place + `,"delta":"` + text + `"}`
}

func TestResponses_ToolCallPieces(t *testing.T) {
	a, b := chat.ToolCall{ID: "a", Name: "f", Arguments: `{"x":1}`}, chat.ToolCall{ID: "b", Name: "g", Arguments: `{}`}
	const first, second = `,"output_index":1`, `,"output_index":2`
	tests := []struct {
		name   string
		events []string
	}{
		{"pieces, interleaved", []string{
			item("added", first, `"id":"i","call_id":"a","name":"f","arguments":""`),
			item("added", second, `"id":"j","call_id":"b","name":"g","arguments":""`),
			piece(first+`,"item_id":"i"`, `{\"x\":`), piece(second+`,"item_id":"j"`, `{}`), piece(first+`,"item_id":"i"`, `1}`),
		}},
		{"pieces before and behind their items", []string{
			piece(first+`,"item_id":"i"`, `{\"x\":`), item("added", first, `"id":"i","call_id":"a","name":"f","arguments":""`), piece(first+`,"item_id":"i"`, `1}`),
			item("done", second, `"id":"j","call_id":"b","name":"g","arguments":"{}"`), piece(second+`,"item_id":"j"`, `{}`),
		}},
		{"an item told of twice", []string{
			item("added", first, `"id":"i","call_id":"a","name":"f","arguments":""`), item("added", first, `"id":"i","call_id":"a","name":"f","arguments":""`),
			piece(first+`,"item_id":"i"`, `{\"x\":1}`), item("done", second, `"id":"j","call_id":"b","name":"g","arguments":"{}"`),
		}},
		{"pieces and then the whole", []string{
			item("added", first, `"id":"i","call_id":"a","name":"f"`), piece(first, `{\"x\"`), piece(first, `:1}`),
			`{"type":"response.function_call_arguments.done"` + first + `,"arguments":"{\"x\":1}"}`,
			item("done", first, `"id":"i","call_id":"a","name":"f","arguments":"{\"x\":1}"`),
			item("added", second, `"id":"j","call_id":"b","name":"g"`),
			item("done", second, `"id":"j","call_id":"b","name":"g","arguments":"{}"`),
		}},
		{"whole items alone", []string{
			item("done", first, `"call_id":"a","name":"f","arguments":"{\"x\":1}"`),
			item("done", second, `"call_id":"b","name":"g","arguments":{}`),
		}},
		{"places by item id", []string{
			item("added", "", `"id":"i","call_id":"a","name":"f"`), item("added", "", `"id":"j","call_id":"b","name":"g"`),
			piece(`,"item_id":"j"`, `{}`), piece(`,"item_id":"i"`, `{\"x\":1}`),
		}},
		{"the same place for every item", []string{
			item("added", first, `"id":"i","call_id":"a","name":"f"`), piece(first, `{\"x\":1}`),
			item("done", first, `"id":"i","call_id":"a","name":"f","arguments":"{\"x\":1}"`),
			item("done", first, `"id":"j","call_id":"b","name":"g","arguments":"{}"`),
		}},
		{"the same place for every item, in pieces alone", []string{
			item("added", first, `"id":"i","call_id":"a","name":"f"`), piece(first, `{\"x\":1}`),
			item("added", first, `"id":"j","call_id":"b","name":"g"`), piece(first, `{}`),
		}},
		{"a piece of arguments after its item", []string{
			item("done", first, `"call_id":"a","name":"f","arguments":"{\"x\":1}"`),
			`{"type":"response.function_call_arguments.done"` + first + `,"arguments":"{\"x\":1}"}`,
			item("done", second, `"call_id":"b","name":"g","arguments":"{}"`),
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, failure := readBy(APIResponses, "text/event-stream", stream(append(tt.events, completed)...))
			if failure != nil {
				t.Fatal(failure)
			}
			if diff := cmp.Diff(chat.Reply{Calls: []chat.ToolCall{a, b}, FinishReason: "tool_calls"}, got.reply()); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

func TestResponses_Shapes(t *testing.T) {
	five := int64(5)
	const message = `{"type":"message","content":[{"type":"output_text","text":"h"},{"type":"output_text","text":"i"}]}`
	tests := []struct {
		name, contentType, body string
		want                    chat.Reply
	}{
		{"usage", "text/event-stream", stream(`{"type":"response.output_text.delta","delta":"hi"}`,
			`{"type":"response.completed","response":{"usage":{"input_tokens":5,"output_tokens":null,"input_tokens_details":{"cached_tokens":5}}}}`,
		), chat.Reply{Text: "hi", FinishReason: "stop", Usage: chat.Usage{Input: &five, CachedInput: &five}}},
		{"text in the end alone", "text/event-stream", stream(
			`{"type":"response.completed","response":{"status":"completed","output":[{"type":"reasoning","content":null},` + message + `]}}`,
		), chat.Reply{Text: "hi", FinishReason: "stop", Extra: chat.Extra{Before: json.RawMessage(`[{"type":"reasoning","content":null}]`)}}},
		{"text in pieces and in the end", "text/event-stream", stream(
			`{"type":"response.output_text.delta","delta":"h"}`, `{"type":"response.output_text.delta","delta":"i"}`,
			`{"type":"response.output_text.done","text":"hi"}`, `{"type":"response.output_item.done","item":`+message+`}`,
			`{"type":"response.completed","response":{"output":[`+message+`]}}`,
		), chat.Reply{Text: "hi", FinishReason: "stop"}},
		{"thoughts and tools of the provider", "text/event-stream", stream(
			`{"type":"response.reasoning_summary_text.delta","delta":"hm"}`, `{"type":"response.reasoning_text.delta","delta":"hm"}`,
			`{"type":"response.output_item.done","item":{"type":"web_search_call","id":"w","content":"x"}}`,
			`{"type":"response.output_text.delta","delta":"hi"}`, completed,
		), chat.Reply{Text: "hi", FinishReason: "stop"}},
		{"calls in the end alone", "text/event-stream", stream(`{"type":"response.output_text.delta","delta":"hi"}`,
			`{"type":"response.completed","response":{"output":[`+message+`,{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}]}}`,
		), chat.Reply{Text: "hi", FinishReason: "tool_calls", Calls: []chat.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}}},
		{"not streamed", "application/json",
			`{"object":"response","status":"completed","error":null,"output":[` + message + `,{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}]}`,
			chat.Reply{Text: "hi", FinishReason: "tool_calls", Calls: []chat.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}}},
		{"cut by its limit", "text/event-stream", stream(`{"type":"response.output_text.delta","delta":"hi"}`,
			`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`,
		), chat.Reply{Text: "hi", FinishReason: "length"}},
		{"cut by its limit, called completed", "text/event-stream", stream(`{"type":"response.output_text.delta","delta":"hi"}`,
			`{"type":"response.completed","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`,
		), chat.Reply{Text: "hi", FinishReason: "length"}},
		{"nothing is read after the end", "text/event-stream", stream(`{"type":"response.output_text.delta","delta":"hi"}`,
			completed, `{"type":"response.output_text.delta","delta":"more"}`, "no JSON",
		), chat.Reply{Text: "hi", FinishReason: "stop"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, failure := readBy(APIResponses, tt.contentType, tt.body)
			if failure != nil {
				t.Fatal(failure)
			}
			if diff := cmp.Diff(tt.want, got.reply()); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

func TestResponses_Failures(t *testing.T) {
	const text = `{"type":"response.output_text.delta","delta":"hi"}`
	failed := func(err string) string {
		return `{"type":"response.failed","response":{"status":"failed","error":` + err + `}}`
	}
	tests := []struct {
		name      string
		events    []string
		kind      chat.FailureKind
		status    int
		retryable bool
	}{
		{"rate limit", []string{text, failed(`{"code":"rate_limit_exceeded","message":"SECRET"}`)}, chat.FailRateLimit, 0, true},
		{"server", []string{failed(`{"code":"server_error"}`)}, chat.FailServer, 0, true},
		{"overloaded", []string{failed(`{"code":"server_is_overloaded"}`)}, chat.FailServer, 0, true},
		{"a prompt that is not taken", []string{text, failed(`{"code":"invalid_prompt","message":"SECRET"}`)}, chat.FailClient, 0, false},
		{"too long", []string{failed(`{"code":"context_length_exceeded"}`)}, chat.FailPayloadTooLarge, 0, false},
		{"failed without a word", []string{text, failed("null")}, chat.FailServer, 0, true},
		{"failed without a response", []string{`{"type":"response.failed"}`}, chat.FailServer, 0, true},
		{"failed, called completed", []string{text,
			`{"type":"response.completed","response":{"status":"failed","error":{"code":"rate_limit_exceeded"}}}`}, chat.FailRateLimit, 0, true},
		{"error event", []string{text, `{"type":"error","code":"rate_limit_exceeded","message":"SECRET","param":null}`}, chat.FailRateLimit, 0, true},
		{"error event, code unknown", []string{`{"type":"error","code":"no_such_thing","message":"SECRET"}`}, chat.FailClient, 0, false},
		{"error event without code", []string{`{"type":"error","code":null,"message":"SECRET"}`}, chat.FailServer, 0, true},
		{"error event with the error in it", []string{
			`{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"SECRET"}}`}, chat.FailPayloadTooLarge, 0, false},
		{"error event, by type alone", []string{`{"type":"error","error":{"type":"server_error","code":null}}`}, chat.FailServer, 0, true},
		{"error event, by a type that tells more", []string{`{"type":"error","error":{"type":"slow_down","code":null}}`}, chat.FailRateLimit, 0, true},
		{"error with a status", []string{`{"error":{"code":503}}`}, chat.FailServer, 503, true},
		{"error with a status in text", []string{`{"type":"error","code":"429"}`}, chat.FailRateLimit, 429, true},
		{"content filter", []string{text,
			`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}`}, chat.FailRefused, 0, false},
		{"incomplete for a reason of its own", []string{text,
			`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"SECRET"}}}`}, chat.FailIncomplete, 0, true},
		{"incomplete without a reason", []string{text, `{"type":"response.incomplete","response":{}}`}, chat.FailIncomplete, 0, true},
		{"no terminal event", []string{text, `{"type":"response.output_item.done","item":{"type":"message"}}`}, chat.FailIncomplete, 0, true},
		{"refusal in the end alone", []string{
			`{"type":"response.completed","response":{"output":[{"type":"message","content":[{"type":"refusal","refusal":"no"}]}]}}`,
		}, chat.FailRefused, 0, false},
		{"chunks of the other API", []string{stop}, chat.FailIncomplete, 0, true},
		{"no JSON", []string{"{"}, chat.FailParse, 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, f := readBy(APIResponses, "text/event-stream", stream(tt.events...))
			if f == nil || f.Kind != tt.kind || f.Status != tt.status || f.Retryable != tt.retryable {
				t.Fatalf("failure is %+v, want %s, status %d, retryable %t", f, tt.kind, tt.status, tt.retryable)
			}
			if f.Message == "" || strings.Contains(f.Message, "SECRET") {
				t.Errorf("message is %q, want words of our own", f.Message)
			}
		})
	}
}

func TestResponses_EndedEarly(t *testing.T) {
	_, f := readBy(APIResponses, "text/event-stream", stream(`{"type":"response.output_text.delta","delta":"hi"}`,
		`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"of_its_own"}}}`))
	if want := "the provider ended the answer early"; f == nil || f.Message != want {
		t.Errorf("failure is %+v, want %q", f, want)
	}
}

// What an error inside a chat completion is called counts too; a name that
// nobody knows may pass there.
func TestAnswer_NamedErrors(t *testing.T) {
	for body, want := range map[string]chat.FailureKind{
		`{"error":{"code":"rate_limit_exceeded"}}`:                           chat.FailRateLimit,
		`{"error":{"type":"server_error","code":null}}`:                      chat.FailServer,
		`{"error":{"type":"invalid","code":"context_length_exceeded"}}`:      chat.FailPayloadTooLarge,
		`{"error":{"code":"of_its_own"}}`:                                    chat.FailServer,
		`{"error":{"type":"rate_limit_exceeded","code":500,"status":"bad"}}`: chat.FailServer,
	} {
		if _, f := readAll("text/event-stream", stream(body)); f == nil || f.Kind != want {
			t.Errorf("%s: failure is %+v, want kind %s", body, f, want)
		}
	}
}

// FuzzResponses checks that any body is a reply with a finish reason, or a
// failure, and that its texts are the sum of its deltas.
func FuzzResponses(f *testing.F) {
	f.Add("text/event-stream", stream(item("added", `,"output_index":0`, `"id":"i","call_id":"a","name":"f"`), piece(`,"output_index":0`, "{}"), completed))
	f.Add("text/event-stream", stream(`{"type":"response.output_text.delta","delta":["x"]}`, `{"type":"error","code":"429"}`))
	f.Add("application/json", `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","content":[{"text":"a"}]}]}`)
	f.Add("text/html", "<html>")
	fuzzAnswers(f, responsesDialect())
}
