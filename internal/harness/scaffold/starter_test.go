package scaffold

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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
