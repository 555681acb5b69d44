package agent

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// CallMode says how the model makes tool calls.
type CallMode string

// The modes; the zero value is the first.
const (
	// CallsAuto offers the tools by the API; of a reply without such a call
	// the text is read.
	CallsAuto CallMode = "auto"
	// CallsNative takes calls by the API alone.
	CallsNative CallMode = "native"
	// CallsText offers no tools by the API: the system prompt lists them and
	// teaches how to write a call.
	CallsText CallMode = "text"
)

//go:embed task.md
var builtinTask string

//go:embed tools.md
var nativeInstructions string

//go:embed auto.md
var autoInstructions string

//go:embed text.md
var textInstructions string

// SystemPrompt returns the system prompt: the task part, built in or given,
// and the instructions for tools, which in text mode describe each of them.
func SystemPrompt(task string, mode CallMode, tools []chat.ToolSpec) string {
	if task == "" {
		task = builtinTask
	}
	switch mode {
	case CallsNative:
		return task + "\n" + nativeInstructions
	case CallsText:
		return task + "\n" + textInstructions + describe(tools)
	}
	return task + "\n" + autoInstructions
}

// describe lists tools with their arguments, in the order of their schemas.
func describe(tools []chat.ToolSpec) string {
	var b strings.Builder
	for _, t := range tools {
		fmt.Fprintf(&b, "\n%s: %s\n", t.Name, strings.TrimSpace(t.Description))
		var schema struct {
			Properties json.RawMessage `json:"properties"`
			Required   []string        `json:"required"`
		}
		if json.Unmarshal(t.Parameters, &schema) != nil {
			continue
		}
		none := true
		for name, raw := range jsontext.Members(schema.Properties) {
			var a argument
			if json.Unmarshal(raw, &a) != nil {
				break
			}
			none = false
			need := "optional"
			if slices.Contains(schema.Required, string(name)) {
				need = "required"
			}
			fmt.Fprintf(&b, "- %s (%s, %s)", name, a.Type, need)
			if a.Description != "" {
				b.WriteString(": " + a.Description)
			}
			if len(a.Default) > 0 {
				fmt.Fprintf(&b, " (default: %s)", a.Default)
			}
			b.WriteByte('\n')
		}
		if none {
			b.WriteString("- no arguments\n")
		}
	}
	return b.String()
}

// argument is what a tool's schema says of one argument.
type argument struct {
	Type        string          `json:"type"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
}
