package actions

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
// github.com/rhysd/actionlint; internal/tools has it.
const actionlintVariable = "OPENAGENT_TEST_ACTIONLINT"

// inputTable returns inputs of the action as a table, in the order of
// action.yml; without names all of them.
func inputTable(t *testing.T, names ...string) string {
	t.Helper()
	a, text := readAction(t)
	var b strings.Builder
	b.WriteString("| input | default | meaning |\n| --- | --- | --- |\n")
	for _, name := range inOrder(t, text, "inputs") {
		if names != nil && !slices.Contains(names, name) {
			continue
		}
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
	few := inputTable(t, "prompt", "prompt-file", "model", "base-url", "api-key", "script", "agent", "agent-version", "agent-args", "agent-command", "policy",
		"max-steps", "timeout", "working-directory", "fail-on", "upload-artifact")
	for _, part := range []struct{ file, name, want string }{
		{"README.md", "inputs", few},
		{"docs/action.md", "all inputs", inputTable(t)},
		{"docs/action.md", "all outputs", outputTable(t)},
	} {
		text := readRoot(t, part.file)
		begin := "<!-- begin: " + part.name + ", written by go test ./internal/actions -update -->\n"
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
			t.Errorf("%s: the part %q differs from action.yml; run go test ./internal/actions -update", part.file, part.name)
		}
	}
}

// example is a workflow in the documentation.
type example struct{ name, text string }

// examples returns the workflows in README.md and docs: what is marked as YAML
// and has jobs.
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
		if j.Timeout == 0 {
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
			keeps := strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != "false"
			if keeps && (runsAgent || j.Permissions["contents"] != "write") {
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
		if name, pin, ok := strings.Cut(s.Uses, "@"); ok {
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

// Each relative link of these pages leads to a file, and to a heading in it.
func TestDocs_LinksLeadSomewhere(t *testing.T) {
	for _, page := range []string{"action.md", "comments.md", "cost.md", "security.md"} {
		text := readRoot(t, "docs/"+page)
		links := regexp.MustCompile(`\]\(([a-z-]*\.md)?(?:#([a-z-]+))?\)`).FindAllStringSubmatch(text, -1)
		if len(links) == 0 {
			t.Errorf("%s: no links found", page)
		}
		for _, m := range links {
			if m[1] == "" {
				m[1] = page
			}
			target := readRoot(t, "docs/"+m[1])
			heading := func(line string) bool {
				title, ok := strings.CutPrefix(strings.Replace(line, "### ", "## ", 1), "## ")
				title = strings.ReplaceAll(strings.ToLower(strings.NewReplacer(",", "", ".", "").Replace(title)), " ", "-")
				return ok && title == m[2]
			}
			if m[2] != "" && !slices.ContainsFunc(strings.Split(target, "\n"), heading) {
				t.Errorf("%s: %s has no heading #%s", page, m[1], m[2])
			}
		}
	}
}
