package provider_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// wholeRequest has a message of every kind.
func wholeRequest() chat.Request {
	return chat.Request{
		Messages: []*chat.Message{
			{Role: chat.RoleSystem, Content: "be brief"},
			{Role: chat.RoleUser, Content: "hi <b>"},
			{Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{
				{ID: "c1", Name: "look", Arguments: `{"at":1}`}, {ID: "c2", Name: "look"},
			}},
			{Role: chat.RoleTool, ToolCallID: "c1", Content: "seen <b>"},
			{Role: chat.RoleTool, ToolCallID: "c2"},
			{Role: chat.RoleAssistant, Content: "so", ToolCalls: []chat.ToolCall{{ID: "c3", Name: "look", Arguments: "<"}}},
			{Role: chat.RoleTool, ToolCallID: "c3", Content: "no"},
			{Role: chat.RoleAssistant, Content: "well"},
			{Role: chat.RoleAssistant},
		},
		Tools: []chat.ToolSpec{
			{Name: "look", Description: "looks <at>", Parameters: json.RawMessage(`{"type":"object","properties":{"z":{},"a":{}}}`)},
			{Name: "rest", Description: "rests"},
		},
	}
}

// The schema of the answer goes as each API has it, without tools too.
func TestComplete_SchemaOfTheAnswer(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		want := map[provider.API]string{
			provider.APIChat:      `{"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"z":1,"a":2}}}}`,
			provider.APIResponses: `{"text":{"format":{"type":"json_schema","name":"answer","schema":{"z":1,"a":2}}}}`,
		}[api]
		for _, tools := range [][]chat.ToolSpec{nil, wholeRequest().Tools} {
			var body map[string]json.RawMessage
			s := script(t, "[{text: ok}]")
			c := clientOf(api, roundTripper(func(req *http.Request) (*http.Response, error) {
				text, _ := io.ReadAll(req.Body)
				if err := json.Unmarshal(text, &body); err != nil {
					t.Errorf("the body is no JSON: %v: %s", err, text)
				}
				req.Body = io.NopCloser(bytes.NewReader(text))
				return s.RoundTrip(req)
			}))
			req := chat.Request{Messages: wholeRequest().Messages, Tools: tools, Answer: []byte(`{"z":1,"a":2}`)}
			if _, err := c.Complete(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			var wanted map[string]json.RawMessage
			if err := json.Unmarshal([]byte(want), &wanted); err != nil {
				t.Fatal(err)
			}
			for name, value := range wanted {
				if string(body[name]) != string(value) {
					t.Errorf("%s is %s, want %s", name, body[name], value)
				}
			}
		}
	})
}

func TestComplete_RequestOnTheWire(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS", "OPENAI_BASE_URL"} {
		t.Setenv(name, "X-From-Environment: yes")
	}
	eachAPI(t, func(t *testing.T, api provider.API) {
		want := map[provider.API]struct{ path, body string }{
			provider.APIChat: {"chat/completions", `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[` +
				`{"content":"be brief","role":"system"},` +
				`{"content":"hi <b>","role":"user"},` +
				`{"tool_calls":[{"id":"c1","function":{"arguments":"{\"at\":1}","name":"look"},"type":"function"},` +
				`{"id":"c2","function":{"arguments":"{}","name":"look"},"type":"function"}],"role":"assistant"},` +
				`{"content":"seen <b>","tool_call_id":"c1","role":"tool"},` +
				`{"content":"","tool_call_id":"c2","role":"tool"},` +
				`{"content":"so","tool_calls":[{"id":"c3","function":{"arguments":"<","name":"look"},"type":"function"}],"role":"assistant"},` +
				`{"content":"no","tool_call_id":"c3","role":"tool"},` +
				`{"content":"well","role":"assistant"},` +
				`{"content":"","role":"assistant"}],` +
				`"tools":[{"function":{"name":"look","description":"looks <at>","parameters":{"type":"object","properties":{"z":{},"a":{}}}},"type":"function"},` +
				`{"function":{"name":"rest","description":"rests"},"type":"function"}]}`},
			provider.APIResponses: {"responses", `{"model":"m","stream":true,"store":false,"include":["reasoning.encrypted_content"],"input":[` +
				`{"content":"be brief","role":"system","type":"message"},` +
				`{"content":"hi <b>","role":"user","type":"message"},` +
				`{"arguments":"{\"at\":1}","call_id":"c1","name":"look","type":"function_call"},` +
				`{"arguments":"{}","call_id":"c2","name":"look","type":"function_call"},` +
				`{"output":"seen <b>","call_id":"c1","type":"function_call_output"},` +
				`{"output":"","call_id":"c2","type":"function_call_output"},` +
				`{"content":"so","role":"assistant","type":"message"},` +
				`{"arguments":"<","call_id":"c3","name":"look","type":"function_call"},` +
				`{"output":"no","call_id":"c3","type":"function_call_output"},` +
				`{"content":"well","role":"assistant","type":"message"},` +
				`{"content":"","role":"assistant","type":"message"}],` +
				`"tools":[{"strict":false,"name":"look","description":"looks <at>","type":"function","parameters":{"type":"object","properties":{"z":{},"a":{}}}},` +
				`{"strict":false,"name":"rest","description":"rests","type":"function"}]}`},
		}[api]
		s := script(t, "[{text: ok}]")
		var header http.Header
		var address string
		var body []byte
		c := clientOf(api, roundTripper(func(req *http.Request) (*http.Response, error) {
			header, address = req.Header.Clone(), req.URL.String()
			body, _ = io.ReadAll(req.Body)
			req.Body = io.NopCloser(bytes.NewReader(body))
			return s.RoundTrip(req)
		}))
		if _, err := c.Complete(t.Context(), wholeRequest()); err != nil {
			t.Fatal(err)
		}
		if string(body) != want.body {
			t.Errorf("body is\n%s\nwant\n%s", body, want.body)
		}
		if address != "https://model.invalid/v1/"+want.path {
			t.Errorf("address is %s, want %s under the base URL", address, want.path)
		}
		wantHeader := http.Header{
			"Accept": {"text/event-stream"}, "Authorization": {"Bearer " + key},
			"Content-Type": {"application/json"}, "User-Agent": {"openagent"},
		}
		if diff := cmp.Diff(wantHeader, header); diff != "" {
			t.Errorf("headers (-want +got):\n%s", diff)
		}
	})
}

func TestComplete_RefusesABadRequest(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		for want, req := range map[string]chat.Request{
			"role":       {Messages: []*chat.Message{{Role: "judge"}}},
			"parameters": {Tools: []chat.ToolSpec{{Name: "x", Parameters: json.RawMessage("{")}}},
		} {
			_, err := clientOf(api, script(t, "[{text: ok}]")).Complete(t.Context(), req)
			if f := failureOf(t, err); f.Kind != chat.FailClient || !strings.Contains(f.Message, want) {
				t.Errorf("failure is %v, want kind client naming %s", f, want)
			}
		}
	})
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
		"http://:80/v1":                  false,
		"http://host:99999/v1":           false,
		"https://host/v1/responses/":     false,
		"https://host/chat/completions":  false,
	} {
		if err := provider.CheckBaseURL(base); (err == nil) != ok {
			t.Errorf("CheckBaseURL(%q) is %v, want ok %t", base, err, ok)
		} else if err != nil && strings.Contains(err.Error(), "sk-test") {
			t.Errorf("CheckBaseURL(%q) is %v, want no part of the address", base, err)
		}
	}
}
