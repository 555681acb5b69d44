package workspace

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/sandbox/protected"
	"github.com/openagent-ci/openagent/internal/text/control"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
	"github.com/openagent-ci/openagent/internal/tool/search"
)

//go:embed search_files.md
var searchFilesText string

// searchBudget bounds what is shown of the lines that match, in bytes of text.
const searchBudget = 32 << 10

type searchArgs struct {
	Query        string `json:"query" arg:"required" doc:"Text to find within a line, or with regex an RE2 expression." example:"func main"`
	Path         string `json:"path" arg:"path" default:"." doc:"Folder or file to search, relative to the workspace root." example:"src"`
	Regex        bool   `json:"regex" default:"false" doc:"The query is an RE2 expression." example:"true"`
	Glob         string `json:"glob,omitempty" doc:"Search only files of such a name, as *.go or *.{ts,tsx}; with a slash, of such a path from the workspace root, as src/**/*.ts." example:"*.go"`
	IgnoreCase   bool   `json:"ignore_case" default:"false" doc:"Letters match in any case." example:"true"`
	ContextLines int64  `json:"context_lines" default:"0" min:"0" max:"5" doc:"Lines to show before and after each match." example:"2"`
	MaxResults   int64  `json:"max_results" default:"100" min:"1" max:"1000" doc:"Most matches to return." example:"20"`
}

// filesSearched is the payload of search_files, complete and canonical alike.
type filesSearched struct {
	Matches       []search.Match `json:"matches"`
	FilesSearched int64          `json:"files_searched"`
	// Total is how many lines match.
	Total int64 `json:"total"`
	// Truncated reports that Matches holds fewer than Total.
	Truncated bool `json:"truncated"`
}

func (w *Workspace) searchFiles() tool.Tool {
	spec := tool.Spec{Name: "search_files", Description: searchFilesText, Budget: searchBudget}
	return tool.Define(spec, func(ctx context.Context, call tool.Call, args searchArgs) (found filesSearched, failed *tool.Error) {
		query, err := search.Compile(search.Options{
			Text: args.Query, Regex: args.Regex, IgnoreCase: args.IgnoreCase, Glob: args.Glob,
			Context: int(args.ContextLines), Max: int(args.MaxResults), Mask: w.masked, Hidden: w.hidden.Has,
		})
		if err != nil {
			return found, badQuery(args, err)
		}
		ctx, cancel := w.limited(ctx)
		defer cancel()
		scope, failed := w.searched(ctx, args.Path, call.PathAllowed)
		if failed != nil {
			return found, failed
		}
		result, err := query.Run(ctx, w.root, scope)
		if err != nil {
			return found, fileError("search", args.Path, err)
		}
		for i, m := range result.Matches {
			result.Matches[i].Path = escapeName(m.Path)
		}
		return filesSearched{Matches: result.Matches, FilesSearched: result.Files, Total: result.Total}, nil
	})
}

// badQuery says what is wrong with a query.
func badQuery(args searchArgs, err error) *tool.Error {
	hint := "Give a shorter text, or with regex an RE2 expression."
	if args.Regex {
		hint = "RE2 has no look-around and no back-references; escape special characters by a backslash, or leave regex out to search for the text itself."
	}
	return tool.NewError(tool.KindInvalidInput, "query cannot be searched for: "+err.Error(), tool.Detail{Name: "query", Value: args.Query}).WithHint(hint)
}

// searched returns the part of the tree to search for a path.
func (w *Workspace) searched(ctx context.Context, name string, allowed bool) (scope search.Scope, failed *tool.Error) {
	at, info, err := w.look(name)
	if err != nil {
		return scope, err
	}
	clean, _ := lexical(name)
	switch {
	case protected.IsRepository(at) || protected.IsRepository(clean):
		return scope, protectedError(name).WithHint("It is not searched; read_file reads one file of it.")
	case info == nil:
		return scope, fileError("search", name, fs.ErrNotExist)
	case !info.IsDir() && !info.Mode().IsRegular():
		return scope, notRegular(name, info.Mode())
	case !info.IsDir():
		return w.searchedFile(at, name, info, allowed)
	}
	if files, ok := w.listed(ctx, at); ok {
		return search.Scope{Files: files}, nil
	}
	return search.Scope{Folder: at}, nil
}

// searchedFile returns the one file to search. Only here a private key is refused: in
// a folder it is left out.
func (w *Workspace) searchedFile(at, name string, info fs.FileInfo, allowed bool) (scope search.Scope, failed *tool.Error) {
	file, err := w.openKnown(at, name, info, allowed)
	if err != nil {
		return scope, err
	}
	file.Close()
	return search.Scope{Files: []string{at}, Secrets: allowed}, nil
}

// listed returns the files that git would list at and below a folder. It is false
// where git has nothing to say: without a repository, or within another one inside.
func (w *Workspace) listed(ctx context.Context, at string) ([]string, bool) {
	for dir := at; dir != "."; dir = path.Dir(dir) {
		if _, err := w.root.Lstat(filepath.FromSlash(path.Join(dir, ".git"))); err == nil {
			return nil, false
		}
	}
	repo, err := w.repository()
	if err != nil {
		return nil, false
	}
	files, err := repo.Files(ctx, at)
	return files, err == nil
}

func (f filesSearched) Summary() string {
	matches := result.Counted(f.Total, "line") + " match"
	if f.Total == 1 {
		matches += "es"
	}
	return matches + " in " + result.Counted(f.FilesSearched, "file")
}

// Project leaves out the matches that do not fit the budget; the workspace has them.
func (f filesSearched) Project() filesSearched {
	f.Matches = result.Fit(f.Matches, searchBudget-result.NoteRoom, searchLine)
	f.Truncated = int64(len(f.Matches)) < f.Total
	return f
}

func (f filesSearched) Text() string {
	switch {
	case f.FilesSearched == 0:
		return "(no file to search: ignored files, binary files and files that hold credentials are left out)"
	case f.Total == 0:
		return fmt.Sprintf("(no line matches in %s)", result.Counted(f.FilesSearched, "file"))
	}
	omitted := result.Omitted(len(f.Matches), f.Total, "matches", "; narrow path, glob or query, or raise max_results")
	return result.Listing("", f.Matches, searchLine, omitted)
}

// searchLine renders a match as grep does: colons stand beside the number of a line
// that matches, dashes beside that of one around it, and groups end with a line of
// dashes.
func searchLine(m search.Match) string {
	var b strings.Builder
	name := control.Printable(m.Path)
	first := m.Line - int64(len(m.Before))
	for i, text := range m.Before {
		fmt.Fprintf(&b, "%s-%d-%s\n", name, first+int64(i), text)
	}
	fmt.Fprintf(&b, "%s:%d:%s\n", name, m.Line, m.Text)
	for i, text := range m.After {
		fmt.Fprintf(&b, "%s-%d-%s\n", name, m.Line+1+int64(i), text)
	}
	if len(m.Before)+len(m.After) > 0 {
		b.WriteString("--\n")
	}
	return b.String()
}
