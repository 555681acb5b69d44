package diff

import (
	"maps"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/toolname"
	"github.com/openagent-ci/openagent/internal/view"
)

// Text is how the final text changed.
type Text struct {
	Changed bool `json:"changed"`
	// Lines are those that only one run has, marked - and +, at most maxLines of
	// them; More counts the others.
	Lines []string `json:"lines"`
	More  int      `json:"more_lines"`
	// BaseBytes and HeadBytes are the sizes of the whole texts.
	BaseBytes int64 `json:"base_bytes"`
	HeadBytes int64 `json:"head_bytes"`
}

// compareTexts compares the final texts as far as the streams have them, and beyond
// that by their digests.
func compareTexts(base, head *Run) Text {
	was, wasBytes := base.final()
	is, isBytes := head.final()
	digests := base.FinalDigest != "" && head.FinalDigest != "" && base.FinalDigest != head.FinalDigest
	t := Text{BaseBytes: wasBytes, HeadBytes: isBytes, Lines: []string{}}
	long := wasBytes > int64(len(was)+1) || isBytes > int64(len(is)+1)
	t.Changed = was != is || long && (wasBytes != isBytes || digests)
	if was == is {
		return t
	}
	t.lines(view.Clean(was), view.Clean(is))
	return t
}

// lines fills in the lines that only one of the texts has.
func (t *Text) lines(base, head []string) {
	known := map[string]int{}
	number := func(lines []string) []int {
		list := make([]int, len(lines))
		for i, line := range lines {
			if _, ok := known[line]; !ok {
				known[line] = len(known)
			}
			list[i] = known[line]
		}
		return list
	}
	i, j := 0, 0
	for _, p := range append(align(number(base), number(head)), pair{len(base), len(head)}) {
		for ; i < p.base; i++ {
			t.add("-" + base[i])
		}
		for ; j < p.head; j++ {
			t.add("+" + head[j])
		}
		i, j = p.base+1, p.head+1
	}
}

func (t *Text) add(line string) {
	if len(t.Lines) == maxLines {
		t.More++
		return
	}
	t.Lines = append(t.Lines, view.OneLine(line, maxText))
}

// Files are the paths that only one of the runs wrote to or deleted, as far as calls
// of tools say it that do nothing else: at most maxFiles of each, More counts the
// others.
type Files struct {
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	More    int      `json:"more"`
}

func compareFiles(base, head map[string]bool) (f Files) {
	only := func(one, other map[string]bool) []string {
		list := []string{}
		for _, path := range slices.Sorted(maps.Keys(one)) {
			if other[path] {
				continue
			}
			if len(list) == maxFiles {
				f.More++
				continue
			}
			list = append(list, view.OneLine(path, maxText))
		}
		return list
	}
	f.Added, f.Removed = only(head, base), only(base, head)
	return f
}

// paths are the members with the path of tools that write or delete a file and have
// no neutral name.
var paths = map[string]string{
	"Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path", // claude
	"edit":        "filePath",  // opencode; copilot has it in path
	"replace":     "file_path", // gemini
	"str_replace": "path",
	"delete_file": "path", // our own agent
}

// write notes the files that a call wrote.
func (r *Run) write(c *call) {
	neutral := toolname.Neutral(toolname.Call{Tool: c.tool, Arguments: c.arguments}, "")
	name := paths[c.tool]
	if neutral.Tool == "write_file" {
		name = "path"
	}
	if name == "" && c.tool != "file_change" {
		return
	}
	if r.written == nil {
		r.written = map[string]bool{}
	}
	members, _ := decoded(call{arguments: neutral.Arguments, cut: true}).(map[string]any)
	for _, own := range []string{name, "path", "file_path", "filePath"} {
		if path, ok := members[own].(string); ok {
			r.written[strings.TrimPrefix(path, "./")] = true
			return
		}
	}
	changes, _ := members["changes"].([]any)
	for _, one := range changes { // codex
		if change, ok := one.(map[string]any); ok {
			if path, ok := change["path"].(string); ok {
				r.written[path] = true
			}
		}
	}
}
