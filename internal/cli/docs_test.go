package cli

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/schema/validate"
)

var update = flag.Bool("update", false, "rewrite the generated parts of the documentation")

// compareDoc compares the part of a page between its marks with what it should be,
// or writes that.
func compareDoc(t *testing.T, file, part, text string) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", file)
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin := "<!-- begin: " + part + ", written by go test ./internal/cli -update -->\n"
	end := "<!-- end: " + part + " -->"
	before, rest, ok := strings.Cut(string(doc), begin)
	got, after, closed := strings.Cut(rest, end)
	want := "\n" + text + "\n"
	switch {
	case !ok || !closed:
		t.Fatalf("docs/%s: no part %q between its marks", file, part)
	case got == want:
	case !*update:
		t.Errorf("docs/%s: the part %q differs from the program; run go test ./internal/cli -update", file, part)
	default:
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// The index of the documentation names every page.
func TestDocs_IndexIsWhole(t *testing.T) {
	folder := filepath.Join("..", "..", "docs")
	index, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages found, %v, want all", len(pages), err)
	}
	for _, page := range pages {
		name := filepath.Base(page)
		if name != "README.md" && !strings.Contains(string(index), "]("+name+")") {
			t.Errorf("docs/README.md does not name %s", name)
		}
	}
}

// Whoever types a command that an explanation, the documentation or a help names
// must find it.
func TestTexts_NameCommandsThatExist(t *testing.T) {
	root := (&program{}).root(nil)
	check := func(where string, found [][]string) {
		for _, m := range found {
			cmd, _, err := root.Find(m[1:2])
			if m[1] != "help" && (err != nil || cmd == root) {
				t.Errorf("%s names openagent %s, which does not exist", where, m[1])
			} else if sub, _, _ := root.Find(m[1:3]); m[2] != "" && cmd.HasSubCommands() && sub == cmd {
				t.Errorf("%s names openagent %s %s, which does not exist", where, m[1], m[2])
			}
		}
	}
	const words = `openagent ([a-z]+)(?: ([a-z]+))?`
	for _, r := range validate.Rules() {
		check("explain "+r.ID, regexp.MustCompile(words).FindAllStringSubmatch(report.Explain(r), -1))
	}
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) < 5 {
		t.Fatalf("docs has %d files, %v", len(files), err)
	}
	span, line := regexp.MustCompile("`"+words), regexp.MustCompile(`(?m)^[ $!]*(?:status [0-9] |- run: |run: )?(?:exec )?`+words)
	for _, file := range append(files, "../../README.md", "../../CHANGELOG.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range strings.Split(string(text), "```") {
			if i%2 == 0 {
				check(file, span.FindAllStringSubmatch(part, -1))
			} else {
				check(file, line.FindAllStringSubmatch(part, -1))
			}
		}
	}
}
