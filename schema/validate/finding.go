// Package validate checks a stream of event lines against the contract: line rules,
// published schema, size bounds and stream rules.
package validate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/openagent-ci/openagent/schema"
)

// Severity says how bad a finding is.
type Severity string

// The severities, worst first.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Finding is one broken rule at one place.
type Finding struct {
	// File names the stream; it is filled in by whoever knows it.
	File string `json:"file"`
	// Line counts from 1; 0 is the stream as a whole.
	Line int `json:"line"`
	// Column counts bytes from 1; 0 when no single byte is at fault.
	Column   int      `json:"column,omitempty"`
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	// Message is one sentence naming got and want.
	Message string `json:"message"`
	Got     string `json:"got,omitempty"`
	Want    string `json:"want,omitempty"`
	// Shown is how a line begins that is no JSON, secrets and what cannot be
	// printed left out; filled in by whoever knows the secrets.
	Shown string `json:"shown,omitempty"`
}

// Sentence is the message, with the beginning of the line where that tells more.
func (f Finding) Sentence() string {
	if f.Shown == "" {
		return f.Message
	}
	return fmt.Sprintf("%s; the line begins %q", f.Message, f.Shown)
}

// String returns the finding as file:line:column: rule: message.
func (f Finding) String() string {
	return fmt.Sprintf("%s: %s: %s", f.Place(), f.Rule, f.Sentence())
}

// Place names the file and, of what is about a line, that line and column.
func (f Finding) Place() string {
	switch {
	case f.Line == 0:
		return f.File
	case f.Column > 0:
		return fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// Options choose what a stream is held to. The zero value is a reader's
// default.
type Options struct {
	// Version is the schema_version asked for; empty asks for the one that the
	// first event of a run names, or for Schemas.Current where that is none of them.
	Version string
	// Schemas are the versions that are known; the zero value has those that
	// package schema publishes. One that is no event schema is a panic.
	Schemas schema.Set
	// Strict turns warnings into errors.
	Strict bool
	// Runs accepts several runs one after another.
	Runs bool
	// MaxLine is the reader's cap in bytes without LF; 0 means
	// schema.DefaultReaderBytes.
	MaxLine int
}

// NewFinding returns a finding of the rule with that id, at its severity. The
// rule must be one of Rules.
func NewFinding(id string, line int, message string) Finding {
	rule, ok := RuleByID(id)
	if !ok {
		panic("validate: no rule " + id)
	}
	return Finding{Line: line, Rule: id, Severity: rule.Severity, Message: message}
}

// Strict returns the finding as strict checking has it: a warning is an error.
func (f Finding) Strict() Finding {
	if f.Severity == SeverityWarning {
		f.Severity = SeverityError
	}
	return f
}

// Sort brings findings into the order of reports: by line, those of the stream
// as a whole last. Findings of one line keep their order.
func Sort(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Compare(place(a), place(b))
	})
}

// SortWorstFirst brings errors before warnings and these before infos. Findings
// of one severity keep their order.
func SortWorstFirst(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Compare(slices.Index(severities, a.Severity), slices.Index(severities, b.Severity))
	})
}

// severities are all of them, worst first.
var severities = []Severity{SeverityError, SeverityWarning, SeverityInfo}

func place(f Finding) int {
	if f.Line == 0 {
		return math.MaxInt
	}
	return f.Line
}
