package runner

import (
	"fmt"

	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/schema/validate"
)

// Rules of a run as a whole, which a stream alone cannot break.
const (
	ruleExitStatus = "run/exit-status"
	ruleSecret     = "run/secret"
	ruleStreamCap  = "run/stream-cap"
)

// collector counts all findings and keeps the first of them.
type collector struct {
	exec    *Execution
	file    string
	max     int
	secrets *redact.Redactor
	// firstError is the first finding of severity error, kept or not.
	firstError *validate.Finding
}

func newCollector(e *Execution, c Config) *collector {
	e.FindingCounts = map[string]int{}
	limit := c.MaxFindings
	if limit == 0 {
		limit = DefaultMaxFindings
	}
	return &collector{exec: e, file: c.File, max: limit, secrets: c.secrets()}
}

// add takes findings over and names the stream in them. What they quote of the
// stream is redacted in place.
func (c *collector) add(findings []validate.Finding) {
	for i := range findings {
		f := &findings[i]
		f.File = c.file
		for _, text := range []*string{&f.Message, &f.Got} {
			*text = c.secrets.String(*text)
		}
		c.count(*f)
		if len(c.exec.Findings) < c.max {
			c.exec.Findings = append(c.exec.Findings, *f)
		}
	}
}

// addRun adds an error about the run. There are few of these and they weigh
// more than one more broken line, so they take the last place if none is left.
func (c *collector) addRun(line int, rule, got, want string) validate.Finding {
	f := validate.Finding{
		File: c.file, Line: line, Rule: rule, Severity: validate.SeverityError,
		Message: fmt.Sprintf("%s, want %s", got, want),
	}
	c.count(f)
	kept := c.exec.Findings
	if len(kept) >= c.max && c.max > 0 {
		kept = kept[:c.max-1]
	}
	c.exec.Findings = append(kept, f)
	return f
}

func (c *collector) count(f validate.Finding) {
	c.exec.FindingCounts[f.Rule]++
	if f.Severity != validate.SeverityError {
		return
	}
	c.exec.Errors++
	if c.firstError == nil {
		c.firstError = &f
	}
}
