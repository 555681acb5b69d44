package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/schema/validate"
)

// maxFactText bounds each side of what changed in a sentence, in characters.
const maxFactText = 240

// DiffFindings returns a diff as what annotations are made of: errors for what
// fails, notices for what else changed.
func DiffFindings(d diff.Diff) (found []validate.Finding) {
	failed := map[string]bool{}
	add := func(name, why string, severity validate.Severity) {
		found = append(found, validate.Finding{File: d.Head.Name, Rule: "diff/" + name, Severity: severity, Message: why})
	}
	for _, f := range d.Failed {
		failed[f.Name] = true
		add(f.Name, diffSentence(d, f.Name, f.Why), validate.SeverityError)
	}
	for _, name := range d.Changed {
		if !failed[name] {
			add(name, diffSentence(d, name, "changed"), validate.SeverityInfo)
		}
	}
	return found
}

// diffSentence says what changed under a name.
func diffSentence(d diff.Diff, name, why string) string {
	text := why
	if name == diff.NameFiles {
		n := d.Files.Counts
		text += fmt.Sprintf(", %d not written any more, %d new", n.Removed, n.Added)
		if n.Deleted+n.NotDeleted > 0 {
			text += fmt.Sprintf(", %d deleted, %d not deleted any more", n.Deleted, n.NotDeleted)
		}
		return text
	}
	for _, c := range d.Calls {
		lone := name == diff.NameDecisions && (c.Base == nil || c.Head == nil) && denied(cmp.Or(c.Base, c.Head)) != ""
		if lone || slices.ContainsFunc(c.What, func(w diff.What) bool { return w.Name() == name }) {
			return text + ": " + cmp.Or(countChanges(d, name), "denied") + "; the first is " + what(c) + ": call " + callText(c)
		}
	}
	if counts := countChanges(d, name); counts != "" { // of calls that are not listed
		text += ": " + counts
	}
	text += factsSentence(d, name)
	for _, f := range d.Figures {
		if f.Group() == name && f.Changed() {
			text += ", " + figureWord(f.Name) + " " + figureText(f)
		}
	}
	return text
}

// factsSentence says what changed under a name of the runs as a whole.
func factsSentence(d diff.Diff, name string) (text string) {
	for _, f := range sideFacts(d) {
		switch was, is := diff.TruncateAroundDifference(f.was, f.is, maxFactText); {
		case name == diff.NameVerdict && f.ofVerdict():
			text += ": " + cmp.Or(is, "nothing")
		case f.name == name, name == diff.NameReason && f.ofVerdict():
			text += fmt.Sprintf(": %s -> %s", cmp.Or(was, "nothing"), cmp.Or(is, "nothing"))
		}
	}
	return text
}

// what joins the ways in which a call changed.
func what(c diff.CallChange) string {
	words := make([]string, len(c.What))
	for i, w := range c.What {
		words[i] = string(w)
	}
	return strings.Join(words, ", ")
}

// FailedChanges says in one sentence which changes fail, empty for none.
func FailedChanges(failed []diff.Failure) string {
	all := make([]string, len(failed))
	for i, f := range failed {
		all[i] = f.Name + " " + f.Why
	}
	return strings.Join(all, "; ")
}
