package wire

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// spell returns a reply in one form of a wire.
func spell(name string, stream bool, reply Reply) ([]byte, error) {
	r := Request{Wire: ByName(name), Stream: stream}
	body, _, err := r.Spell(reply)
	return body, err
}

// sse returns events, each a name and the rest of its data, as they are sent.
func sse(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		name, rest, _ := strings.Cut(e, " ")
		b.WriteString("event: " + name + "\ndata: {\"type\":\"" + name + "\"" + rest + "}\n\n")
	}
	return b.String()
}

func TestAnthropic_Stream(t *testing.T) {
	const uncounted = `"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}`
	start := func(usage string) string {
		return `message_start ,"message":{"id":"msg_script_3","type":"message","role":"assistant","model":"m","content":[],` +
			`"stop_reason":null,"stop_sequence":null,` + usage + `}`
	}
	end := func(reason, usage string) string {
		return `message_delta ,"delta":{"stop_reason":"` + reason + `","stop_sequence":null},` + usage
	}
	for name, tt := range map[string]struct {
		reply Reply
		want  []string
	}{
		"text": {Reply{Text: ptr("1234567890123456ä and more")}, []string{
			start(uncounted),
			`content_block_start ,"index":0,"content_block":{"type":"text","text":""}`,
			`ping`,
			`content_block_delta ,"index":0,"delta":{"type":"text_delta","text":"1234567890123456"}`,
			`content_block_delta ,"index":0,"delta":{"type":"text_delta","text":"ä and more"}`,
			`content_block_stop ,"index":0`,
			end("end_turn", uncounted), `message_stop`,
		}},
		"text, calls and usage": {
			Reply{
				Text: ptr("a"), Calls: []Call{{"f", `{"b":1,"a":2}`}, {"g", `{"x`}, {"h", ""}},
				Usage: &Usage{Input: ptr(int64(300)), Output: ptr(int64(30)), Cached: ptr(int64(100))},
			},
			[]string{
				start(`"usage":{"input_tokens":200,"cache_creation_input_tokens":0,"cache_read_input_tokens":100,"output_tokens":1}`),
				`content_block_start ,"index":0,"content_block":{"type":"text","text":""}`,
				`ping`,
				`content_block_delta ,"index":0,"delta":{"type":"text_delta","text":"a"}`,
				`content_block_stop ,"index":0`,
				`content_block_start ,"index":1,"content_block":{"type":"tool_use","id":"toolu_3_0","name":"f","input":{}}`,
				`content_block_delta ,"index":1,"delta":{"type":"input_json_delta","partial_json":"{\"b\":1,\""}`,
				`content_block_delta ,"index":1,"delta":{"type":"input_json_delta","partial_json":"a\":2}"}`,
				`content_block_stop ,"index":1`,
				`content_block_start ,"index":2,"content_block":{"type":"tool_use","id":"toolu_3_1","name":"g","input":{}}`,
				`content_block_delta ,"index":2,"delta":{"type":"input_json_delta","partial_json":"{\"x"}`,
				`content_block_stop ,"index":2`,
				`content_block_start ,"index":3,"content_block":{"type":"tool_use","id":"toolu_3_2","name":"h","input":{}}`,
				`content_block_stop ,"index":3`,
				end("tool_use", `"usage":{"input_tokens":200,"cache_creation_input_tokens":0,"cache_read_input_tokens":100,"output_tokens":30}`),
				`message_stop`,
			},
		},
		"no end":     {Reply{Text: ptr(""), Finish: ptr("")}, []string{start(uncounted)}},
		"empty text": {Reply{Text: ptr("")}, []string{start(uncounted), end("end_turn", uncounted), `message_stop`}},
		"cut off":    {Reply{Text: ptr(""), Finish: ptr("length")}, []string{start(uncounted), end("max_tokens", uncounted), `message_stop`}},
		"refused":    {Reply{Text: ptr(""), Finish: ptr("content_filter")}, []string{start(uncounted), end("refusal", uncounted), `message_stop`}},
		"its own reason": {
			Reply{Text: ptr(""), Finish: ptr("pause_turn")}, []string{start(uncounted), end("pause_turn", uncounted), `message_stop`},
		},
	} {
		tt.reply.Number, tt.reply.Model = 3, "m"
		got, err := spell("anthropic", true, tt.reply)
		if diff := cmp.Diff(sse(tt.want...), string(got)); diff != "" || err != nil {
			t.Errorf("%s: Spell() error is %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestAnthropic_Whole(t *testing.T) {
	reply := Reply{
		Number: 3, Model: "m", Text: ptr("a"), Calls: []Call{{"f", `{"b":1,"a":2}`}, {"g", ""}},
		Usage: &Usage{Input: ptr(int64(7)), Output: ptr(int64(1)), Cached: ptr(int64(9))},
	}
	want := `{"id":"msg_script_3","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"a"},` +
		`{"type":"tool_use","id":"toolu_3_0","name":"f","input":{"b":1,"a":2}},{"type":"tool_use","id":"toolu_3_1","name":"g","input":{}}],` +
		`"stop_reason":"tool_use","stop_sequence":null,` +
		`"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":9,"output_tokens":1}}`
	got, err := spell("anthropic", false, reply)
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Errorf("Spell() error is %v (-want +got):\n%s", err, diff)
	}
	for _, arguments := range []string{`{"x`, `[1]`, `"{}"`, `null`, `{} {}`} {
		got, err := spell("anthropic", false, Reply{Calls: []Call{{"f", "{}"}, {"g", arguments}}})
		if err == nil || !strings.Contains(err.Error(), "call 2: want a JSON object") {
			t.Errorf("Spell() of a call with %s = %s, %v, want an error that names call 2", arguments, got, err)
		}
	}
	if got, err := spell("anthropic", false, Reply{Text: ptr(""), Finish: ptr("")}); err != nil ||
		!strings.Contains(string(got), `"content":[],"stop_reason":null`) {
		t.Errorf("Spell() of nothing = %s, %v, want no content and no reason", got, err)
	}
}

func TestAnthropic_Failure(t *testing.T) {
	for status, want := range map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error",
		404: "not_found_error", 405: "invalid_request_error", 413: "request_too_large", 429: "rate_limit_error",
		500: "api_error", 503: "api_error", 504: "timeout_error", 529: "overloaded_error",
	} {
		got := string(ByName("anthropic").Failure(Failure{Status: status, Message: `no "x"`}))
		if want := `{"type":"error","error":{"type":"` + want + `","message":"no \"x\""},"request_id":"req_script"}`; got != want {
			t.Errorf("Failure(%d) = %s, want %s", status, got, want)
		}
	}
}

func TestAnthropic_Last(t *testing.T) {
	for name, tt := range map[string]struct {
		messages string
		// want is part of the last message.
		want map[string]any
	}{
		"text": {`[{"role":"user","content":"hi"}]`, map[string]any{"role": "user", "content": "hi"}},
		"system behind it": {
			`[{"role":"user","content":"hi"},{"role":"system","content":"be short"},{"role":"system","content":"be kind"}]`,
			map[string]any{"role": "user", "content": "hi"},
		},
		"system alone": {`[{"role":"system","content":"be short"}]`, map[string]any{"role": "system", "content": "be short"}},
		"result": {
			`[{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"out","is_error":false}]}]`,
			map[string]any{"role": "tool", "tool_call_id": "t1", "content": "out", "is_error": false},
		},
		"last of two, reminder behind": {
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"one","is_error":true},` +
				`{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"tw"},{"type":"image"},{"type":"text","text":"o"}]},` +
				`{"type":"text","text":"<system-reminder>x</system-reminder>"}]},{"role":"system","content":"y"}]`,
			map[string]any{"role": "tool", "tool_call_id": "t2", "content": "two", "is_error": nil},
		},
	} {
		last, err := lastIn(ByName("anthropic"), `{"model":"m","messages":`+tt.messages+`}`)
		got := map[string]any{}
		for key := range tt.want {
			got[key] = last[key]
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: Parse() error is %v, last message (-want +got):\n%s", name, err, diff)
		}
	}
	for body, want := range map[string]string{
		`{"messages":[]}`: "a request without messages", `{"messages":[1]}`: "a message that is no object", `{`: "a request that is no JSON",
	} {
		if _, err := lastIn(ByName("anthropic"), body); err == nil || err.Error() != want {
			t.Errorf("Parse(%s) error is %v, want %s", body, err, want)
		}
	}
}

func TestAnthropic_ModelsAndTokens(t *testing.T) {
	w := ByName("anthropic")
	for _, tt := range []struct{ got, want string }{
		{string(w.Tokens(12)), `{"input_tokens":12}`},
		{string(w.Models("a")), `{"data":[{"created_at":"1970-01-01T00:00:00Z","display_name":"a","id":"a","type":"model"}],"first_id":"a","has_more":false,"last_id":"a"}`},
		{string(w.Model("a")), `{"created_at":"1970-01-01T00:00:00Z","display_name":"a","id":"a","type":"model"}`},
	} {
		if tt.got != tt.want || !json.Valid([]byte(tt.got)) {
			t.Errorf("answer is %s, want %s", tt.got, tt.want)
		}
	}
}

func TestFind_ByHeader(t *testing.T) {
	for _, name := range []string{"Anthropic-Version", "X-Api-Key"} {
		for path, want := range map[string]struct {
			wire, base string
			ask        Ask
		}{
			"/a/v1/models":             {"anthropic", "/a", Models},
			"/v1/models/x/y":           {"anthropic", "", Model},
			"/v1/models/m/v1/messages": {"anthropic", "/v1/models/m", Answer},
			"/v1/chat/completions":     {"chat", "/v1", Answer},
		} {
			w, ask, base := Find(path, http.Header{name: {"1"}})
			if w == nil || w.Name != want.wire || ask != want.ask || base != want.base {
				t.Errorf("Find(%q) with %s = %v, %d, %q, want %v", path, name, w, ask, base, want)
			}
		}
	}
}

// lastIn returns the last message of a request.
func lastIn(w *Wire, body string) (map[string]any, error) {
	r, err := w.Parse(&url.URL{}, []byte(body))
	if err != nil {
		return nil, err
	}
	return r.Last()
}

// Any request is read without a panic, and one without an error has a last message.
func FuzzParseAnthropic(f *testing.F) {
	for _, seed := range []string{
		`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"text":"x"}]},{"type":"text"}]}],"tools":[{"name":"a"}]}`,
		`{"messages":[{"role":"user","content":[null,1,{"type":"tool_result"}]},{"role":"system"}]}`, `{"messages":[{"role":"system"}]}`, `{"messages":[]}`, `{"messages":{}}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		last, err := lastIn(anthropic, string(body))
		if err != nil {
			return
		}
		if last == nil {
			t.Errorf("Parse(%q): no last message and no error", body)
		}
	})
}
