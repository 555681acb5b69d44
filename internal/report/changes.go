package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema/compat"
	"github.com/openagent-ci/openagent/schema/validate"
)

// changesVersion names the form of the JSON of changes.
const changesVersion = "openagent.schema_diff.v1"

// Changes are those from one schema to another, both by the names they were
// given.
type Changes struct {
	Old, New string
	List     []compat.Change
}

// WriteJSON writes the changes as one object.
func (c Changes) WriteJSON(w io.Writer) error {
	list := c.List
	if list == nil {
		list = []compat.Change{}
	}
	return jsontext.WriteIndented(w, struct {
		Schema  string          `json:"schema"`
		Old     string          `json:"old"`
		New     string          `json:"new"`
		Lawful  bool            `json:"lawful"`
		Changes []compat.Change `json:"changes"`
	}{changesVersion, c.Old, c.New, compat.Lawful(list), list})
}

// String returns the changes for people: a line each, and what they come to.
func (c Changes) String() string {
	var b strings.Builder
	for _, change := range c.List {
		b.WriteString(term.OneLine(change.String(), MaxFinding) + "\n")
	}
	return b.String() + c.sum() + "\n"
}

// sum counts the changes by class and says whether they are lawful.
func (c Changes) sum() string {
	others := 0
	for _, change := range c.List {
		if change.Class != compat.Additive {
			others++
		}
	}
	switch {
	case len(c.List) == 0:
		return "no change"
	case others == 0:
		return fmt.Sprintf("changes: %d, all additive: lawful within the version", len(c.List))
	}
	return fmt.Sprintf("changes: %d, not additive: %d: this needs a new version", len(c.List), others)
}

// Findings returns the changes as what annotations are made of: notices for
// additive ones, errors for the others.
func (c Changes) Findings() []validate.Finding {
	findings := make([]validate.Finding, len(c.List))
	for i, change := range c.List {
		findings[i] = validate.Finding{
			File: c.New, Rule: change.Rule, Severity: validate.SeverityError,
			Message: fmt.Sprintf("%s: %s: %s", change.Class, change.Pointer, change.Message),
		}
		if change.Class == compat.Additive {
			findings[i].Severity = validate.SeverityInfo
		}
	}
	return findings
}
