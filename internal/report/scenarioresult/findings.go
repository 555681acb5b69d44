package scenarioresult

import (
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/schema/validate"
)

// Rules of what is wrong with scripts and with the results of several machines.
const (
	ruleFailed = "test/failed"
	ruleFlaky  = "test/flaky"
	ruleWorse  = "test/worse"

	// RuleMissing is broken by a script that was planned and did not run.
	RuleMissing = "merge/missing"
	// RuleDoubled is broken by a script that more than one machine has run.
	RuleDoubled = "merge/doubled"
	// RuleCommit is broken by results of another commit.
	RuleCommit = "merge/commit"
	// RuleVersion is broken by results of another version of the program.
	RuleVersion = "merge/version"
	// RulePlan is broken by machines that were to share out other scripts.
	RulePlan = "merge/plan"
	// RuleUnread is broken by results that cannot be read or are not as they were
	// written.
	RuleUnread = "merge/unread"
)

// rules describe what results are held to, for readers of SARIF.
func rules() []validate.Rule {
	return []validate.Rule{
		{ID: ruleFailed, Severity: validate.SeverityError, Doc: "a scenario fails", Help: "Read its log in junit.xml, or run it by openagent test --run NAME"},
		{ID: ruleFlaky, Severity: validate.SeverityWarning, Doc: "a scenario passes in some attempts and fails in others", Help: "Find what it depends on by openagent test --repeat 20 --run NAME"},
		{ID: ruleWorse, Severity: validate.SeverityError, Doc: "a scenario is worse than in the baseline by more than it may", Help: "See what --fail-on allows, and compare the evidence of both runs"},
		{ID: RuleMissing, Severity: validate.SeverityError, Doc: "a planned scenario did not run on any machine", Help: "See why the job of its part did not end, and run it again"},
		{ID: RuleDoubled, Severity: validate.SeverityError, Doc: "more than one machine ran the same scenario", Help: "Give each part once, and every job the same --timings"},
		{ID: RuleCommit, Severity: validate.SeverityError, Doc: "results are of another commit than the others", Help: "Check out the same commit in every job"},
		{ID: RuleVersion, Severity: validate.SeverityError, Doc: "results are of another version of openagent", Help: "Use one version in every job"},
		{ID: RulePlan, Severity: validate.SeverityError, Doc: "machines did not plan the same scenarios", Help: "Give openagent test the same paths and flags in every job"},
		{ID: RuleUnread, Severity: validate.SeverityError, Doc: "results cannot be read or are not as they were written", Help: "See whether the job came to its end, and download its artifact again"},
	}
}

// Findings returns a finding for each script that failed or was flaky, with the line
// of the script that failed where its log tells, then one for each fault. What is
// flaky and passed often enough is a warning.
func Findings(t Totals) []validate.Finding {
	var list []validate.Finding
	for _, s := range t.Scripts {
		if !s.Fails() && s.Outcome != Flaky {
			continue
		}
		f := validate.Finding{Rule: "openagent test " + s.Label(), Severity: validate.SeverityError, File: s.File, Message: "the script failed"}
		if line, message := failure(s); message != "" {
			f.Line, f.Message = line, message
		}
		if tries := s.tries(); tries != "" {
			f.Message = tries + "; " + f.Message
		}
		if !s.Fails() {
			f.Severity = validate.SeverityWarning
		}
		list = append(list, f)
	}
	for _, r := range t.Comparison.worse() {
		file, variant, _ := strings.Cut(r.ID, "#")
		if variant != "" {
			variant += ": "
		}
		list = append(list, validate.Finding{Rule: ruleWorse, Severity: validate.SeverityError, File: file, Message: variant + r.String()})
	}
	for _, f := range t.Faults {
		list = append(list, validate.Finding{Rule: f.Rule, Severity: validate.SeverityError, File: f.File, Message: f.Message})
	}
	return list
}

// Skips returns a warning for each script that was skipped.
func Skips(t Totals) (list []validate.Finding) {
	for _, s := range t.Scripts {
		if s.Outcome == Skipped {
			list = append(list, validate.Finding{Rule: "openagent test " + s.Label(), Severity: validate.SeverityWarning, File: s.File, Message: s.skipped()})
		}
	}
	return list
}

// WriteSARIF writes the findings for code scanning.
func WriteSARIF(w io.Writer, t Totals) error {
	list := Findings(t)
	files := make([]report.CheckFile, len(list))
	scripts := len(list) - len(t.Faults) - t.Worse()
	for i, f := range list {
		if i < scripts {
			f.Message = f.Rule + ": " + f.Message
			f.Rule = ruleFailed
			if f.Severity == validate.SeverityWarning {
				f.Rule = ruleFlaky
			}
		}
		files[i] = report.CheckFile{File: f.File, Findings: []validate.Finding{f}}
	}
	return report.WriteSARIF(w, t.Origin, rules(), files)
}
