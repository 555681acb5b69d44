package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter/toolname"
	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Bounds of a title and of what is shown below it.
const (
	maxTitle  = 300 // characters
	maxValue  = 120 // characters of one argument
	maxDetail = 4096
	maxDiff   = 40 // lines
)

// verbs are the first words of titles, by the names of tools in lower case.
var verbs = map[string]string{
	"execute_command": "$", "exec_command": "$", "shell_command": "$", "shell": "$", "local_shell": "$", "run_shell_command": "$",
	"bash": "$", "command_execution": "$", "run_command": "$", "run_terminal_cmd": "$",
	"read_file": "read", "read": "read", "view": "read",
	"write_file": "write", "write": "write", "create": "write", "create_file": "write",
	"edit_file": "edit", "edit": "edit", "multiedit": "edit", "multi_edit": "edit", "replace": "edit", "str_replace": "edit", "apply_patch": "edit", "patch": "edit", "file_change": "edit",
	"delete_file": "delete", "remove_file": "delete", "create_directory": "mkdir",
	"search_files": "search", "grep": "search", "search_file_content": "search", "grep_search": "search", "glob": "search",
	"list_files": "list", "list_directory": "list", "ls": "list", "list": "list",
	"git_commit": "git commit", "git_status": "git status",
}

// Members that hold what a title shows.
var (
	commandNames = []string{"command", "cmd", "commands"}
	pathNames    = []string{"path", "file_path", "filePath", "absolute_path", "target_file", "filename", "file", "dir_path", "notebook_path"}
	searchNames  = []string{"pattern", "query", "regex", "text", "q"}
	oldNames     = []string{"old_text", "old_string", "oldString", "old_str"}
	newNames     = []string{"new_text", "new_string", "newString", "new_str"}
	contentNames = []string{"content", "file_text", "contents"}
	patchNames   = []string{"input", "patch", "patchText", "patch_text", "diff"}
)

// argument is one argument of a call; cut says that its end is missing.
type argument struct {
	name string
	raw  json.RawMessage
	cut  bool
}

// text returns the argument as people read it.
func (a argument) text() string {
	var s string
	if json.Unmarshal(a.raw, &s) == nil {
		return s
	}
	var words []string
	if json.Unmarshal(a.raw, &words) == nil {
		return strings.Join(words, " ")
	}
	var short bytes.Buffer
	if json.Compact(&short, a.raw) != nil {
		return string(a.raw)
	}
	return short.String()
}

// shown returns the argument as a part of a title: text in quotes.
func (a argument) shown() string {
	text := term.OneLine(a.text(), maxValue)
	switch {
	case bytes.HasPrefix(a.raw, []byte(`"`)):
		return strconv.Quote(text)
	case bytes.HasPrefix(a.raw, []byte(`["`)):
		var words []string
		if json.Unmarshal(a.raw, &words) == nil {
			return term.OneLine("["+strings.Join(words, ", ")+"]", maxValue)
		}
	}
	return text
}

// arguments returns the members of an object in the order in which they were written,
// the last one in part where the text is cut. Text that is no object has none.
func arguments(text string) (list []argument) {
	dec := json.NewDecoder(strings.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for dec.More() {
		t, err := dec.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return list
		}
		at := dec.InputOffset()
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			if part := partOf(text[at:]); part != nil {
				list = append(list, argument{name, part, true})
			}
			return list
		}
		list = append(list, argument{name, raw, false})
	}
	return list
}

// partOf returns the beginning of a string as a whole one, nil for any other value.
func partOf(rest string) json.RawMessage {
	rest = strings.TrimLeft(rest, ": \t\r\n")
	if !strings.HasPrefix(rest, `"`) {
		return nil
	}
	for range 7 { // an escape may be cut, \u12 at its longest
		if part := []byte(clip.UTF8(rest) + `"`); json.Valid(part) {
			return part
		}
		rest = rest[:max(1, len(rest)-1)]
	}
	return nil
}

// member returns the first of some arguments that is there.
func member(list []argument, names []string) (a argument, ok bool) {
	for _, name := range names {
		if i := slices.IndexFunc(list, func(a argument) bool { return a.name == name }); i >= 0 {
			return list[i], true
		}
	}
	return a, false
}

// describe sets title, detail and diff of a call. The summary of its result is the
// title where the arguments do not say what it is about.
func (c *Call) describe(summary string) {
	tool, text := c.Tool, c.Arguments
	if c.whole {
		neutral := toolname.Neutral(toolname.Call{Tool: tool, Arguments: text}, "")
		if neutral.Tool != tool {
			tool, text = neutral.Tool, neutral.Arguments
		}
	}
	list := arguments(text)
	verb := verbs[strings.ToLower(tool)]
	path, _ := member(list, pathNames)
	about := term.OneLine(path.text(), maxTitle)
	c.Detail, c.Diff = "", nil
	switch verb {
	case "$":
		command, _ := member(list, commandNames)
		about = strings.TrimRight(command.text(), "\n")
		if strings.Contains(about, "\n") {
			c.Detail, _ = clip.Prefix(about, maxDetail)
		}
		about = term.OneLine(about, maxTitle)
	case "write", "edit":
		about += c.change(verb, list, about)
	case "search":
		pattern, ok := member(list, searchNames)
		if where := about; ok {
			about = strconv.Quote(term.OneLine(pattern.text(), maxValue))
			if where != "" && where != "." {
				about += " in " + where
			}
		}
	case "list":
		about = cmp.Or(about, ".")
	case "git commit":
		message, _ := member(list, []string{"message"})
		first, _, _ := strings.Cut(message.text(), "\n")
		about = strconv.Quote(term.OneLine(first, maxTitle))
	case "git status":
	case "":
		c.other(list, text)
		return
	}
	switch {
	case about != "" || verb == "git status":
		c.Title = strings.TrimSpace(verb + " " + about)
	case summary != "":
		c.Title = term.OneLine(summary, maxTitle)
	default:
		c.other(list, text)
	}
	c.Title = term.OneLine(c.Title, maxTitle)
}

// other sets the title of a call of any other tool: its name and its arguments.
func (c *Call) other(list []argument, text string) {
	name := strings.ReplaceAll(strings.TrimPrefix(c.Tool, "mcp__"), "__", ".")
	var b strings.Builder
	b.WriteString(cmp.Or(term.OneLine(name, maxValue), "unknown tool"))
	for _, a := range list {
		b.WriteString(" " + term.OneLine(a.name, maxValue) + "=" + a.shown())
	}
	if len(list) == 0 && strings.Trim(text, "{} \n") != "" {
		b.WriteString(" " + term.OneLine(text, maxValue))
	}
	c.Title = term.OneLine(b.String(), maxTitle)
	if strings.HasSuffix(c.Title, "…") || strings.Contains(c.Title, `…"`) {
		c.Detail, _ = clip.Prefix(text, maxDetail)
	}
}

// change sets the diff of a call that writes a file and returns the size of what it
// changes, as far as the arguments are whole.
func (c *Call) change(verb string, list []argument, path string) string {
	if !c.whole {
		return ""
	}
	var lines []string
	content, hasContent := member(list, contentNames)
	patch, hasPatch := member(list, patchNames)
	switch {
	case verb == "write" && hasContent:
		lines, _, _ = diff.Unified("", content.text())
		c.setDiff(lines)
		return fmt.Sprintf(" (%s)", term.Counted(len(content.text()), "byte"))
	case hasPatch && path == "":
		lines = strings.Split(strings.TrimSuffix(patch.text(), "\n"), "\n")
		for i, t := range diff.Touched(c.Tool, c.Arguments) {
			path += strings.Repeat(" ", min(i, 1)) + term.OneLine(t.Path, maxTitle)
		}
	default:
		path = ""
		for _, e := range edits(list) {
			was, _ := member(e, oldNames)
			is, _ := member(e, newNames)
			part, _, _ := diff.Unified(was.text(), is.text())
			lines = append(lines, part...)
		}
	}
	added, removed := 0, 0
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++"):
			added++
		case strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "---"):
			removed++
		}
	}
	c.setDiff(lines)
	if added+removed == 0 {
		return path
	}
	return fmt.Sprintf("%s +%d -%d", path, added, removed)
}

// edits returns the arguments of each of several changes, which may stand in a list.
func edits(list []argument) (all [][]argument) {
	if _, ok := member(list, oldNames); ok {
		return [][]argument{list}
	}
	a, _ := member(list, []string{"edits"})
	var items []json.RawMessage
	_ = json.Unmarshal(a.raw, &items) // none where it is no list
	for _, item := range items {
		all = append(all, arguments(string(item)))
	}
	return all
}

// setDiff sets the diff, of which there are at most maxDiff lines.
func (c *Call) setDiff(lines []string) {
	for _, line := range lines[:min(len(lines), maxDiff)] {
		c.Diff = append(c.Diff, strings.TrimRight(line[:min(1, len(line))]+strings.Join(term.Clean(lineTail(line)), " "), " "))
	}
	if more := len(lines) - maxDiff; more > 0 {
		c.Diff = append(c.Diff, fmt.Sprintf("… and %s", term.Counted(more, "more line")))
	}
}

// lineTail returns a line of a diff without its mark, cut.
func lineTail(line string) string {
	if line == "" {
		return ""
	}
	head, cut := clip.Chars(line[1:], maxLine)
	if cut {
		head += "…"
	}
	return head
}

// Title returns the title of a call by itself.
func Title(tool, text string) string {
	c := Call{Tool: tool, Arguments: text, whole: json.Valid([]byte(text))}
	c.describe("")
	return c.Title
}

// Arguments returns the members of an object, also of one that is cut: then the last
// one may be the beginning of a text, and cut is its name.
func Arguments(text string) (members map[string]json.RawMessage, cut string) {
	members = map[string]json.RawMessage{}
	for _, a := range arguments(text) {
		members[a.name] = a.raw
		if a.cut {
			cut = a.name
		}
	}
	return members, cut
}
