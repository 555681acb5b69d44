package provider_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/provider"
)

func TestComplete_RequestOnTheWire(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS", "OPENAI_BASE_URL"} {
		t.Setenv(name, "X-From-Environment: yes")
	}
	s := script(t, "[{text: ok}]")
	var header http.Header
	var address string
	var body []byte
	c := client(roundTripper(func(req *http.Request) (*http.Response, error) {
		header, address = req.Header.Clone(), req.URL.String()
		body, _ = io.ReadAll(req.Body)
		req.Body = io.NopCloser(bytes.NewReader(body))
		return s.RoundTrip(req)
	}))
	_, err := c.Complete(t.Context(), chat.Request{
		Messages: []*chat.Message{
			{Role: chat.RoleSystem, Content: "be brief"},
			{Role: chat.RoleUser, Content: "hi <b>"},
			{Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{
				{ID: "c1", Name: "look", Arguments: `{"at":1}`}, {ID: "c2", Name: "look"},
			}},
			{Role: chat.RoleTool, ToolCallID: "c1", Content: "seen"},
			{Role: chat.RoleTool, ToolCallID: "c2"},
			{Role: chat.RoleAssistant, Content: "well"},
		},
		Tools: []chat.ToolSpec{{Name: "look", Description: "looks", Parameters: json.RawMessage(`{"type":"object","properties":{"z":{},"a":{}}}`)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[` +
		`{"content":"be brief","role":"system"},` +
		`{"content":"hi <b>","role":"user"},` +
		`{"tool_calls":[{"id":"c1","function":{"arguments":"{\"at\":1}","name":"look"},"type":"function"},` +
		`{"id":"c2","function":{"arguments":"{}","name":"look"},"type":"function"}],"role":"assistant"},` +
		`{"content":"seen","tool_call_id":"c1","role":"tool"},` +
		`{"content":"","tool_call_id":"c2","role":"tool"},` +
		`{"content":"well","role":"assistant"}],` +
		`"tools":[{"function":{"name":"look","description":"looks","parameters":{"type":"object","properties":{"z":{},"a":{}}}},"type":"function"}]}`
	if string(body) != want {
		t.Errorf("body is\n%s\nwant\n%s", body, want)
	}
	if address != "https://model.invalid/v1/chat/completions" {
		t.Errorf("address is %s, want the one under the base URL", address)
	}
	wantHeader := http.Header{
		"Accept": {"text/event-stream"}, "Authorization": {"Bearer " + key},
		"Content-Type": {"application/json"}, "User-Agent": {"openagent"},
	}
	if diff := cmp.Diff(wantHeader, header); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

func TestComplete_RefusesABadRequest(t *testing.T) {
	for want, req := range map[string]chat.Request{
		"role":       {Messages: []*chat.Message{{Role: "judge"}}},
		"parameters": {Tools: []chat.ToolSpec{{Name: "x", Parameters: json.RawMessage("{")}}},
	} {
		_, err := client(script(t, "[{text: ok}]")).Complete(t.Context(), req)
		if f := failureOf(t, err); f.Kind != chat.FailClient || !strings.Contains(f.Message, want) {
			t.Errorf("failure is %v, want kind client naming %s", f, want)
		}
	}
}

func TestComplete_BadBaseURL(t *testing.T) {
	c := provider.New(provider.Config{BaseURL: "http://[bad", Key: key})
	_, err := c.Complete(t.Context(), user("hi"))
	if f := failureOf(t, err); f.Kind != chat.FailClient || f.Retryable {
		t.Errorf("failure is %+v, want kind client, not retryable", f)
	}
}

func TestCheckBaseURL(t *testing.T) {
	for base, ok := range map[string]bool{
		provider.DefaultBaseURL:          true,
		"http://127.0.0.1:8080/v1":       true,
		"https://host":                   true,
		"host/v1":                        false,
		"ftp://host":                     false,
		"https://user:sk-test-1@host/v1": false,
		"https://host/v1?x=1":            false,
		"https://host/v1#x":              false,
		"http://[bad":                    false,
		"":                               false,
	} {
		if err := provider.CheckBaseURL(base); (err == nil) != ok {
			t.Errorf("CheckBaseURL(%q) is %v, want ok %t", base, err, ok)
		} else if err != nil && strings.Contains(err.Error(), "sk-test") {
			t.Errorf("CheckBaseURL(%q) is %v, want no part of the address", base, err)
		}
	}
}
