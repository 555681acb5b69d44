package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/installed"
)

// someAgents are one for each way in which a program may be there or not.
func someAgents() []Agent {
	known := &adapter.Agent{Name: "known", Package: "@its/known", Tested: []string{"1.0.0", "1.1.0"}, Mapping: "known/1", Time: "source"}
	all := &adapter.Agent{
		Name: "vague", Package: "vague", Tested: []string{"2.0.0"}, Mapping: "vague/2", Time: "arrival",
		Gaps: adapter.Gaps{Decisions: true, ExitStatus: true, Usage: true, Steps: true},
	}
	return []Agent{
		{known, &installed.Program{Path: "/bin/known", Version: "1.1.0"}},
		{known, &installed.Program{Path: "/bin/\x1b[31mknown", Version: "1.2.0"}},
		{all, &installed.Program{Path: "/bin/vague"}},
		{all, nil},
	}
}

func TestWriteAgents(t *testing.T) {
	var b strings.Builder
	if err := WriteAgents(&b, someAgents(), false); err != nil {
		t.Fatal(err)
	}
	want := `
AGENT  VERSION             TESTED WITH   NOT IN ITS STREAM                              PROGRAM
known  1.1.0               1.0.0, 1.1.0  -                                              /bin/known
known  1.2.0 (not tested)  1.0.0, 1.1.0  -                                              /bin/known
vague  unknown             2.0.0         decisions, exit statuses, usage, step borders  /bin/vague
vague  -                   2.0.0         decisions, exit statuses, usage, step borders  not on PATH
`
	if diff := cmp.Diff(want, "\n"+b.String()); diff != "" {
		t.Errorf("WriteAgents (-want +got):\n%s", diff)
	}
}

func TestWriteAgents_JSON(t *testing.T) {
	agents := someAgents()
	var b strings.Builder
	if err := WriteAgents(&b, []Agent{agents[0], agents[2]}, true); err != nil {
		t.Fatal(err)
	}
	want := `{
  "schema": "openagent.agents.v1",
  "agents": [
    {
      "name": "known",
      "package": "@its/known",
      "path": "/bin/known",
      "version": "1.1.0",
      "tested_versions": [
        "1.0.0",
        "1.1.0"
      ],
      "mapping": "known/1",
      "times": "source",
      "not_in_stream": []
    },
    {
      "name": "vague",
      "package": "vague",
      "path": "/bin/vague",
      "version": null,
      "tested_versions": [
        "2.0.0"
      ],
      "mapping": "vague/2",
      "times": "arrival",
      "not_in_stream": [
        "decisions",
        "exit_statuses",
        "usage",
        "step_borders"
      ]
    }
  ]
}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("WriteAgents as JSON (-want +got):\n%s", diff)
	}
}
