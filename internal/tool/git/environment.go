package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// setting is one line of configuration that overrides the repository's.
type setting struct{ key, value string }

// hardening takes from the repository's configuration whatever would run a
// program, reach another machine or work in the background.
func hardening(root string) []setting {
	return []setting{
		{"safe.directory", filepath.ToSlash(root)},
		{"safe.bareRepository", "explicit"},
		{"core.hooksPath", os.DevNull},
		{"core.fsmonitor", "false"},
		{"core.editor", "false"},
		{"core.pager", "cat"},
		{"core.sshCommand", "false"},
		{"core.askPass", ""},
		{"commit.gpgSign", "false"},
		{"diff.external", ""},
		{"gc.auto", "0"},
		{"maintenance.auto", "false"},
		{"protocol.allow", "never"},
		{"submodule.recurse", "false"},
		{"i18n.commitEncoding", "UTF-8"},
	}
}

// fixedEnv are variables that do not depend on the repository. No variable of
// this process is inherited but what Windows needs to start a program.
var fixedEnv = []string{
	"GIT_ALLOW_PROTOCOL=none",
	"GIT_ATTR_NOSYSTEM=1",
	"GIT_CONFIG_GLOBAL=" + os.DevNull,
	"GIT_CONFIG_NOSYSTEM=1",
	"GIT_NO_LAZY_FETCH=1",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_PAGER=cat",
	"GIT_TERMINAL_PROMPT=0",
	"LC_ALL=C",
	"TZ=UTC",
}

// arguments returns the whole command line of a call. What the command line
// sets beats every file, in every version of git.
func (r *Repo) arguments(q request) []string {
	args := []string{"git"}
	for _, s := range hardening(r.root) {
		args = append(args, "-c", s.key+"="+s.value)
	}
	return append(args, q.args...)
}

// environment returns the whole environment of a call. The settings that have
// names out of the repository travel as variables, which hold any name.
func (r *Repo) environment(q request) []string {
	env := append([]string{
		"GIT_DIR=" + r.dir(),
		"GIT_WORK_TREE=" + r.root,
		"PATH=" + filepath.Dir(r.binary),
	}, fixedEnv...)
	if !q.noLiteral {
		env = append(env, "GIT_LITERAL_PATHSPECS=1")
	}
	if runtime.GOOS == "windows" {
		for _, name := range []string{"SYSTEMROOT", "TEMP", "TMP"} {
			env = append(env, name+"="+os.Getenv(name))
		}
	}
	for i, s := range r.off {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s.key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s.value))
	}
	env = append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(r.off)))
	return append(env, q.env...)
}

func (r *Repo) dir() string { return filepath.Join(r.root, ".git") }

// present returns ErrNoRepository if the folder has no .git of its own: a
// repository of a folder above is not ours to touch. It refuses one that git
// would read something else of than files: git would wait for a pipe.
func (r *Repo) present() error {
	if _, err := os.Stat(r.dir()); err != nil {
		return ErrNoRepository
	}
	gitDir := findGitDir(r.root)
	if at := eachConfig(ownConfigs(gitDir), func(setting) {}); at != "" {
		return irregular(r.root, at)
	}
	for _, name := range []string{"HEAD", "index", "packed-refs", "info/exclude", "info/attributes"} {
		at := filepath.Join(gitDir, name)
		if info, err := os.Stat(at); err == nil && !info.Mode().IsRegular() {
			return irregular(r.root, at)
		}
	}
	return nil
}

// irregular is the error of a file that is none.
func irregular(root, path string) error {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	}
	return &Error{Step: "read repository", Text: path + " is no regular file"}
}

// configuration is what a commit takes from the repository's own settings.
type configuration struct {
	name, email string
	// filters are the names of the content filters that are configured; one
	// may be empty.
	filters map[string]bool
}

// disarmed reads the repository's configuration and returns a Repo whose calls
// run none of the programs that stand in it under names of its own choice.
func (r *Repo) disarmed(ctx context.Context) (*Repo, configuration, error) {
	out, err := r.run(ctx, request{
		step:  "read configuration",
		args:  []string{"config", "-z", "--get-regexp", `^(user\.(name|email)$|filter\.|hook\.)`},
		quiet: 1,
	})
	if err != nil {
		return nil, configuration{}, err
	}
	c := configuration{filters: make(map[string]bool)}
	hooks := make(map[string]bool)
	for _, entry := range fields(out) {
		key, value, _ := strings.Cut(entry, "\n")
		section, rest, _ := strings.Cut(key, ".")
		end := strings.LastIndexByte(rest, '.')
		switch {
		case key == "user.name":
			c.name = strings.TrimSpace(value)
		case key == "user.email":
			c.email = strings.TrimSpace(value)
		case section == "filter" && end >= 0:
			c.filters[rest[:end]] = true
		case section == "hook" && end >= 0:
			hooks[rest[:end]] = true
		}
	}
	safe := *r
	safe.off = slices.Concat([]setting{}, off("filter", c.filters, setting{"clean", ""}, setting{"smudge", ""}, setting{"process", ""}, setting{"required", "false"}),
		off("hook", hooks, setting{"enabled", "false"}))
	return &safe, c, nil
}

// off returns the settings for each name in a section.
func off(section string, names map[string]bool, settings ...setting) (all []setting) {
	for name := range names {
		for _, s := range settings {
			all = append(all, setting{section + "." + name + "." + s.key, s.value})
		}
	}
	return all
}
