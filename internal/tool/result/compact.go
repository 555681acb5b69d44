package result

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/control"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/tool"
)

// handles are the members of payloads that survive a compaction: what names
// something that can be looked at again, or how something ended.
var handles = map[string]bool{
	"path": true, "orig_path": true, "next_offset_line": true, "branch": true, "commit": true,
	"id": true, "ids": true, "task_id": true, "session": true,
	"disposition": true, "exit_status": true, "signal": true, "status": true, "retrieval_status": true,
}

// maxPaths bounds a list of paths in a compacted result, in bytes.
const maxPaths = 512

// Compact returns what stays of an earlier result when a conversation grows
// too long: what was called and how it ended, the whole error but for its
// details, ids, handles, paths and artifacts; what the tool showed goes. It is
// made from the canonical result alone.
func Compact(res tool.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Earlier result, shortened: %s (%s): %s\n", res.ToolName, res.Status, res.SummaryText)
	payload := res.Result
	if e := res.Error; e != nil {
		fmt.Fprintf(&b, "%sretryable: %v\n", outcome(e), e.Retryable)
		payload = e.Details
	}
	compactMembers(&b, payload)
	return strings.TrimSuffix(clip.UTF8(b.String()), "\n")
}

// compactMembers writes a line for each member of an object, and of the objects
// in it, that is a handle.
func compactMembers(b *strings.Builder, object json.RawMessage) {
	for name, value := range jsontext.Members(object) {
		switch key := string(name); {
		case string(value) == "null":
		case key == "artifacts":
			compactArtifacts(b, value)
		case key == "files":
			compactPaths(b, value)
		case value[0] == '{':
			compactMembers(b, value)
		case handles[key]:
			fmt.Fprintf(b, "%s: %s\n", key, control.Printable(detailValue(value)))
		}
	}
}

func compactArtifacts(b *strings.Builder, value json.RawMessage) {
	var list []tool.Artifact
	if json.Unmarshal(value, &list) != nil {
		return
	}
	for _, a := range list {
		fmt.Fprintf(b, "artifact: %s\n", control.Printable(a.Path))
	}
}

// compactPaths writes a list of paths; a list of anything else is none.
func compactPaths(b *strings.Builder, value json.RawMessage) {
	var list []string
	if json.Unmarshal(value, &list) != nil || len(list) == 0 {
		return
	}
	fitting := Fit(list, maxPaths, func(name string) string { return control.Printable(name) + ", " })
	text := control.Printable(strings.Join(fitting, ", "))
	if len(fitting) < len(list) {
		text += fmt.Sprintf(" and %d more", len(list)-len(fitting))
	}
	fmt.Fprintf(b, "files: %s\n", text)
}
