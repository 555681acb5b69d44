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
	g := &savedStream{run: run, save: save}
	e, err := runner.Scan(ctx, process.NewLineReader(in, maxStreamLine), runner.Config{File: name, Convert: &runner.Convert{File: name}, Handler: g})
	if err == nil && g.read == 0 {
		err = errors.New("it is no stream: no line of it is an event")
	}
	if err = cmp.Or(err, g.err); err != nil {
		return View{Run: run}, err
	}
	run.Close()
	v := NewView(e, run)
	v.Answer, v.Stream, v.EventsFile = run.Answer(), name, name
	return v, nil
}

// savedStream adds the events of a stream to a run and saves its lines.
type savedStream struct {
	run  *transcript.Run
	save io.Writer
	read int
	err  error // of save
}

// Line adds a line.
func (s *savedStream) Line(l runner.Line) {
	if l.Event != nil {
		s.read++
	}
	Gather{s.run}.Line(l)
	if s.err == nil {
		_, s.err = s.save.Write(l.Raw)
	}
}

// Stderr does nothing: a saved stream has none.
func (*savedStream) Stderr([]byte) {}
