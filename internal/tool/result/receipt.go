package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/tool"
)

// maxDetails bounds the details in a receipt, in characters.
const maxDetails = 1000

// condensed stands for details that are too large.
type condensed struct {
	Bytes   int    `json:"bytes"`
	SHA256  string `json:"sha256"`
	Preview string `json:"preview"`
}

func condense(details json.RawMessage, max int) condensed {
	sum := sha256.Sum256(details)
	preview, _ := clip.Prefix(clip.UTF8(string(details)), max)
	return condensed{len(details), hex.EncodeToString(sum[:]), preview}
}

// boundDetails returns e with details that fit the budget of its family.
func boundDetails(e *tool.Error, budget int) *tool.Error {
	if len(e.Details) <= budget {
		return e
	}
	// Escaping can make a preview six times as long.
	raw, err := jsontext.Marshal(condense(e.Details, budget/8))
	if err != nil {
		raw = nil
	}
	bounded := *e
	bounded.Details = raw
	return &bounded
}

// renderError is the one receipt of all tools: the kind and the message whole,
// then the way out, then as much of the details as there is room for.
func renderError(t tool.Tool, e *tool.Error) string {
	text := outcome(e)
	if details, ok := failureText(t, e); ok {
		return strings.TrimSuffix(text+details, "\n")
	}
	return strings.TrimSuffix(text+receiptDetails(e.Details, receiptBudget-len(text)), "\n")
}

// outcome is what no receipt leaves out.
func outcome(e *tool.Error) string {
	text := fmt.Sprintf("Error (%s): %s\n", e.Kind, e.Message)
	if e.RecoveryHint != nil && *e.RecoveryHint != "" {
		text += "Hint: " + *e.RecoveryHint + "\n"
	}
	return text
}

// failureText returns the text of details that are a payload of the tool.
func failureText(t tool.Tool, e *tool.Error) (string, bool) {
	if t.Payload == nil || len(e.Details) == 0 {
		return "", false
	}
	payload, err := t.Payload(e.Details)
	f, ok := payload.(tool.Failing)
	if err != nil || !ok || f.Failure() != e.Kind {
		return "", false
	}
	return f.FailureText(), true
}

// receiptDetails renders details within room bytes and maxDetails characters.
func receiptDetails(details json.RawMessage, room int) string {
	text := clip.UTF8(detailLines(details))
	if len(text) <= room && utf8.RuneCountInString(text) <= maxDetails {
		return text
	}
	short := condense(details, 0)
	if before, ok := condensedBefore(details); ok {
		short, text = before, before.Preview
	}
	frame := fmt.Sprintf("details: %d bytes, sha256 %s\n", short.Bytes, short.SHA256)
	left := min(room, maxDetails) - len(frame) - len("begin: \n")
	if left <= 0 {
		return ""
	}
	preview, _ := clip.Prefix(text, left)
	return frame + "begin: " + strings.TrimRight(preview, "\n") + "\n"
}

// condensedBefore returns details that were condensed for the record: what is
// said of them is the size and digest of the whole.
func condensedBefore(details json.RawMessage) (c condensed, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(details))
	dec.DisallowUnknownFields()
	return c, dec.Decode(&c) == nil && len(c.SHA256) == hex.EncodedLen(sha256.Size)
}

// detailLines renders an object as one "name: value" for each member, in its
// own order, with text as it is. Other values are compact JSON.
func detailLines(details json.RawMessage) string {
	if len(details) == 0 || string(details) == "null" {
		return ""
	}
	if details[0] != '{' {
		return "details: " + compact(details) + "\n"
	}
	var b strings.Builder
	for name, value := range jsontext.Members(details) {
		fmt.Fprintf(&b, "%s: %s\n", name, detailValue(value))
	}
	return b.String()
}

func detailValue(value json.RawMessage) string {
	var text string
	if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &text) == nil {
		return strings.TrimRight(text, "\n")
	}
	return compact(value)
}

func compact(value json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}
