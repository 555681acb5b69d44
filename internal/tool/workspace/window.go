package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/lines"
)

const (
	// maxDigest is the largest file whose digest is returned.
	maxDigest = 64 << 20
	// maxText bounds what is kept of the lines; no result shows as much.
	maxText = 64 << 10
	// binaryProbe is how far a NUL byte is looked for, as git does.
	binaryProbe = 8000
	// readBuffer is how much of a file is read at once.
	readBuffer = 64 << 10
)

// window is what was found: the head of the lines that were asked for, and what
// the whole file is.
type window struct {
	// Bytes and Lines measure the whole file.
	Bytes, Lines int64
	// FirstLine is the number of the line that Text begins with, from 1.
	FirstLine int64
	// Text is at most 64 KiB, and may be no valid UTF-8.
	Text string
	// More reports that lines follow those in Text.
	More bool
	// Binary reports a NUL byte near the start; Text is empty then.
	Binary bool
	// SHA256 is the digest of the whole file in hex, nil above maxDigest.
	SHA256 *string
}

// readLines measures the whole file, and then returns at most most lines from offset
// on; a negative offset counts from the end, and nil means the first line and all
// lines. When ctx ends it returns the cause.
func readLines(ctx context.Context, file io.ReadSeeker, offset, most *int64) (f window, err error) {
	if f, err = measure(ctx, file); err != nil || f.Binary {
		return f, err
	}
	f.FirstLine = firstLine(offset, f.Lines)
	if _, err = file.Seek(0, io.SeekStart); err != nil {
		return f, err
	}
	skip, left := f.FirstLine-1, int64(math.MaxInt64)
	if most != nil {
		left = *most
	}
	var text strings.Builder
	err = eachPiece(ctx, file, func(piece []byte) (goOn bool) {
		before, skipped := cutLines(piece, skip)
		rest := piece[before:]
		end, taken := cutLines(rest, left)
		end = min(end, maxText-text.Len())
		text.Write(rest[:end])
		skip, left = skip-skipped, left-taken
		f.More = end < len(rest)
		return !f.More
	})
	f.Text = text.String()
	f.More = f.More && f.FirstLine+int64(strings.Count(f.Text, "\n")) <= f.Lines
	return f, err
}

// measure returns what the whole file is.
func measure(ctx context.Context, file io.Reader) (f window, err error) {
	sum, last := sha256.New(), byte('\n')
	err = eachPiece(ctx, file, func(piece []byte) bool {
		probe := piece[:max(0, min(int64(len(piece)), binaryProbe-f.Bytes))]
		f.Binary = f.Binary || bytes.IndexByte(probe, 0) >= 0
		if f.Bytes < maxDigest {
			sum.Write(piece)
		}
		f.Bytes += int64(len(piece))
		f.Lines += int64(bytes.Count(piece, []byte{'\n'}))
		last = piece[len(piece)-1]
		return true
	})
	if last != '\n' {
		f.Lines++
	}
	if f.Bytes <= maxDigest {
		f.SHA256 = new(hex.EncodeToString(sum.Sum(nil)))
	}
	return f, err
}

// eachPiece calls do for one piece of a file after the other until it returns false.
func eachPiece(ctx context.Context, file io.Reader, do func([]byte) bool) error {
	buf := make([]byte, readBuffer)
	for {
		n, err := (&lines.Lasting{Context: ctx, Reader: file}).Read(buf)
		if n > 0 && !do(buf[:n]) || err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
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
