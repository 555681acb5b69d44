package sandbox

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Bounds of what is asked of git.
const (
	maxConfig   = 1 << 20
	gitPatience = 10 * time.Second
)

// git runs the git program that PATH of the policy names outside of what commands can
// write, and returns what it prints.
func (p Policy) git(stdin []byte, env []string, args ...string) ([]byte, error) {
	binary := p.gitProgram()
	if binary == "" {
		return nil, exec.ErrNotFound
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir, cmd.Stdin = filepath.Dir(binary), bytes.NewReader(stdin)
	cmd.Env = append([]string{"LC_ALL=C"}, env...)
	return cmd.Output()
}

// neutral is the environment of a git that reads nobody's settings.
var neutral = []string{"GIT_CONFIG_NOSYSTEM=1"}

func (p Policy) gitProgram() string {
	for _, dir := range filepath.SplitList(p.Getenv("PATH")) {
		path, err := exec.LookPath(filepath.Join(dir, "git"))
		real := existing(path)
		if err == nil && filepath.IsAbs(path) && !slices.ContainsFunc(append(p.Write, p.Workspace), func(open string) bool { return within(real, existing(open)) }) {
			return real
		}
	}
	return ""
}

// listConfig returns the keys of a configuration with their values, as git reads it.
// What it includes does not count.
func (p Policy) listConfig(text []byte) (map[string]string, error) {
	keys := map[string]string{}
	if len(text) == 0 {
		return keys, nil
	}
	if len(text) > maxConfig {
		return nil, errors.New("it is too large")
	}
	out, err := p.git(text, neutral, "config", "--file", "-", "--no-includes", "-z", "--list")
	for setting := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if key, value, _ := strings.Cut(setting, "\n"); key != "" {
			keys[key] += value + "\x00" // a key may have several values
		}
	}
	return keys, err
}

// hooksPath returns the folder of the workspace that core.hooksPath names, as given
// and without links.
func (p Policy) hooksPath(workspace, gitDir string) (names []string) {
	if gitDir == "" {
		return nil
	}
	var env []string
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"} {
		if value := p.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	out, err := p.git(nil, env, "--git-dir="+gitDir, "--work-tree="+workspace, "config", "-z", "--type=path", "--get", "core.hooksPath")
	if err != nil {
		return nil
	}
	at := beside(workspace, strings.TrimSuffix(string(out), "\x00"))
	for _, dir := range []string{filepath.Clean(at), existing(at)} {
		name, err := filepath.Rel(workspace, dir)
		if name = filepath.ToSlash(name); err == nil && filepath.IsLocal(name) && name != "." && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// allowed are the keys that commands may change, those of a section with "*" all.
// Those of branches are checked by allows.
var allowed = map[string][]string{
	"user": {"*"}, "advice": {"*"}, "color": {"*"}, "pull": {"rebase"}, "push": {"default"},
	// What git init writes.
	"core": {"repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase", "precomposeunicode", "symlinks"},
}

// allows reports whether commands may give a key the values, in a configuration that
// had the keys was.
func allows(key, values string, was map[string]string) bool {
	section, rest, _ := strings.Cut(key, ".")
	if names := allowed[section]; slices.Contains(names, "*") || slices.Contains(names, rest) {
		return true
	}
	if section != "branch" || !strings.HasSuffix(rest, ".remote") {
		return section == "branch" && strings.HasSuffix(rest, ".merge")
	}
	for remote := range strings.SplitSeq(strings.TrimSuffix(values, "\x00"), "\x00") {
		if _, there := was["remote."+remote+".url"]; !there && remote != "." && values != "" {
			return false
		}
	}
	return true
}

// checkConfig puts back a configuration in which more was changed than commands may,
// and takes one with other changes as it is.
func (t *tree) checkConfig(name string) {
	t.seen[name] = true
	was, known := t.entries[name]
	info, err := t.root.Lstat(name)
	var is entry
	switch {
	case missing(err) && !known:
		return
	case err != nil && !missing(err):
		t.fail(name, err)
		return
	case err == nil && info.Mode().IsRegular():
		if known && was.whole && was.mode.IsRegular() && t.same(name, was, info) {
			return
		}
		is = entry{info: info, mode: info.Mode()}
		is.bytes, err = t.read(name, maxConfig+1)
		is.whole = err == nil
	case err == nil && known && info.Mode().Type() == was.mode.Type() && t.same(name, was, info): // a link, as ever
		return
	case missing(err):
		is.whole = true
	}
	keys, err := t.refused(was, is)
	if err == nil && len(keys) == 0 {
		if t.entries[name] = is; is.info == nil {
			delete(t.entries, name)
		}
		return
	}
	c := Change{Path: path.Join(t.prefix, name), What: strings.Join(keys, ", "), Config: true}
	if err != nil {
		c.What = "all"
	}
	if known {
		c.Err = t.putBack(name, was)
	} else {
		c.Err = t.remove(name)
	}
	t.changes = append(t.changes, c)
}

// refused returns the keys that commands may not change so, sorted.
func (t *tree) refused(was, is entry) (keys []string, err error) {
	if !is.whole {
		return nil, errNotRemembered
	}
	before, err := t.list(was.bytes)
	if err != nil {
		return nil, err
	}
	now, err := t.list(is.bytes)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if values, there := before[key]; (!there || values != now[key]) && !allows(key, now[key], before) {
			keys = append(keys, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if _, there := now[key]; !there && !allows(key, "", before) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}
