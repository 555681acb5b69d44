package endpoint

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/adapter"
)

// A request goes to the endpoint below its base URL, whatever version that ends with, and
// gets the key of its API instead of the one that agents have.
func TestUpstream_SendsTheKeyOfTheAPI(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = strings.Join([]string{r.URL.Path, r.URL.RawQuery, r.Header.Get("Authorization"), r.Header.Get("X-Api-Key")}, " ")
	}))
	defer server.Close()
	keys := map[string]string{"OPENAI_API_KEY": "sk-test-openai", "ANTHROPIC_API_KEY": "sk-test-anthropic", "GEMINI_API_KEY": "sk-test-gemini"}
	key := func(name string) string { return keys[name] }
	for _, tt := range []struct{ base, path, header, want string }{
		{"", "/v1/chat/completions", "Authorization", "/v1/chat/completions  Bearer sk-test-openai "},
		{"/v1", "/v1/responses", "Authorization", "/v1/responses  Bearer sk-test-openai "},
		{"/openai/v1/", "/v1/chat/completions", "Authorization", "/openai/v1/chat/completions  Bearer sk-test-openai "},
		{"/api/v4", "/v1/chat/completions", "Authorization", "/api/v4/chat/completions  Bearer sk-test-openai "},
		{"/v1", "/v1/messages", "X-Api-Key", "/v1/messages   Bearer sk-test-anthropic"},
		{"", "/v1beta/models/m:generateContent?key=" + adapter.ServedKey, "", "/v1beta/models/m:generateContent key=sk-test-gemini  "},
		{"", "/v1/models", "Authorization", "/v1/models  Bearer sk-test-openai "},
	} {
		req, err := http.NewRequest(http.MethodPost, "http://cassette.invalid"+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if tt.header != "" {
			req.Header.Set(tt.header, "Bearer "+adapter.ServedKey)
		}
		resp, err := Upstream{BaseURL: server.URL + tt.base, Key: key}.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got != tt.want {
			t.Errorf("%s below %q: the endpoint got %q, want %q", tt.path, tt.base, got, tt.want)
		}
	}
}

// Nothing is sent without a key, unless the endpoint wants none.
func TestUpstream_Missing(t *testing.T) {
	none := func(string) string { return "" }
	for agent, want := range map[string]string{
		"codex": "OPENAI_API_KEY", "claude": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY", "openagent": "OPENAI_API_KEY",
		"": "OPENAI_API_KEY or ANTHROPIC_API_KEY or GEMINI_API_KEY",
	} {
		if got := NewUpstream("https://model.invalid/v1", false, none).Missing(agent); got != want {
			t.Errorf("Missing(%q) = %q, want %q", agent, got, want)
		}
		for base, noKey := range map[string]bool{"http://127.0.0.1:1/v1": false, "http://localhost:1": false, "https://model.invalid": true} {
			if got := NewUpstream(base, noKey, none).Missing(agent); got != "" {
				t.Errorf("Missing(%q) at %s = %q, want none", agent, base, got)
			}
		}
	}
	req, err := http.NewRequest(http.MethodPost, "http://cassette.invalid/v1/messages", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewUpstream("https://model.invalid", false, none).RoundTrip(req); err == nil || !strings.Contains(err.Error(), "set ANTHROPIC_API_KEY") {
		t.Errorf("RoundTrip without a key = %v, want the variable named", err)
	}
}
