package job

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	githubactions "github.com/sethvargo/go-githubactions"

	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema/validate"
)

const (
	// maxAnnotations leaves room for that of the verdict and for the one that
	// names the rest: the job page shows 10 of a kind.
	maxAnnotations = 8
	// maxOfRule is how many annotations findings of one rule get; the last of
	// them counts the others.
	maxOfRule         = 3
	maxAnnotationText = 500 // characters
)

// Annotate prints findings as annotations: the first maxAnnotations, errors
// before the others, then one that counts the rest; more counts findings that
// are not in the list. Those of one rule share an annotation from the third on,
// and what an agent did to the job is always among those shown: an agent
// chooses how many findings there are. workspace is the checked-out repository:
// a file below it is named by its path there, any other, or all when workspace
// is empty, only in the text. Texts are cleaned and escaped, so a stream can
// forge neither place nor severity.
func Annotate(w io.Writer, workspace string, findings []validate.Finding, more int) error {
	worst := slices.Clone(findings)
	validate.SortWorstFirst(worst)
	groups := grouped(worst)
	shown := groups[:min(maxAnnotations, len(groups))]
	tampering := func(g group) bool { return g.Rule == validate.RuleTampering }
	if at := slices.IndexFunc(groups, tampering); at >= len(shown) {
		shown = append(slices.Clone(shown[:maxAnnotations-1]), groups[at])
	}
	more += len(findings)
	_, err := w.Write(command(func(a *githubactions.Action) {
		for _, g := range shown {
			annotate(a, workspace, g)
			more -= 1 + g.others
		}
		if more > 0 {
			a.Warningf("and %d more findings, not shown here", more)
		}
	}))
	return err
}

// group is a finding and the number of others of its rule that share its
// annotation.
type group struct {
	validate.Finding
	others int
}

// grouped returns the findings in their order, those of a rule from the third on
// as one.
func grouped(findings []validate.Finding) []group {
	var groups []group
	places := map[string][]int{} // of a rule's groups
	for _, f := range findings {
		if at := places[f.Rule]; len(at) == maxOfRule {
			groups[at[maxOfRule-1]].others++
			continue
		}
		places[f.Rule] = append(places[f.Rule], len(groups))
		groups = append(groups, group{Finding: f})
	}
	return groups
}

func annotate(a *githubactions.Action, workspace string, f group) {
	title, text := term.OneLine(f.Rule, maxAnnotationText), f.Sentence()
	fields := map[string]string{"title": title}
	if path := relativePath(workspace, f.File); path != "" {
		fields["file"] = term.OneLine(path, maxAnnotationText)
		fields["line"] = fmt.Sprint(max(f.Line, 1))
	} else {
		text = f.Place() + ": " + f.Sentence()
	}
	a = a.WithFieldsMap(fields)
	text = term.OneLine(text, maxAnnotationText)
	if f.others > 0 {
		text += fmt.Sprintf(" (and %d more)", f.others)
	}
	switch f.Severity {
	case validate.SeverityError:
		a.Errorf("%s", text)
	case validate.SeverityWarning:
		a.Warningf("%s", text)
	default:
		a.Noticef("%s", text)
	}
}

// relativePath returns the path of file relative to workspace, "" when there is no
// such file below it.
func relativePath(workspace, file string) string {
	if workspace == "" || file == "" {
		return ""
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	if _, err := os.Lstat(abs); err != nil {
		return ""
	}
	rel, err := filepath.Rel(workspace, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return ""
	}
	return filepath.ToSlash(rel)
}
