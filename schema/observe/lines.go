package observe

import (
	"bufio"
	"context"
	"io"
)

// MaxLine is the longest line that is read, in bytes, LF not counted. Agents print
// lines of more than a megabyte.
const MaxLine = 4 << 20

// bufferSize is how much of a stream is read at once.
const bufferSize = 128 << 10

// eachLine calls do with each line of a stream, and its LF if it has one, until that
// returns false. whole is false for a line longer than MaxLine, of which only the
// beginning is handed over.
func eachLine(ctx context.Context, r io.Reader, do func(line []byte, whole bool) bool) error {
	in := bufio.NewReaderSize(r, bufferSize)
	var held []byte // of a line that does not lie in the buffer, MaxLine and a byte of it
	for ctx.Err() == nil {
		piece, err := in.ReadSlice('\n')
		if err == nil && len(held) == 0 {
			if !do(piece, true) {
				return nil
			}
			continue
		}
		held = append(held, piece[:min(len(piece), MaxLine+1-len(held))]...)
		if err == bufio.ErrBufferFull {
			continue
		}
		if len(held) > 0 && (err == nil || err == io.EOF) {
			if !do(held, len(held) <= MaxLine || held[MaxLine] == '\n') {
				return nil
			}
			held = held[:0]
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
