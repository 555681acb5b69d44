package toolresult

import (
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/tool"
)

// listed returns how many of count lines fit in room bytes.
func listed(count, room int, line func(int) string) int {
	for i := range count {
		if room -= len(line(i)); room < 0 {
			return i
		}
	}
	return count
}

// projectCommit keeps the names that fit the budget; git has the rest.
func projectCommit(_ tool.Call, res tool.Commit, _ Options) tool.Commit {
	room := gitBudget - noteRoom - len(commitLine(res))
	n := listed(len(res.Files), room, func(i int) string { return printable(res.Files[i]) + "\n" })
	res.Total, res.Truncated = int64(len(res.Files)), n < len(res.Files)
	res.Files = append([]string{}, res.Files[:n]...)
	return res
}

func renderCommit(res tool.Commit) string {
	var b strings.Builder
	b.WriteString(commitLine(res))
	for _, name := range res.Files {
		b.WriteString(printable(name) + "\n")
	}
	if res.Truncated {
		fmt.Fprintf(&b, "[... %d of %d files omitted ...]\n", res.Total-int64(len(res.Files)), res.Total)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func commitLine(res tool.Commit) string {
	subject, _ := clip.OneLine(res.Summary, tool.MaxSummary)
	return fmt.Sprintf("Committed %s on %s: %s\n", res.Commit, printable(res.Branch), printable(subject))
}

// projectStatus keeps the entries that fit the budget; git has the rest.
func projectStatus(_ tool.Call, res tool.GitStatus, _ Options) tool.GitStatus {
	room := gitBudget - noteRoom - len(branchLine(res))
	n := listed(len(res.Entries), room, func(i int) string { return statusLine(res.Entries[i]) })
	res.Total, res.Truncated = int64(len(res.Entries)), n < len(res.Entries)
	res.Entries = append([]tool.StatusEntry{}, res.Entries[:n]...)
	return res
}

func renderStatus(res tool.GitStatus) string {
	var b strings.Builder
	b.WriteString(branchLine(res))
	for _, e := range res.Entries {
		b.WriteString(statusLine(e))
	}
	if res.Clean {
		b.WriteString("Nothing to commit.\n")
	}
	if res.Truncated {
		fmt.Fprintf(&b, "[... %d of %d changes omitted ...]\n", res.Total-int64(len(res.Entries)), res.Total)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// branchLine is the first line of a status: "On main, 1 ahead of and 2 behind
// origin/main".
func branchLine(res tool.GitStatus) string {
	line := "On " + printable(res.Branch)
	if res.Branch == "HEAD" {
		line = "On no branch (detached HEAD)"
	}
	if res.Upstream == nil {
		return line + "\n"
	}
	upstream := printable(*res.Upstream)
	switch {
	case res.Ahead > 0 && res.Behind > 0:
		return fmt.Sprintf("%s, %d ahead of and %d behind %s\n", line, res.Ahead, res.Behind, upstream)
	case res.Ahead > 0:
		return fmt.Sprintf("%s, %d ahead of %s\n", line, res.Ahead, upstream)
	case res.Behind > 0:
		return fmt.Sprintf("%s, %d behind %s\n", line, res.Behind, upstream)
	}
	return line + ", follows " + upstream + "\n"
}

func statusLine(e tool.StatusEntry) string {
	name := printable(e.Path)
	if e.OrigPath != "" {
		name = printable(e.OrigPath) + " -> " + name
	}
	return e.Index + e.Worktree + " " + name + "\n"
}
