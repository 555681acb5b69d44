package toolname

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"
)

// isAbsolute reports whether a path is whole, on whichever system.
func isAbsolute(name string) bool {
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, `\`) || len(name) > 2 && name[1] == ':'
}

// absolute returns a path whole, as far as the workspace is known.
func absolute(workspace func() string, name string) string {
	if isAbsolute(name) {
		return name
	}
	switch dir := workspace(); {
	case dir == "":
		return name
	case strings.HasPrefix(dir, "/"):
		return path.Join(dir, name)
	default:
		return strings.TrimRight(dir, `\`) + `\` + strings.ReplaceAll(name, "/", `\`)
	}
}

// relative returns a path below the workspace as seen from there, in its shortest
// form.
func relative(workspace, name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	for _, root := range []string{strings.TrimRight(strings.ReplaceAll(workspace, `\`, "/"), "/"), "$WORKSPACE"} {
		if root == "" {
			continue
		}
		if rest, ok := strings.CutPrefix(name, root+"/"); ok {
			name = rest
		}
	}
	return path.Clean(name)
}

// places are the words that agents put before the folder they work in, in what
// they tell the model.
var places = []string{
	"<cwd>",                          // codex
	"Primary working directory: ",    // claude
	"Current working directory: ",    // copilot
	"Working directory: ",            // opencode
	"working in the directory: ",     // qwen
	`Workspace Directories:**\n  - `, // gemini
}

// Workspace returns the folder that an agent works in as its request says it, ""
// if it does not.
func Workspace(request []byte) string {
	for _, words := range places {
		for rest := request; ; {
			_, after, ok := bytes.Cut(rest, []byte(words))
			if !ok {
				break
			}
			if dir := folder(after); dir != "" {
				return dir
			}
			rest = after
		}
	}
	return ""
}

// folder returns the absolute path that the rest of a JSON string begins with.
func folder(rest []byte) string {
	end := bytes.IndexAny(rest, "<\"\n")
	if line := bytes.Index(rest, []byte(`\n`)); line >= 0 && (end < 0 || line < end) {
		end = line
	}
	if end < 0 {
		return ""
	}
	var dir string
	if json.Unmarshal([]byte(`"`+string(rest[:end])+`"`), &dir) != nil || !isAbsolute(dir) {
		return ""
	}
	return dir
}
