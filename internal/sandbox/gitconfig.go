package sandbox

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/sandbox/gitconfig"
)

// config is a configuration of git, cut into its lines.
type config struct {
	text  string
	mode  fs.FileMode
	there bool
	lines []gitconfig.Line
	// ok is false if the text is none that git reads, or no file.
	ok bool
}

// runs lists the variables that make git run a program, or take something from
// elsewhere, by section; of a section with "*" all.
var runs = map[string][]string{
	"core":       {"hookspath", "fsmonitor", "sshcommand", "worktree", "editor", "pager", "askpass", "gitproxy", "alternaterefscommand", "attributesfile"},
	"alias":      {"*"},
	"filter":     {"*"},
	"diff":       {"*"},
	"merge":      {"*"},
	"include":    {"*"},
	"includeif":  {"*"},
	"url":        {"*"},
	"credential": {"*"},
	"pager":      {"*"},
	"difftool":   {"*"}, "mergetool": {"*"}, "trailer": {"*"}, "hook": {"*"}, "protocol": {"*"}, "man": {"*"}, "browser": {"*"}, "sendemail": {"*"},
	"http": {"*"}, "imap": {"*"}, "guitool": {"*"}, "instaweb": {"*"}, "lfs": {"path", "standalonetransferagent", "url", "pushurl", "clean", "smudge"}, "tar": {"command"}, "gc": {"recentobjectshook"}, "init": {"templatedir"},
	"gpg":         {"program", "defaultkeycommand"},
	"sequence":    {"editor"},
	"interactive": {"difffilter"},
	"uploadpack":  {"packobjectshook"},
	"remote":      {"uploadpack", "receivepack", "vcs", "proxy"},
	"submodule":   {"update"},
	"extensions":  {"worktreeconfig"},
}

// guarded reports whether the variable is one of runs.
func guarded(l gitconfig.Line) bool {
	section, _, _ := strings.Cut(l.Section, ".")
	keys := runs[section]
	return l.Key != "" && (slices.Contains(keys, "*") || slices.Contains(keys, l.Key))
}

// config reads a configuration of the workspace.
func (g *Guarded) config(name string) config {
	info, err := g.root.Lstat(name)
	if err != nil {
		return config{ok: true}
	}
	c := config{there: true, mode: info.Mode()}
	if !info.Mode().IsRegular() {
		return c
	}
	content, whole := g.read(name)
	c.text = string(content)
	if whole {
		c.lines, c.ok = gitconfig.Cut(c.text)
	}
	return c
}

// restoreConfig puts back the guarded keys of a configuration and returns the names
// of those that differed. A text that git would not read is put back as a whole.
func (g *Guarded) restoreConfig(name string) (keys []string, err error) {
	was, is := g.configs[name], g.config(name)
	if !is.ok {
		if is.mode == was.mode && is.text == was.text {
			return nil, nil
		}
		if !was.there {
			return []string{"all"}, g.remove(name)
		}
		return []string{"all"}, g.putBack(name, entry{mode: was.mode, content: []byte(was.text), whole: was.ok})
	}
	keys = differing(was.lines, is.lines)
	if len(keys) == 0 || !is.there {
		return nil, nil
	}
	return keys, g.putBack(name, entry{mode: is.mode, content: []byte(restored(was.lines, is.lines)), whole: true})
}

// differing returns the names of guarded variables that are not the same in both,
// sorted.
func differing(was, is []gitconfig.Line) (keys []string) {
	values := map[string][2]string{}
	for i, lines := range [][]gitconfig.Line{was, is} {
		for _, l := range lines {
			if guarded(l) {
				v := values[l.Name()]
				v[i] += l.Value + "\x00"
				values[l.Name()] = v
			}
		}
	}
	for name, v := range values {
		if v[0] != v[1] {
			keys = append(keys, name)
		}
	}
	slices.Sort(keys)
	return keys
}

// restored returns the text of is with the guarded variables of was.
func restored(was, is []gitconfig.Line) string {
	var b strings.Builder
	for _, l := range is {
		if !guarded(l) {
			b.WriteString(l.Text)
		}
	}
	if text := b.String(); text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
	section := ""
	for _, l := range was {
		if !guarded(l) {
			continue
		}
		if l.Section != section {
			section = l.Section
			b.WriteString(gitconfig.Header(section))
		}
		b.WriteString("\t" + strings.TrimSpace(l.Text) + "\n")
	}
	return b.String()
}
