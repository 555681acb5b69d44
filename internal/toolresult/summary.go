package toolresult

import (
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/tool"
)

// projectSummary keeps of the tree what fits the budget, the upper level
// first. list_files shows the rest.
func projectSummary(_ tool.Call, res tool.WorkspaceSummary, _ Options) tool.WorkspaceSummary {
	room := summaryBudget - noteRoom - len(summaryHead(res))
	kept := make(map[int]bool, len(res.Tree))
	for _, upper := range []bool{true, false} {
		for i, e := range res.Tree {
			if strings.Contains(e.Path, "/") == upper {
				continue
			}
			if room -= len(entryLine(e)); room < 0 {
				break
			}
			kept[i] = true
		}
	}
	tree := []tool.Entry{}
	for i, e := range res.Tree {
		if kept[i] {
			tree = append(tree, e)
		}
	}
	res.Truncated = res.Truncated || len(tree) < len(res.Tree)
	res.Tree = tree
	return res
}

func renderSummary(res tool.WorkspaceSummary) string {
	var b strings.Builder
	b.WriteString(summaryHead(res))
	if len(res.Tree) > 0 {
		b.WriteString("\nTree, two levels deep:\n")
	}
	for _, e := range res.Tree {
		b.WriteString(entryLine(e))
	}
	if res.Truncated {
		b.WriteString("[... more entries omitted; use list_files ...]\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// summaryHead is all of a summary that stands above the tree.
func summaryHead(res tool.WorkspaceSummary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Workspace %s: %s, %s, %d bytes\n", printable(res.Name),
		plural(res.Files, "file"), plural(res.Dirs, "folder"), res.Bytes)
	b.WriteString("Git: " + gitState(res.Git) + "\n")
	if len(res.Languages) > 0 {
		var parts []string
		for _, l := range res.Languages {
			parts = append(parts, fmt.Sprintf("%s (%s, %d bytes)", l.Name, plural(l.Files, "file"), l.Bytes))
		}
		b.WriteString("Languages: " + strings.Join(parts, ", ") + "\n")
	}
	if len(res.KeyFiles) > 0 {
		b.WriteString("Key files: " + printable(strings.Join(res.KeyFiles, ", ")) + "\n")
	}
	return b.String()
}

func gitState(s *tool.GitState) string {
	if s == nil {
		return "no repository found"
	}
	text := "branch " + printable(s.Branch)
	if s.Branch == "HEAD" {
		text = "no branch (detached HEAD)"
	}
	if s.Clean {
		return text + ", clean"
	}
	return text + ", with changes"
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
