package provider_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// sent returns the bodies of requests that a client with a secret sends for
// messages, and what it warns of.
func sent(t *testing.T, api provider.API, req chat.Request) (body, warnings string) {
	t.Helper()
	var log bytes.Buffer
	c := provider.New(provider.Config{API: api, Model: "m", Attempts: 1,
		Redactor: redact.New([]string{"sk-test-secret", "assistant", "function"}),
		Log:      slog.New(slog.NewTextHandler(&log, nil)),
		HTTP: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			b, err := io.ReadAll(r.Body)
			body = string(b)
			return nil, err
		})}})
	_, _ = c.Complete(t.Context(), req) // it gets no answer
	if !json.Valid([]byte(body)) {
		t.Fatalf("body is no JSON: %s", body)
	}
	return body, log.String()
}

// Words that a request is made of stay, whatever secrets are called.
func TestComplete_SendsNoKnownSecret(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		const secret = `use "sk-test-secret"`
		body, warnings := sent(t, api, chat.Request{
			Messages: []*chat.Message{
				{Role: chat.RoleSystem, Content: secret},
				{Role: chat.RoleUser, Content: secret},
				{Role: chat.RoleAssistant, Content: secret, ToolCalls: []chat.ToolCall{{ID: "c", Name: "f", Arguments: `{"a":"sk-test-secret"}`}}},
				{Role: chat.RoleTool, ToolCallID: "c", Content: secret},
			},
			Tools: []chat.ToolSpec{{Name: "f", Description: secret, Parameters: json.RawMessage(`{}`)}},
		})
		if strings.Contains(body, "test-secret") || strings.Count(body, redact.Mask) < 6 || warnings != "" {
			t.Errorf("sent %s, want 6 masks and no secret; warned %s", body, warnings)
		}
		if !strings.Contains(body, `"role":"assistant"`) || !strings.Contains(body, `"type":"function`) {
			t.Errorf("sent %s, want its own words as they are", body)
		}
	})
}

// What may sign a message goes back as it came, or not at all.
func TestComplete_MaskedMessageLosesItsSignature(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		given := func(text string) chat.Extra {
			return chat.Extra{Members: json.RawMessage(`{"signature":"` + text + `"}`), Before: json.RawMessage(`[{"thought":"` + text + `"}]`)}
		}
		for name, tt := range map[string]struct {
			content, members, arguments, ofCall string
			back                                bool
		}{
			"no secret":         {"hi", "signed", "{}", "signed", true},
			"in the text":       {"sk-test-secret", "signed", "{}", "signed", false},
			"in the arguments":  {"hi", "signed", `{"a":"sk-test-secret"}`, "signed", false},
			"in what was given": {"hi", `signed s\u006b-test-secret`, "{}", "signed", false},
			"in that of a call": {"hi", "signed", "{}", "signed sk-test-secret", false},
		} {
			body, warnings := sent(t, api, chat.Request{Messages: []*chat.Message{{
				Role: chat.RoleAssistant, Content: tt.content, Extra: given(tt.members),
				ToolCalls: []chat.ToolCall{{ID: "c", Name: "f", Arguments: tt.arguments, Extra: given(tt.ofCall)}},
			}}})
			if back := strings.Contains(body, "signed"); back != tt.back || strings.Contains(body, "test-secret") {
				t.Errorf("%s: sent %s, want what was given back: %v", name, body, tt.back)
			}
			if warned := strings.Contains(warnings, "does not go back"); warned == tt.back {
				t.Errorf("%s: warned %q", name, warnings)
			}
		}
	})
}
