package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// MaxFinding bounds a finding printed for people, in characters.
const MaxFinding = 400

// CheckFile is what checking one stream came to.
type CheckFile struct {
	File   string `json:"file"`
	Events int    `json:"events"`
	Runs   int    `json:"runs"`
	// Valid tells that no finding is of severity error.
	Valid    bool               `json:"valid"`
	Findings []validate.Finding `json:"findings"`
	// More counts findings above the limit, which Findings does not hold, and
	// Omitted does so by rule.
	More    int            `json:"more,omitempty"`
	Omitted map[string]int `json:"omitted,omitempty"`

	started time.Time // when it was read
}

// NewCheckFile returns what the execution e, of the stream called name, came
// to.
func NewCheckFile(name string, e *runner.Execution) CheckFile {
	c := CheckFile{
		File: name, Events: e.Events, Runs: e.Runs,
		Valid:    e.Errors == 0,
		Findings: append([]validate.Finding{}, e.Findings...),
		More:     max(e.TotalFindings()-len(e.Findings), 0), Omitted: omitted(e),
		started: e.Started,
	}
	for i := range c.Findings {
		if e.Source == nil { // else they are about two streams
			c.Findings[i].File = name
		}
	}
	return c
}

// With returns c with findings about the evidence that the stream is of.
func (c CheckFile) With(found []validate.Finding) CheckFile {
	for _, f := range found {
		f.File = c.File
		c.Findings, c.Valid = append(c.Findings, f), false
	}
	return c
}

// omitted counts by rule the findings that e does not hold.
func omitted(e *runner.Execution) map[string]int {
	counts := map[string]int{}
	maps.Copy(counts, e.FindingCounts)
	for _, f := range e.Findings {
		counts[f.Rule]--
	}
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n <= 0 })
	return counts
}

// writers is the table of the formats, by name.
var writers = []struct {
	name  string
	write func(io.Writer, Origin, []CheckFile) error
}{
	{"human", func(w io.Writer, _ Origin, files []CheckFile) error { return WriteHuman(w, files, false) }},
	{"json", writeJSON},
	{"sarif", func(w io.Writer, o Origin, files []CheckFile) error { return WriteSARIF(w, o, validate.Rules(), files) }},
	{"junit", writeJUnit},
}

// CheckFormats returns the formats WriteCheck writes, the default first.
func CheckFormats() []string {
	var names []string
	for _, f := range writers {
		names = append(names, f.name)
	}
	return names
}

// WriteCheck writes what checking the files came to: human has a line per
// finding and one per file, json the whole as one object, sarif a log of SARIF
// 2.1.0, junit a test report with a suite per file. The last two say of which
// origin they are.
func WriteCheck(w io.Writer, format string, o Origin, files []CheckFile) error {
	for _, f := range writers {
		if f.name == format {
			return f.write(w, o, files)
		}
	}
	return fmt.Errorf("unknown format %q; known: %s", format, strings.Join(CheckFormats(), ", "))
}

// CheckFindings returns the findings of all files, as annotations are made of
// them, and the number of those that were not kept.
func CheckFindings(files []CheckFile) (all []validate.Finding, more int) {
	for _, f := range files {
		all = append(all, f.Findings...)
		more += f.More
	}
	return all, more
}

// severityColours paint a finding.
var severityColours = map[validate.Severity]term.Colour{
	validate.SeverityError: term.Red, validate.SeverityWarning: term.Yellow, validate.SeverityInfo: term.Grey,
}

// WriteHuman writes a line per finding and one per file, and last what explains
// the first error. Colour paints findings by severity, for a terminal.
func WriteHuman(w io.Writer, files []CheckFile, colour bool) error {
	var b strings.Builder
	for _, c := range files {
		for _, f := range c.Findings {
			fmt.Fprintln(&b, severityColours[f.Severity].Paint(findingLine(f), colour))
		}
		verdict := term.Green
		if !c.Valid {
			verdict = term.Red
		}
		fmt.Fprintln(&b, verdict.Paint(term.OneLine(c.String(), MaxFinding), colour))
	}
	for _, c := range files {
		if i := slices.IndexFunc(c.Findings, func(f validate.Finding) bool { return f.Shown != "" }); i >= 0 { // a line that cannot be read
			rule, _ := validate.RuleByID(c.Findings[i].Rule)
			fmt.Fprintf(&b, "hint: %s (docs/contract.md#%s)\n", rule.Help, strings.ReplaceAll(rule.ID, "/", "-"))
		}
		if next := explainFirst(c.Findings); next != nil {
			fmt.Fprintln(&b, "next: "+next[0])
			break
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// findingLine returns a finding as people read it; that it is an error goes
// without saying.
func findingLine(f validate.Finding) string {
	line := f.String()
	if f.Severity != validate.SeverityError {
		line += " (" + string(f.Severity) + ")"
	}
	return term.OneLine(line, MaxFinding)
}

// String returns the line that sums a file up.
func (c CheckFile) String() string {
	verdict := "valid"
	if !c.Valid {
		verdict = "invalid"
	}
	s := fmt.Sprintf("%s: %s: %s, %s, %s", c.File, verdict, term.Counted(c.Events, "event"),
		term.Counted(c.Runs, "run"), term.Counted(len(c.Findings)+c.More, "finding"))
	if c.More > 0 {
		s += fmt.Sprintf(" (%d not shown)", c.More)
	}
	return s
}

func writeJSON(w io.Writer, _ Origin, files []CheckFile) error {
	if files == nil {
		files = []CheckFile{}
	}
	return jsontext.WriteIndented(w, struct {
		Schema string      `json:"schema"`
		Files  []CheckFile `json:"files"`
	}{schema.CheckVersion, files})
}
