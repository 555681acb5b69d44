package record

import (
	"encoding/hex"
	"fmt"

	"github.com/openagent-ci/openagent/internal/chat"
)

// Message is one line of messages.jsonl: a message of the conversation as it
// was sent or received, secrets masked.
type Message struct {
	// Index is the place of the message in the conversation, from 0. A line with
	// the index of an earlier one has the shorter form that took its place.
	Index int `json:"index"`
	// About is on the first line.
	About *About `json:"about,omitempty"`
	// Step is the turn of the conversation: in a run that goes on with an earlier
	// one they are counted on.
	Step int `json:"step"`
	// Requests counts those of the conversation that were answered so far, also by
	// an error.
	Requests int           `json:"requests,omitempty"`
	Role     chat.Role     `json:"role"`
	Text     string        `json:"text"`
	Calls    []MessageCall `json:"calls,omitempty"`
	// ToolCallID, ToolFailed and ToolResult are those of chat.Message.
	ToolCallID string `json:"tool_call_id,omitempty"`
	ToolFailed bool   `json:"tool_failed,omitempty"`
	ToolResult bool   `json:"tool_result,omitempty"`
	// Extra is what the endpoint gave with the message. Masked reports that
	// masking changed the message, so that Extra, which may sign it, must not be
	// sent back.
	Extra  *chat.Extra `json:"extra,omitempty"`
	Masked bool        `json:"masked,omitempty"`
	// Before is the SHA-256, in hex, of the line before this one, its end
	// included; empty for the first.
	Before string `json:"before_sha256"`
}

// About says what a conversation belongs to.
type About struct {
	RunID   string `json:"run_id"`
	Session string `json:"session,omitempty"`
	// Provider and Model are those of the event that starts the run, Tools the
	// names on offer.
	Provider string   `json:"provider"`
	Model    string   `json:"model"`
	Tools    []string `json:"tools"`
}

// MessageCall is a native call of an assistant message.
type MessageCall struct {
	ID        string      `json:"id"`
	Tool      string      `json:"tool"`
	Arguments string      `json:"arguments"`
	Extra     *chat.Extra `json:"extra,omitempty"`
}

// Messages appends messages, and brings all that were appended to disk if sync
// is set.
func (r *Run) Messages(messages []Message, sync bool) error {
	for _, m := range messages {
		m.Before = hex.EncodeToString(r.messages.last)
		if err := r.messages.write(m); err != nil {
			return fmt.Errorf("record message %d: %w", m.Index, err)
		}
	}
	if !sync {
		return nil
	}
	if err := r.info.Scratch.Sync(r.messages.file); err != nil {
		return fmt.Errorf("record messages: %w", err)
	}
	return nil
}
