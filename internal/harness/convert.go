package harness

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// UnknownSourceError is a stream that no known agent prints. Nothing was printed.
type UnknownSourceError struct{ error }

func (e UnknownSourceError) Unwrap() error { return e.error }

// Convert reads another agent's saved stream, a file or - for standard input, and
// writes the stream of the contract that it becomes to p.Out, each line at once.
// Without an agent in conv that is decided by the first line that can be read,
// with an UnknownSourceError for the line of none. The execution is about both
// streams. Other errors are those of reading and of writing.
func Convert(ctx context.Context, p *process.Process, name string, conv runner.Convert, strict bool) (*runner.Execution, error) {
	in, err := p.Input(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	progress := term.NewStatus(p.Err)
	defer progress.Clear()
	conv.File = StreamName(name)
	from := progress.Reader(in, conv.File)
	if conv.Agent == nil {
		if conv.Agent, from, err = recognize(from); err != nil {
			return nil, err
		}
		if conv.Agent == nil {
			return needless(conv.File), nil
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var printed error // the first line that cannot be written is the last one
	e, err := runner.Scan(ctx, from, runner.Config{
		File: "stdout", Convert: &conv, Stream: validate.Options{Strict: strict}, Handler: runner.Lines(func(l runner.Line) {
			if printed != nil {
				return
			}
			if _, err := p.Out.Write(l.Raw); err != nil {
				printed = fmt.Errorf("print the stream: %w", err)
				stop()
			}
		}),
	})
	return e, cmp.Or(printed, err)
}

// maxUnreadable bounds what is read, beside the line that shows whose stream it is,
// to find that line.
const maxUnreadable = 1 << 20

// recognize returns the agent whose stream it is by the first line that shows that,
// nil for a stream of the contract, and a reader of the whole stream. What has no line
// that can be read becomes the same record whosever it is.
func recognize(r io.Reader) (*adapter.Agent, io.Reader, error) {
	var read bytes.Buffer
	lines := bufio.NewReader(io.TeeReader(io.LimitReader(r, emit.MaxLine+maxUnreadable), &read))
	undecided, err := 0, error(nil)
	for err == nil && undecided < adapter.MaxUndecided {
		var line []byte
		line, err = lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, nil, err
		}
		name, readable := adapter.Detect(line)
		switch all := io.MultiReader(&read, r); {
		case name == adapter.Contract:
			return nil, all, nil
		case name != "":
			a, err := adapter.ByName(name)
			return a, all, err
		case readable:
			undecided++
		}
	}
	if undecided > 0 {
		return nil, nil, unknown("none of its first lines shows which agent printed it")
	}
	if read.Len() == emit.MaxLine+maxUnreadable {
		return nil, nil, unknown("no line at its begin can be read")
	}
	return adapter.Agents()[0], &read, nil
}

// unknown returns the error of a stream about which that is to be said.
func unknown(what string) error {
	return UnknownSourceError{hint.With(errors.New(what+"; known: "+strings.Join(adapter.Names(), ", ")), "name the agent that printed the stream by --from NAME")}
}

// needless is what converting a stream of the contract comes to.
func needless(file string) *runner.Execution {
	found := runner.NotNative()
	found.File = file
	now := time.Now()
	return &runner.Execution{
		Started: now, Ended: now, Errors: 1, Findings: []validate.Finding{found}, FindingCounts: map[string]int{found.Rule: 1},
	}
}
