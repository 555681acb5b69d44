package scenarioresult

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
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

func toneOf(r schema.TestResults, s schema.TestScenario) document.Tone {
	if r.Fails(s) {
		return document.Bad
	}
	return tones[s.Status]
}

// Page are the blocks of a page about results, with what differs from earlier ones.
func Page(r schema.TestResults, level int, comparison []document.Block) []document.Block {
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
	return append(append(blocks, comparison...), append(Scenarios(r, maxScenarios, maxLogs), matrix(r)...)...)
}

// Scenarios are a table of at most so many scenarios, those that failed first, and what
// there is to say of each, with so many bytes of logs.
func Scenarios(r schema.TestResults, most, room int) (blocks []document.Block) {
	order := slices.Clone(r.Scenarios)
	rank := func(s schema.TestScenario) int {
		if r.Fails(s) {
			return 0
		}
		return map[string]int{schema.TestFlaky: 1, schema.TestSkip: 2, schema.TestPass: 3}[s.Status]
	}
	slices.SortStableFunc(order, func(a, b schema.TestScenario) int { return rank(a) - rank(b) })
	listed := order[:min(len(order), most)]
	var folds []document.Block
	links := make([]string, len(listed))
	for i, s := range listed {
		if f := scenario(r, s, &room); len(f.Body) > 0 {
			f.ID = fmt.Sprintf("scenario-%d", i+1)
			links[i], folds = "#"+f.ID, append(folds, f)
		}
	}
	blocks = append(blocks, scenarioTable(r, listed, links))
	if more := len(order) - len(listed); more > 0 {
		blocks = append(blocks, document.Text{Tone: document.Muted, Text: fmt.Sprintf("and %d more in results.json", more)})
	}
	return append(blocks, folds...)
}

// scenarioTable has a row for each scenario, agent and model, and the columns of which
// something is known.
func scenarioTable(r schema.TestResults, list []schema.TestScenario, links []string) document.Table {
	columns := []struct {
		name string
		cell func(schema.TestScenario) string
	}{
		{"scenario", scenarioName},
		{"agent", func(s schema.TestScenario) string { return event.Value(s.Agent) }},
		{"model", func(s schema.TestScenario) string { return event.Value(s.Model) }},
		{"result", func(s schema.TestScenario) string { return s.Status }},
		{"pass rate", func(s schema.TestScenario) string { return passRate(r, s) }},
		{"score", func(s schema.TestScenario) string { return figure("%.2f", s.Score) }},
		{"tokens", func(s schema.TestScenario) string { return figure("%d", s.Tokens) }},
		{"cost", func(s schema.TestScenario) string {
			if s.CostUSD == nil {
				return ""
			}
			return term.Dollars(*s.CostUSD)
		}},
		{"time", func(s schema.TestScenario) string { return term.Spoken(took(s)) }},
	}
	t := document.Table{Name: "Scenarios", Sortable: true, Rows: make([][]string, len(list)), Link: func(row int) string { return links[row] }}
	for _, c := range columns {
		known := c.name == "scenario"
		cells := make([]string, len(list))
		for i, s := range list {
			cells[i] = c.cell(s)
			known = known || cells[i] != ""
		}
		if !known {
			continue
		}
		t.Head = append(t.Head, c.name)
		for i, cell := range cells {
			t.Rows[i] = append(t.Rows[i], cell)
		}
	}
	status := slices.Index(t.Head, "result")
	t.Tone = func(row, column int) document.Tone {
		if column != status {
			return document.Plain
		}
		return toneOf(r, list[row])
	}
	return t
}

func figure[T any](format string, n *T) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf(format, *n)
}

// scenarioName is the id without the agent and the model.
func scenarioName(s schema.TestScenario) string {
	name := strings.TrimSuffix(s.ID, "#"+event.Value(s.Model))
	return strings.TrimSuffix(name, "#"+event.Value(s.Agent))
}

// passRate says how many attempts passed, and must, empty for a scenario that ran once at
// most.
func passRate(r schema.TestResults, s schema.TestScenario) string {
	n := len(s.Attempts)
	if n < 2 {
		return ""
	}
	must := ""
	if r.MinPass != nil {
		must = fmt.Sprintf(", %d must", *r.MinPass)
	}
	return fmt.Sprintf("%d %% (%d of %d%s)", 100*s.Passes()/n, s.Passes(), n, must)
}

func took(s schema.TestScenario) (d time.Duration) {
	for _, a := range s.Attempts {
		d += time.Duration(a.MS) * time.Millisecond
	}
	return d
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

// scenario unfolds to why the scenario did not pass, its log and its run; it is empty
// where there is none of them.
func scenario(r schema.TestResults, s schema.TestScenario, room *int) document.Fold {
	tone := toneOf(r, s)
	b := document.Fold{Summary: s.ID, Note: s.Status, Tone: tone, Open: tone == document.Bad}
	if rate := passRate(r, s); rate != "" {
		b.Note += " · " + rate
	}
	for _, j := range s.Judgments {
		label := fmt.Sprintf("score %.2f of at least %.2f by %s", j.Score, j.Min, j.Model)
		if j.CostUSD != nil {
			label += " for " + term.Dollars(*j.CostUSD)
		}
		b.Body = append(b.Body, document.Text{Label: label, Text: strings.Join(j.Reasons, " ")})
	}
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
		if m := gotWant().FindStringSubmatch(first); m != nil {
			b.Body = append(b.Body, document.Text{Tone: document.Muted, Text: "- want, + got:"}, document.Fence{Lang: "diff", Text: "-" + m[2] + "\n+" + m[1]})
		}
		if rest != "" {
			b.Body = append(b.Body, document.Fence{Lang: "diff", Text: rest})
		}
		log = strings.TrimSuffix(log, log[strings.LastIndex("\n"+log, "\nFAIL: "):])
	}
	if strings.TrimSpace(log) != "" {
		b.Body = append(b.Body, document.Fold{Summary: "Log", Body: []document.Block{document.Fence{Lang: "diff", Text: log}}})
	}
	if s.Evidence != nil {
		b.Body = append(b.Body, document.Link{Text: "The page of its run", URL: report.Address(*s.Evidence + "/report.html")})
	}
	return b
}

// gotWant finds what a message of one line says of a difference.
var gotWant = lazyregexp.New(`\bgot (.+), want (.+)$`)

// maxShownAnswer bounds an answer in the matrix, in characters.
const maxShownAnswer = 300

// matrix is a table of scenarios by agents and models, with the answers next to each
// other, where there are several of them.
func matrix(r schema.TestResults) []document.Block {
	var ran, names []string
	cells := map[[2]string]string{}
	for _, s := range r.Scenarios {
		by := strings.TrimSpace(event.Value(s.Agent) + " " + event.Value(s.Model))
		if by == "" {
			continue
		}
		name, cell := scenarioName(s), s.Status
		if answer := term.OneLine(event.Value(s.FinalOutput), maxShownAnswer); answer != "" {
			cell += ": " + answer
		}
		cells[[2]string{name, by}] = cell
		if !slices.Contains(ran, by) {
			ran = append(ran, by)
		}
		names = append(names, name)
	}
	if len(ran) < 2 {
		return nil
	}
	slices.Sort(names)
	table := document.Table{Name: "Answers", Head: append([]string{"scenario"}, ran...)}
	for _, name := range slices.Compact(names) {
		row := []string{name}
		for _, by := range ran {
			row = append(row, cells[[2]string{name, by}])
		}
		table.Rows = append(table.Rows, row)
	}
	table.Tone = func(row, column int) document.Tone {
		status, _, _ := strings.Cut(table.Rows[row][column], ":")
		return tones[status]
	}
	return []document.Block{document.Title{Level: 2, ID: "answers", Text: "Answers of agents and models"}, table}
}
