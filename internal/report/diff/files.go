package diff

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter/toolname"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// Files are the paths that only one of the runs wrote to, or only one deleted, as
// far as calls of tools say it that do nothing else: at most maxFiles of each, More
// counts the others. Of a path that was written and deleted the last counts.
type Files struct {
	// Added are those that head alone wrote to, Removed those that base alone did.
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	// Deleted are those that head alone deleted, NotDeleted those that base alone did,
	// and that head did not write to.
	Deleted    []string   `json:"deleted"`
	NotDeleted []string   `json:"not_deleted"`
	More       int        `json:"more"`
	Counts     FileCounts `json:"counts"` // of all of them
}

// FileCounts is how many paths there are of each kind.
type FileCounts struct {
	Added      int `json:"added"`
	Removed    int `json:"removed"`
	Deleted    int `json:"deleted"`
	NotDeleted int `json:"not_deleted"`
}

// touch is what a run did last to a path.
type touch int

const (
	wrote touch = iota + 1
	deleted
	moves  // writes one file and deletes another
	copies // writes one file and reads another
)

func compareFiles(base, head map[string]touch) (f Files) {
	only := func(count *int, one, other map[string]touch, did, listed touch) []string {
		list := []string{}
		for _, path := range slices.Sorted(maps.Keys(one)) {
			if now := other[path]; one[path] != did || now == did || now != 0 && now == listed {
				continue
			}
			*count++
			if len(list) == maxFiles {
				f.More++
				continue
			}
			list = append(list, Named(path, maxPath))
		}
		return list
	}
	n := &f.Counts
	f.Added, f.Removed = only(&n.Added, head, base, wrote, 0), only(&n.Removed, base, head, wrote, deleted)
	f.Deleted, f.NotDeleted = only(&n.Deleted, head, base, deleted, 0), only(&n.NotDeleted, base, head, deleted, wrote)
	return f
}

// fileTools are those that write or delete files, by the names that agents and MCP
// servers give them; baseName says which part of a name counts.
var fileTools = map[string]touch{
	"write_file": wrote, "write": wrote, "create_file": wrote, "create": wrote, "save_file": wrote,
	"edit": wrote, "edit_file": wrote, "multiedit": wrote, "multi_edit": wrote, "notebookedit": wrote, "notebook_edit": wrote,
	"replace": wrote, "str_replace": wrote, "str_replace_editor": wrote, "str_replace_based_edit_tool": wrote, "insert": wrote,
	"replace_in_file": wrote, "replace_string_in_file": wrote, "multi_replace_string_in_file": wrote, "insert_edit_into_file": wrote, "write_to_file": wrote,
	"append_file": wrote, "append_to_file": wrote, "apply_diff": wrote, "search_replace": wrote,
	"file_change": wrote, "apply_patch": wrote, "patch": wrote, "fs_write": wrote,
	"write_files": wrote, "write_multiple_files": wrote, "create_text_file": wrote, "create_new_file": wrote, "update_file": wrote, "overwrite_file": wrote,
	"move_file": moves, "rename_file": moves, "move": moves, "rename": moves, "copy_file": copies, "copy": copies,
	"delete_file": deleted, "remove_file": deleted, "delete": deleted, "remove": deleted,
	"delete_files": deleted, "remove_files": deleted, "fs_remove": deleted, "fs_delete": deleted,
}

// pathNames are the members that name the file, pathLists those that name several.
var (
	pathNames = []string{"path", "file_path", "filePath", "notebook_path", "absolute_path", "target_file", "filename", "file"}
	oldNames  = []string{"source", "from", "old_path", "oldPath"}
	newNames  = []string{"destination", "to", "new_path", "newPath"}
	besides   = []string{"new_name", "newName"} // a new name in the same folder
	pathLists = []string{"changes", "edits", "files", "replacements", "paths"}
	patches   = []string{"input", "patch", "patchText", "patch_text", "diff"}
)

// baseName returns the name of a tool in lower case without the server that it is of:
// what follows the last sign of those that agents put between the two. One underscore
// is in most names, so it parts only a known name of several words.
func baseName(tool string) string {
	tool = strings.ToLower(tool)
	for _, sign := range []string{"__", ".", "/", ":", "-"} {
		if at := strings.LastIndex(tool, sign); at >= 0 && at+len(sign) < len(tool) {
			tool = tool[at+len(sign):]
		}
	}
	for rest := tool; rest != ""; _, rest, _ = strings.Cut(rest, "_") {
		if fileTools[rest] != 0 && strings.Contains(rest, "_") {
			return rest
		}
	}
	return tool
}

// write notes the files that a call wrote or deleted.
func (r *Run) write(c *call) {
	neutral := toolname.Neutral(toolname.Call{Tool: c.tool, Arguments: c.arguments}, "")
	did := fileTools[baseName(neutral.Tool)]
	if did == 0 {
		return
	}
	value := decoded(call{arguments: neutral.Arguments, cut: true})
	text, _ := value.(string)
	r.patch(text)
	members, _ := value.(map[string]any)
	if members["command"] == "view" { // of an editor
		return
	}
	if members["dryRun"] == true || members["dry_run"] == true { // nothing is done
		return
	}
	r.touchAll(members, did)
	for _, name := range pathLists {
		list, _ := members[name].([]any)
		for _, one := range list {
			switch one := one.(type) {
			case map[string]any:
				r.touchAll(one, kindOf(one, did))
			case string:
				if did == wrote || did == deleted {
					r.touch(one, did)
				}
			}
		}
	}
	for _, name := range patches {
		text, _ := members[name].(string)
		r.patch(text)
	}
}

// kindOf returns what one of several changes did to its file.
func kindOf(change map[string]any, did touch) touch {
	kind := change["kind"]
	if form, ok := kind.(map[string]any); ok {
		kind = form["type"]
	}
	if kind == "delete" {
		return deleted
	}
	return did
}

// touchAll notes the files that members name. Beside a new name, the path is the old
// one; a file that stays where it is is not touched.
func (r *Run) touchAll(members map[string]any, did touch) {
	if did != moves && did != copies {
		r.touch(first(members, pathNames), did)
		return
	}
	from, to := cmp.Or(first(members, oldNames), first(members, pathNames)), first(members, newNames)
	if name := first(members, besides); to == "" && name != "" {
		if to = name; !strings.Contains(name, "/") {
			to = path.Join(path.Dir(from), name)
		}
	}
	if to == "" || path.Clean(from) == path.Clean(to) {
		return
	}
	if did == moves {
		r.touch(from, deleted)
	}
	r.touch(to, wrote)
}

// first returns the first of some members that is there.
func first(members map[string]any, names []string) string {
	for _, name := range names {
		if text, ok := members[name].(string); ok {
			return text
		}
	}
	return ""
}

func (r *Run) touch(name string, did touch) {
	if name != "" {
		r.files[path.Clean(name)] = did
	}
}

// The lines of a patch that name a file: those of apply_patch, and the two that diff -u
// has before its first change, each with a time or not and as git begins them.
var (
	patchLine   = lazyregexp.New(`(?m)^\*\*\* (Add File|Update File|Move to|Delete File): (.*?)\r?$`)
	unifiedHead = lazyregexp.New(`(?m)^--- (?:a/)?([^\t\r\n]*).*\n\+\+\+ (?:b/)?([^\t\r\n]*).*\n@@ `)
)

// patch notes the files of a patch in the form of apply_patch, or of diff -u.
func (r *Run) patch(text string) {
	for _, names := range unifiedHead().FindAllStringSubmatch(text, -1) {
		if names[2] == "/dev/null" {
			r.touch(names[1], deleted)
		} else {
			r.touch(names[2], wrote)
		}
	}
	updated := ""
	for _, line := range patchLine().FindAllStringSubmatch(text, -1) {
		did, name := wrote, line[2]
		if line[1] == "Delete File" {
			did = deleted
		}
		if line[1] == "Move to" && path.Clean(updated) != path.Clean(name) {
			r.touch(updated, deleted)
		}
		r.touch(name, did)
		updated = name
	}
}

// Touch is a file that a call changed.
type Touch struct {
	Path    string
	Deleted bool
}

// Touched returns the files that a call writes or deletes, by their paths.
func Touched(tool, arguments string) (list []Touch) {
	r := Run{files: map[string]touch{}}
	r.write(&call{tool: tool, arguments: arguments})
	for _, path := range slices.Sorted(maps.Keys(r.files)) {
		list = append(list, Touch{path, r.files[path] == deleted})
	}
	return list
}
