package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// The elements of a JUnit report that we fill in. Two schemas are in common use,
// that of Apache Ant and that of the xUnit plugin of Jenkins; a report keeps
// both, so the root has no counts and a suite has members that say nothing. Only
// a skipped case is unknown to the older editions of Ant's.
type (
	// JUnitReport is the whole report.
	JUnitReport struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []JUnitSuite `xml:"testsuite"`
	}
	// JUnitSuite has the cases of one file. EncodeJUnit fills in what follows from
	// them, from Started and from Took.
	JUnitSuite struct {
		Started    time.Time       `xml:"-"`
		Took       time.Duration   `xml:"-"`
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr,omitempty"`
		Time       string          `xml:"time,attr"`      // in seconds
		Timestamp  string          `xml:"timestamp,attr"` // of the start, in UTC
		Hostname   string          `xml:"hostname,attr"`
		Package    string          `xml:"package,attr"`
		ID         int             `xml:"id,attr"`
		Properties []JUnitProperty `xml:"properties>property"`
		Cases      []JUnitCase     `xml:"testcase"`
		// Out has findings that do not make the stream invalid.
		Out string `xml:"system-out"`
		Err string `xml:"system-err"`
	}
	// JUnitProperty is a fact about a suite.
	JUnitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	// JUnitCase is one case of a suite.
	JUnitCase struct {
		Took    time.Duration `xml:"-"`
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"` // in seconds
		Failure *JUnitFailure `xml:"failure"`
		Skipped *JUnitSkipped `xml:"skipped"`
	}
	// JUnitFailure says why a case failed.
	JUnitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	// JUnitSkipped says why a case did not run.
	JUnitSkipped struct {
		Text string `xml:",chardata"`
	}
)

// writeJUnit writes a suite per file with a case per stage of rules. What XML
// cannot hold is dropped or replaced.
func writeJUnit(w io.Writer, o Origin, files []CheckFile) error {
	suites := make([]JUnitSuite, len(files))
	for i, c := range files {
		suites[i] = junitStream(c)
	}
	return EncodeJUnit(w, "openagent.check", o, suites)
}

// WriteRunJUnit writes one suite for a run: a case for its verdict, which fails
// for any but success and where something of the evidence is lost, then those of its
// stream, which is called name.
func WriteRunJUnit(w io.Writer, o Origin, name string, e *runner.Execution, lost []string) error {
	s := junitStream(NewCheckFile(name, e))
	s.Took = e.Ended.Sub(e.Started)
	verdict := JUnitCase{Name: "verdict", Took: s.Took}
	if e.Verdict != runner.VerdictSuccess || len(lost) > 0 {
		reason := term.OneLine(strings.Join(append(slices.Clone(lost), e.Reason), "; "), MaxFinding)
		verdict.Failure = &JUnitFailure{Message: Heading(string(e.Verdict), len(lost) == 0) + ": " + reason, Type: "verdict", Text: reason}
	}
	s.Cases = append([]JUnitCase{verdict}, s.Cases...)
	return EncodeJUnit(w, "openagent.ci", o, []JUnitSuite{s})
}

// EncodeJUnit writes the suites, which are those of a command.
func EncodeJUnit(w io.Writer, command string, o Origin, suites []JUnitSuite) error {
	for i := range suites {
		s := &suites[i]
		s.complete(o)
		s.Package, s.ID = command, i
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(JUnitReport{Suites: suites}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// complete fills in what follows from the rest. The job is in the name of the suite, for
// people, but not in the classes of cases: by these a history of results knows a case
// again, in whichever job it runs. The name of the machine is nobody's business, so the
// host is the one that stands for unknown.
func (s *JUnitSuite) complete(o Origin) {
	class := junitName(s.Name)
	s.Name, s.Tests, s.Properties = class, len(s.Cases), append(junitProperties(o), s.Properties...)
	if job := o.job(); job != "" {
		s.Name = job + ": " + class
	}
	s.Hostname, s.Timestamp, s.Time = "localhost", s.Started.UTC().Format("2006-01-02T15:04:05"), junitSeconds(s.Took)
	for i := range s.Cases {
		c := &s.Cases[i]
		c.Name, c.Class, c.Time = junitName(c.Name), class, junitSeconds(c.Took)
		if c.Failure != nil {
			s.Failures++
		}
		if c.Skipped != nil {
			s.Skipped++
		}
	}
}

func junitName(name string) string { return cmp.Or(term.OneLine(name, MaxFinding), "unnamed") }

func junitSeconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// junitProperties returns what is known of the origin.
func junitProperties(o Origin) []JUnitProperty {
	all := []JUnitProperty{{"tool", "openagent"}, {"version", o.Version}}
	if j := o.Job; j != nil {
		all = append(all, JUnitProperty{"job", j.Job}, JUnitProperty{"matrix", j.Matrix}, JUnitProperty{"run_id", j.RunID}, JUnitProperty{"attempt", j.Attempt})
	}
	return slices.DeleteFunc(all, func(p JUnitProperty) bool { return p.Value == "" })
}

// junitStream returns the suite of a file. A stage has a case even when its
// rules hold; those of the harness only when one of them was broken.
func junitStream(c CheckFile) JUnitSuite {
	s := JUnitSuite{Name: c.File, Started: c.started}
	for _, stage := range stages() {
		errs, notes := split(c.Findings, stage)
		if stage == validate.StageProcess && len(errs)+len(notes) == 0 {
			continue
		}
		s.add(string(stage)+" rules", errs, notes)
	}
	if c.More > 0 {
		errs, notes := []string{term.Counted(c.More, "finding") + " not shown"}, []string(nil)
		if c.Valid || slices.ContainsFunc(s.Cases, func(c JUnitCase) bool { return c.Failure != nil }) {
			errs, notes = nil, errs
		}
		s.add("findings above the limit", errs, notes)
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
func (s *JUnitSuite) add(name string, errs, notes []string) {
	c := JUnitCase{Name: name}
	if len(errs) > 0 {
		c.Failure = &JUnitFailure{
			Message: errs[0], Type: "findings", Text: strings.Join(errs, "\n"),
		}
		if len(errs) > 1 {
			c.Failure.Message = fmt.Sprintf("%s (and %d more)", errs[0], len(errs)-1)
		}
	}
	if len(notes) > 0 {
		s.Out += strings.Join(notes, "\n") + "\n"
	}
	s.Cases = append(s.Cases, c)
}
