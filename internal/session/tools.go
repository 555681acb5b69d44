package session

import (
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/history"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/workspace"
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
