package workspace

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/tool"
)

//go:embed get_workspace_summary.md
var workspaceSummaryText string

// maxTree bounds the tree of a summary.
const maxTree = 200

func (w *Workspace) getWorkspaceSummary() tool.Tool {
	spec := tool.Spec{Name: "get_workspace_summary", Description: strings.TrimSpace(workspaceSummaryText)}
	return tool.Define(spec, func(ctx context.Context, _ tool.Call, _ struct{}) tool.Output {
		limited, cancel := w.limited(ctx)
		defer cancel()
		s := survey{w: w, ctx: limited, languages: map[string]*tool.Language{}, sum: tool.WorkspaceSummary{
			Name: escapeName(filepath.Base(w.path)), KeyFiles: []string{},
		}}
		if err := s.folder(".", 1); err != nil {
			return tool.Failed(fileError("survey", ".", err))
		}
		s.sum.Languages = ranked(s.languages)
		s.sum.Tree, s.sum.Truncated = s.tree()
		// What git cannot tell in time, or because it is not there, is left out.
		if status, err := w.readStatus(limited); err == nil {
			s.sum.Git = &tool.GitState{Branch: escapeName(status.Branch), Clean: len(status.Entries) == 0}
		}
		return tool.Done(fmt.Sprintf("%s, %s, %d bytes",
			counted(s.sum.Files, "file"), counted(s.sum.Dirs, "folder"), s.sum.Bytes), s.sum)
	})
}

// survey counts a tree and keeps the begin of its two upper levels. It follows
// no links and leaves out what belongs to a repository itself.
type survey struct {
	w         *Workspace
	ctx       context.Context
	sum       tool.WorkspaceSummary
	languages map[string]*tool.Language
	// levels are the entries of the first and of the second level, at most one
	// more of each than the tree may have.
	levels [2][]tool.Entry
}

func (s *survey) folder(at string, level int) error {
	dir, err := s.w.root.Open(filepath.FromSlash(at))
	if err != nil {
		return err
	}
	entries, err := dir.ReadDir(-1)
	dir.Close()
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		if isGitDir(e.Name()) {
			continue
		}
		if err := s.entry(path.Join(at, e.Name()), e, level); err != nil {
			return err
		}
	}
	return nil
}

func (s *survey) entry(at string, e fs.DirEntry, level int) error {
	info, err := e.Info()
	if err != nil {
		return nil // gone since the folder was read
	}
	s.keep(at, info, level)
	switch {
	case info.Mode().IsRegular():
		s.file(e.Name(), info.Size(), level)
	case info.IsDir():
		s.sum.Dirs++
		err := s.folder(at, level+1)
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

func (s *survey) file(name string, size int64, level int) {
	s.sum.Files++
	s.sum.Bytes += size
	if level == 1 && isKeyFile(name) && len(s.sum.KeyFiles) < maxKeyFiles {
		s.sum.KeyFiles = append(s.sum.KeyFiles, escapeName(name))
	}
	language := languageOf(name)
	if language == "" {
		return
	}
	if s.languages[language] == nil {
		s.languages[language] = &tool.Language{Name: language}
	}
	s.languages[language].Files++
	s.languages[language].Bytes += size
}

func (s *survey) keep(at string, info fs.FileInfo, level int) {
	if level > len(s.levels) || len(s.levels[level-1]) > maxTree {
		return
	}
	s.levels[level-1] = append(s.levels[level-1], entryOf(at, info))
}

// tree returns the upper levels in one order. The first level comes first in
// what there is room for: it says most of a tree.
func (s *survey) tree() (tree []tool.Entry, truncated bool) {
	all := slices.Concat(s.levels[0], s.levels[1])
	if truncated = len(all) > maxTree; truncated {
		all = all[:maxTree]
	}
	slices.SortFunc(all, func(a, b tool.Entry) int { return strings.Compare(a.Path, b.Path) })
	return all, truncated
}
