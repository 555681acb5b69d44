package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/workspace"
)

const toolsIntro = `# Tools

What the built-in agent offers to a model: each tool with the description that the model reads, and its arguments. All of them work in the folder of ` + "`--workspace`" + ` alone, and every path is relative to it. Files that hold credentials are [refused](agent.md#policy), but a command can read them, in the sandbox too. Unknown arguments are refused; numbers and booleans may be sent as strings.

` + "`openagent dev tool NAME ARGS-JSON`" + ` runs one without a model and prints what a model would see:

` + "```sh\nopenagent dev tool list_files '{\"recursive\": true}'\n```" + `

This page is written from the program by ` + "`go test ./internal/cli -update`" + `.
`

// toolPage returns the part of the page about one tool.
func toolPage(s tool.Spec) (string, error) {
	var schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := json.Unmarshal(s.Parameters, &schema); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n%s\n", s.Name, s.Description)
	dec := json.NewDecoder(strings.NewReader(string(schema.Properties)))
	if _, err := dec.Token(); err != nil {
		return "", err
	}
	if !dec.More() {
		b.WriteString("\nIt has no arguments.\n")
		return b.String(), nil
	}
	b.WriteString("\n| argument | type | default | meaning |\n| --- | --- | --- | --- |\n")
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return "", err
		}
		var p struct {
			Type, Description string
			Default           any
			Minimum, Maximum  *int64
		}
		if err := dec.Decode(&p); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s%s |\n", name, p.Type, initialValue(name, p.Default, schema.Required), p.Description, bounds(p.Minimum, p.Maximum))
	}
	return b.String(), nil
}

func initialValue(name, value any, required []string) string {
	for _, r := range required {
		if r == name {
			return "required"
		}
	}
	if value == nil {
		return ""
	}
	return fmt.Sprintf("`%v`", value)
}

func bounds(least, most *int64) string {
	switch {
	case least != nil && most != nil:
		return fmt.Sprintf(" From %d to %d; what is outside is moved to the bound.", *least, *most)
	case least != nil && *least != 0:
		return fmt.Sprintf(" At least %d.", *least)
	}
	return ""
}

func TestDocs_ToolsAreThoseOfTheProgram(t *testing.T) {
	page := toolsIntro
	for _, s := range workspace.Specs() {
		part, err := toolPage(s)
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		page += part
	}
	path := filepath.Join("..", "..", "docs", "tools.md")
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(page, string(golden)); diff != "" {
		t.Errorf("docs/tools.md differs from the program; run go test ./internal/cli -update (-want +got):\n%s", diff)
	}
}
