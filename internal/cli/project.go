package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/projection"
	"github.com/openagent-ci/openagent/internal/view"
	"github.com/openagent-ci/openagent/schema"
)

// maxLogLine bounds one line of a saved log, in bytes without LF: the log
// holds whole tool results.
const maxLogLine = 64 << 20

func (p *program) projectCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "project [flags] <LOG",
		Short: "Print the event stream of a saved internal log",
		Long: `Read an internal log, as openagent run --events writes it, from standard input
and print the event stream that the run printed. Each further run in the log
begins a stream of its own; kinds that the contract has no type for are ignored.
Lines may have up to 64 MiB. The first line that is broken ends the command.

Exit status: 0 the whole log was printed, 1 a line of it is broken,
2 wrong command line, 3 the log could not be read or the stream not delivered.`,
		Example: `  openagent run --script demo --events log.jsonl
  openagent project <log.jsonl | openagent check --strict`,
		Args: operands(0, 0, "none: the log comes on standard input"),
		RunE: func(*cobra.Command, []string) error { return p.project() },
	}
}

func (p *program) project() error {
	p.CatchPipes()
	status := view.NewStatus(p.Err)
	defer status.Clear()
	l := &logPrinter{w: p.Out}
	lines := bufio.NewReaderSize(status.Reader(p.In, "log"), 64<<10)
	var buf []byte
	for number := 1; ; number++ {
		var err error
		buf, err = readLogLine(lines, buf[:0])
		if err != nil && len(buf) == 0 {
			return l.end(number, err)
		}
		if failure := l.line(buf, err); failure != nil {
			return l.end(number, failure)
		}
	}
}

// errLogLine is the cause of what a line of the log did wrong.
var errLogLine = errors.New("broken line")

// readLogLine appends the next line to buf, with its LF if it has one. A last
// line without LF comes without an error.
func readLogLine(r *bufio.Reader, buf []byte) ([]byte, error) {
	for {
		piece, err := r.ReadSlice('\n')
		buf = append(buf, piece...)
		if len(bytes.TrimSuffix(buf, []byte("\n"))) > maxLogLine {
			return buf, fmt.Errorf("%w: longer than %d bytes", errLogLine, maxLogLine)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err == io.EOF && len(buf) > 0 {
			err = nil
		}
		return buf, err
	}
}

// logPrinter prints the events of a log, an emitter for each stream.
type logPrinter struct {
	w       io.Writer
	runID   string
	emitter *projection.Emitter
}

// line prints what a line of the log becomes; err is what reading it came to.
func (l *logPrinter) line(text []byte, err error) error {
	if err != nil {
		return err
	}
	e, err := event.Parse(text)
	if err != nil {
		return fmt.Errorf("%w: %w", errLogLine, err)
	}
	typ := projection.Type(e.Kind)
	if typ == "" {
		return nil
	}
	if l.begins(e.RunID, typ) {
		l.emitter, l.runID = projection.NewEmitter(l.w), e.RunID
	}
	err = l.emitter.EmitSaved(e)
	if errors.Is(err, projection.ErrFinished) {
		return fmt.Errorf("%w: %s follows the end of its run", errLogLine, e.Kind)
	}
	return err
}

// begins reports whether an event is the first of a stream: the run's id is
// new, or a run with the id of the one that ended begins.
func (l *logPrinter) begins(runID string, typ schema.Type) bool {
	return l.emitter == nil || runID != l.runID || l.emitter.Finished() && typ == schema.TypeRunStarted
}

// end returns the error that ends the command at that line.
func (l *logPrinter) end(number int, err error) error {
	switch {
	case err == io.EOF:
		return nil
	case errors.Is(err, errLogLine):
		return &statusError{StatusFailed, fmt.Errorf("project the log: line %d: %w", number, err)}
	}
	return &statusError{StatusDelivery, fmt.Errorf("project the log: line %d: %w", number, err)}
}
