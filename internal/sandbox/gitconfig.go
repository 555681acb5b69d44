package sandbox

import (
	"io/fs"
	"slices"
	"strings"
)

// config is a configuration of git, cut into its lines.
type config struct {
	text  string
	mode  fs.FileMode
	there bool
	lines []configLine
	// ok is false if the text is none that git reads, or no file.
	ok bool
}

// configLine is a section header, a variable, or what is neither.
type configLine struct {
	text    string // with its end
	section string // "core", "filter.lfs": name in lower case, subsection as it is
	key     string // in lower case, "" for what is no variable
	value   string
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
	"gpg":         {"program"},
	"sequence":    {"editor"},
	"interactive": {"difffilter"},
	"uploadpack":  {"packobjectshook"},
	"remote":      {"uploadpack", "receivepack", "vcs", "proxy"},
	"submodule":   {"update"},
	"extensions":  {"worktreeconfig"},
}

// guarded reports whether the variable is one of runs.
func (l configLine) guarded() bool {
	section, _, _ := strings.Cut(l.section, ".")
	keys := runs[section]
	return l.key != "" && (slices.Contains(keys, "*") || slices.Contains(keys, l.key))
}

// name is the full name of the variable.
func (l configLine) name() string { return l.section + "." + l.key }

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
		c.lines, c.ok = cutConfig(c.text)
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
			return []string{"all"}, g.root.RemoveAll(name)
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
func differing(was, is []configLine) (keys []string) {
	values := map[string][2]string{}
	for i, lines := range [][]configLine{was, is} {
		for _, l := range lines {
			if l.guarded() {
				v := values[l.name()]
				v[i] += l.value + "\x00"
				values[l.name()] = v
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
func restored(was, is []configLine) string {
	var b strings.Builder
	for _, l := range is {
		if !l.guarded() {
			b.WriteString(l.text)
		}
	}
	if text := b.String(); text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
	section := ""
	for _, l := range was {
		if !l.guarded() {
			continue
		}
		if l.section != section {
			section = l.section
			b.WriteString(header(section))
		}
		b.WriteString("\t" + strings.TrimSpace(l.text) + "\n")
	}
	return b.String()
}

// header returns the line that begins a section.
func header(section string) string {
	name, sub, ok := strings.Cut(section, ".")
	if !ok {
		return "[" + name + "]\n"
	}
	return "[" + name + ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(sub) + "\"]\n"
}

// cutConfig cuts a configuration into its lines, as git reads them. ok is false for
// a text that git would refuse.
func cutConfig(text string) (lines []configLine, ok bool) {
	section := ""
	for text != "" {
		rest := strings.TrimLeft(text, " \t")
		blank := text[:len(text)-len(rest)]
		switch {
		case rest == "" || strings.ContainsRune("\n\r#;", rune(rest[0])):
			line := firstLine(rest)
			lines = append(lines, configLine{text: blank + line, section: section})
			text = rest[len(line):]
		case rest[0] == '[':
			name, size, found := cutHeader(rest)
			if !found {
				return nil, false
			}
			section = name
			lines = append(lines, configLine{text: blank + rest[:size], section: section})
			text = rest[size:]
		default:
			line := logicalLine(rest)
			key, value, found := cutVariable(line)
			if section == "" || !found {
				return nil, false
			}
			lines = append(lines, configLine{text: blank + line, section: section, key: key, value: value})
			text = rest[len(line):]
		}
	}
	return lines, true
}

// firstLine returns text to the end of its first line.
func firstLine(text string) string {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1]
	}
	return text
}

// logicalLine returns text to the end of its first line that does not go on in the
// next one, by a backslash outside a comment.
func logicalLine(text string) string {
	quoted, comment := false, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			return text[:i+1]
		case comment:
		case c == '\\':
			i++
			if strings.HasPrefix(text[i:], "\r\n") {
				i++
			}
		case c == '"':
			quoted = !quoted
		case (c == '#' || c == ';') && !quoted:
			comment = true
		}
	}
	return text
}

// cutHeader returns the section that a header begins and the size of the header.
func cutHeader(text string) (section string, size int, ok bool) {
	end := strings.IndexAny(text, "]\"\n")
	if end < 0 || text[end] == '\n' {
		return "", 0, false
	}
	name := strings.ToLower(strings.TrimRight(text[1:end], " \t"))
	if text[end] == ']' {
		return name, end + 1, name != ""
	}
	var sub strings.Builder
	for i := end + 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '\n':
			return "", 0, false
		case '"':
			if !strings.HasPrefix(text[i+1:], "]") {
				return "", 0, false
			}
			return name + "." + sub.String(), i + 2, name != ""
		case '\\':
			i++
			if i < len(text) {
				sub.WriteByte(text[i])
			}
		default:
			sub.WriteByte(c)
		}
	}
	return "", 0, false
}

// cutVariable returns the name of a variable and what follows the sign; one without
// a value is true.
func cutVariable(line string) (key, value string, ok bool) {
	end := strings.IndexFunc(line, func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
	if end < 0 {
		end = len(line)
	}
	rest := strings.TrimSpace(line[end:])
	value, found := strings.CutPrefix(rest, "=")
	return strings.ToLower(line[:end]), strings.TrimSpace(value), end > 0 && (found || rest == "" || rest[0] == '#' || rest[0] == ';')
}
