package evidence

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

const (
	// maxCheckedLine bounds a line of a saved stream that is scanned again, in bytes.
	maxCheckedLine = 64 << 20
	// maxFindings bounds the findings that are read, in bytes.
	maxFindings = 64 << 20
)

// ScanAgain is how a saved stream is scanned for Contradictions.
func ScanAgain(handler runner.Handler) runner.Config {
	return runner.Config{File: EventsFile, Handler: handler, Stream: validate.Options{MaxLine: maxCheckedLine}}
}

// Scan scans the stream again, as ScanAgain has it, and flags at most so many lines. The
// execution is nil where there is no stream that can be opened, which Doubt says too.
func (s *Saved) Scan(ctx context.Context, handler runner.Handler, maxFlagged int) (*runner.Execution, error) {
	f, err := s.Open(EventsFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := ScanAgain(handler)
	c.MaxFlagged = maxFlagged
	return runner.Scan(ctx, f, c)
}

// Contradictions says in which ways manifest, findings and the stream, scanned again
// by ScanAgain, contradict each other: that the files are as they were saved does
// not prove that they were saved as they were. What a stream alone cannot show, such
// as the time that a run took or why it was stopped, is believed.
func (s *Saved) Contradictions(again *runner.Execution) (list []string) {
	counted := s.Manifest.Counts.FindingsByRule
	found, err := s.findings()
	if err != nil {
		list = append(list, fmt.Sprintf("%s: %v", FindingsFile, err))
		found = savedFindings{counts: counted}
		found.addCounted(counted)
	} else {
		list = append(list, found.contradictions(counted)...)
		if n := s.Manifest.Counts.Events; found.events != n {
			list = append(list, fmt.Sprintf("%s: %d events, the manifest has %d", FindingsFile, found.events, n))
		}
	}
	if why := s.verdict(again, found); why != "" {
		list = append(list, ManifestFile+": "+why)
	}
	if LacksTexts(s.Manifest) && len(found.counts) > 0 {
		return list // the lines that broke a rule were not kept as they were
	}
	if found.counts[ruleTooLong]+found.counts[validate.RuleSecret]+found.counts[validate.RuleStreamCap] > 0 {
		return list // the stream was not kept as it was checked
	}
	wrong := append(s.counts(again), s.facts(again)...)
	for _, why := range append(wrong, s.exit(again, found)...) {
		list = append(list, ManifestFile+": "+why)
	}
	if again.Events > 0 && again.Errors > found.most {
		list = append(list, fmt.Sprintf("%s: %s, the stream has %d", FindingsFile, errorsIn(found.most), again.Errors))
	}
	return list
}

// ruleTooLong is broken by a line that was kept in part, and then may break others.
const ruleTooLong = "line/too-long"

// errorsIn says how many errors there are.
func errorsIn(n int) string {
	if n == 1 {
		return "1 error"
	}
	return fmt.Sprintf("%d errors", n)
}

// savedFindings are those that were saved, counted by rule. least are those that are
// errors for certain, most those that may be: of findings that are counted and not
// listed the severity is not known where the run was held to its rules strictly.
type savedFindings struct {
	counts      map[string]int
	events      int
	least, most int
	valid       bool
	lowered     string // a rule whose breach is an error and was saved as less
}

func (s *Saved) findings() (found savedFindings, err error) {
	text, err := s.readAll(FindingsFile, maxFindings)
	if err != nil {
		return found, fmt.Errorf("cannot be read: %s", reason(err))
	}
	var saved struct {
		Schema string
		Files  []struct {
			Events   int
			Valid    bool
			Findings []validate.Finding
			Omitted  map[string]int
		}
	}
	if err := decode(text, &saved); err != nil {
		return found, fmt.Errorf("cannot be read: %w", err)
	}
	if saved.Schema != schema.CheckVersion {
		return found, fmt.Errorf("cannot be read: schema is %.60q, want %q", saved.Schema, schema.CheckVersion)
	}
	if len(saved.Files) != 1 {
		return found, fmt.Errorf("cannot be read: they are of %d streams, want 1", len(saved.Files))
	}
	file := saved.Files[0]
	found = savedFindings{counts: map[string]int{}, valid: file.Valid, events: file.Events}
	for _, one := range file.Findings {
		found.counts[one.Rule]++
		if one.Severity == validate.SeverityError {
			found.least, found.most = found.least+1, found.most+1
		} else if isError(one.Rule) {
			found.lowered = one.Rule
		}
	}
	for rule, n := range file.Omitted {
		found.counts[rule] += n
	}
	found.addCounted(file.Omitted)
	return found, nil
}

// addCounted adds findings that are counted and not listed.
func (f *savedFindings) addCounted(counts map[string]int) {
	for id, n := range counts {
		f.most += n
		if isError(id) {
			f.least += n
		}
	}
}

// isError reports whether what breaks the rule is an error for certain: of a converted
// stream an exit status is a warning.
func isError(id string) bool {
	rule, ok := validate.RuleByID(id)
	return ok && rule.Severity == validate.SeverityError && id != validate.RuleExitStatus
}

// contradictions says in which ways the findings are not those that the manifest
// counts by rule.
func (f savedFindings) contradictions(counted map[string]int) (list []string) {
	if !f.valid && f.most == 0 {
		list = append(list, FindingsFile+": the stream is called invalid beside no error")
	}
	if f.valid && f.least > 0 {
		list = append(list, fmt.Sprintf("%s: the stream is called valid beside %s", FindingsFile, errorsIn(f.least)))
	}
	if f.lowered != "" {
		list = append(list, fmt.Sprintf("%s: %q is an error, and is called less", FindingsFile, f.lowered))
	}
	all := maps.Clone(f.counts)
	maps.Copy(all, counted)
	for _, rule := range slices.Sorted(maps.Keys(all)) {
		if f.counts[rule] != counted[rule] {
			list = append(list, fmt.Sprintf("%s: %d findings of %.60q, the manifest has %d", FindingsFile, f.counts[rule], rule, counted[rule]))
			break
		}
	}
	return list
}

// counts says which number of the manifest is not that of the stream.
func (s *Saved) counts(e *runner.Execution) []string {
	m := s.Manifest.Counts
	for _, c := range []struct {
		what      string
		got, want int
	}{{"events", m.Events, e.Events}, {"steps", m.Steps, e.Steps}, {"tool calls", m.ToolCalls, e.ToolCalls}} {
		if c.got != c.want {
			return []string{fmt.Sprintf("%d %s, the stream has %d", c.got, c.what, c.want)}
		}
	}
	return nil
}

// carried is what a verdict is compared with.
type carried struct {
	*runner.Execution
	manifest schema.Manifest
	errors   int // saved ones
}

// otherEnd says that the run failed in a way that only the agent's own stream shows
// of: one that was converted reads as any failure.
func (c carried) otherEnd() bool {
	return c.manifest.Source != nil && c.Finished() && !c.RunFinished.OK
}

// verdicts say of each verdict whether such a stream can have it. A deadline or a
// signal leaves any.
var verdicts = map[runner.Verdict]func(carried) bool{
	runner.VerdictSuccess: func(c carried) bool { return c.Verdict == runner.VerdictSuccess && c.errors == 0 },
	runner.VerdictFailure: func(c carried) bool {
		return c.errors == 0 && c.Errors == 0 && (c.Verdict == runner.VerdictFailure || c.otherEnd())
	},
	runner.VerdictPreRunError: func(c carried) bool {
		return c.Verdict == runner.VerdictPreRunError || c.Events == 0 || c.otherEnd()
	},
	runner.VerdictCrash: func(c carried) bool {
		status := c.manifest.ExitStatus
		ended := c.manifest.Signal != nil || status != nil && *status != 0
		return !c.Finished() && ended || c.otherEnd()
	},
	runner.VerdictViolation: func(c carried) bool { return !c.Finished() || c.errors > 0 },
	runner.VerdictTimeout:   func(carried) bool { return true },
	runner.VerdictCancelled: func(carried) bool { return true },
}

// verdict says why the verdict of the manifest is none of such a stream, empty where
// it may be.
func (s *Saved) verdict(e *runner.Execution, found savedFindings) string {
	may, ok := verdicts[runner.Verdict(s.Manifest.Verdict)]
	switch {
	case ok && may(carried{e, s.Manifest, found.least}):
		return ""
	case found.least > 0 || s.Manifest.Verdict == string(runner.VerdictViolation):
		return fmt.Sprintf("the verdict is %.60q, the findings have %s", s.Manifest.Verdict, errorsIn(found.least))
	}
	return fmt.Sprintf("the verdict is %.60q, that of the stream is %s: %s", s.Manifest.Verdict, e.Verdict, e.Reason)
}
