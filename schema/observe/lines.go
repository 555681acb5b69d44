package observe

import (
	"context"
	"io"

	"github.com/openagent-ci/openagent/internal/lines"
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
	in := lines.NewReader(r, bufferSize, MaxLine)
	for ctx.Err() == nil {
		line, err := in.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil && err != lines.ErrLong:
			return err
		case !do(line, err == nil):
			return nil
		}
	}
	return ctx.Err()
}
