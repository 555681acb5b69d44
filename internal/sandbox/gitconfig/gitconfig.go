// Package gitconfig cuts a configuration of git into its lines, as git reads them.
package gitconfig

import "strings"

// Line is a section header, a variable, or what is neither.
type Line struct {
	Text    string // with its end
	Section string // "core", "filter.lfs": name in lower case, subsection as it is
	Key     string // in lower case, "" for what is no variable
	Value   string
}

// Name is the full name of the variable.
func (l Line) Name() string { return l.Section + "." + l.Key }

// Header returns the line that begins a section.
func Header(section string) string {
	name, sub, ok := strings.Cut(section, ".")
	if !ok {
		return "[" + name + "]\n"
	}
	return "[" + name + ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(sub) + "\"]\n"
}

// Cut cuts a configuration into its lines, as git reads them. ok is false for
// a text that git would refuse.
func Cut(text string) (lines []Line, ok bool) {
	section := ""
	for text != "" {
		rest := strings.TrimLeft(text, " \t")
		blank := text[:len(text)-len(rest)]
		switch {
		case rest == "" || strings.ContainsRune("\n\r#;", rune(rest[0])):
			line := firstLine(rest)
			lines = append(lines, Line{Text: blank + line, Section: section})
			text = rest[len(line):]
		case rest[0] == '[':
			name, size, found := cutHeader(rest)
			if !found {
				return nil, false
			}
			section = name
			lines = append(lines, Line{Text: blank + rest[:size], Section: section})
			text = rest[size:]
		default:
			line := logicalLine(rest)
			key, value, found := cutVariable(line)
			if section == "" || !found {
				return nil, false
			}
			lines = append(lines, Line{Text: blank + line, Section: section, Key: key, Value: value})
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
