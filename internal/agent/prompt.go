package agent

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
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
		args := arguments(schema.Properties)
		if len(args) == 0 {
			b.WriteString("- no arguments\n")
		}
		for _, a := range args {
			need := "optional"
			if slices.Contains(schema.Required, a.name) {
				need = "required"
			}
			fmt.Fprintf(&b, "- %s (%s, %s)", a.name, a.Type, need)
			if a.Description != "" {
				b.WriteString(": " + a.Description)
			}
			if len(a.Default) > 0 {
				fmt.Fprintf(&b, " (default: %s)", a.Default)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// argument is what a tool's schema says of one argument.
type argument struct {
	name        string
	Type        string          `json:"type"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
}

// arguments reads the properties of a schema in their own order.
func arguments(properties json.RawMessage) []argument {
	var all []argument
	dec := json.NewDecoder(bytes.NewReader(properties))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	for dec.More() {
		name, err := dec.Token()
		a := argument{}
		if err != nil || dec.Decode(&a) != nil {
			break
		}
		a.name = fmt.Sprint(name)
		all = append(all, a)
	}
	return all
}
