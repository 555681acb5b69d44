package job

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The action for comments gets its program as the other one does: what a commit
// pins there it pins here.
func TestComment_GetsTheProgramAlike(t *testing.T) {
	a, _ := readAction(t)
	c := readComment(t)
	alike := func(s actionStep) actionStep {
		s.Run = strings.NewReplacer("$ACTION_ROOT", "$GITHUB_ACTION_PATH").Replace(s.Run)
		delete(s.Env, "ACTION_ROOT")
		return s
	}
	for i := 1; i <= 3; i++ {
		if diff := cmp.Diff(a.Runs.Steps[i], alike(c.Runs.Steps[i])); diff != "" {
			t.Errorf("step %d (-action.yml +%s):\n%s", i, commentAction, diff)
		}
	}
	find := regexp.MustCompile(`(?s)binary=\$ACTION_DIR.*?esac`)
	if diff := cmp.Diff(find.FindString(a.step(t, "run").Run), find.FindString(c.step(t, "comment").Run)); diff != "" {
		t.Errorf("which program is used (-action.yml +%s):\n%s", commentAction, diff)
	}
}

func TestComment_InputsAreDescribedAndUsed(t *testing.T) {
	c := readComment(t)
	text := readRoot(t, commentAction)
	_, steps, _ := strings.Cut(text, "\nruns:")
	page := readRoot(t, "docs/action.md")
	for name, in := range c.Inputs {
		if in.Description == "" || !strings.Contains(steps, "inputs."+name+" ") || !strings.Contains(page, "`"+name+"`") {
			t.Errorf("input %s: description %q; want one, a step that uses it, and a word in docs/action.md", name, in.Description)
		}
	}
	if len(c.Inputs) < 5 || c.Outputs["url"].Value != "${{ steps.comment.outputs.url }}" {
		t.Errorf("%d inputs and the outputs %v, want all inputs and the url", len(c.Inputs), c.Outputs)
	}
}
