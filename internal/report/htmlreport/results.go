package htmlreport

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

// maxScenarios bounds the scenarios of a page, maxLogs the bytes of their logs.
const (
	maxScenarios = 5000
	maxLogs      = 2 << 20
)

// tones are the tones of what a scenario came to.
var tones = map[string]document.Tone{schema.TestPass: document.Good, schema.TestFail: document.Bad, schema.TestFlaky: document.Warn, schema.TestSkip: document.Muted}

// results are the blocks of the results of scenarios: those that failed first.
func results(r schema.TestResults, level int) []document.Block {
	counts := map[string]int{}
	for _, s := range r.Scenarios {
		counts[s.Status]++
	}
	var parts []string
	for _, status := range []string{schema.TestPass, schema.TestFail, schema.TestFlaky, schema.TestSkip} {
		if counts[status] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[status], status))
		}
	}
	tone := document.Good
	if slices.ContainsFunc(r.Scenarios, r.Fails) {
		tone = document.Bad
	}
	blocks := []document.Block{document.Title{Level: level, ID: "scenarios", Tone: tone, Text: term.Counted(len(r.Scenarios), "scenario") + ": " + strings.Join(parts, ", ")}}
	if r.Commit != nil {
		blocks = append(blocks, document.Text{Tone: document.Muted, Text: "commit " + *r.Commit})
	}
	if r.Shard != nil {
		blocks = append(blocks, document.Text{Tone: document.Warn, Text: "These are the results of shard " + *r.Shard + " alone."})
	}
	if absent := notRun(r); len(absent) > 0 {
		blocks = append(blocks, document.Text{Tone: document.Bad, Label: "did not run", Text: strings.Join(absent, ", ")})
	}
	blocks = append(blocks, matrix(r)...)
	order := slices.Clone(r.Scenarios)
	rank := func(s schema.TestScenario) int {
		if r.Fails(s) {
			return 0
		}
		return map[string]int{schema.TestFlaky: 1, schema.TestSkip: 2, schema.TestPass: 3}[s.Status]
	}
	slices.SortStableFunc(order, func(a, b schema.TestScenario) int { return rank(a) - rank(b) })
	room := maxLogs
	for _, s := range order[:min(len(order), maxScenarios)] {
		blocks = append(blocks, scenario(s, r.Fails(s), &room))
	}
	if more := len(order) - maxScenarios; more > 0 {
		blocks = append(blocks, document.Text{Tone: document.Muted, Text: fmt.Sprintf("and %d more in results.json", more)})
	}
	return blocks
}

// notRun returns the scenarios that were planned and did not run.
func notRun(r schema.TestResults) (absent []string) {
	ran := map[string]bool{}
	for _, s := range r.Scenarios {
		ran[s.ID] = true
	}
	for _, id := range r.Planned {
		if !ran[id] && len(absent) < report.MaxSummaryItems {
			absent = append(absent, id)
		}
	}
	return absent
}

// scenario is a row that unfolds to why the scenario failed.
func scenario(s schema.TestScenario, fails bool, room *int) document.Block {
	took := time.Duration(0)
	for _, a := range s.Attempts {
		took += time.Duration(a.MS) * time.Millisecond
	}
	b := document.Fold{Summary: s.ID, Note: s.Status, Tone: tones[s.Status], Open: fails}
	if n := len(s.Attempts); n > 1 {
		b.Note += fmt.Sprintf(" · %d of %d passed", s.Passes(), n)
	}
	b.Note += " · " + term.Spoken(took)
	if s.Status == schema.TestPass && s.Evidence == nil {
		return b
	}
	log := s.Log
	if *room -= len(log); *room < 0 {
		log = ""
		b.Body = append(b.Body, document.Text{Tone: document.Muted, Text: "Its log is in results.json."})
	}
	if line, message := report.Failure(s.File, log); message != "" {
		first, rest, _ := strings.Cut(message, "\n")
		b.Body = append(b.Body, document.Text{Tone: document.Bad, Label: fmt.Sprintf("%s:%d", s.File, line), Text: first})
		if rest != "" {
			b.Body = append(b.Body, document.Fence{Lang: "diff", Text: rest})
		}
		log = strings.TrimSuffix(log, log[strings.LastIndex("\n"+log, "\nFAIL: "):])
	}
	if strings.TrimSpace(log) != "" {
		b.Body = append(b.Body, document.Fold{Summary: "Log", Body: []document.Block{document.Fence{Lang: "diff", Text: log}}})
	}
	if s.Evidence != nil {
		b.Body = append(b.Body, document.Link{Text: "The page of its run", URL: address(*s.Evidence + "/report.html")})
	}
	return b
}

// matrix is a table of scenarios by agents, where there are agents.
func matrix(r schema.TestResults) []document.Block {
	var agents, names []string
	cells := map[[2]string]string{}
	for _, s := range r.Scenarios {
		if s.Agent == nil {
			continue
		}
		name := strings.TrimSuffix(s.ID, "#"+*s.Agent)
		cells[[2]string{name, *s.Agent}] = s.Status
		if !slices.Contains(agents, *s.Agent) {
			agents = append(agents, *s.Agent)
		}
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	if agents == nil {
		return nil
	}
	slices.Sort(names)
	table := document.Table{Name: "Scenarios by agent", Head: append([]string{"scenario"}, agents...)}
	for _, name := range slices.Compact(names) {
		row := []string{name}
		for _, agent := range agents {
			row = append(row, cells[[2]string{name, agent}])
		}
		table.Rows = append(table.Rows, row)
	}
	return []document.Block{table}
}
