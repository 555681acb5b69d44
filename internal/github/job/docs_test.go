package job

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

var update = flag.Bool("update", false, "rewrite the tables of inputs and outputs in the documentation")

// actionlintVariable names the program that judges workflows,
// github.com/rhysd/actionlint; internal/devtools has it.
const actionlintVariable = "OPENAGENT_TEST_ACTIONLINT"

// inputTable returns the inputs of the action as a table, in the order of
// action.yml.
func inputTable(t *testing.T) string {
	t.Helper()
	a, text := readAction(t)
	var b strings.Builder
	b.WriteString("| input | default | meaning |\n| --- | --- | --- |\n")
	for _, name := range inOrder(t, text, "inputs") {
		initial := *a.Inputs[name].Default
		if initial != "" {
			initial = "`" + initial + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, initial, cell(a.Inputs[name].Description))
	}
	return b.String()
}

func outputTable(t *testing.T) string {
	t.Helper()
	a, text := readAction(t)
	var b strings.Builder
	b.WriteString("| output | meaning |\n| --- | --- |\n")
	for _, name := range inOrder(t, text, "outputs") {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, cell(a.Outputs[name].Description))
	}
	return b.String()
}

// cell returns text as it stands in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// inOrder returns the keys of a part of action.yml as they stand there.
func inOrder(t *testing.T, text, part string) []string {
	t.Helper()
	_, text, _ = strings.Cut(text, "\n"+part+":\n")
	text, _, _ = strings.Cut(text, "\n\n")
	var keys []string
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z-]+):$`).FindAllStringSubmatch(text, -1) {
		keys = append(keys, m[1])
	}
	if len(keys) < 10 {
		t.Fatalf("action.yml: found the %s %q, want all", part, keys)
	}
	return keys
}

func TestDocs_TablesAreThoseOfTheAction(t *testing.T) {
	for _, part := range []struct{ file, name, want string }{
		{"docs/action.md", "all inputs", inputTable(t)},
		{"docs/action.md", "all outputs", outputTable(t)},
	} {
		text := readRoot(t, part.file)
		begin := "<!-- begin: " + part.name + ", written by go test ./internal/github/job -update -->\n"
		before, rest, ok := strings.Cut(text, begin)
		got, after, closed := strings.Cut(rest, "<!-- end: "+part.name+" -->")
		if !ok || !closed {
			t.Fatalf("%s: no part %q between its marks", part.file, part.name)
		}
		want := "\n" + part.want + "\n"
		switch {
		case got == want:
		case *update:
			write(t, filepath.Join(root, filepath.FromSlash(part.file)), before+begin+want+"<!-- end: "+part.name+" -->"+after, 0o644)
		default:
			t.Errorf("%s: the part %q differs from action.yml; run go test ./internal/github/job -update", part.file, part.name)
		}
	}
}

// example is a workflow in the documentation.
type example struct{ name, text string }

// examples returns the workflows in README.md and docs: what is marked as YAML
// and has jobs, and the files in docs/examples.
func examples(t *testing.T) []example {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var found []example
	for _, path := range append(paths, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
			if strings.Contains("\n"+m[1], "\njobs:\n") {
				found = append(found, example{fmt.Sprintf("%s-%d.yml", strings.TrimSuffix(filepath.Base(path), ".md"), i+1), m[1]})
			}
		}
	}
	found = append(found, exampleFiles(t)...)
	if len(found) < 4 {
		t.Fatalf("found %d workflows in the documentation, want those of README.md and action.md", len(found))
	}
	return found
}

// workflow is what the tests ask about a workflow.
type workflow struct {
	On          any
	Permissions map[string]string
	Defaults    struct{ Run struct{ Shell string } }
	Jobs        map[string]job
}

type job struct {
	Permissions map[string]string
	Timeout     int `yaml:"timeout-minutes"`
	Uses        string
	Steps       []actionStep
}

// The workflows that we show are laid out as docs/security.md asks for, and
// use what the action has.
func TestDocs_WorkflowsAreGoodExamples(t *testing.T) {
	a, _ := readAction(t)
	inputs := map[string][]string{
		"openagent-ci/openagent": slices.Collect(maps.Keys(a.Inputs)), "openagent-ci/openagent/comment": slices.Collect(maps.Keys(readComment(t).Inputs)),
	}
	pins := allPins(t)
	for _, e := range examples(t) {
		var w workflow
		if err := yaml.Unmarshal([]byte(e.text), &w); err != nil {
			t.Errorf("%s: %v", e.name, err)
			continue
		}
		checkWorkflow(t, e.name, w)
		for line := range strings.Lines(e.text) {
			if strings.Contains(line, "uses: openagent-ci/openagent") {
				if !strings.HasSuffix(line, "@main # pin a commit\n") {
					t.Errorf("%s: %q does not tell to pin a commit", e.name, line)
				}
			} else if strings.Contains(line, "uses:") && !pinnedUse.MatchString(strings.TrimRight(line, "\n")) {
				t.Errorf("%s: %q is not pinned", e.name, line)
			}
		}
		for _, j := range w.Jobs {
			for _, s := range j.Steps {
				name, pin, _ := strings.Cut(s.Uses, "@")
				if other := pins[name]; other != "" && other != pin {
					t.Errorf("%s: %s is pinned to %s, in our workflows to %s", e.name, name, pin, other)
				}
				for input := range s.With {
					if inputs, ours := inputs[name]; ours && !slices.Contains(inputs, input) {
						t.Errorf("%s: %s has no input %s", e.name, name, input)
					}
				}
			}
		}
	}
}

// checkWorkflow holds a workflow to the rules that docs/security.md gives.
func checkWorkflow(t *testing.T, name string, w workflow) {
	t.Helper()
	if w.On == nil || strings.Contains(fmt.Sprint(w.On), "pull_request_target") {
		t.Errorf("%s starts on %v", name, w.On)
	}
	if w.Permissions["contents"] != "read" {
		t.Errorf("%s: permissions %v, want contents: read for all jobs that say nothing else", name, w.Permissions)
	}
	for id, j := range w.Jobs {
		if j.Timeout == 0 && j.Uses == "" { // a called workflow has its own
			t.Errorf("%s: job %s has no timeout-minutes", name, id)
		}
		runsAgent := slices.ContainsFunc(j.Steps, func(s actionStep) bool {
			return s.Uses == "./" || strings.HasPrefix(s.Uses, "openagent-ci/openagent@")
		})
		permissions := j.Permissions
		if permissions == nil {
			permissions = w.Permissions
		}
		if runsAgent && slices.Contains(slices.Collect(maps.Values(permissions)), "write") {
			t.Errorf("%s: job %s runs an agent with the permissions %v, want none to write", name, id, permissions)
		}
		for _, s := range j.Steps {
			persists := strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != "false"
			if persists && (runsAgent || j.Permissions["contents"] != "write") {
				t.Errorf("%s: job %s keeps the token in .git/config, want persist-credentials: false", name, id)
			}
		}
	}
}

// allPins returns the pin of each action that our own files use.
func allPins(t *testing.T) map[string]string {
	t.Helper()
	pins := map[string]string{}
	eachStep(t, func(_, _ string, s actionStep) {
		// Our own is that of a release.
		if name, pin, ok := strings.Cut(s.Uses, "@"); ok && name != "openagent-ci/openagent" {
			pins[name] = pin
		}
	})
	return pins
}

// The examples pass actionlint, which knows the action's inputs and outputs
// when it takes it for one of its own repository.
func TestDocs_WorkflowsPassActionlint(t *testing.T) {
	actionlint := os.Getenv(actionlintVariable)
	if actionlint == "" {
		t.Skip(actionlintVariable + " names no actionlint; .ci/run builds one and sets it")
	}
	dir := t.TempDir()
	for _, name := range []string{"action.yml", commentAction} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), readRoot(t, name), 0o644)
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	args := []string{"-shellcheck=", "-pyflakes=", "-no-color"}
	for _, e := range examples(t) {
		path := filepath.Join(dir, ".github", "workflows", e.name)
		write(t, path, strings.NewReplacer("openagent-ci/openagent@main", "./", "openagent-ci/openagent/comment@main", "./comment").Replace(e.text), 0o644)
		args = append(args, path)
	}
	cmd := exec.Command(actionlint, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("actionlint: %v\n%s", err, out)
	}
}

// codeBlock is what of a page is no text.
var codeBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```$")

// headings returns the names by which GitHub finds the headings of a page.
func headings(text string) (names []string) {
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		name := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// Each link of a page to another one, or to a heading, leads there.
func TestDocs_LinksLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) < 10 {
		t.Fatalf("found the pages %v, %v, want all", pages, err)
	}
	link := regexp.MustCompile(`\]\(([^():#\s]*)(?:#([^()\s]+))?\)`)
	for _, page := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(text), ""), -1) {
			file := page
			if m[1] != "" {
				file = filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1]))
			}
			target, err := os.ReadFile(file)
			if info, statErr := os.Stat(file); statErr == nil && info.IsDir() {
				err = nil
			}
			if err != nil {
				t.Errorf("%s: the link %s leads nowhere: %v", filepath.Base(page), m[0], err)
			} else if m[2] != "" && !slices.Contains(headings(string(target)), m[2]) {
				t.Errorf("%s: the link %s leads to no heading; there are %v", filepath.Base(page), m[0], headings(string(target)))
			}
		}
	}
}

// From the README a question is two clicks from its answer: the index, and a link.
func TestDocs_QuestionsHaveAnswers(t *testing.T) {
	if !strings.Contains(readRoot(t, "README.md"), "](docs/README.md)") {
		t.Error("README.md has no link to the index")
	}
	_, text, _ := strings.Cut(readRoot(t, "docs/README.md"), "\n## Questions\n")
	text, _, _ = strings.Cut(text, "\n## ")
	rows := regexp.MustCompile(`(?m)^\| (.*\?.*) \| (.*) \|$`).FindAllStringSubmatch(text, -1)
	if len(rows) < 26 {
		t.Errorf("docs/README.md has %d questions, want 26 or more", len(rows))
	}
	for _, m := range rows {
		if strings.Count(m[2], "](") != 1 { // that it leads somewhere is another test
			t.Errorf("docs/README.md answers %q by %q, want one link", m[1], m[2])
		}
	}
}

// The messages of the page about them are those of the program.
func TestDocs_MessagesAreThoseOfTheProgram(t *testing.T) {
	var code strings.Builder
	for _, dir := range []string{"internal", "runner", "schema"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			code.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	rows := regexp.MustCompile("(?m)^\\| (.*`.*`.*?) \\| .* \\| .* \\|$").FindAllStringSubmatch(readRoot(t, "docs/troubleshooting.md"), -1)
	if len(rows) < 20 {
		t.Errorf("docs/troubleshooting.md has %d messages, want 20 or more", len(rows))
	}
	for _, row := range rows {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			if !strings.Contains(code.String(), m[1]) {
				t.Errorf("docs/troubleshooting.md quotes %q, which the program does not say", m[1])
			}
		}
	}
}

// neverRight are phrases that read like a translation, whatever the sentence.
var neverRight = regexp.MustCompile(`(?i)\b(shall|(is|are) told|mended|is played|the way out|in the place of|whoever|of other makers|round commands|the begin)\b`)

// Pages, help and the actions are in plain English, but for what is made of the
// schema, whose released revisions stay as they are.
func TestDocs_ArePlainEnglish(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) < 10 {
		t.Fatalf("found the pages %v, %v, want all", pages, err)
	}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "action.yml", commentAction, "testscript/testdata/help.txtar", "docs/messages.txt"} {
		pages = append(pages, filepath.Join(root, filepath.FromSlash(name)))
	}
	made := regexp.MustCompile(`(?s)<!-- begin: schema,.*?<!-- end: schema -->`)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(made.ReplaceAllString(string(text), "")) {
			if found := neverRight.FindString(line); found != "" {
				t.Errorf("%s: %q in %q; write it in plain English", filepath.Base(page), found, line)
			}
		}
	}
}
