package report

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/runner"
)

// maxStreamLine bounds a line of a saved stream, in bytes: far above what any agent
// prints, so that a file without lines is not read to its end.
const maxStreamLine = 64 << 20

// StreamView returns the view of a saved stream of any agent, whose file is called name
// or is standard input for a dash. save gets each line as the contract has it.
func StreamView(ctx context.Context, in io.Reader, name string, run *transcript.Run, save io.Writer) (View, error) {
	if name == "-" {
		name = "stdin"
	}
	read, saved := 0, error(nil)
	e, err := runner.Scan(ctx, process.NewLineReader(in, maxStreamLine), runner.Config{File: name, Convert: &runner.Convert{File: name}, Handler: runner.Lines(func(l runner.Line) {
		if l.Event != nil {
			read++
		}
		run.Line(l)
		if saved == nil {
			_, saved = save.Write(l.Raw)
		}
	})})
	if err == nil && read == 0 {
		err = errors.New("it is no stream: no line of it is an event")
	}
	if err = cmp.Or(err, saved); err != nil {
		return View{Run: run}, err
	}
	run.Close()
	v := NewView(e, run)
	v.Answer, v.Stream, v.EventsFile, v.Folder = run.Answer(), name, name, name
	return v, nil
}
