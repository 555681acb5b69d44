package workspace

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"math"
	"slices"
	"strings"
)

const (
	// MaxDigest is the largest file whose digest is returned.
	MaxDigest = 64 << 20
	// maxText bounds what is kept of the lines; no result shows as much.
	maxText = 64 << 10
	// BinaryProbe is how far a NUL byte is looked for, as git does.
	BinaryProbe = 8000
)

// Window is what was found: the head of the lines that were asked for, and what
// the whole file is.
type Window struct {
	// Bytes and Lines measure the whole file.
	Bytes, Lines int64
	// FirstLine is the number of the line that Text begins with, from 1.
	FirstLine int64
	// Text is at most 64 KiB, and may be no valid UTF-8.
	Text string
	// More reports that lines follow those in Text.
	More bool
	// Binary reports a NUL byte near the begin; Text is empty then.
	Binary bool
	// SHA256 is the digest of the whole file in hex, nil above MaxDigest.
	SHA256 *string
}

// readBuffer is how much of a file is read at once.
const readBuffer = 64 << 10

// ReadLines measures the whole file, which seems to have size bytes, and returns at
// most maxLines lines from offset on; a negative offset counts from the end, and
// nil means the first line and all lines. Where lines that are counted from the end
// begin is known only then: they are read from the mark before them. When ctx ends
// it returns the cause.
func ReadLines(ctx context.Context, file io.ReadSeeker, size int64, offset, maxLines *int64) (Window, error) {
	// One byte more than there is shows the end with the first read.
	buf := make([]byte, min(max(size, 0), readBuffer)+1)
	first, fromEnd := firstLine(offset, 0), offset != nil && *offset < 0
	if fromEnd {
		first = math.MaxInt64
	}
	l, err := readLines(ctx, file, buf, sha256.New(), first, maxLines)
	f := l.end()
	if err != nil || f.Binary || !fromEnd {
		return f, err
	}
	f.FirstLine = firstLine(offset, f.Lines)
	from := l.markBefore(f.FirstLine)
	if _, err := file.Seek(from.bytes, io.SeekStart); err != nil {
		return f, err
	}
	l, err = readLines(ctx, file, buf, nil, f.FirstLine-from.lines, maxLines)
	f.show(l)
	return f, err
}

// readLines reads a file piece by piece into buf, for its counts, its digest, and
// the text from the line first on; without sum no further than to the text's end.
func readLines(ctx context.Context, r io.Reader, buf []byte, sum hash.Hash, first int64, maxLines *int64) (*lineReader, error) {
	l := &lineReader{file: Window{FirstLine: first}, sum: sum, last: '\n', skip: first - 1, left: math.MaxInt64}
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
			l.file.Bytes += skipHole(r, l.file.Bytes) // of zeros, which end no line
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
	file Window
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
	if last := len(l.marks) - 1; last < 0 || l.file.Bytes >= l.marks[last].bytes+readBuffer {
		l.marks = append(l.marks, mark{l.file.Bytes, l.file.Lines})
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
	probe := piece[:max(0, min(int64(len(piece)), BinaryProbe-l.file.Bytes))]
	l.file.Binary = l.file.Binary || bytes.IndexByte(probe, 0) >= 0
	if l.sum != nil && l.file.Bytes < MaxDigest {
		l.sum.Write(piece)
	}
	l.file.Bytes += int64(len(piece))
	l.file.Lines += int64(bytes.Count(piece, []byte{'\n'}))
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
	return l.last == 0 && l.file.Bytes >= MaxDigest && (l.skip > 0 || l.cut)
}

// end returns what was read.
func (l *lineReader) end() Window {
	f := l.file
	if l.last != '\n' {
		f.Lines++
	}
	if l.sum != nil && f.Bytes <= MaxDigest {
		digest := hex.EncodeToString(l.sum.Sum(nil))
		f.SHA256 = &digest
	}
	if !f.Binary {
		f.show(l)
	}
	return f
}

// show makes f's text the one that was read.
func (f *Window) show(l *lineReader) {
	f.Text = l.text.String()
	f.More = l.cut && f.FirstLine+int64(strings.Count(f.Text, "\n")) <= f.Lines
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
