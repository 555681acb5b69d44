package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openagent-ci/openagent/internal/sandbox"
)

func TestLoad_Sandbox(t *testing.T) {
	p, err := Load("ci.yaml", []byte(`version: 1
default: allow
sandbox:
  mode: require
  network: off
  read: [/opt/data, ~/.cache/models]
  write: [../shared]
  presets: [go, node]
`))
	if err != nil {
		t.Fatal(err)
	}
	want := sandbox.Policy{Mode: "require", Network: "off", Read: []string{"/opt/data", "~/.cache/models"}, Write: []string{"../shared"}, Presets: []string{"go", "node"}}
	if diff := cmp.Diff(want, p.Sandbox); diff != "" {
		t.Errorf("sandbox of the file (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, p.Narrow([]string{"read_file"}, nil).Sandbox); diff != "" {
		t.Errorf("sandbox of the narrowed policy (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(sandbox.Policy{}, Builtin().Sandbox); diff != "" {
		t.Errorf("sandbox of the built-in policy (-want +got):\n%s", diff)
	}
}

// What is not understood is refused: a wall that is silently lower protects nobody.
func TestLoad_RefusesSandbox(t *testing.T) {
	for text, want := range map[string]string{
		"{mode: on}":                       `ci.yaml:3: sandbox: mode: want auto or require or off, got "on"`,
		"{network: none}":                  `network: want on or loopback or off, got "none"`,
		"{mode: }":                         `mode: want auto or require or off, got nothing`,
		"{mod: off}":                       `unknown key "mod"; accepted: mode, network, read, write, presets; did you mean "mode"?`,
		"{read: /opt}":                     "want a list",
		"{presets: [go, '']}":              "a name in the list is empty",
		"[]":                               "want a mapping",
		"{mode: off, read: [/opt]}":        "the sandbox is off and more is asked of it",
		"{mode: off, network: loopback}":   "the sandbox is off and more is asked of it",
		"{mode: off, write: [], mode: on}": `key "mode" appears twice`,
	} {
		_, err := Load("ci.yaml", []byte("version: 1\ndefault: allow\nsandbox: "+text+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Load with sandbox %s: %v, want %q", text, err, want)
		}
	}
}
