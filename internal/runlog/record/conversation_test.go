package record_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/record"
)

// conversation records messages and returns their file.
func conversation(t *testing.T, messages ...record.Message) string {
	t.Helper()
	r := open(t)
	if len(messages) > 0 && messages[0].About == nil {
		messages[0].About = &record.About{RunID: "r1", Session: "s"}
	}
	if err := r.Messages(messages, true); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(r.Dir(), record.MessagesName)
}

func readConversation(t *testing.T, path string) (record.Conversation, error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return record.ReadConversation(f)
}

// Messages come back in their places, in their last form.
func TestReadConversation_WhatWasRecorded(t *testing.T) {
	path := conversation(t,
		record.Message{Role: chat.RoleSystem, Text: "be good"},
		record.Message{Index: 1, Role: chat.RoleUser, Text: "go"},
		record.Message{Index: 2, Step: 1, Requests: 3, Role: chat.RoleAssistant, Calls: []record.MessageCall{{ID: "c", Tool: "t", Arguments: "{}"}}},
		record.Message{Index: 3, Step: 1, Requests: 3, Role: chat.RoleTool, ToolCallID: "c", Text: strings.Repeat("long ", 4<<20)}, // a line of 20 MiB
		record.Message{Index: 3, Step: 1, Requests: 4, Role: chat.RoleTool, ToolCallID: "c", Text: "short"},
	)
	c, err := readConversation(t, path)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range c.Messages {
		texts = append(texts, m.Text)
	}
	if diff := cmp.Diff([]string{"be good", "go", "", "short"}, texts); diff != "" || c.Requests != 4 || c.RunID != "r1" || c.Session != "s" || c.Torn {
		t.Errorf("ReadConversation() = %d requests of %s in %s, torn %v (-want +got):\n%s", c.Requests, c.RunID, c.Session, c.Torn, diff)
	}
	// Half a line, as a killed run leaves it, is no message.
	if err := appendTo(path, `{"index":4,"ste`); err != nil {
		t.Fatal(err)
	}
	if again, err := readConversation(t, path); err != nil || !again.Torn || len(again.Messages) != 4 || again.Digest == c.Digest {
		t.Errorf("ReadConversation(torn) = %d messages, torn %v, %v, want 4 and torn", len(again.Messages), again.Torn, err)
	}
}

func TestReadConversation_Refused(t *testing.T) {
	start := record.Message{Role: chat.RoleSystem, Text: "s"}
	for name, test := range map[string]struct {
		path string
		edit func(text string) string
		want string
	}{
		"empty":      {conversation(t), nil, "no message: the run ended before"},
		"no chain":   {conversation(t, start, start), func(s string) string { return strings.Replace(s, `"text":"s"`, `"text":"z"`, 1) }, "line 2: it does not follow"},
		"first gone": {conversation(t, start, record.Message{Index: 1, Role: chat.RoleUser}), func(s string) string { return s[strings.Index(s, "\n")+1:] }, "line 1: it does not follow"},
		"swapped": {conversation(t, start, record.Message{Index: 1, Role: chat.RoleUser}), func(s string) string {
			first, rest, _ := strings.Cut(s, "\n")
			return rest + first + "\n"
		}, "line 1: it does not follow"},
		"no place":     {conversation(t, start, record.Message{Index: 2, Role: chat.RoleUser}), nil, "line 2: it has no place"},
		"negative":     {conversation(t, start, record.Message{Index: -1, Role: chat.RoleUser}), nil, "line 2: it has no place"},
		"fewer asked":  {conversation(t, record.Message{Role: chat.RoleSystem, Requests: 2}, record.Message{Index: 1, Requests: 1}), nil, "line 2: it has no place"},
		"another role": {conversation(t, start, record.Message{Index: 0, Role: chat.RoleUser}), nil, "line 2: it shortens a message of another role"},
		"nobody's":     {conversation(t, record.Message{About: &record.About{}, Role: chat.RoleSystem}), nil, "whose conversation"},
		"older":        {conversation(t, start), func(s string) string { return `{"index":0,"role":"system","text":"","before_sha256":""}` + "\n" }, "an earlier version"},
		"another file": {conversation(t, start), func(string) string { return "root:secret-of-another:0\n" }, "line 1: it is no message"},
		"broken within": {conversation(t, start, start, start), func(s string) string {
			lines := strings.SplitAfter(s, "\n")
			return lines[0] + lines[1][:9] + "\n" + lines[2]
		}, "line 2: it is no message"},
	} {
		if test.edit != nil {
			text, err := os.ReadFile(test.path)
			if err == nil {
				err = os.WriteFile(test.path, []byte(test.edit(string(text))), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		_, err := readConversation(t, test.path)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret-of-another") {
			t.Errorf("%s: ReadConversation() = %v, want an error with %q and nothing of the file", name, err, test.want)
		}
	}
}

// A file that no conversation has is refused by its size, and takes no time.
func TestReadConversation_TooLarge(t *testing.T) {
	path := conversation(t, record.Message{Role: chat.RoleSystem})
	if err := os.Truncate(path, 2<<30); err != nil {
		t.Skipf("this file system makes no file of that size without writing it: %v", err)
	}
	if _, err := readConversation(t, path); err == nil || !strings.Contains(err.Error(), "larger than 268435456 bytes") {
		t.Errorf("ReadConversation(2 GiB) = %v, want a refusal", err)
	}
}
