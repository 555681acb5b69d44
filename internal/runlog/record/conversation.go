package record

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
)

// MaxConversation bounds a record of messages that is read, in bytes.
const MaxConversation = 256 << 20

// Conversation is what a file of messages holds.
type Conversation struct {
	About
	// Messages are in their order, each in its last form.
	Messages []Message
	// Requests is the count of the last line.
	Requests int
	// Torn reports that half a line at the end was left out, as a killed run
	// leaves it.
	Torn bool
	// Digest is the SHA-256 of the file in hex.
	Digest string
}

// ReadConversation reads a file of messages. Its error says in which line what is
// wrong, and nothing of what stands there: that may be of another file.
func ReadConversation(f *os.File) (c Conversation, err error) {
	if err := checkSize(f); err != nil {
		return c, err
	}
	whole := sha256.New()
	in := bufio.NewReader(io.TeeReader(io.LimitReader(f, MaxConversation), whole))
	before := ""
	for n := 1; ; n++ {
		line, err := readLine(in)
		if err == io.EOF {
			c.Torn, c.Digest = len(line) > 0, hex.EncodeToString(whole.Sum(nil))
			return c, c.check()
		}
		if err == nil {
			err = c.add(line, before)
		}
		if err != nil {
			return c, fmt.Errorf("line %d: %w", n, err)
		}
		sum := sha256.Sum256(line)
		before = hex.EncodeToString(sum[:])
	}
}

// add takes in a line; before is the digest of the one before it.
func (c *Conversation) add(line []byte, before string) error {
	var m Message
	if err := json.Unmarshal(line, &m); err != nil {
		return errors.New("it is no message")
	}
	switch {
	case m.Before != before:
		return errors.New("it does not follow the line before it: one of them was changed")
	case m.Index < 0 || m.Index > len(c.Messages) || m.Requests < c.Requests || m.Requests > 1<<31 || m.Step < 0:
		return errors.New("it has no place in the conversation")
	case m.Index == 0 && len(c.Messages) == 0 && m.About == nil:
		return errors.New("it does not say whose conversation it is; an earlier version of openagent wrote it")
	}
	c.Requests = m.Requests
	if m.Index == len(c.Messages) {
		c.Messages = append(c.Messages, m)
		return nil
	}
	if c.Messages[m.Index].Role != m.Role {
		return errors.New("it shortens a message of another role")
	}
	c.Messages[m.Index] = m
	return nil
}

func (c *Conversation) check() error {
	if len(c.Messages) == 0 {
		return errors.New("it holds no message: the run ended before its first request")
	}
	c.About = event.Value(c.Messages[0].About) // a shortened form has none
	if c.RunID == "" {
		return errors.New("it does not say whose conversation it is")
	}
	return nil
}

// ReadCalls reads a file of calls and returns its SHA-256 in hex too. Its error is
// like that of ReadConversation.
func ReadCalls(f *os.File) (calls []Call, digest string, err error) {
	if err := checkSize(f); err != nil {
		return nil, "", err
	}
	whole := sha256.New()
	for c, err := range callLines(io.TeeReader(io.LimitReader(f, MaxConversation), whole)) {
		if at := new(fs.PathError); errors.As(err, &at) {
			return nil, "", err
		}
		if err != nil {
			return nil, "", fmt.Errorf("line %d: it is no call", len(calls)+1)
		}
		calls = append(calls, c)
	}
	return calls, hex.EncodeToString(whole.Sum(nil)), nil
}

// checkSize refuses a file that is too large to be held.
func checkSize(f *os.File) error {
	info, err := f.Stat()
	if err == nil && info.Size() > MaxConversation {
		err = fmt.Errorf("it is larger than %d bytes", MaxConversation)
	}
	return err
}

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
