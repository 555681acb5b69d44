package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

// sandboxVersion names the form of the JSON of a sandbox's status.
const sandboxVersion = "openagent.sandbox_status.v1"

// SandboxText describes in one line what the commands of a run were confined to,
// empty where that is not known.
func SandboxText(s *schema.SandboxStatus) string {
	if s == nil {
		return ""
	}
	status := sandbox.Status{Level: sandbox.Level(s.Level), Seccomp: s.Seccomp, Network: sandbox.Network(s.Network), Missing: s.Missing}
	if s.LandlockABI != nil {
		status.LandlockABI = int(*s.LandlockABI)
	}
	if s.User != nil {
		status.User = *s.User
	}
	return status.Text()
}

// WriteSandbox writes what a sandbox has on this machine: a line for each part, or
// one object.
func WriteSandbox(w io.Writer, s sandbox.Status, asJSON bool) error {
	if asJSON {
		return jsontext.WriteIndented(w, struct {
			Schema string `json:"schema"`
			sandbox.Status
		}{sandboxVersion, s})
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PART\tHERE\tWHAT IT HOLDS, OR WHY IT IS MISSING")
	for _, m := range s.Mechanisms {
		here := "yes"
		if !m.Have {
			here = "no"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", m.Name, here, term.OneLine(m.Detail, MaxFinding))
	}
	fmt.Fprintf(table, "\nCommands get: %s\n", s.Text())
	for _, m := range s.Missing {
		fmt.Fprintf(table, "Missing: %s\n", term.OneLine(m, MaxFinding))
	}
	return table.Flush()
}
