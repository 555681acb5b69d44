package transport

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/model/wire"
)

// A request whose members are of another kind than the API has is refused in words of
// the API and takes no turn; what a wire does not read, or may lack, is let pass.
func TestScript_MalformedRequests(t *testing.T) {
	const gemini = "/v1beta/models/m:generateContent"
	for _, tt := range []struct{ path, body, want string }{
		{"/v1/chat/completions", `{"messages":5}`, "no list for messages"},
		{"/v1/chat/completions", `{"messages":{"role":"user"}}`, "no list for messages"},
		{"/v1/chat/completions", `{"messages":"hi"}`, "no list for messages"},
		{"/v1/chat/completions", `{"messages":[{},"hi"]}`, "a message that is no object"},
		{"/v1/chat/completions", `{"messages":["hi",{}]}`, "a message that is no object"},
		{"/v1/chat/completions", `{"model":5}`, "a number for model"},
		{"/v1/chat/completions", `{"stream":"yes"}`, "a string for stream"},
		{"/v1/chat/completions", `{"tools":{}}`, "an object for tools"},
		{"/v1/chat/completions", `{"tools":[[]]}`, "an array for tools"},
		{"/v1/chat/completions", `{"tools":[{"function":{"name":[]}}]}`, "an array for tools.function.name"},
		{"/v1/chat/completions", `{"tools":[{"function":{"name":"f","parameters":5}}]}`, "parameters of the tool \\\"f\\\" that are no object"},
		{"/v1/chat/completions", `{"response_format":"json"}`, "a string for response_format"},
		{"/v1/responses", `{"input":5}`, "no list for input"},
		{"/v1/responses", `{"input":{}}`, "no list for input"},
		{"/v1/responses", `{"input":[5]}`, "a message that is no object"},
		{"/v1/responses", `{"text":5}`, "a number for text"},
		{"/v1/responses", `{"tools":"f"}`, "a string for tools"},
		{"/v1/messages", `{"messages":5}`, "no list for messages"},
		{"/v1/messages", `{"messages":[null]}`, "a message that is no object"},
		{"/v1/messages", `{"tools":[{"name":"f","input_schema":"x"}]}`, "parameters of the tool"},
		{"/v1/messages", `{"output_config":[]}`, "an array for output_config"},
		{gemini, `{"contents":5}`, "no list for contents"},
		{gemini, `{"contents":"hi"}`, "no list for contents"},
		{gemini, `{"contents":[5]}`, "a message that is no object"},
		{gemini, `{"tools":5}`, "a number for"},
		{gemini, `{"generationConfig":5}`, "a number for generationConfig"},

		{"/v1/chat/completions", `{}`, ""},
		{"/v1/chat/completions", `{"messages":null,"tools":null,"stream":null,"response_format":null,"temperature":"x"}`, ""},
		{"/v1/chat/completions", `{"messages":[],"tools":[{"function":{"name":"f","parameters":null}},{"type":"x"}]}`, ""},
		{"/v1/responses", `{"input":"hi","tools":[{"type":"web_search"}]}`, ""},
		{gemini, `{"contents":{"parts":[{"text":"hi"}]},"tools":{"functionDeclarations":{"name":"f"}}}`, ""},
	} {
		s := load(t, "[{text: one}]")
		var line Served
		s.Log = func(l Served) { line = l }
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, tt.path, strings.NewReader(tt.body)))
		status, left := http.StatusBadRequest, 1
		if tt.want == "" {
			status, left = http.StatusOK, 0
		}
		over, _, _ := wire.Find(tt.path, nil)
		form := string(over.Failure(wire.Failure{Status: status}))[:10]
		got := w.Body.String()
		if n, _ := s.Outcome(); w.Code != status || n != left || !strings.Contains(got, tt.want) || status != http.StatusOK && !strings.HasPrefix(got, form) {
			t.Errorf("POST %s %s gets %d %s, %d turns left, want %d with %q", tt.path, tt.body, w.Code, got, n, status, tt.want)
		}
		if (line.Refused != "") != (tt.want != "") || line.Side {
			t.Errorf("POST %s %s is logged as %+v", tt.path, tt.body, line)
		}
	}
}

// A body that is compressed is refused by its name, not for what it seems to hold.
func TestScript_CompressedRequest(t *testing.T) {
	for encoding, want := range map[string]int{"gzip": http.StatusUnsupportedMediaType, "zstd": http.StatusUnsupportedMediaType, "identity": http.StatusOK} {
		s := load(t, "[{text: one}]")
		req := httptest.NewRequest(http.MethodPost, "/v1/messages", strings.NewReader("{}"))
		req.Header.Set("Content-Encoding", encoding)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, req)
		if w.Code != want || want != http.StatusOK && !strings.Contains(w.Body.String(), "compressed by "+encoding) {
			t.Errorf("a body compressed by %s gets %d %s, want %d", encoding, w.Code, w.Body, want)
		}
	}
}

// What can be got can be asked for its headers alone, as HTTP has it.
func TestScript_Head(t *testing.T) {
	for path, want := range map[string]int{"/v1/models": http.StatusOK, "/v1/models/m": http.StatusOK, "/v1/responses": http.StatusMethodNotAllowed} {
		w := httptest.NewRecorder()
		load(t, "[{text: one}]").ServeHTTP(w, httptest.NewRequest(http.MethodHead, path, nil))
		if w.Code != want {
			t.Errorf("HEAD %s gets %d, want %d", path, w.Code, want)
		}
	}
}
