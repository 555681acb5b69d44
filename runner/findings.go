package runner

import (
	"fmt"
	"slices"

	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/schema/validate"
)

// collector counts all findings and keeps the first of them.
type collector struct {
	exec    *Execution
	file    string
	strict  bool
	max     int
	secrets *redact.Redactor
	// firstError is the finding of severity error with the lowest line, kept
	// or not.
	firstError *validate.Finding
	// masked are the last texts of a finding, as they came and as they are
	// shown: very many findings are very often the same.
	masked [2]struct{ from, to string }
}

func newCollector(e *Execution, c Config, secrets *redact.Redactor) *collector {
	e.FindingCounts = map[string]int{}
	limit := c.MaxFindings
	if limit == 0 {
		limit = DefaultMaxFindings
	}
	return &collector{exec: e, file: c.File, strict: c.Stream.Strict, max: limit, secrets: secrets}
}

// add takes findings over and names the stream in them. What they quote of the
// stream is redacted in place.
func (c *collector) add(findings []validate.Finding) {
	for i := range findings {
		c.complete(&findings[i])
		if len(c.exec.Findings) < c.max {
			c.exec.Findings = append(c.exec.Findings, findings[i])
		}
	}
}

// close takes over what the end has shown. Some of it stands at earlier lines, so what is kept is chosen once more.
func (c *collector) close(findings []validate.Finding) {
	for i := range findings {
		c.complete(&findings[i])
	}
	kept := append(c.exec.Findings, findings...)
	validate.Sort(kept)
	c.exec.Findings = slices.Clip(kept[:min(len(kept), c.max)])
}

// complete names the stream in f, masks what f quotes of it, and counts f at
// the severity that the stream is held to.
func (c *collector) complete(f *validate.Finding) {
	f.File = c.file
	if c.strict {
		*f = f.Strict()
	}
	for i, text := range []*string{&f.Message, &f.Got} {
		if m := &c.masked[i]; *text != m.from {
			m.from, m.to = *text, c.secrets.String(*text)
		}
		*text = c.masked[i].to
	}
	c.count(f)
}

// addRun adds an error about the run. There are few of these and they weigh
// more than one more broken line, so they take the last place if none is left.
func (c *collector) addRun(line int, rule, got, want string) validate.Finding {
	f := validate.NewFinding(rule, line, fmt.Sprintf("%s, want %s", got, want))
	c.complete(&f)
	kept := c.exec.Findings
	if len(kept) >= c.max && c.max > 0 {
		kept = kept[:c.max-1]
	}
	c.exec.Findings = append(kept, f)
	return f
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
