package transport

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Gemini's clients get their errors in its words, and an array where they ask for
// a stream without naming events.
func TestScript_ServesGemini(t *testing.T) {
	server := httptest.NewServer(load(t, "[{text: a}, {text: b, expect: {role: tool, tool_call_id: f, content: {n: 1}}}, {fault: {status: 429, retry_after: 2}}, "+
		"{tool_calls: [{tool: f, arguments: '{'}]}]"))
	defer server.Close()
	for _, tt := range []struct {
		method, path, body string
		status             int
		media, want        string
	}{
		{"GET", "/v1beta/models", "", 200, "application/json", `"name":"models/script"`},
		{"GET", "/v1beta/models/gemini-x", "", 200, "application/json", `"name":"models/gemini-x"`},
		{"POST", "/v1beta/models/m:countTokens", `{"contents":[]}`, 200, "application/json", `{"totalTokens":4}`},
		{"PUT", "/v1beta/models/m:countTokens", "", 405, "application/json", `"status":"UNKNOWN"`},
		{"POST", "/v1beta/models/m:streamGenerateContent", `{}`, 200, "application/json", `[{"candidates":`},
		{"POST", "/v1/models/m:streamGenerateContent?alt=sse", `{"contents":[{"parts":[{"functionResponse":{"name":"f","response":{"n":1}}}]}]}`,
			200, "text/event-stream", `data: {"candidates":`},
		{"POST", "/v1beta/models/m:generateContent", `{}`, 429, "application/json", `"retryDelay":"2s"`},
		{"POST", "/v1beta/models/m:generateContent", `{"tools":[{"functionDeclarations":[{"name":"f"}]}]}`, 400, "application/json", `s.yaml:1: turn 4: call 1 has no form in the Gemini API`},
		{"POST", "/v1beta/models/m:generateContent", `x`, 400, "application/json", `"status":"INVALID_ARGUMENT"`},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, server.URL+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		resp, body, err := ask(t, http.DefaultTransport, req)
		if err != nil || resp.StatusCode != tt.status || !strings.Contains(body, tt.want) || resp.Header.Get("Content-Type") != tt.media {
			t.Errorf("%s %s: answer is %d %s %s, %v, want %d with %q", tt.method, tt.path, resp.StatusCode, resp.Header, body, err, tt.status, tt.want)
		}
	}
}
