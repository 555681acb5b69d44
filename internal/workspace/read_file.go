package workspace

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/toolresult"
)

//go:embed read_file.md
var readFileText string

const (
	// fileBudget bounds what is shown of a file, in bytes of text.
	fileBudget = 32 << 10
	// artifactPrefix leads a path that names an artifact of this run.
	artifactPrefix = "artifact:"
	// maxDigest is the largest file whose digest is returned.
	maxDigest = 64 << 20
	// maxText bounds what is kept of a file; no result shows as much.
	maxText = 64 << 10
	// binaryProbe is how far a NUL byte is looked for, as git does.
	binaryProbe = 8000
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
	// bytes and lines measure the whole file.
	bytes, lines int64
	// firstLine is the number of the line that text begins with, from 1.
	firstLine int64
	text      string
	// more reports that lines follow those in text.
	more   bool
	binary bool
	// sha256 is the digest of the whole file in hex, nil for a large one.
	sha256 *string
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
		text, err := readWindow(ctx, file, sizeOf(file), args)
		if err != nil {
			return text, fileError("read", args.Path, err)
		}
		text.path, text.text = escapeName(name), w.masked(text.text)
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
	return fmt.Sprintf("%s: %d bytes, %s", clipped(f.path), f.bytes, toolresult.Counted(f.lines, "line"))
}

// Project shows the head of the lines that were asked for: the workspace holds
// the rest, and NextOffsetLine leads to it.
func (f fileText) Project() filePreview {
	p := filePreview{Path: f.path, Bytes: f.bytes, Lines: f.lines, Binary: f.binary, SHA256: f.sha256}
	if f.binary {
		return p
	}
	p.ContentPreview = f.text
	p.Truncated = f.more || len(f.text) > fileBudget
	if !p.Truncated {
		return p
	}
	if len(f.text) > fileBudget-toolresult.NoteRoom {
		short, _ := clip.Prefix(f.text, fileBudget-toolresult.NoteRoom)
		if end := strings.LastIndexByte(short, '\n') + 1; end > 0 {
			short = short[:end] // only a line that fills the preview is shown cut
		}
		p.ContentPreview = short
	}
	next := f.firstLine + int64(strings.Count(p.ContentPreview, "\n"))
	if !strings.HasSuffix(p.ContentPreview, "\n") {
		next++ // the rest of a cut line cannot be asked for by its number
	}
	if next <= f.lines {
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
		return fmt.Sprintf("(no line there; the file has %s)", toolresult.Counted(p.Lines, "line"))
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
		begin, cut, toolresult.Counted(p.Lines-*p.NextOffsetLine+1, "more line"), *p.NextOffsetLine)
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
	clean, _ := lexical(name)
	if !allowed && (isSecretPath(at) || isSecretPath(clean)) {
		return "", nil, holdsCredentials(name)
	}
	file, err := w.openRegular(at, name, info)
	if err == nil && !allowed && isPrivateKey(file) {
		file.Close()
		return "", nil, holdsCredentials(name)
	}
	return at, file, err
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

// readBuffer is how much of a file is read at once.
const readBuffer = 64 << 10

// readWindow measures the whole file, which seems to have size bytes, and
// returns the lines asked for. Where those that are counted from the end begin
// is known only then: they are read from the mark before them.
func readWindow(ctx context.Context, file io.ReadSeeker, size int64, args readArgs) (fileText, error) {
	// One byte more than there is shows the end with the first read.
	buf := make([]byte, min(max(size, 0), readBuffer)+1)
	first, fromEnd := firstLine(args.OffsetLine, 0), args.OffsetLine != nil && *args.OffsetLine < 0
	if fromEnd {
		first = math.MaxInt64
	}
	l, err := readLines(ctx, file, buf, sha256.New(), first, args.MaxLines)
	f := l.end()
	if err != nil || f.binary || !fromEnd {
		return f, err
	}
	f.firstLine = firstLine(args.OffsetLine, f.lines)
	from := l.markBefore(f.firstLine)
	if _, err := file.Seek(from.bytes, io.SeekStart); err != nil {
		return f, err
	}
	l, err = readLines(ctx, file, buf, nil, f.firstLine-from.lines, args.MaxLines)
	f.show(l)
	return f, err
}

// readLines reads a file piece by piece into buf, for its counts, its digest, and
// the text from the line first on; without sum no further than to the text's end.
func readLines(ctx context.Context, r io.Reader, buf []byte, sum hash.Hash, first int64, maxLines *int64) (*lineReader, error) {
	l := &lineReader{file: fileText{firstLine: first}, sum: sum, last: '\n', skip: first - 1, left: math.MaxInt64}
	if maxLines != nil {
		l.left = *maxLines
	}
	for sum != nil || !l.cut {
		if ctx.Err() != nil {
			return l, context.Cause(ctx)
		}
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			l.mark()
			l.add(buf[:n])
		}
		if l.isPastText() {
			l.file.bytes += skipHole(r, l.file.bytes) // of zeros, which end no line
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return l, nil
		default:
			return l, err
		}
	}
	return l, nil
}

// mark is a place in a file: so many bytes and ends of lines stand before it.
type mark struct{ bytes, lines int64 }

// lineReader is a file that is being read.
type lineReader struct {
	file fileText
	sum  hash.Hash // nil when only the text is asked for
	last byte      // of what was read
	// skip and left are the lines before the text and of it that are still to
	// come; cut reports that something follows the text.
	skip, left int64
	text       strings.Builder
	cut        bool
	marks      []mark // in the file's order, a buffer or more apart
}

// mark notes the place that the next piece begins at.
func (l *lineReader) mark() {
	if last := len(l.marks) - 1; last < 0 || l.file.bytes >= l.marks[last].bytes+readBuffer {
		l.marks = append(l.marks, mark{l.file.bytes, l.file.lines})
	}
}

// markBefore returns the last mark before which a line has not begun.
func (l *lineReader) markBefore(line int64) (m mark) {
	if n, _ := slices.BinarySearchFunc(l.marks, line-1, func(m mark, line int64) int { return cmp.Compare(m.lines, line) }); n > 0 {
		m = l.marks[n-1]
	}
	return m
}

// add counts the next piece of the file and adds what belongs to the text, of
// at most maxText bytes.
func (l *lineReader) add(piece []byte) {
	probe := piece[:max(0, min(int64(len(piece)), binaryProbe-l.file.bytes))]
	l.file.binary = l.file.binary || bytes.IndexByte(probe, 0) >= 0
	if l.sum != nil && l.file.bytes < maxDigest {
		l.sum.Write(piece)
	}
	l.file.bytes += int64(len(piece))
	l.file.lines += int64(bytes.Count(piece, []byte{'\n'}))
	l.last = piece[len(piece)-1]
	if l.cut {
		return
	}
	before, skipped := cutLines(piece, l.skip)
	rest := piece[before:]
	end, lines := cutLines(rest, l.left)
	end = min(end, maxText-l.text.Len())
	l.text.Write(rest[:end])
	l.cut = end < len(rest)
	l.skip, l.left = l.skip-skipped, l.left-lines
}

// isPastText reports whether zeros that follow matter to nothing but the size.
func (l *lineReader) isPastText() bool {
	return l.last == 0 && l.file.bytes >= maxDigest && (l.skip > 0 || l.cut)
}

// end returns what was read.
func (l *lineReader) end() fileText {
	f := l.file
	if l.last != '\n' {
		f.lines++
	}
	if l.sum != nil && f.bytes <= maxDigest {
		digest := hex.EncodeToString(l.sum.Sum(nil))
		f.sha256 = &digest
	}
	if !f.binary {
		f.show(l)
	}
	return f
}

// show makes f's text the one that was read.
func (f *fileText) show(l *lineReader) {
	f.text = l.text.String()
	f.more = l.cut && f.firstLine+int64(strings.Count(f.text, "\n")) <= f.lines
}

// firstLine turns an offset into a line number: negative ones count from the
// end, and one before the first line means the first.
func firstLine(offset *int64, lines int64) int64 {
	switch {
	case offset == nil:
		return 1
	case *offset < 0:
		return max(1, lines+1+max(*offset, -lines-1))
	}
	return max(1, *offset)
}

// cutLines returns the size of the first n lines of b, and how many ends of
// lines that takes: fewer than n when b has no more.
func cutLines(b []byte, n int64) (size int, lines int64) {
	for lines < n {
		i := bytes.IndexByte(b[size:], '\n')
		if i < 0 {
			return len(b), lines
		}
		size += i + 1
		lines++
	}
	return size, lines
}

func sizeOf(file *os.File) int64 {
	info, err := file.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}
