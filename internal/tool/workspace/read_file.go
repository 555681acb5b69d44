package workspace

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/sandbox/protected"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

//go:embed read_file.md
var readFileText string

const (
	// fileBudget bounds what is shown of a file, in bytes of text.
	fileBudget = 32 << 10
	// artifactPrefix leads a path that names an artifact of this run.
	artifactPrefix = "artifact:"
)

type readArgs struct {
	Path       string `json:"path" arg:"required,path" doc:"File to read, relative to the workspace root, or artifact:NAME." example:"README.md"`
	OffsetLine *int64 `json:"offset_line,omitempty" doc:"First line to return, from 1; a negative number counts from the end." example:"1"`
	MaxLines   *int64 `json:"max_lines,omitempty" min:"1" doc:"Most lines to return." example:"200"`
}

// fileText is what read_file found: the head of the lines that were asked for,
// at least as much as any result shows.
type fileText struct {
	path string
	window
}

// filePreview is the canonical payload of read_file.
type filePreview struct {
	Path           string `json:"path"`
	Bytes          int64  `json:"bytes"`
	Lines          int64  `json:"lines"`
	ContentPreview string `json:"content_preview"`
	// Truncated reports that lines follow those in the preview, or that its
	// last line was cut.
	Truncated bool `json:"truncated"`
	// NextOffsetLine is where to go on, nil when no line follows.
	NextOffsetLine *int64  `json:"next_offset_line"`
	Binary         bool    `json:"binary"`
	SHA256         *string `json:"sha256"`
}

func (w *Workspace) readFile() tool.Tool {
	spec := tool.Spec{Name: "read_file", Description: readFileText, Budget: fileBudget}
	return tool.Define(spec, func(ctx context.Context, call tool.Call, args readArgs) (text fileText, failed *tool.Error) {
		name, file, failed := w.openFile(args.Path, call.PathAllowed)
		if failed != nil {
			return text, failed
		}
		defer file.Close()
		ctx, cancel := w.limited(ctx)
		defer cancel()
		var err error
		text.window, err = readLines(ctx, file, args.OffsetLine, args.MaxLines)
		if err != nil {
			return text, fileError("read", args.Path, err)
		}
		text.path, text.Text = escapeName(name), w.masked(text.Text)
		return text, nil
	})
}

// masked returns text without secrets and as valid UTF-8. It comes before any
// cut: a secret that was cut in two would not be found any more.
func (w *Workspace) masked(text string) string {
	text = clip.UTF8(text)
	if w.results.Mask != nil {
		text = w.results.Mask(text)
	}
	return text
}

func (f fileText) Summary() string {
	return fmt.Sprintf("%s: %d bytes, %s", clipped(f.path), f.Bytes, result.Counted(f.Lines, "line"))
}

// Project shows the head of the lines that were asked for: the workspace holds
// the rest, and NextOffsetLine leads to it.
func (f fileText) Project() filePreview {
	p := filePreview{Path: f.path, Bytes: f.Bytes, Lines: f.Lines, Binary: f.Binary, SHA256: f.SHA256}
	if f.Binary {
		return p
	}
	p.ContentPreview = f.Text
	p.Truncated = f.More || len(f.Text) > fileBudget
	if !p.Truncated {
		return p
	}
	if len(f.Text) > fileBudget-result.NoteRoom {
		short, _ := clip.Prefix(f.Text, fileBudget-result.NoteRoom)
		if end := strings.LastIndexByte(short, '\n') + 1; end > 0 {
			short = short[:end] // only a line that fills the preview is shown cut
		}
		p.ContentPreview = short
	}
	next := f.FirstLine + int64(strings.Count(p.ContentPreview, "\n"))
	if !strings.HasSuffix(p.ContentPreview, "\n") {
		next++ // the rest of a cut line cannot be asked for by its number
	}
	if next <= f.Lines {
		p.NextOffsetLine = &next
	}
	return p
}

func (p filePreview) Text() string {
	switch {
	case p.Binary && p.SHA256 != nil:
		return fmt.Sprintf("(binary file, %d bytes, sha256 %s)", p.Bytes, *p.SHA256)
	case p.Binary:
		return fmt.Sprintf("(binary file, %d bytes)", p.Bytes)
	case p.Truncated:
		return p.ContentPreview + p.note()
	case p.ContentPreview != "":
		return p.ContentPreview
	case p.Lines > 0:
		return fmt.Sprintf("(no line there; the file has %s)", result.Counted(p.Lines, "line"))
	}
	return "(empty file)"
}

// note says what follows the preview and how to see it.
func (p filePreview) note() string {
	begin, cut := "[", ""
	if !strings.HasSuffix(p.ContentPreview, "\n") {
		begin, cut = "\n[", "the last line is cut"
	}
	if p.NextOffsetLine == nil {
		return fmt.Sprintf("\n[... %s ...]", cut)
	}
	if cut != "" {
		cut += "; "
	}
	return fmt.Sprintf("%s... %s%s, continue with offset_line %d ...]",
		begin, cut, result.Counted(p.Lines-*p.NextOffsetLine+1, "more line"), *p.NextOffsetLine)
}

// openFile opens a regular file of the workspace, or an artifact of the run; one
// that holds credentials only if its path was allowed by name.
func (w *Workspace) openFile(name string, allowed bool) (string, *os.File, *tool.Error) {
	if artifact, ok := strings.CutPrefix(name, artifactPrefix); ok {
		file, err := w.results.Artifacts.Open(artifact)
		if err != nil {
			return "", nil, tool.NewError(tool.KindNotFound, quoted(name)+" is no artifact of this run", pathDetail(name)).
				WithHint("Use artifact: and a path from the Artifacts list of an earlier result.")
		}
		return name, file, nil
	}
	at, info, err := w.look(name)
	if err != nil {
		return "", nil, err
	}
	file, err := w.openKnown(at, name, info, allowed)
	return at, file, err
}

// openKnown opens the file that a name led to and what is there, nil for what is not
// known; not one that holds credentials, unless its path was allowed by name.
func (w *Workspace) openKnown(at, name string, info fs.FileInfo, allowed bool) (*os.File, *tool.Error) {
	clean, _ := lexical(name)
	if !allowed && (protected.IsSecret(at) || protected.IsSecret(clean)) {
		return nil, holdsCredentials(name)
	}
	file, err := w.openRegular(at, name, info)
	if err == nil && !allowed && protected.IsPrivateKey(file) {
		file.Close()
		return nil, holdsCredentials(name)
	}
	return file, err
}

// openRegular opens only what was a regular file when it was looked at, since
// opening a device can already have an effect, and looks once more after, in
// case the file was exchanged.
func (w *Workspace) openRegular(at, name string, info fs.FileInfo) (*os.File, *tool.Error) {
	if info != nil && !info.Mode().IsRegular() {
		return nil, notRegular(name, info.Mode())
	}
	file, err := w.root.OpenFile(filepath.FromSlash(at), readFlags, 0)
	if err != nil {
		return nil, fileError("read", name, err)
	}
	if info, err = file.Stat(); err == nil && !info.Mode().IsRegular() {
		file.Close()
		return nil, notRegular(name, info.Mode())
	}
	return file, nil
}

func notRegular(name string, mode fs.FileMode) *tool.Error {
	what := "not a regular file"
	if mode.IsDir() {
		what = "a folder"
	}
	return tool.NewError(tool.KindNotRegularFile, quoted(name)+" is "+what, pathDetail(name))
}
