package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/textedit"
)

//go:embed edit_file.md
var editFileText string

const (
	// editBudget bounds the result of an edit and the details of a refusal, in
	// bytes of text.
	editBudget = 4 << 10
	// maxEdited is the largest file that is edited.
	maxEdited = 10 << 20
	// maxNearest bounds what a refusal shows of the file, in bytes: the details
	// of a receipt have 1000 characters.
	maxNearest = 600
)

type editArgs struct {
	Path    string `json:"path" arg:"required,path" doc:"File to change, relative to the workspace root." example:"src/main.go"`
	OldText string `json:"old_text" arg:"required" doc:"Text to replace, exactly as the file has it." example:"x := 1"`
	NewText string `json:"new_text" arg:"required,empty" doc:"Text to put in its place." example:"x := 2"`
	Count   int64  `json:"count" default:"1" min:"1" doc:"How many times old_text is in the file; all of them are replaced." example:"1"`
}

// fileEdited is the payload of edit_file, complete and canonical alike.
type fileEdited struct {
	Path string `json:"path"`
	// Bytes is the size of the file after the edit.
	Bytes        int64 `json:"bytes"`
	Replacements int64 `json:"replacements"`
	// FirstLine is the line of the first replacement, from 1.
	FirstLine int64  `json:"first_line"`
	SHA256    string `json:"sha256"`
}

func (w *Workspace) editFile() tool.Tool {
	spec := tool.Spec{Name: "edit_file", Description: editFileText, SideEffects: true, Writes: true, Budget: editBudget}
	return tool.Define(spec, func(_ context.Context, call tool.Call, args editArgs) (fileEdited, *tool.Error) {
		if err := checkEdit(args); err != nil {
			return fileEdited{}, err
		}
		at, err := w.resolveForWrite(args.Path)
		if err != nil {
			return fileEdited{}, err
		}
		if namesFolder(args.Path) {
			return fileEdited{}, notWritable(args.Path, fs.ModeDir)
		}
		return w.edit(at, args, call.PathAllowed)
	})
}

func (f fileEdited) Summary() string {
	return fmt.Sprintf("edited %s (%d bytes)", clipped(f.Path), f.Bytes)
}

func (f fileEdited) Project() fileEdited { return f }

func (f fileEdited) Text() string {
	where := fmt.Sprintf("at line %d", f.FirstLine)
	if f.Replacements > 1 {
		where = fmt.Sprintf("at %d places, the first at line %d", f.Replacements, f.FirstLine)
	}
	return fmt.Sprintf("Edited %s %s (%d bytes)", confirmedPath(f.Path), where, f.Bytes)
}

// checkEdit refuses what no file could be asked for.
func checkEdit(args editArgs) *tool.Error {
	switch {
	case strings.Contains(args.OldText, "\x00") || strings.Contains(args.NewText, "\x00"):
		return tool.NewError(tool.KindInvalidInput, "old_text and new_text must not contain a NUL character", pathDetail(args.Path))
	case args.OldText == args.NewText:
		return tool.NewError(tool.KindInvalidInput, "old_text and new_text are the same: there is nothing to change", pathDetail(args.Path))
	}
	return nil
}

// edit replaces the text in the file at a path without links, whole or not at all.
func (w *Workspace) edit(at string, args editArgs, allowed bool) (fileEdited, *tool.Error) {
	info, _ := w.root.Lstat(filepath.FromSlash(at))
	file, refused := w.openKnown(at, args.Path, info, allowed)
	if refused != nil {
		return fileEdited{}, refused
	}
	defer file.Close()
	was, err := file.Stat()
	if err != nil {
		return fileEdited{}, fileError("edit", args.Path, err)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxEdited+1))
	switch {
	case err != nil:
		return fileEdited{}, fileError("edit", args.Path, err)
	case len(text) > maxEdited:
		return fileEdited{}, tooLargeToEdit(args.Path, "is")
	case bytes.IndexByte(text, 0) >= 0:
		return fileEdited{}, tool.NewError(tool.KindInvalidInput, quoted(args.Path)+" is a binary file, which is not edited", pathDetail(args.Path)).
			WithHint("Make it anew with the program that it comes from, by execute_command.")
	}
	after, err := textedit.Apply(text, textedit.Edit{Old: args.OldText, New: args.NewText, Count: args.Count, Max: maxEdited, Mask: w.masked})
	if err != nil {
		return fileEdited{}, notEdited(args, err)
	}
	if !w.isStill(at, was) || !w.walled.Holds(at, text) {
		return fileEdited{}, tool.NewError(tool.KindIO, quoted(args.Path)+" changed while it was edited; nothing was written", pathDetail(args.Path)).
			WithHint("Read the file again, then edit what is there now.")
	}
	if err := w.write(at, string(after.Text), was.Mode(), false); err != nil {
		return fileEdited{}, fileError("edit", args.Path, err)
	}
	sum := sha256.Sum256(after.Text)
	return fileEdited{
		Path: escapeName(at), Bytes: int64(len(after.Text)), Replacements: args.Count, FirstLine: after.FirstLine, SHA256: hex.EncodeToString(sum[:]),
	}, nil
}

// isStill reports whether a path leads to the same file as before, with the content
// that it had: a command in the background may write it too.
func (w *Workspace) isStill(at string, was fs.FileInfo) bool {
	now, err := w.root.Lstat(filepath.FromSlash(at))
	return err == nil && os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime())
}

func tooLargeToEdit(name, verb string) *tool.Error {
	return tool.NewError(tool.KindTooLarge, fmt.Sprintf("%s %s larger than 10 MiB; nothing was written", quoted(name), verb), pathDetail(name)).
		WithHint("Change it with a program, such as sed by execute_command.")
}

// notEdited says why an edit was not made, and how it can be.
func notEdited(args editArgs, err error) *tool.Error {
	var many *textedit.Ambiguous
	var absent *textedit.Absent
	head := "old_text was to be replaced in " + quoted(args.Path) + ", but "
	switch {
	case errors.As(err, &many):
		hint := fmt.Sprintf("Add lines around the place that is meant to old_text, or give count %d to replace all.", many.Found)
		if many.Overlap || many.Found < args.Count {
			hint = "Add lines around one place to old_text, and edit one place after the other."
		}
		return tool.NewError(tool.KindInvalidInput, fmt.Sprintf("%s%s, not %s; nothing was written", head, err, textedit.Times(args.Count)),
			pathDetail(args.Path), tool.Detail{Name: "found", Value: many.Found}, tool.Detail{Name: "lines", Value: many.Lines}).WithHint(hint)
	case errors.As(err, &absent):
		details := []tool.Detail{pathDetail(args.Path)}
		if n := absent.Near; n != nil {
			details = append(details, tool.Detail{Name: "nearest_line", Value: n.FirstLine}, tool.Detail{Name: "nearest_text", Value: shownNearest(n.Text)})
		}
		return tool.NewError(tool.KindNotFound, head+err.Error()+"; nothing was written", details...).
			WithHint("Copy old_text from the file exactly as read_file shows it.")
	}
	return tooLargeToEdit(args.Path, "would become")
}

// shownNearest returns the head of a passage, cut after whole lines if it has any.
func shownNearest(text string) string {
	short, cut := clip.Prefix(text, maxNearest)
	if !cut {
		return text
	}
	if end := strings.LastIndexByte(short, '\n'); end > 0 {
		short = short[:end]
	}
	return short + "\n[... cut ...]"
}
