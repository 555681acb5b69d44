package toolresult

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/openagent-ci/openagent/internal/tool"
)

// entryMarks follow a path to show its type.
var entryMarks = map[tool.EntryType]string{
	tool.EntryDir:     "/",
	tool.EntrySymlink: " (symlink)",
	tool.EntryOther:   " (not a file)",
}

// projectList keeps the entries whose lines fit the budget. What is left out
// needs no artifact: the workspace holds it.
func projectList(_ tool.Call, list tool.FileList, _ Options) tool.FileList {
	room := listBudget - noteRoom
	for i, e := range list.Entries {
		if room -= len(entryLine(e)); room < 0 {
			list.Entries = list.Entries[:i]
			break
		}
	}
	if list.Entries == nil {
		list.Entries = []tool.Entry{}
	}
	list.Truncated = int64(len(list.Entries)) < list.Total
	return list
}

func renderList(list tool.FileList) string {
	if list.Total == 0 {
		return "(no entries)"
	}
	var b strings.Builder
	for _, e := range list.Entries {
		b.WriteString(entryLine(e))
	}
	if list.Truncated {
		fmt.Fprintf(&b, "[... %d of %d entries omitted; list a folder below, or raise max_entries ...]\n",
			list.Total-int64(len(list.Entries)), list.Total)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func entryLine(e tool.Entry) string { return printable(e.Path) + entryMarks[e.Type] + "\n" }

// printable returns s with control characters escaped, so that a name cannot
// break the line it stands on.
func printable(s string) string {
	if strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
