package runner

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/schema/validate"
)

// collector counts all findings and keeps those that weigh most.
type collector struct {
	exec    *Execution
	file    string
	strict  bool
	max     int
	secrets *redact.Redactor
	// byRank are findings by their rank, the weightiest first, each list no longer
	// than an Execution could need.
	byRank  [ranks][]arrival
	arrived int
	// firstError is the finding of severity error with the lowest line, kept
	// or not.
	firstError *validate.Finding
	// masked are the last texts of a finding, as they came and as they are
	// shown: very many findings are very often the same.
	masked [2]struct{ from, to string }
}

// arrival is a finding and its place among all: those of one line stay in the
// order in which they came.
type arrival struct {
	validate.Finding
	number int
}

func newCollector(e *Execution, c Config, secrets *redact.Redactor) *collector {
	e.FindingCounts = map[string]int{}
	limit := c.MaxFindings
	if limit == 0 {
		limit = DefaultMaxFindings
	}
	return &collector{exec: e, file: c.File, strict: c.Stream.Strict, max: limit, secrets: secrets}
}

// add takes findings over, names the stream in them and gives them the severity
// that the stream is held to. What they quote of the
// stream is redacted in place.
func (c *collector) add(findings []validate.Finding) { c.addAbout(c.file, c.strict, findings) }

// addAbout is add for findings about a file, which is held to its rules strictly
// or not.
func (c *collector) addAbout(file string, strict bool, findings []validate.Finding) {
	c.take(file, strict, findings, func(rank int) bool { return len(c.byRank[rank]) < c.room(rank) })
}

// take is addAbout for the findings that are kept by their rank. All are counted.
func (c *collector) take(file string, strict bool, findings []validate.Finding, keep func(rank int) bool) {
	for i := range findings {
		f := &findings[i]
		f.File = file
		for i, text := range []*string{&f.Message, &f.Got} {
			if m := &c.masked[i]; *text != m.from {
				m.from, m.to = *text, c.secrets.String(*text)
			}
			*text = c.masked[i].to
		}
		if strict {
			*f = f.Strict()
		}
		c.count(f)
		if rank := c.rank(*f); keep(rank) {
			c.byRank[rank] = append(c.byRank[rank], arrival{*f, c.arrived})
			c.arrived++
		}
	}
}

// close takes over what the end has shown. Some of it stands at earlier lines,
// so what is kept is chosen once more.
func (c *collector) close(findings []validate.Finding) {
	c.take(c.file, c.strict, findings, func(int) bool { return true })
	for rank, list := range c.byRank {
		slices.SortStableFunc(list, func(a, b arrival) int { return cmp.Compare(a.Line, b.Line) })
		c.byRank[rank] = list[:min(len(list), c.room(rank))]
	}
}

// replace leaves f in the place of all findings so far.
func (c *collector) replace(f validate.Finding) {
	c.byRank, c.firstError, c.exec.Errors = [ranks][]arrival{}, nil, 0
	clear(c.exec.FindingCounts)
	c.add([]validate.Finding{f})
}

// ranks counts what rank returns: two for the stream as a whole and two for
// each severity.
const ranks = 2 + 2*3

// rank says what a counted finding gives way to in a full list, 0 to nothing:
// the stream as a whole weighs more than any line, an error more than a
// warning, and the first finding of a rule more than its next ones.
func (c *collector) rank(f validate.Finding) int {
	rank := 2
	switch {
	case f.Line == 0:
		rank = 0
	case f.Severity == validate.SeverityWarning:
		rank = 4
	case f.Severity == validate.SeverityInfo:
		rank = 6
	}
	if c.exec.FindingCounts[f.Rule] > 1 {
		rank++
	}
	return rank
}

// room bounds the findings kept of a rank. Those of the stream as a whole are
// there whatever the limit, but an agent must not print them without end.
func (c *collector) room(rank int) int {
	if rank < 2 {
		return max(c.max, DefaultMaxFindings)
	}
	return c.max
}

// save gives the execution what was found.
func (c *collector) save() { c.exec.Findings = c.list() }

// list returns the findings that an Execution holds: those of the stream as a
// whole, then by rank up to the limit. They stand by line; where some are left
// out, which takes that order its sense, errors stand first.
func (c *collector) list() []validate.Finding {
	var chosen []arrival
	for rank, list := range c.byRank {
		if rank >= 2 {
			list = list[:min(len(list), max(c.max-len(chosen), 0))]
		}
		chosen = append(chosen, list...)
	}
	slices.SortFunc(chosen, func(a, b arrival) int { return cmp.Compare(a.number, b.number) })
	var list []validate.Finding
	for _, a := range chosen {
		list = append(list, a.Finding)
	}
	validate.Sort(list)
	if len(list) < c.exec.TotalFindings() {
		validate.SortWorstFirst(list)
	}
	return list
}

// addRun adds a finding of a rule about the run.
func (c *collector) addRun(line int, rule, got, want string) validate.Finding {
	found := []validate.Finding{validate.NewFinding(rule, line, fmt.Sprintf("%s, want %s", got, want))}
	c.add(found)
	return found[0]
}

func (c *collector) count(f *validate.Finding) {
	c.exec.FindingCounts[f.Rule]++
	if f.Severity != validate.SeverityError {
		return
	}
	c.exec.Errors++
	if c.firstError == nil || f.Line > 0 && f.Line < c.firstError.Line {
		first := *f
		c.firstError = &first
	}
}
