package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

func load(t testing.TB, turns string) *Script {
	t.Helper()
	s, err := LoadScript("s.yaml", []byte(turns))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func request(t testing.TB, body string) *http.Request {
	t.Helper()
	return requestTo(t, "/chat/completions", body)
}

// requestTo asks at the end of the path that an API has.
func requestTo(t testing.TB, path, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://model.invalid/v1"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// ask returns status, headers, body and how reading the body ended.
func ask(t testing.TB, rt http.RoundTripper, req *http.Request) (*http.Response, string, error) {
	t.Helper()
	resp, err := rt.RoundTrip(req)
	if err != nil {
		t.Fatalf("RoundTrip() error is %v", err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp, string(b), err
}

const reply = `
- text: "1234567890123456ä and more"
  tool_calls: [{tool: f, arguments: {b: 1, a: [true, null, 2.5]}}]
  usage: {input_tokens: 7, output_tokens: 1}
`

const replyStream = `data: {"id":"chatcmpl-script-1","object":"chat.completion.chunk","created":0,"model":"script","choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}

data: {"id":"chatcmpl-script-1","object":"chat.completion.chunk","created":0,"model":"script","choices":[{"index":0,"delta":{"content":"1234567890123456"},"finish_reason":null}]}

data: {"id":"chatcmpl-script-1","object":"chat.completion.chunk","created":0,"model":"script","choices":[{"index":0,"delta":{"content":"ä and more"},"finish_reason":null}]}

data: {"id":"chatcmpl-script-1","object":"chat.completion.chunk","created":0,"model":"script","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1_0","type":"function","function":{"name":"f","arguments":""}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-script-1","object":"chat.completion.chunk","created":0,"model":"script","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"b\":1,\""}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-script-1","object":"chat.completion.chunk","created":0,"model":"script","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"a\":[true"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-script-1","object":"chat.completion.chunk","created":0,"model":"script","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":",null,2."}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-script-1","object":"chat.completion.chunk","created":0,"model":"script","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"5]}"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-script-1","object":"chat.completion.chunk","created":0,"model":"script","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"id":"chatcmpl-script-1","object":"chat.completion.chunk","created":0,"model":"script","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":1,"total_tokens":8}}

data: [DONE]

`

func TestScript_ReplyIsAnEventStream(t *testing.T) {
	resp, body, err := ask(t, load(t, reply), request(t, "{}"))
	if err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("status %d, content type %q, %v, want 200 text/event-stream", resp.StatusCode, resp.Header.Get("Content-Type"), err)
	}
	if diff := cmp.Diff(replyStream, body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

func TestScript_ServesTheSameBytes(t *testing.T) {
	server := httptest.NewServer(load(t, reply))
	defer server.Close()
	resp, err := http.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(`{"stream":true,"tools":[{"function":{"name":"f"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if diff := cmp.Diff(replyStream, string(body)); diff != "" || err != nil {
		t.Errorf("body (-want +got), %v:\n%s", err, diff)
	}
}

func TestScript_EachAttemptTakesOneTurn(t *testing.T) {
	s := load(t, "[{fault: {status: 500}}, {text: two}]")
	if resp, _, _ := ask(t, s, request(t, "{}")); resp.StatusCode != 500 {
		t.Errorf("turn 1 has status %d, want 500", resp.StatusCode)
	}
	if _, body, _ := ask(t, s, request(t, "{}")); !strings.Contains(body, `"chatcmpl-script-2"`) || !strings.Contains(body, "two") {
		t.Errorf("turn 2 is %s, want the second reply", body)
	}
	for want := 3; want <= 4; want++ {
		_, err := s.RoundTrip(request(t, "{}"))
		var f *chat.Failure
		if !errors.As(err, &f) || f.Kind != chat.FailScript || f.Retryable {
			t.Errorf("request %d: error is %v, want a failure of kind script", want, err)
		}
	}
}

func TestScript_FinishReason(t *testing.T) {
	for turn, want := range map[string]string{
		"{text: a}":                        `"finish_reason":"stop"`,
		"{tool_calls: [{tool: f}]}":        `"finish_reason":"tool_calls"`,
		"{text: a, finish_reason: length}": `"finish_reason":"length"`,
		`{text: a, finish_reason: ""}`:     "",
	} {
		_, body, _ := ask(t, load(t, "["+turn+"]"), request(t, "{}"))
		if want != "" && !strings.Contains(body, want) || want == "" && strings.Contains(body, `"finish_reason":"`) {
			t.Errorf("turn %s: body is %s, want %q", turn, body, want)
		}
	}
}

func TestScript_Usage(t *testing.T) {
	for counts, want := range map[string]string{
		"{input_tokens: 1, output_tokens: 2, total_tokens: 9}": `"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":9}`,
		"{output_tokens: 2}":                        `"usage":{"completion_tokens":2}`,
		"{cached_input_tokens: 3, input_tokens: 4}": `"usage":{"prompt_tokens":4,"prompt_tokens_details":{"cached_tokens":3}}`,
	} {
		_, body, _ := ask(t, load(t, "- {text: a, usage: "+counts+"}"), request(t, "{}"))
		if !strings.Contains(body, want) {
			t.Errorf("usage %s: body is %s, want %s in it", counts, body, want)
		}
	}
	if _, body, _ := ask(t, load(t, "- text: a"), request(t, "{}")); strings.Contains(body, "usage") {
		t.Errorf("no usage: body is %s, want none", body)
	}
}

func TestScript_Faults(t *testing.T) {
	tests := []struct {
		turn        string
		status      int
		contentType string
		retryAfter  string
		body        string
		end         error
	}{
		{"{fault: {status: 429, retry_after: 2}}", 429, "application/json", "2",
			`{"error":{"message":"scripted fault","type":"script","param":null,"code":null}}`, nil},
		{`{fault: {status: 503, retry_after: "Sat, 01 Jan 2000 00:00:09 GMT", body: ""}}`, 503, "text/event-stream",
			"Sat, 01 Jan 2000 00:00:09 GMT", "", nil},
		{`{fault: {body: "<html>"}}`, 200, "text/html", "", "<html>", nil},
		{`{fault: {body: "{}"}}`, 200, "application/json", "", "{}", nil},
		{"{text: a, fault: {cut_after_bytes: 0}}", 200, "text/event-stream", "", "", io.ErrUnexpectedEOF},
		{"{fault: {body: abc, cut_after_bytes: 2}}", 200, "text/event-stream", "", "ab", io.ErrUnexpectedEOF},
	}
	for _, tt := range tests {
		t.Run(tt.turn, func(t *testing.T) {
			for _, path := range []string{"/chat/completions", "/responses"} {
				server := httptest.NewServer(load(t, "["+tt.turn+"]"))
				defer server.Close()
				// In memory and over a socket: what the client sees is the same.
				for _, rt := range []http.RoundTripper{load(t, "["+tt.turn+"]"), redirectTo{server.URL}} {
					resp, body, err := ask(t, rt, requestTo(t, path, `{"stream":true}`))
					if resp.StatusCode != tt.status || resp.Header.Get("Retry-After") != tt.retryAfter ||
						resp.Header.Get("Content-Type") != tt.contentType {
						t.Errorf("%T, %s: status %d, headers %v, want %d, %q, %q", rt, path,
							resp.StatusCode, resp.Header, tt.status, tt.retryAfter, tt.contentType)
					}
					if body != tt.body || err != tt.end {
						t.Errorf("%T, %s: body is %q, %v, want %q, %v", rt, path, body, err, tt.body, tt.end)
					}
				}
			}
		})
	}
}

// redirectTo sends requests to a test server whatever their address.
type redirectTo struct{ base string }

func (r redirectTo) RoundTrip(req *http.Request) (*http.Response, error) {
	out, err := http.NewRequestWithContext(req.Context(), req.Method, r.base+req.URL.Path, req.Body)
	if err != nil {
		return nil, err
	}
	return http.DefaultTransport.RoundTrip(out)
}

func TestScript_DelayAndHangFollowTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := load(t, "[{text: a, fault: {delay: 3s}}, {fault: {hang: true}}, {text: a, fault: {delay: 3h}}]")
		ask(t, s, request(t, "{}"))
		if waited := time.Since(start); waited != 3*time.Second {
			t.Errorf("delay waited %s, want 3s", waited)
		}
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			_, err := s.RoundTrip(request(t, "{}").WithContext(ctx))
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("RoundTrip() error is %v, want the context's", err)
			}
			cancel()
		}
	})
}

type expectTest struct{ expect, body, got string }

// path is that of the API whose request the body is.
func (tt expectTest) path() string {
	if strings.Contains(tt.body, `"input"`) {
		return "/responses"
	}
	return "/chat/completions"
}

func TestScript_Expect(t *testing.T) {
	const body = `{"messages":[{"role":"user","content":"not this"},
		{"role":"tool","tool_call_id":"c","content":"{\"ok\":true,\"files\":[\"a\",\"b\"],\"n\":3}"}]}`
	const items = `{"input":[{"role":"user","content":"not this"},
		{"type":"function_call_output","call_id":"c","output":"{\"ok\":true,\"files\":[\"a\",\"b\"],\"n\":3}"}]}`
	const parts = `{"messages":[{"role":"user","content":[{"type":"text","text":"two "},{"type":"text","text":"parts"}]}]}`
	tests := []expectTest{
		{`'"ok":true'`, body, ""},
		{`not this`, body, `"{\"ok\":true`},
		{`{role: tool}`, body, ""},
		{`{role: user}`, body, `{"role":"tool"}`},
		{`{role: tool, content: {ok: true}}`, body, ""},
		{`{content: {files: [a, b], n: 3}}`, body, ""},
		{`{content: {files: [a]}}`, body, `{"content":`},
		{`{content: {files: [a, c]}}`, body, `{"content":`},
		{`{content: {ok: false}}`, body, `{"content":`},
		{`{content: {missing: null}}`, body, `{"content":`},
		{`{tool_call_id: 4, name: x}`, body, `{"tool_call_id":"c"}`},
		{`two parts`, parts, ""},
		{`{role: tool, tool_call_id: c, content: {ok: true}}`, items, ""},
		{`{type: function_call_output, call_id: c, output: {ok: true}}`, items, ""},
		{`'"ok":true'`, items, ""},
		{`{role: user}`, items, `{"role":"tool"}`},
		{`two parts`, `{"input":[{"role":"user","content":[{"type":"input_text","text":"two parts"}]}]}`, ""},
		{`{role: user, content: only text}`, `{"input":"only text"}`, ""},
		{`x`, `{"input":7}`, "a request without messages"},
		{`x`, `{"input":[7]}`, "a message that is no object"},
		{`x`, `{"messages":[]}`, "a request without messages"},
		{`x`, `{"messages":["x"]}`, "a message that is no object"},
		{`x`, `no`, "a request that is no JSON"},
	}
	for _, tt := range tests {
		resp, err := load(t, "- text: a\n  expect: "+tt.expect).RoundTrip(requestTo(t, tt.path(), tt.body))
		if (err == nil) != (tt.got == "") {
			t.Errorf("expect %s: RoundTrip() error is %v, want %q", tt.expect, err, tt.got)
		}
		if err == nil {
			_ = resp.Body.Close()
			continue
		}
		var f *chat.Failure
		if !errors.As(err, &f) || f.Kind != chat.FailScript || f.Retryable {
			t.Errorf("expect %s: error is %#v, want a final failure of kind script", tt.expect, err)
		}
		for _, part := range []string{"s.yaml:1: turn 1: want last message with ", ", got " + tt.got} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("expect %s: error is %q, want %q in it", tt.expect, err, part)
			}
		}
	}
}

func TestScript_ExpectKeepsFailuresShort(t *testing.T) {
	s := load(t, "- text: a\n  expect: "+strings.Repeat("ü", 500))
	_, err := s.RoundTrip(request(t, `{"messages":[{"role":"user","content":"`+strings.Repeat("ö", 500)+`"}]}`))
	if err == nil || utf8.RuneCountInString(err.Error()) > 250 || !utf8.ValidString(err.Error()) {
		t.Errorf("error is %v, want at most 250 characters", err)
	}
}

func TestScript_ServesFailuresAsClientErrors(t *testing.T) {
	server := httptest.NewServer(load(t, "[{text: a, expect: b}]"))
	defer server.Close()
	resp, body, _ := ask(t, redirectTo{server.URL}, request(t, `{"messages":[{"content":"c"}]}`))
	if resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, "turn 1: want last message") {
		t.Errorf("answer is %d %s, want 400 and the expectation", resp.StatusCode, body)
	}
}
