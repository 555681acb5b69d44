package htmlreport

import (
	"encoding/json"
	"slices"

	"github.com/openagent-ci/openagent/schema"
)

// resultsData are results of scenarios as the script of the page reads them.
type resultsData struct {
	Tool           schema.Agent      `json:"tool"`
	Commit         *string           `json:"commit"`
	Shard          *string           `json:"shard"`
	Planned        []json.RawMessage `json:"planned"`
	Scenarios      []json.RawMessage `json:"scenarios"`
	TotalPlanned   int               `json:"total_planned"`
	TotalScenarios int               `json:"total_scenarios"`
}

// cutResults returns results as far as there is room, nil where there are none.
func cutResults(r *schema.TestResults, room int) any {
	if r == nil {
		return nil
	}
	d := resultsData{Tool: r.Tool, Commit: r.Commit, Shard: r.Shard, TotalPlanned: len(r.Planned), TotalScenarios: len(r.Scenarios)}
	// Both are lists of what was read from JSON.
	d.Planned, _ = fit(r.Planned, room/4)
	scenarios := slices.Clone(r.Scenarios)
	for i := range scenarios {
		scenarios[i].Log = "" // which the page does not show
	}
	d.Scenarios, _ = fit(scenarios, room*3/4)
	return d
}
