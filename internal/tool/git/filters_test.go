//go:build unix

package git

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestHostileFilter_OddNames configures a filter for every file in each way
// that git reads: nothing of it may run, and what it would change is refused.
func TestHostileFilter_OddNames(t *testing.T) {
	section := func(name string) string {
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name)
		return "[filter \"" + quoted + "\"]\n\tclean = TRAP\n\tsmudge = TRAP\n\tprocess = TRAP\n\trequired = true\n"
	}
	type hostile struct{ config, attributes, file, content string }
	cases := map[string]hostile{
		"upper case section": {config: "[FILTER \"x\"]\n\tCLEAN = TRAP\n\tProcess = TRAP\n", attributes: "* filter=x\n"},
		"old style":          {config: "[filter.x]\n\tclean = TRAP\n", attributes: "* filter=x\n"},
		"several sections":   {config: "[filter \"x\"]\n\tclean =\n[filter \"X\"]\n\tclean = TRAP\n", attributes: "* filter=X\n"},
		"later attribute":    {config: section("x"), attributes: "* -filter\n* filter=x\n"},
		"macro":              {config: section("x"), file: ".gitattributes", content: "[attr]m filter=x\n* m\n"},
		"included":           {config: "[include]\n\tpath = extra\n", file: ".git/extra", content: section(""), attributes: "* filter=\n"},
		"included if":        {config: "[includeIf \"gitdir:**\"]\n\tpath = extra\n", file: ".git/extra", content: section("x"), attributes: "* filter=x\n"},
		"work tree's own":    {config: "[extensions]\n\tworktreeConfig = true\n", file: ".git/config.worktree", content: section("x"), attributes: "* filter=x\n"},
		"info":               {config: section(""), file: ".git/info/attributes", content: "* filter=\n"},
		"attributes file":    {config: section("x") + "[core]\n\tattributesFile = .git/attributes\n", file: ".git/attributes", content: "* filter=x\n"},
	}
	for _, name := range []string{"", ".", "..", "a.b", "a=b.c", "X", `q"uote`, `back\slash`, "ü", "-c", "#x", "set", "unset", "unspecified", "'", "$(x)", "x;y"} {
		cases["named "+name] = hostile{config: section(name), attributes: "* filter=" + name + "\n"}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRepo(t)
			trap := s.trap()
			fill := strings.NewReplacer("TRAP", trap)
			s.add(".git/config", fill.Replace(c.config))
			if c.file != "" {
				s.put(c.file, fill.Replace(c.content))
			}
			if c.attributes != "" {
				s.put("sub/.gitattributes", c.attributes)
			}
			s.put("sub/new", "new\n")
			s.put("base", "changed\n")

			ctx := context.Background()
			if state, err := s.repo.State(ctx); err != nil || !state.Dirty {
				t.Errorf("State() = %+v, %v, want dirty true", state, err)
			}
			if status, err := s.repo.Status(ctx); err != nil || len(status.Entries) < 2 {
				t.Errorf("Status() = %+v, %v, want both changes", status, err)
			}
			_, err := s.commit("m")
			var gitErr *Error
			if !errors.As(err, &gitErr) || !strings.Contains(gitErr.Text, "goes through the content filter") {
				t.Errorf("Commit(...) = %v, want the filtered file refused", err)
			}
			if mark := s.sprung(); mark != "" {
				t.Errorf("the filter ran: %s", mark)
			}
		})
	}
}

// TestHostileConfiguration_HooksByName switches off the hooks that newer
// versions of git take from the configuration and not from a folder.
func TestHostileConfiguration_HooksByName(t *testing.T) {
	s := newRepo(t)
	s.add(".git/config", "[hook \"x\"]\n\tevent = pre-commit\n\tcommand = "+s.trap()+"\n[hook \"\"]\n\tevent = reference-transaction\n\tcommand = false\n")
	disarmed, _, err := s.repo.disarmed(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x", ""} {
		out, err := disarmed.run(context.Background(), request{step: "read", args: []string{"config", "--get", "hook." + name + ".enabled"}})
		if got := strings.TrimSpace(string(out)); err != nil || got != "false" {
			t.Errorf("hook %q is enabled = %q, %v, want false", name, got, err)
		}
	}
}

// TestHostileEnvironment_IsNotInherited sets what git itself reads.
func TestHostileEnvironment_IsNotInherited(t *testing.T) {
	s := newRepo(t)
	trap := s.trap()
	for name, value := range map[string]string{
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": trap, "GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='" + trap + "'",
		"GIT_CONFIG_GLOBAL": "/nowhere", "GIT_CONFIG_SYSTEM": "/nowhere", "GIT_CONFIG": "/nowhere", "GIT_EXEC_PATH": filepath.Dir(trap), "GIT_EXTERNAL_DIFF": trap,
		"GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/", "GIT_INDEX_FILE": "/nowhere/index", "GIT_OBJECT_DIRECTORY": "/nowhere", "GIT_EDITOR": trap,
		"GIT_TRACE": s.root + "/../sprung", "GIT_SSH_COMMAND": trap, "GIT_ASKPASS": trap, "GIT_NAMESPACE": "x", "GIT_ATTR_SOURCE": "nothing",
	} {
		t.Setenv(name, value)
	}
	s.put("base", "changed\n")
	if state, err := s.repo.State(context.Background()); err != nil || !state.Dirty {
		t.Errorf("State() = %+v, %v, want dirty true", state, err)
	}
	s.committed([]string{"base"})
	if mark := s.sprung(); mark != "" {
		t.Errorf("the environment ran a program: %s", mark)
	}
}
