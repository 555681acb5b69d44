package session

import (
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/agent/history"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/policy"
	"github.com/openagent-ci/openagent/internal/tool/workspace"
)

// Tools describes the tools of every run, sorted by name.
func Tools() []tool.Spec {
	specs := append(workspace.Specs(), history.Tool("", event.NewClock()).Spec)
	slices.SortFunc(specs, func(a, b tool.Spec) int { return strings.Compare(a.Name, b.Name) })
	return specs
}

// ToolNames returns the names of all tools there are.
func ToolNames() (all []string) {
	for _, t := range Tools() {
		all = append(all, t.Name)
	}
	return all
}

// UnknownTool returns the first name or glob that fits no tool, empty when each
// does. Those of an MCP server's tools are not known yet and count as fitting.
func UnknownTool(patterns []string) string {
	for _, p := range patterns {
		fits := func(name string) bool { return policy.Match(p, name) }
		if !strings.HasPrefix(p, policy.ServerTools) && !slices.ContainsFunc(ToolNames(), fits) {
			return p
		}
	}
	return ""
}

// ToolSpecs returns what is known of the tools of those names, or of every tool
// without names; of a name that no tool has only that is known.
func ToolSpecs(names []string) (all []chat.ToolSpec) {
	if len(names) == 0 {
		names = ToolNames()
	}
	specs := Tools()
	for _, name := range names {
		spec := chat.ToolSpec{Name: name}
		if i := slices.IndexFunc(specs, func(s tool.Spec) bool { return s.Name == name }); i >= 0 {
			spec.Parameters = specs[i].Parameters
		}
		all = append(all, spec)
	}
	return all
}
