package endpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/model/cassette"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Record runs the command with the endpoint behind a recorder, and returns its exit
// status. The recording takes the place of the cassette when that is 0; otherwise
// it stays beside it, of which people are warned. The end of ctx ends the command.
func Record(ctx context.Context, p *process.Process, o Options, upstream *url.URL) (status int, err error) {
	c := newCommand(p, o)
	path, who, err := c.about(ctx)
	if err != nil {
		return 0, err
	}
	answering, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	tape, err := cassette.NewRecorder(answering, p.Path(o.Cassette), c.masks)
	if err != nil {
		return 0, err
	}
	tape.SetAgent(who)
	relay := transport.Relay(upstream, tape.Tape(transport.Upstream()), func(err error) {
		p.Logger().Warn("the endpoint gave no answer", "error", c.masks.String(err.Error()))
	})
	status, err = c.run(ctx, path, relay, upstream.Path, "", end)
	broken := errors.Join(err, tape.Err())
	partial, err := tape.Close(broken == nil && status == 0)
	if partial != "" {
		p.Logger().Warn("the command did not end well, so the cassette is not replaced; rename its recording to replay it",
			"cassette", o.Cassette, "recording", partial)
	}
	if broken == nil && tape.Empty() {
		p.Logger().Warn("nothing was recorded: the command asked nothing where OPENAI_BASE_URL, ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL point",
			"cassette", o.Cassette)
	}
	return status, cmp.Or(broken, err)
}

// Replayed is what came of a command that a cassette answered.
type Replayed struct {
	// Status is the exit status of the command.
	Status int
	// Missed is why the first request that was not answered was not, nil for none.
	Missed *chat.Failure
	// Drift is how the requests differed, as JSON; empty where none may.
	Drift []byte
}

// Replay runs the command with the cassette in the place of an endpoint. Requests
// are answered by their order, or only where they are what they were if strict. How
// they differ is printed. The end of ctx ends the command.
func Replay(ctx context.Context, p *process.Process, o Options, strict bool) (*Replayed, error) {
	c := newCommand(p, o)
	text, err := p.ReadUpTo(ctx, o.Cassette, cassette.MaxFile)
	if err != nil {
		return nil, hint.With(fmt.Errorf("read cassette: %w", err), "record it by openagent model record")
	}
	recorded, err := cassette.Load(o.Cassette, text, c.masks)
	if err != nil {
		return nil, err
	}
	path, who, err := c.about(ctx)
	if err != nil {
		return nil, err
	}
	c.Model = cmp.Or(c.Model, recorded.Model())
	base, _ := recorded.Path()
	if strict {
		return c.replayStrictly(ctx, path, recorded, base)
	}
	order := recorded.Lenient()
	order.SetAgent(who)
	status, err := c.replay(ctx, path, order, base)
	if err != nil {
		return nil, err
	}
	d := order.Drift()
	c.print(d.String())
	c.warnOfUnused(len(d.Unused))
	return &Replayed{Status: status, Missed: order.Missed(), Drift: d.JSON()}, nil
}

func (c *command) replayStrictly(ctx context.Context, path string, recorded *cassette.Cassette, base string) (*Replayed, error) {
	status, err := c.replay(ctx, path, recorded, base)
	if err != nil {
		return nil, err
	}
	missed := recorded.Missed()
	if missed == nil {
		unused, _ := recorded.Unused()
		c.warnOfUnused(unused)
	}
	c.print(recorded.Difference())
	return &Replayed{Status: status, Missed: missed}, nil
}

// replay has next answer the command.
func (c *command) replay(ctx context.Context, path string, next http.RoundTripper, base string) (int, error) {
	nowhere := &url.URL{Scheme: "http", Host: "cassette.invalid"}
	return c.run(ctx, path, transport.Relay(nowhere, next, nil), base, adapter.ServedKey, func() {})
}

// print prints text that has what an agent said.
func (c *command) print(text string) {
	for _, line := range term.Clean(c.masks.String(text)) {
		_, _ = io.WriteString(c.Err, line+"\n")
	}
}

func (c *command) warnOfUnused(n int) {
	if n == 0 {
		return
	}
	c.Logger().Warn("exchanges of the cassette were not asked for", "cassette", c.Cassette, "unused", n)
}
