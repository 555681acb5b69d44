package show

import (
	"errors"
	"fmt"
	"io"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/projection"
	"github.com/openagent-ci/openagent/internal/text/lines"
	"github.com/openagent-ci/openagent/schema"
)

// ErrLogLine is the cause of what a line of a log did wrong.
var ErrLogLine = errors.New("broken line")

// maxLogLine bounds one line of a saved log, in bytes without LF: the log
// holds whole tool results.
const maxLogLine = 64 << 20

// WriteStream writes the event stream of a saved internal log, with one stream
// after the other for each run in it. The first line that is broken ends it, and
// is an error that wraps ErrLogLine.
func WriteStream(w io.Writer, log io.Reader) error {
	l := &logPrinter{w: w}
	in := lines.NewReader(log, 64<<10, maxLogLine)
	for number := 1; ; number++ {
		text, err := in.Next()
		switch err {
		case nil:
			err = l.line(text)
		case io.EOF:
			return nil
		case lines.ErrLong:
			err = fmt.Errorf("%w: longer than %d bytes", ErrLogLine, maxLogLine)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
}

// logPrinter prints the events of a log, an emitter for each stream.
type logPrinter struct {
	w       io.Writer
	runID   string
	emitter *projection.Emitter
}

// line prints what a line of the log becomes.
func (l *logPrinter) line(text []byte) error {
	e, err := event.Parse(text)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLogLine, err)
	}
	typ := projection.Type(e.Kind)
	if typ == "" {
		return nil
	}
	// The run's id is new, or a run with the id of the one that ended begins.
	if l.emitter == nil || e.RunID != l.runID || l.emitter.Finished() && typ == schema.TypeRunStarted {
		l.emitter, l.runID = projection.NewEmitter(l.w), e.RunID
	}
	err = l.emitter.EmitSaved(e)
	if errors.Is(err, projection.ErrFinished) {
		return fmt.Errorf("%w: %s follows the end of its run", ErrLogLine, e.Kind)
	}
	return err
}
