package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/installed"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// agentsVersion names the form of the JSON of agents.
const agentsVersion = "openagent.agents.v1"

// Agent is an agent that can be converted, and its program on this machine.
type Agent struct {
	*adapter.Agent
	// Program is nil where there is none.
	Program *installed.Program
}

// gaps are what a stream may not show, by name.
var gaps = []struct {
	name string
	has  func(adapter.Gaps) bool
}{
	{"decisions", func(g adapter.Gaps) bool { return g.Decisions }},
	{"exit_statuses", func(g adapter.Gaps) bool { return g.ExitStatus }},
	{"usage", func(g adapter.Gaps) bool { return g.Usage }},
	{"step_borders", func(g adapter.Gaps) bool { return g.Steps }},
}

// notShown names what the agent's stream does not show.
func (a Agent) notShown() []string {
	names := []string{}
	for _, g := range gaps {
		if g.has(a.Gaps) {
			names = append(names, g.name)
		}
	}
	return names
}

// WriteAgents writes the agents as a table, or as one object.
func WriteAgents(w io.Writer, agents []Agent, asJSON bool) error {
	if asJSON {
		return writeAgentsJSON(w, agents)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "AGENT\tVERSION\tTESTED WITH\tNOT IN ITS STREAM\tPROGRAM")
	for _, a := range agents {
		version, path := "-", "not on PATH"
		if p := a.Program; p != nil {
			version, path = cmp.Or(p.Version, "unknown"), p.Path
			if p.Version != "" && !slices.Contains(a.Tested, p.Version) {
				version += " (not tested)"
			}
		}
		gone := strings.ReplaceAll(cmp.Or(strings.Join(a.notShown(), ", "), "-"), "_", " ")
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", a.Name, term.OneLine(version, MaxFinding), strings.Join(a.Tested, ", "), gone, term.OneLine(path, MaxFinding))
	}
	return table.Flush()
}

// agentRow is an agent as programs read it.
type agentRow struct {
	Name    string `json:"name"`
	Package string `json:"package"`
	// Path is null where the program is not on PATH, Version where nothing says it.
	Path    *string  `json:"path"`
	Version *string  `json:"version"`
	Tested  []string `json:"tested_versions"`
	Mapping string   `json:"mapping"`
	Times   string   `json:"times"`
	Missing []string `json:"not_in_stream"`
}

func writeAgentsJSON(w io.Writer, agents []Agent) error {
	rows := []agentRow{}
	for _, a := range agents {
		row := agentRow{Name: a.Name, Package: a.Package, Tested: a.Tested, Mapping: a.Mapping, Times: a.Time, Missing: a.notShown()}
		if p := a.Program; p != nil {
			row.Path = &p.Path
			if p.Version != "" {
				row.Version = &p.Version
			}
		}
		rows = append(rows, row)
	}
	return jsontext.WriteIndented(w, struct {
		Schema string     `json:"schema"`
		Agents []agentRow `json:"agents"`
	}{agentsVersion, rows})
}
