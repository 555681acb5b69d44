package gitconfig_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/sandbox/gitconfig"
)

func TestCut(t *testing.T) {
	lines, ok := gitconfig.Cut("# a\n[Core] bare\n\tpager = a \\\n b\n[x \"Y.z\\\"\"]\nk=v")
	want := []gitconfig.Line{
		{Text: "# a\n"},
		{Text: "[Core]", Section: "core"},
		{Text: " bare\n", Section: "core", Key: "bare"},
		{Text: "\tpager = a \\\n b\n", Section: "core", Key: "pager", Value: "a \\\n b"},
		{Text: "[x \"Y.z\\\"\"]", Section: `x.Y.z"`},
		{Text: "\n", Section: `x.Y.z"`},
		{Text: "k=v", Section: `x.Y.z"`, Key: "k", Value: "v"},
	}
	if diff := cmp.Diff(want, lines); diff != "" || !ok {
		t.Errorf("Cut is %v (-want +got):\n%s", ok, diff)
	}
	for _, text := range []string{"k = v\n", "[a\n", "[a]\n= v\n", "[a \"b]\n", "[]\n"} {
		if lines, ok := gitconfig.Cut(text); ok {
			t.Errorf("Cut(%q) = %+v, want it refused", text, lines)
		}
	}
}

// What is cut is all of the text, in order, and a header says its section again.
func FuzzCut(f *testing.F) {
	f.Add("[core]\n\tbare = false\n[a \"b\\\\\"]\r\nc=\"d\\\ne\" ; f\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, ok := gitconfig.Cut(text)
		if !ok {
			return
		}
		var whole strings.Builder
		for _, l := range lines {
			whole.WriteString(l.Text)
		}
		if whole.String() != text {
			t.Errorf("the lines of %q are %q together", text, whole.String())
		}
	})
}
