package scaffold

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/platform/process"
)

// each calls f with the files of each agent.
func each(t *testing.T, f func(name string, list []File)) {
	for _, a := range append([]*adapter.Agent{nil}, adapter.Agents()...) {
		list, err := Files(a, "")
		if err != nil || len(list) != 2 {
			t.Fatalf("Files = %d, %v, want a scenario and a workflow", len(list), err)
		}
		name := "the built-in agent"
		if a != nil {
			name = a.Name
		}
		f(name, list)
	}
}

// The workflow pins the actions that our own workflow does.
func TestFiles_ActionsArePinnedAsOurs(t *testing.T) {
	ours, err := os.ReadFile("../../../.github/workflows/ci.yml")
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(name string, list []File) {
		uses := regexp.MustCompile(`uses: .*`).FindAllString(list[1].Text, -1)
		if len(uses) == 0 {
			t.Fatalf("the workflow of %s uses no action, want those that check out and set up", name)
		}
		for _, u := range uses {
			if !strings.Contains(string(ours), u) {
				t.Errorf("the workflow of %s has %q, which ci.yml has not", name, u)
			}
		}
	})
}

// The workflow of each agent and trigger is filled in, pins the actions that the example
// does, and names the action by a tag where there is one.
func TestCI(t *testing.T) {
	example, err := os.ReadFile("../../../docs/examples/fix-issue.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range append([]*adapter.Agent{nil}, adapter.Agents()...) {
		for on := range triggers {
			f, err := CI(a, "fix", on, "v1.2.3")
			if err != nil || f.Path != ".github/workflows/fix.yml" || !strings.Contains(f.Text, "uses: openagent-ci/openagent@v1.2.3 # pin") {
				t.Errorf("CI on %s = %v, %v, want a workflow with the action of the release:\n%s", on, f.Path, err, f.Text)
			}
			if left := regexp.MustCompile(`(NAME|WHEN|TRIGGER|CONDITION|AGENT|PROMPT|secrets\.KEY)\b`).FindString(strings.ReplaceAll(f.Text, "OPENAGENT", "NAME")); left != "" {
				t.Errorf("the workflow on %s still has %s:\n%s", on, left, f.Text)
			}
			for _, u := range regexp.MustCompile(`uses: actions/.*`).FindAllString(f.Text, -1) {
				if !strings.Contains(string(example), u) {
					t.Errorf("the workflow has %q, which the example has not", u)
				}
			}
		}
	}
}

var update = flag.Bool("update", false, "rewrite the tables in docs/migration.md")

// The tables in docs/migration.md are those that Migrate follows.
func TestMigrate_TablesAreInTheDocs(t *testing.T) {
	const path = "../../../docs/migration.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	action, err := os.ReadFile("../../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	want := string(page)
	for _, a := range Actions {
		rows := "\n| there | here |\n| --- | --- |\n"
		for i, r := range append(slices.Clone(a.Inputs), a.Outputs...) {
			to, name := "`"+r.To+"`", "`"+r.Name+"`"
			if r.To != "" && r.To[0] != '-' && !strings.Contains(string(action), "\n  "+r.To+":\n") || r.To == "" && r.Why == "" {
				t.Errorf("%s: %s becomes %q, which the action does not have", a.Uses, r.Name, r.To)
			}
			switch {
			case r.To == "":
				to = "no counterpart: " + r.Why
			case strings.HasPrefix(r.To, "-"):
				to = "`agent-args`, as " + to
			case r.Why != "":
				to += ", " + r.Why
			}
			if i >= len(a.Inputs) {
				name = "output " + name
			}
			rows += "| " + name + " | " + to + " |\n"
		}
		begin := "<!-- begin: " + a.Uses + ", written by go test ./internal/harness/scaffold -update -->\n"
		before, rest, _ := strings.Cut(want, begin)
		_, after, ok := strings.Cut(rest, "\n<!-- end -->")
		if !ok {
			t.Fatalf("docs/migration.md has no place for %s", a.Uses)
		}
		want = before + begin + rows + "\n<!-- end -->" + after
	}
	if want == string(page) {
		return
	}
	if !*update {
		t.Fatal("the tables in docs/migration.md differ; run go test ./internal/harness/scaffold -update")
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFiles_AreFilledIn(t *testing.T) {
	each(t, func(name string, list []File) {
		if text := list[0].Text + list[1].Text; strings.Contains(text, "INSTALL") || strings.Contains(text, "AGENT ") {
			t.Errorf("the files of %s have places that were to be filled in:\n%s", name, text)
		}
	})
}

// A released program has the workflow install its own version, a development build main.
func TestFiles_WorkflowInstallsTheVersion(t *testing.T) {
	for _, a := range append([]*adapter.Agent{nil}, adapter.Agents()...) {
		for version, want := range map[string]string{"": "main", "v1.2.3": "v1.2.3", "v0.0.0-20260131120000-0123456789ab": "v0.0.0-20260131120000-0123456789ab"} {
			list, err := Files(a, version)
			if err != nil {
				t.Fatal(err)
			}
			text := list[1].Text
			if !strings.Contains(text, "cmd/openagent@"+want+"\n") || strings.Count(text, "cmd/openagent@") != 1 {
				t.Errorf("the workflow of version %q does not install %s alone:\n%s", version, want, text)
			}
			if strings.Contains(text, "in the place of main") != (version == "") || strings.Contains(text, "that wrote this file") == (version == "") {
				t.Errorf("the workflow of version %q says otherwise what it installs:\n%s", version, text)
			}
		}
	}
}

// Where one file is there already, nothing is written.
func TestWrite_NothingIsReplaced(t *testing.T) {
	p, list := process.Env{Dir: t.TempDir()}, []File{{"a/one", "1"}, {"b/two", "2"}}
	if paths, err := Write(p, "x", list[1:]); err != nil || len(paths) != 1 {
		t.Fatalf("Write = %q, %v, want the path", paths, err)
	}
	if _, err := Write(p, "x", list); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Write over a file = %v, want %v", err, fs.ErrExist)
	}
	if _, err := os.Stat(filepath.Join(p.Dir, "x", "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the other file is written: %v", err)
	}
}
