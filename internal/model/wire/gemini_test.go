package wire

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ptr[T any](v T) *T { return &v }

// geminiAt returns the URL of a method of a model.
func geminiAt(t testing.TB, method string) *url.URL {
	t.Helper()
	at, err := url.Parse("http://model.invalid/v1beta/models/gemini-x:" + method)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// geminiSpell returns what the answer of a method is.
func geminiSpell(t testing.TB, method string, r Reply) (body, media string, err error) {
	t.Helper()
	request, err := gemini.Parse(geminiAt(t, method), []byte(`{"contents":[{"parts":[{"text":"hi"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	b, media, err := request.Spell(r)
	return string(b), media, err
}

func TestGemini_Replies(t *testing.T) {
	const (
		head = `{"candidates":[{"content":{"parts":[`
		tail = `],"modelVersion":"gemini-x","responseId":"response-script-3"}`
	)
	text := Reply{Number: 3, Model: "m", Text: ptr("1234567890123456ä and more"), Usage: &Usage{Input: ptr[int64](7), Output: ptr[int64](2), Cached: ptr[int64](5)}}
	calls := Reply{Number: 3, Model: "m", Text: ptr("a <b>"), Calls: []Call{{"f", "{\"x\":\n1}"}, {"g", ""}}}
	const none = `"usageMetadata":{"promptTokenCount":0,"totalTokenCount":0},`
	first := head + `{"text":"1234567890123456"}],"role":"model"},"index":0}` + tail
	const counts = `"usageMetadata":{"promptTokenCount":7,"cachedContentTokenCount":5,"candidatesTokenCount":2,"totalTokenCount":9},`
	second := head + `{"text":"ä and more"}],"role":"model"},"finishReason":"STOP","index":0}],` + counts + tail[2:]
	const (
		callF = `{"functionCall":{"id":"call_3_0","name":"f","args":{"x":1}}}`
		callG = `{"functionCall":{"id":"call_3_1","name":"g","args":{}}}`
	)
	for name, tt := range map[string]struct {
		method string
		reply  Reply
		media  string
		want   string
	}{
		"text, events": {"streamGenerateContent?alt=sse", text, "text/event-stream",
			"data: " + first + "\r\n\r\ndata: " + second + "\r\n\r\n"},
		"text, array": {"streamGenerateContent", text, "application/json", "[" + first + ",\r\n" + second + "]"},
		"text, whole": {"generateContent?alt=sse", text, "application/json",
			head + `{"text":"1234567890123456ä and more"}],"role":"model"},"finishReason":"STOP","index":0}],` + counts + tail[2:]},
		"calls, events": {"streamGenerateContent?%24alt=sse", calls, "text/event-stream",
			"data: " + head + `{"text":"a <b>"}],"role":"model"},"index":0}` + tail + "\r\n\r\n" +
				"data: " + head + callF + `],"role":"model"},"index":0}` + tail + "\r\n\r\n" +
				"data: " + head + callG + `],"role":"model"},"finishReason":"STOP","index":0}],` + none + tail[2:] + "\r\n\r\n"},
		"calls, whole": {"generateContent", calls, "application/json",
			head + `{"text":"a <b>"},` + callF + "," + callG + `],"role":"model"},"finishReason":"STOP","index":0}],` + none + tail[2:]},
		"empty text": {"streamGenerateContent?alt=sse", Reply{Number: 3, Model: "m", Text: ptr("")}, "text/event-stream",
			"data: " + head + `{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],` + none + tail[2:] + "\r\n\r\n"},
	} {
		got, media, err := geminiSpell(t, tt.method, tt.reply)
		if diff := cmp.Diff(tt.want, got); diff != "" || media != tt.media || err != nil {
			t.Errorf("%s: media type %q, %v, want %q (-want +got):\n%s", name, media, err, tt.media, diff)
		}
	}
}

func TestGemini_RefusesArgumentsThatAreNoObject(t *testing.T) {
	for _, method := range []string{"generateContent", "streamGenerateContent", "streamGenerateContent?alt=sse"} {
		for _, arguments := range []string{"{", "[1]", "null", "x", `"x"`, "{} {}"} {
			_, _, err := geminiSpell(t, method, Reply{Calls: []Call{{"f", "{}"}, {"f", arguments}}})
			if err == nil || !strings.Contains(err.Error(), "call 2 has no form in the Gemini API: want a JSON object as arguments, got ") {
				t.Errorf("%s with arguments %s: error is %v, want one that names call 2", method, arguments, err)
			}
		}
	}
}

func TestGemini_FinishReasons(t *testing.T) {
	for said, want := range map[string]string{
		"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY", "MAX_TOKENS": "MAX_TOKENS",
		"RECITATION": "RECITATION", "refusal": "SAFETY", "MALFORMED_FUNCTION_CALL": "MALFORMED_FUNCTION_CALL", "": "",
	} {
		got, _, err := geminiSpell(t, "generateContent", Reply{Text: ptr("a"), Finish: &said})
		if want = `"finishReason":"` + want + `"`; strings.Contains(got, want) != (said != "") || err != nil {
			t.Errorf("reason %q: reply is %s, %v, want %s", said, got, err, want)
		}
		if said == "" && strings.Contains(got, "finishReason") {
			t.Errorf("a reply without an end is %s", got)
		}
	}
}

func TestGemini_Failures(t *testing.T) {
	for _, tt := range []struct {
		f    Failure
		want string
	}{
		{Failure{400, "no", ""}, `{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}`},
		{Failure{401, "no", "5"}, `{"error":{"code":401,"message":"no","status":"UNAUTHENTICATED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"5s"}]}}`},
		{Failure{429, "a", "17"}, `{"error":{"code":429,"message":"a","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"17s"}]}}`},
		{Failure{503, "a", "Wed, 21 Oct 2015 07:28:00 GMT"}, `{"error":{"code":503,"message":"a","status":"UNAVAILABLE"}}`},
		{Failure{418, "a", ""}, `{"error":{"code":418,"message":"a","status":"UNKNOWN"}}`},
	} {
		if diff := cmp.Diff(tt.want, string(gemini.Failure(tt.f))); diff != "" {
			t.Errorf("Failure(%v) (-want +got):\n%s", tt.f, diff)
		}
	}
}

func TestGemini_Find(t *testing.T) {
	google := http.Header{"X-Goog-Api-Key": {"sk-test"}}
	const vertex = "/v1beta1/projects/p/locations/l/publishers/google/models"
	for _, tt := range []struct {
		path string
		h    http.Header
		ask  Ask
		base string
	}{
		{"/v1beta/models/m:generateContent", nil, Answer, ""},
		{"/v1/models/m:streamGenerateContent", nil, Answer, ""},
		{"/a/v1/v1beta/models/m:countTokens", nil, Tokens, "/a/v1"},
		{"/a/models/m:generateContent", nil, Answer, "/a"},
		{"/v1beta/tunedModels/m:generateContent", nil, Answer, ""},
		{"/v1beta/models/m:embedContent", nil, Nothing, ""},
		{vertex + "/m:generateContent", nil, Answer, ""},
		{"/v1/publishers/google/models/m", nil, Model, ""},
		{vertex, nil, Models, ""},
		{"/v1alpha/models", nil, Models, ""},
		{"/v1beta/models/m", nil, Model, ""},
		{"/v1/models", google, Models, ""},
		{"/v1/models/m", google, Model, ""},
	} {
		w, ask, base := Find(tt.path, tt.h)
		if ask != tt.ask || base != tt.base || ask != Nothing && w != gemini {
			t.Errorf("Find(%q, %v) = %v, %d, %q, want %d, %q", tt.path, tt.h, w, ask, base, tt.ask, tt.base)
		}
	}
	for _, path := range []string{"/v1/models", "/v1beta/openai/models", "/v1beta/openai/chat/completions"} {
		if w, _, _ := Find(path, nil); w != chatCompletions {
			t.Errorf("Find(%q) = %v, want Chat Completions", path, w)
		}
	}
}

func TestGemini_Parse(t *testing.T) {
	const tool = `{"functionDeclarations":[{"name":"a","parametersJsonSchema":{"x":1}},{"name":"b","parameters":{"x":2}}]}`
	want := []Tool{{"a", []byte(`{"x":1}`)}, {"b", []byte(`{"x":2}`)}}
	for body, last := range map[string]map[string]any{
		`{"contents":[{"role":"user","parts":[{"text":"a"},{"text":"b"}]}],"systemInstruction":{},"tools":[` + tool + `,{"googleSearch":{}}]}`: {
			"role": "user", "content": "ab"},
		`{"contents":{"parts":{"text":"a"}},"tools":{"function_declarations":[{"name":"a","parameters_json_schema":{"x":1}},{"name":"b","parameters":{"x":2}}]}}`: {
			"role": "user", "content": "a"},
		`{"contents":[{"role":"model","parts":[{"text":"a","thoughtSignature":"x"}]}],"tools":[` + tool + `]}`: {
			"role": "assistant", "content": "a"},
		`{"contents":[{},{"role":"user","parts":[{"functionResponse":{"id":"1","name":"a","response":{"output":"no"}}},
			{"functionResponse":{"id":"2","name":"a","response":{"output":"yes"}}},{"text":"look"}]}],"tools":[` + tool + `]}`: {
			"role": "tool", "tool_call_id": "2", "content": "yes"},
		`{"contents":[{"role":"function","parts":[{"function_response":{"name":"a","response":{"n":1.50,"b":"<"}}}]}],"tools":[` + tool + `]}`: {
			"role": "tool", "tool_call_id": "a", "content": `{"b":"<","n":1.50}`},
		`{"contents":[{"parts":[{"functionResponse":{"name":"a","response":{"error":"no such file"}}}]}],"tools":[` + tool + `]}`: {
			"role": "tool", "tool_call_id": "a", "content": "no such file"},
		`{"contents":[{"parts":[{"functionResponse":{"name":"a","response":{"output":"x","n":1}}}]}],"tools":[` + tool + `]}`: {
			"role": "tool", "tool_call_id": "a", "content": `{"n":1,"output":"x"}`},
		`{"contents":[{"parts":[{"functionResponse":{"name":"a"}}]}],"tools":[` + tool + `]}`: {
			"role": "tool", "tool_call_id": "a", "content": "null"},
	} {
		r, err := gemini.Parse(geminiAt(t, "generateContent"), []byte(body))
		if diff := cmp.Diff(want, r.Tools); diff != "" || err != nil || r.Model != "gemini-x" || r.Stream {
			t.Errorf("%s: model %q, stream %t, %v; tools (-want +got):\n%s", body, r.Model, r.Stream, err, diff)
		}
		got, err := r.Last()
		delete(got, "parts")
		if diff := cmp.Diff(last, got); err != nil || diff != "" {
			t.Errorf("%s: last message (-want +got):\n%s", body, diff)
		}
	}
}

func TestGemini_ParseRefuses(t *testing.T) {
	for body, want := range map[string]string{
		"{": "a request that is no JSON", "{}": "a request without messages", `{"contents":[]}`: "a request without messages",
		`{"contents":"hi"}`: "a message that is no object", `{"contents":null}`: "a request without messages",
		`{"contents":[1]}`: "a message that is no object", `{"contents":{},"tools":[1]}`: "a request with a number for tools",
	} {
		if r, err := lastIn(gemini, body); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%s) = %v, %v, want %q", body, r, err, want)
		}
	}
}

func TestGemini_ModelsAndTokens(t *testing.T) {
	const model = `{"name":"models/m","version":"001","displayName":"m","inputTokenLimit":1048576,"outputTokenLimit":65536,"supportedGenerationMethods":["generateContent","countTokens"]}`
	for want, got := range map[string][]byte{
		model: gemini.Model("m"), `{"models":[` + model + `]}`: gemini.Models("m"), `{"totalTokens":12}`: gemini.Tokens(12),
	} {
		if string(got) != want {
			t.Errorf("answer is %s, want %s", got, want)
		}
	}
}

// A request says what it says without a panic, and its last message has what
// scripts ask for.
func FuzzParseGemini(f *testing.F) {
	for _, seed := range []string{
		`{"contents":[{"parts":[{"functionResponse":{"name":"a","response":{"output":"x"}}}]}],"tools":[{"functionDeclarations":[{"name":"a"}]}]}`,
		`{"contents":{"parts":{"text":"a"}}}`, `{"contents":[{"parts":[null,1,{"function_response":{}}]}]}`, `{"contents":{},"tools":{}}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		last, err := lastIn(gemini, string(body))
		if err != nil {
			return
		}
		if _, ok := last["content"].(string); !ok || last["role"] == nil {
			t.Errorf("Parse(%q): last message is %v, want a role and text", body, last)
		}
	})
}
