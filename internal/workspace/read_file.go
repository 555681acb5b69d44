package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/tool"
)

//go:embed read_file.md
var readFileText string

const (
	// artifactPrefix leads a path that names an artifact of this run.
	artifactPrefix = "artifact:"
	// maxDigest is the largest file whose digest is told.
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

func (w *Workspace) readFile() tool.Tool {
	spec := tool.Spec{Name: "read_file", Description: strings.TrimSpace(readFileText)}
	return tool.Define(spec, func(ctx context.Context, call tool.Call, args readArgs) tool.Output {
		name, file, err := w.openFile(args.Path, call.PathAllowed)
		if err != nil {
			return tool.Failed(err)
		}
		defer file.Close()
		ctx, cancel := w.limited(ctx)
		defer cancel()
		text, readErr := readWindow(ctx, file, sizeOf(file), args)
		if readErr != nil {
			return tool.Failed(fileError("read", args.Path, readErr))
		}
		text.Path = escapeName(name)
		return tool.Done(fmt.Sprintf("%s: %d bytes, %s", clipped(text.Path), text.Bytes, counted(text.Lines, "line")), text)
	})
}

// counted returns a number and what it counts.
func counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// clipped shortens a path for a summary.
func clipped(name string) string {
	if r := []rune(name); len(r) > 120 {
		return "..." + string(r[len(r)-117:])
	}
	return name
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
		return nil, notRegular(name, info)
	}
	file, err := w.root.OpenFile(filepath.FromSlash(at), readFlags, 0)
	if err != nil {
		return nil, fileError("read", name, err)
	}
	if info, err = file.Stat(); err == nil && !info.Mode().IsRegular() {
		file.Close()
		return nil, notRegular(name, info)
	}
	return file, nil
}

func notRegular(name string, info os.FileInfo) *tool.Error {
	what := "not a regular file"
	if info.IsDir() {
		what = "a folder"
	}
	return tool.NewError(tool.KindNotRegularFile, quoted(name)+" is "+what, pathDetail(name))
}

// readBuffer is how much of a file is read at once.
const readBuffer = 64 << 10

// readWindow measures the whole file, which seems to have size bytes, and then
// keeps the lines asked for.
func readWindow(ctx context.Context, file io.ReadSeeker, size int64, args readArgs) (tool.FileText, error) {
	// One byte more than there is shows the end with the first read.
	buf := make([]byte, min(max(size, 0), readBuffer)+1)
	m, err := measure(ctx, file, buf)
	if err != nil {
		return tool.FileText{}, err
	}
	text := tool.FileText{Bytes: m.bytes, Lines: m.lines, Binary: m.binary, FirstLine: firstLine(args.OffsetLine, m.lines)}
	if m.bytes <= maxDigest {
		sum := hex.EncodeToString(m.digest)
		text.SHA256 = &sum
	}
	if m.binary {
		return text, nil
	}
	again := io.Reader(file)
	if m.bytes < int64(len(buf)) {
		again = bytes.NewReader(buf[:m.bytes]) // which is read into its own place
	} else if _, err := file.Seek(0, io.SeekStart); err != nil {
		return tool.FileText{}, err
	}
	var atEnd bool
	text.Text, atEnd, err = collect(ctx, again, buf, m.bytes, text.FirstLine, args.MaxLines)
	text.More = !atEnd && text.FirstLine+int64(strings.Count(text.Text, "\n")) <= m.lines
	return text, err
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

type measures struct {
	bytes, lines int64
	binary       bool
	digest       []byte
}

// measure reads the file once, piece by piece into buf, for its counts and its
// digest.
func measure(ctx context.Context, r io.Reader, buf []byte) (measures, error) {
	var m measures
	sum := sha256.New()
	last := byte('\n')
	for {
		if ctx.Err() != nil {
			return m, context.Cause(ctx)
		}
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			probe := buf[:max(0, min(int64(n), binaryProbe-m.bytes))]
			m.binary = m.binary || bytes.IndexByte(probe, 0) >= 0
			if m.bytes < maxDigest {
				sum.Write(buf[:n])
			}
			m.bytes += int64(n)
			m.lines += int64(bytes.Count(buf[:n], []byte{'\n'}))
			last = buf[n-1]
		}
		if last == 0 && m.bytes >= maxDigest {
			m.bytes += skipHole(r, m.bytes) // of zeros, which end no line
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return m, err
		}
	}
	if last != '\n' {
		m.lines++
	}
	m.digest = sum.Sum(nil)
	return m, nil
}

// collect returns the text from the line first on, at most maxLines lines and
// maxText bytes of it, and whether the file, of so many bytes, ends with it. It
// reads piece by piece into buf.
func collect(ctx context.Context, r io.Reader, buf []byte, size, first int64, maxLines *int64) (string, bool, error) {
	skip, left := first-1, int64(math.MaxInt64)
	if maxLines != nil {
		left = *maxLines
	}
	var text strings.Builder
	text.Grow(int(min(size, maxText)))
	for at := int64(0); ; {
		if ctx.Err() != nil {
			return "", false, context.Cause(ctx)
		}
		n, err := io.ReadFull(r, buf)
		before, skipped := cutLines(buf[:n], skip)
		rest := buf[before:n]
		end, lines := cutLines(rest, left)
		end = min(end, maxText-text.Len())
		text.Write(rest[:end])
		skip, left = skip-skipped, left-lines
		if at += int64(n); skip > 0 && n > 0 && buf[n-1] == 0 {
			at += skipHole(r, at)
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return text.String(), end == len(rest), nil
		case err != nil:
			return "", false, err
		case left == 0 || text.Len() == maxText:
			return text.String(), false, nil
		}
	}
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
