// Package chat holds messages, tool calls, requests, replies, usage and failures in
// a form that no provider owns.
package chat

import (
	"encoding/json"
	"fmt"
	"time"
)

// Role says who speaks in a message.
type Role string

// The roles that may be sent to a model.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of the conversation. A message does not change once it
// was sent: its encoded form is kept and reused by later requests.
type Message struct {
	Role    Role
	Content string
	// ToolCalls are the native calls of an assistant message.
	ToolCalls []ToolCall
	// ToolCallID binds a tool message to the call it answers.
	ToolCallID string
	// ToolFailed marks a tool message that reports an error, for providers that
	// have a flag for it.
	ToolFailed bool
	// ToolResult marks a user message that holds the results of calls that the
	// model wrote as text.
	ToolResult bool
	// Extra is what the endpoint gave with an assistant message, and gets back.
	Extra Extra

	encoded []byte
}

// Extra is what an endpoint gave with a message or a call beside what is known
// here, such as thoughts and their signatures, as it came. Endpoints refuse or
// misread a conversation that lacks it. It is for the endpoint that gave it and
// for no other.
type Extra struct {
	// Members is a JSON object of further members, nil for none.
	Members json.RawMessage `json:"members,omitempty"`
	// Before is a JSON list of items that came before this one, nil for none;
	// only the Responses API has such.
	Before json.RawMessage `json:"before,omitempty"`
}

// Size returns how many bytes e adds to a request.
func (e Extra) Size() int { return len(e.Members) + len(e.Before) }

// Encoded returns the message in a provider's own form, made by encode on the
// first call and kept for all later ones.
func (m *Message) Encoded(encode func(*Message) ([]byte, error)) ([]byte, error) {
	if m.encoded != nil {
		return m.encoded, nil
	}
	b, err := encode(m)
	if err != nil {
		return nil, err
	}
	m.encoded = b
	return b, nil
}

// WithContent returns a message that says content in the place of m, which
// stays as it was sent.
func (m *Message) WithContent(content string) *Message {
	other := *m
	other.Content, other.encoded = content, nil
	return &other
}

// ToolCall is one call as the model asked for it.
type ToolCall struct {
	ID   string
	Name string
	// Arguments is the text the model wrote: JSON if all went well.
	Arguments string
	Extra     Extra
}

// ToolSpec describes a tool on offer to a model.
type ToolSpec struct {
	Name        string
	Description string
	// Parameters is a JSON Schema of the arguments object.
	Parameters json.RawMessage
}

// Usage counts tokens of one reply; nil where the provider did not say.
type Usage struct {
	// CachedInput is part of Input, Reasoning of Output.
	CachedInput, Input, Output, Reasoning, Total *int64
}

// Request asks for one reply.
type Request struct {
	Messages []*Message
	Tools    []ToolSpec
	// Answer is the JSON Schema that the endpoint is told of, nil for none.
	Answer []byte
	// Seed tells this request from others of the same run and of other runs.
	Seed string
	// OnDelta, if set, gets each piece of text as it arrives.
	OnDelta func(text string)
	// OnRetry, if set, is told before each wait that precedes a new attempt.
	OnRetry func(Retry)
}

// Reply is one whole answer of a model.
type Reply struct {
	Text         string
	Calls        []ToolCall
	FinishReason string
	Usage        Usage
	// Extra belongs into the message that is made of the reply. LeftOut reports
	// that there was more than is kept, and so that nothing of it is.
	Extra   Extra
	LeftOut bool
}

// Retry announces a further attempt at a request that failed.
type Retry struct {
	// Attempt is the number of the attempt that failed, from 1.
	Attempt     int
	MaxAttempts int
	Failure     *Failure
	Backoff     time.Duration
}

// FailureKind classes provider failures.
type FailureKind string

// The failure kinds of the event contract.
const (
	FailConnection      FailureKind = "connection"
	FailTimeout         FailureKind = "timeout"
	FailRateLimit       FailureKind = "rate_limit"
	FailServer          FailureKind = "server"
	FailUnauthorized    FailureKind = "unauthorized"
	FailQuota           FailureKind = "quota"
	FailPayloadTooLarge FailureKind = "payload_too_large"
	FailClient          FailureKind = "client"
	FailParse           FailureKind = "parse"
	FailIncomplete      FailureKind = "incomplete"
	FailRefused         FailureKind = "refused"
	// FailScript is a scripted model that was asked what its script does not
	// hold: an expectation that was not met, or one turn too many.
	FailScript FailureKind = "script"
	// FailCassette is a replay that was asked what its cassette does not hold.
	FailCassette FailureKind = "cassette"
)

// Failure is a request that brought no reply.
type Failure struct {
	Kind FailureKind
	// Status is the HTTP status, 0 when there was none.
	Status    int
	Retryable bool
	// Message is one short line without secrets, with the beginning of what the
	// endpoint says. Code is the endpoint's own name for the cause, Body the
	// beginning of all that it wrote, secrets out; empty where there is none.
	Message, Code, Body string
}

func (f *Failure) Error() string {
	if f.Status != 0 {
		return fmt.Sprintf("provider %s (status %d): %s", f.Kind, f.Status, f.Message)
	}
	return fmt.Sprintf("provider %s: %s", f.Kind, f.Message)
}
