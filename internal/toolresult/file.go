package toolresult

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/tool"
)

// noteRoom is kept free for the line that tells how to go on.
const noteRoom = 128

// projectFile shows the head of the lines that were asked for: the workspace
// holds the rest, and NextOffsetLine leads to it.
func projectFile(_ tool.Call, f tool.FileText, opts Options) tool.FilePreview {
	res := tool.FilePreview{Path: f.Path, Bytes: f.Bytes, Lines: f.Lines, Binary: f.Binary, SHA256: f.SHA256}
	if f.Binary {
		return res
	}
	text := clip.UTF8(f.Text)
	if opts.Mask != nil {
		text = opts.Mask(text)
	}
	res.ContentPreview = text
	res.Truncated = f.More || len(text) > fileBudget
	if !res.Truncated {
		return res
	}
	head := []byte(text)
	if len(head) > fileBudget-noteRoom {
		short, _ := clip.Prefix(text, fileBudget-noteRoom)
		head = wholeLines([]byte(short))
	}
	res.ContentPreview = string(head)
	next := f.FirstLine + newlines(head)
	if !bytes.HasSuffix(head, []byte{'\n'}) {
		next++ // the rest of a cut line cannot be asked for by its number
	}
	if next <= f.Lines {
		res.NextOffsetLine = &next
	}
	return res
}

// wholeLines drops an unfinished last line, unless it is the only one.
func wholeLines(b []byte) []byte {
	if end := bytes.LastIndexByte(b, '\n') + 1; end > 0 {
		return b[:end]
	}
	return b
}

func renderFile(res tool.FilePreview) string {
	switch {
	case res.Binary && res.SHA256 != nil:
		return fmt.Sprintf("(binary file, %d bytes, sha256 %s)", res.Bytes, *res.SHA256)
	case res.Binary:
		return fmt.Sprintf("(binary file, %d bytes)", res.Bytes)
	case res.Truncated:
		return res.ContentPreview + fileNote(res)
	case res.ContentPreview != "":
		return res.ContentPreview
	case res.Lines > 0:
		return fmt.Sprintf("(no line there; the file has %s)", plural(res.Lines, "line"))
	}
	return "(empty file)"
}

// fileNote tells what follows the preview and how to see it.
func fileNote(res tool.FilePreview) string {
	cut := ""
	if !strings.HasSuffix(res.ContentPreview, "\n") {
		cut = "the last line is cut"
	}
	if res.NextOffsetLine == nil {
		return fmt.Sprintf("\n[... %s ...]", cut)
	}
	begin := "["
	if cut != "" {
		begin, cut = "\n[", cut+"; "
	}
	return fmt.Sprintf("%s... %s%s, continue with offset_line %d ...]",
		begin, cut, plural(res.Lines-*res.NextOffsetLine+1, "more line"), *res.NextOffsetLine)
}
