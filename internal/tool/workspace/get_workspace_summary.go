package workspace

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/sandbox/protected"
	"github.com/openagent-ci/openagent/internal/text/control"

	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

//go:embed get_workspace_summary.md
var workspaceSummaryText string

const (
	// summaryBudget bounds a summary, in bytes of text.
	summaryBudget = 8 << 10
	// maxTree bounds the tree of a summary, maxKeyFiles the key files.
	maxTree     = 200
	maxKeyFiles = 30
)

// workspaceSummary is the payload of get_workspace_summary, complete and
// canonical alike. The content of .git counts nowhere in it.
type workspaceSummary struct {
	// Name is that of the root folder, without the way to it.
	Name string `json:"name"`
	// Files are the regular ones, Bytes their sizes together.
	Files int64 `json:"files"`
	Dirs  int64 `json:"dirs"`
	Bytes int64 `json:"bytes"`
	// Languages are found by the names of files, the one with most bytes first.
	Languages []Share `json:"languages"`
	// KeyFiles are files of the root that say what the project is and how it
	// is built.
	KeyFiles []string `json:"key_files"`
	// Git is nil if the root is no repository.
	Git *gitState `json:"git"`
	// Tree holds the root's entries and theirs, sorted by path.
	Tree []entry `json:"tree"`
	// Truncated reports that Tree lacks some of them.
	Truncated bool `json:"truncated"`
}

// gitState is where a repository stands.
type gitState struct {
	// Branch is "HEAD" when no branch is checked out.
	Branch string `json:"branch"`
	Clean  bool   `json:"clean"`
}

func (w *Workspace) getWorkspaceSummary() tool.Tool {
	spec := tool.Spec{Name: "get_workspace_summary", Description: workspaceSummaryText, Budget: summaryBudget}
	return tool.Define(spec, func(ctx context.Context, _ tool.Call, _ struct{}) (workspaceSummary, *tool.Error) {
		limited, cancel := w.limited(ctx)
		defer cancel()
		s := survey{languages: map[string]*Share{}, sum: workspaceSummary{
			Name: escapeName(filepath.Base(w.path)), KeyFiles: []string{},
		}}
		if err := w.walk(limited, ".", s.entry); err != nil {
			return s.sum, fileError("survey", ".", err)
		}
		s.sum.Git = w.gitState(limited)
		s.sum.Languages = Ranked(s.languages)
		s.sum.Tree, s.sum.Truncated = s.tree()
		return s.sum, nil
	})
}

// gitState returns where the repository stands, nil when git does not answer in time
// or is not there.
func (w *Workspace) gitState(ctx context.Context) *gitState {
	status, err := w.readStatus(ctx)
	if err != nil {
		return nil
	}
	return &gitState{Branch: escapeName(status.Branch), Clean: len(status.Entries) == 0}
}

func (s workspaceSummary) Summary() string {
	return fmt.Sprintf("%s, %s, %d bytes", result.Counted(s.Files, "file"), result.Counted(s.Dirs, "folder"), s.Bytes)
}

// Project leaves out the entries of the tree that do not fit the budget, of the
// lower level first. list_files shows them.
func (s workspaceSummary) Project() workspaceSummary {
	room := summaryBudget - result.NoteRoom - len(s.head())
	var levels [2][]entry
	for _, e := range s.Tree {
		level := min(strings.Count(e.Path, "/"), 1)
		levels[level] = append(levels[level], e)
	}
	tree := result.Fit(slices.Concat(levels[:]...), room, entry.line)
	slices.SortFunc(tree, byPath)
	s.Truncated = s.Truncated || len(tree) < len(s.Tree)
	s.Tree = tree
	return s
}

func (s workspaceSummary) Text() string {
	head, omitted := s.head(), ""
	if len(s.Tree) > 0 {
		head += "\nTree, two levels deep:\n"
	}
	if s.Truncated {
		omitted = "more entries omitted; use list_files"
	}
	return result.Listing(head, s.Tree, entry.line, omitted)
}

// head is all of a summary that stands above the tree.
func (s workspaceSummary) head() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Workspace %s: %s\nGit: %s\n", control.Printable(s.Name), s.Summary(), s.Git.line())
	if len(s.Languages) > 0 {
		var parts []string
		for _, l := range s.Languages {
			parts = append(parts, fmt.Sprintf("%s (%s, %d bytes)", l.Name, result.Counted(l.Files, "file"), l.Bytes))
		}
		b.WriteString("Languages: " + strings.Join(parts, ", ") + "\n")
	}
	if len(s.KeyFiles) > 0 {
		b.WriteString("Key files: " + control.Printable(strings.Join(s.KeyFiles, ", ")) + "\n")
	}
	return b.String()
}

func (g *gitState) line() string {
	if g == nil {
		return "no repository found"
	}
	text := "branch " + control.Printable(g.Branch)
	if g.Branch == "HEAD" {
		text = "no branch (detached HEAD)"
	}
	if g.Clean {
		return text + ", clean"
	}
	return text + ", with changes"
}

// survey counts a tree and keeps the start of its two upper levels. It leaves out what
// belongs to a repository itself.
type survey struct {
	sum       workspaceSummary
	languages map[string]*Share
	// levels are the entries of the first and of the second level, at most one
	// more of each than the tree may have.
	levels [2][]entry
}

// entry counts one entry, and reports whether what is in it counts too.
func (s *survey) entry(at string, e fs.DirEntry) (enter bool) {
	info, err := e.Info()
	if err != nil || protected.IsGitDir(e.Name()) {
		return false // gone since the folder was read, not to be looked at, or git's
	}
	level := strings.Count(at, "/")
	if level < len(s.levels) && len(s.levels[level]) <= maxTree {
		s.levels[level] = append(s.levels[level], newEntry(at, e.Type(), info.Size()))
	}
	if e.Type().IsRegular() {
		s.file(e.Name(), info.Size(), level)
	}
	if e.IsDir() {
		s.sum.Dirs++
	}
	return true
}

func (s *survey) file(name string, size int64, level int) {
	s.sum.Files++
	s.sum.Bytes += size
	if level == 0 && IsKeyFile(name) && len(s.sum.KeyFiles) < maxKeyFiles {
		s.sum.KeyFiles = append(s.sum.KeyFiles, escapeName(name))
	}
	found := Of(name)
	if found == "" {
		return
	}
	if s.languages[found] == nil {
		s.languages[found] = &Share{Name: found}
	}
	s.languages[found].Files++
	s.languages[found].Bytes += size
}

// tree returns the upper levels in one order. The first level comes first in
// what there is room for: it says most of a tree.
func (s *survey) tree() (tree []entry, truncated bool) {
	all := slices.Concat(s.levels[0], s.levels[1])
	if truncated = len(all) > maxTree; truncated {
		all = all[:maxTree]
	}
	slices.SortFunc(all, byPath)
	return all, truncated
}
