package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/view"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// The elements of a JUnit report that we fill in.
type (
	junitReport struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr,omitempty"` // in seconds
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr,omitempty"` // in seconds
		Failure *junitFailure `xml:"failure"`
		Skipped *junitText    `xml:"skipped"`
		// Notes are findings that do not make the stream invalid.
		Notes *junitText `xml:"system-out"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	junitText struct {
		Text string `xml:",chardata"`
	}
)

// writeJUnit writes a suite per file with a case per stage of rules. What XML
// cannot hold is dropped or replaced.
func writeJUnit(w io.Writer, files []CheckFile) error {
	suites := make([]junitSuite, len(files))
	for i, c := range files {
		suites[i] = junitStream(c)
	}
	return encodeJUnit(w, "openagent check", suites)
}

// WriteRunJUnit writes one suite for a run: a case for its verdict, which fails
// for any but success, then those of its stream, which is called name.
func WriteRunJUnit(w io.Writer, name string, e *runner.Execution) error {
	verdict := junitCase{Name: "verdict", Class: name}
	s := junitSuite{Name: name, Tests: 1, Time: fmt.Sprintf("%.3f", e.Ended.Sub(e.Started).Seconds())}
	if e.Verdict != runner.VerdictSuccess {
		reason := view.OneLine(e.Reason, maxFinding)
		verdict.Failure = &junitFailure{Message: string(e.Verdict) + ": " + reason, Type: "verdict", Text: reason}
		s.Failures++
	}
	stream := junitStream(NewCheckFile(name, e))
	s.Tests += stream.Tests
	s.Failures += stream.Failures
	s.Cases = append([]junitCase{verdict}, stream.Cases...)
	return encodeJUnit(w, "openagent ci", []junitSuite{s})
}

func encodeJUnit(w io.Writer, name string, suites []junitSuite) error {
	report := junitReport{Name: name, Suites: suites}
	for _, s := range suites {
		report.Tests += s.Tests
		report.Failures += s.Failures
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(report); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// junitStream returns the suite of a file. A stage has a case even when its
// rules hold; those of the harness only when one of them was broken.
func junitStream(c CheckFile) junitSuite {
	s := junitSuite{Name: view.OneLine(c.File, maxFinding)}
	for _, stage := range stages() {
		errs, notes := split(c.Findings, stage)
		if stage == validate.StageProcess && len(errs)+len(notes) == 0 {
			continue
		}
		s.add(string(stage)+" rules", errs, notes)
	}
	if c.More > 0 {
		text := []string{plural(c.More, "finding") + " not shown"}
		if c.Valid || s.Failures > 0 {
			s.add("findings above the limit", nil, text)
		} else {
			s.add("findings above the limit", text, nil)
		}
	}
	return s
}

// stages returns the stages in the order their rules are tried.
func stages() []validate.Stage {
	var list []validate.Stage
	for _, r := range validate.Rules() {
		if len(list) == 0 || list[len(list)-1] != r.Stage {
			list = append(list, r.Stage)
		}
	}
	return list
}

// split returns the lines of the stage's findings, those that make a stream
// invalid apart from the others.
func split(findings []validate.Finding, stage validate.Stage) (errs, notes []string) {
	for _, f := range findings {
		switch r, _ := validate.RuleByID(f.Rule); {
		case r.Stage != stage:
		case f.Severity == validate.SeverityError:
			errs = append(errs, findingLine(f))
		default:
			notes = append(notes, findingLine(f))
		}
	}
	return errs, notes
}

// add adds a case that fails when there are errors.
func (s *junitSuite) add(name string, errs, notes []string) {
	c := junitCase{Name: name, Class: s.Name}
	if len(errs) > 0 {
		c.Failure = &junitFailure{
			Message: errs[0], Type: "findings", Text: strings.Join(errs, "\n"),
		}
		if len(errs) > 1 {
			c.Failure.Message = fmt.Sprintf("%s (and %d more)", errs[0], len(errs)-1)
		}
		s.Failures++
	}
	if len(notes) > 0 {
		c.Notes = &junitText{strings.Join(notes, "\n")}
	}
	s.Cases = append(s.Cases, c)
	s.Tests++
}
