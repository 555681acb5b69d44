package chat_test

import (
	"errors"
	"testing"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// A message that was sent is encoded once, so that later requests repeat the
// same bytes; a failure is not kept.
func TestMessage_EncodedOnce(t *testing.T) {
	m := &chat.Message{Role: chat.RoleUser, Content: "hello"}
	broken := errors.New("broken")
	if b, err := m.Encoded(func(*chat.Message) ([]byte, error) { return []byte("half"), broken }); b != nil || !errors.Is(err, broken) {
		t.Errorf("Encoded = %q, %v, want the error alone", b, err)
	}
	asked := 0
	for range 3 {
		got, err := m.Encoded(func(m *chat.Message) ([]byte, error) {
			asked++
			return []byte(m.Role + ": " + chat.Role(m.Content)), nil
		})
		if err != nil || string(got) != "user: hello" {
			t.Errorf("Encoded = %q, %v, want user: hello", got, err)
		}
	}
	if asked != 1 {
		t.Errorf("encode was called %d times, want 1", asked)
	}
}

func TestFailure_Error(t *testing.T) {
	for want, f := range map[string]chat.Failure{
		"provider rate_limit (status 429): slow down": {Kind: chat.FailRateLimit, Status: 429, Message: "slow down"},
		"provider connection: reset":                  {Kind: chat.FailConnection, Message: "reset"},
	} {
		if got := f.Error(); got != want {
			t.Errorf("Error of %+v = %q, want %q", f, got, want)
		}
	}
}

func TestMessage_WithContentIsEncodedAnew(t *testing.T) {
	encode := func(m *chat.Message) ([]byte, error) { return []byte(m.Content), nil }
	first := &chat.Message{Role: chat.RoleTool, Content: "long", ToolCallID: "c1", ToolFailed: true}
	if _, err := first.Encoded(encode); err != nil {
		t.Fatal(err)
	}
	short := first.WithContent("short")
	if got, _ := short.Encoded(encode); string(got) != "short" || short.ToolCallID != "c1" || !short.ToolFailed || short.Role != chat.RoleTool {
		t.Errorf("WithContent(short) = %+v encoded %q, want all but the content kept", short, got)
	}
	if got, _ := first.Encoded(encode); string(got) != "long" || first.Content != "long" {
		t.Errorf("the first message is %q now, encoded %q, want it as it was", first.Content, got)
	}
}
