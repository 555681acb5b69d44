package endpoint

import (
	"cmp"
	"context"
	"net/url"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// Record runs the command with the endpoint behind a recorder, and returns its exit
// status. The recording replaces the cassette when that is 0; otherwise it stays next
// to it, with a warning. The end of ctx ends the command.
func Record(ctx context.Context, p *process.Process, o Options, upstream *url.URL) (int, error) {
	c := newCommand(p, o)
	s, err := Recorder(context.WithoutCancel(ctx), p, o.Cassette, upstream, c.masks)
	if err != nil {
		return 0, err
	}
	status, err := c.run(ctx, s, upstream.Path, "")
	if err == nil && s.tape.Empty() && s.Err() == nil {
		p.Logger().Warn("nothing was recorded: the command asked nothing where OPENAI_BASE_URL, ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL point",
			"cassette", o.Cassette)
	}
	return status, cmp.Or(err, s.Close(err == nil && status == 0))
}

// Replayed is the result of a command that a cassette answered.
type Replayed struct {
	// Status is the exit status of the command.
	Status int
	// Missed is why the first request that was not answered was not, nil for none.
	Missed *chat.Failure
	// Drift is how the requests differed, as JSON; empty where none may.
	Drift []byte
}

// Replay runs the command with the cassette instead of an endpoint. Requests are
// answered by their order, or if strict only where they are the recorded ones. How
// they differ is printed. The end of ctx ends the command.
func Replay(ctx context.Context, p *process.Process, o Options, strict bool) (*Replayed, error) {
	c := newCommand(p, o)
	s, err := Cassette(ctx, p, o.Cassette, "openagent model record", c.masks)
	if err != nil {
		return nil, err
	}
	if !strict {
		s.ByOrder()
	}
	c.Model = cmp.Or(c.Model, s.Model)
	base, _ := s.Path()
	status, err := c.run(ctx, s, base, adapter.ServedKey)
	_ = s.Close(status == 0) // it writes nothing
	if err != nil {
		return nil, err
	}
	replayed := &Replayed{Status: status}
	replayed.Missed, _ = s.Outcome()
	if !strict {
		d := s.byOrder.Drift()
		replayed.Drift = d.JSON()
	}
	return replayed, nil
}
