// Package diff compares two runs: their tool calls aligned, their figures and texts,
// and which changes fail a gate.
package diff

import "slices"

// Names of what can change, in the order in which it is shown. Any of them can be
// named by a gate.
const (
	NameVerdict   = "verdict"
	NameReason    = "reason"
	NameAgent     = "agent"
	NameModel     = "model"
	NamePrompt    = "prompt"
	NameSchema    = "schema"
	NameTools     = "tools"
	NameDecisions = "decisions"
	NameResults   = "results"
	NameRetries   = "retries"
	NameFiles     = "files"
	NameSteps     = "steps"
	NameUsage     = "usage"
	NameCost      = "cost"
	NameTime      = "time"
	NameFinal     = "final"
)

// names are all of them.
var names = []string{
	NameVerdict, NameReason, NameAgent, NameModel, NamePrompt, NameSchema, NameTools, NameDecisions, NameResults, NameRetries,
	NameFiles, NameSteps, NameUsage, NameCost, NameTime, NameFinal,
}

// Diff is what changed from Base to Head. All texts are harmless to a terminal and
// a job log, and cut.
type Diff struct {
	Base Side `json:"base"`
	Head Side `json:"head"`
	// Changed are the names of what changed, in their order. The time is not among
	// them: it is another one each time.
	Changed []string `json:"changed"`
	// Failed is what a gate says of that.
	Failed []Failure `json:"failed"`
	// Worse says that the verdict is worse than it was.
	Worse bool `json:"verdict_worse"`
	// Calls are the tool calls that changed, at most maxCalls of them; More counts
	// the others, Counts all of them by what changed.
	Calls   []CallChange `json:"calls"`
	More    int          `json:"more_calls"`
	Counts  map[What]int `json:"calls_by_change"`
	Files   Files        `json:"files"`
	Figures []Figure     `json:"figures"`
	Final   Text         `json:"final"`
}

// Bounds of a Diff.
const (
	maxCalls = 200
	maxFiles = 100
	maxPath  = 5000 // characters, more than a system has
	maxLines = 40
)

// Compare returns what changed from base to head.
func Compare(base, head *Run) Diff {
	d := Diff{
		Changed: []string{},
		Failed:  []Failure{},
		Worse:   worse(base.Verdict, head.Verdict),
		Files:   compareFiles(base.files, head.files),
		Figures: figures(base, head),
		Final:   compareTexts(base, head),
	}
	differ := map[string]bool{NameFiles: d.Files.Counts != FileCounts{}, NameFinal: d.Final.Changed}
	d.compareSides(base, head, differ)
	d.compareCalls(base, head, differ)
	for _, f := range d.Figures {
		differ[f.Group()] = differ[f.Group()] || f.Changed()
	}
	for _, n := range names {
		if differ[n] && n != NameTime {
			d.Changed = append(d.Changed, n)
		}
	}
	return d
}

// verdicts are in the order in which they become worse.
var verdicts = []string{"success", "failure", "pre_run_error", "timeout", "cancelled", "violation", "crash"}

// worse reports whether a verdict is worse than the one before. Of two that differ it
// is, unless both are known: nothing can be said of others.
func worse(base, head string) bool {
	b, h := slices.Index(verdicts, base), slices.Index(verdicts, head)
	return base != head && (b < 0 || h < 0 || h > b)
}
