package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/projection"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// sink returns where the events of a run go.
func (s *setup) sink(log *sideLog, people event.Sink) event.Sink {
	var all event.Multi
	if log != nil {
		all = append(all, log)
	}
	if people != nil {
		all = append(all, people)
	} else {
		all = append(all, projection.NewEmitter(s.Out))
	}
	return all
}

// printFinal prints the model's last text for people.
func (s *setup) printFinal(res agent.Result) error {
	if s.People == nil {
		return nil
	}
	for _, line := range term.Clean(res.FinalOutput) {
		if _, err := fmt.Fprintln(s.Out, line); err != nil {
			return fmt.Errorf("print final output: %w", err)
		}
	}
	return nil
}

// sideLog is the event log beside the stream. When it cannot be written it
// takes no more events, the stream goes on, and the run ends with that error.
type sideLog struct {
	log *event.Log
	err error
}

// openLog opens the event log; without a name there is none.
func (s *setup) openLog(ctx context.Context, held *closers) (*sideLog, error) {
	if s.Events == "" {
		return nil, nil
	}
	path := s.Path(s.Events)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, before(codeEvents, fmt.Errorf("open event log: %w", err))
	}
	f, err := process.Await(ctx, func() (*os.File, error) {
		return os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	})
	if err != nil {
		return nil, before(codeEvents, fmt.Errorf("open event log: %w", err))
	}
	held.add(f.Close)
	return &sideLog{log: event.NewLog(process.NewDeadlineWriter(s.span, f), s.Stream)}, nil
}

// Emit adds an event to the log. It never fails: failure has the error.
func (l *sideLog) Emit(e event.Event) error {
	if l.err == nil {
		l.err = l.log.Emit(e)
	}
	return nil
}

// failure returns why the log is not whole; of no log it is nil.
func (l *sideLog) failure() error {
	if l == nil {
		return nil
	}
	return l.err
}
