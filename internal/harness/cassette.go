package harness

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/openagent-ci/openagent/internal/model/cassette"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
)

// serveModel has what the options name answer the agent: a script, a cassette, or
// the endpoint behind a recorder.
func (r *run) serveModel(ctx context.Context) error {
	switch f := r.opts.Foreign; {
	case f.Script != "":
		return r.serveScript(ctx)
	case f.Record:
		return r.serveEndpoint(ctx)
	case f.Cassette != "":
		return r.serveCassette(ctx)
	}
	return nil
}

// serveCassette has the cassette answer the agent.
func (r *run) serveCassette(ctx context.Context) error {
	name := r.opts.Foreign.Cassette
	text, err := r.ReadUpTo(ctx, name, cassette.MaxFile)
	if err != nil {
		return hint.With(fmt.Errorf("read cassette: %w", err), "record it by --cassette-mode record")
	}
	recorded, err := cassette.Load(name, text, r.redactor)
	if err != nil {
		return err
	}
	r.replayed = recorded.Lenient()
	return r.serve(ctx, transport.Relay(&url.URL{Scheme: "http", Host: "cassette.invalid"}, r.replayed, nil), recorded.Model())
}

// serveEndpoint has the agent's endpoint answer it, and records that.
func (r *run) serveEndpoint(ctx context.Context) error {
	f := r.opts.Foreign
	upstream, err := url.Parse(cmp.Or(f.BaseURL, f.Agent.Upstream))
	if err != nil {
		return fmt.Errorf("record cassette: %w", err)
	}
	run, end := context.WithCancel(context.WithoutCancel(ctx))
	r.endTape = end
	if r.tape, err = cassette.NewRecorder(run, r.Path(f.Cassette), r.redactor); err != nil {
		return err
	}
	var next http.RoundTripper = r.tape.Tape(transport.Upstream())
	err = r.serve(ctx, transport.Relay(upstream, next, func(err error) {
		r.Logger().Warn("the endpoint gave no answer", "error", r.redactor.String(err.Error()))
	}), "")
	if err != nil {
		return err
	}
	// The same path, so that the agent asks for what the endpoint has.
	served := *r.opts.Foreign
	served.BaseURL = r.served.origin + upstream.Path
	r.opts.Foreign = &served
	return nil
}

// nameAgent notes whose requests come.
func (r *run) nameAgent(a cassette.Agent) {
	if r.tape != nil {
		r.tape.SetAgent(a)
	}
	if r.replayed != nil {
		r.replayed.SetAgent(a)
	}
}

// endCassette ends a recording, whose file takes the place of the cassette when the
// run ended well, and says how a replay differed. Its error is that of a recording
// that could not be written.
func (r *run) endCassette(e *runner.Execution) error {
	switch {
	case r.replayed != nil:
		r.printDrift(r.replayed.Drift())
	case r.tape != nil:
		broken := r.tape.Err()
		partial, err := r.tape.Close(broken == nil && e.Verdict == runner.VerdictSuccess)
		if broken != nil || err != nil {
			return cmp.Or(broken, err)
		}
		if partial != "" {
			r.Logger().Warn("the run did not end well, so the cassette is not replaced; rename its recording to replay it",
				"cassette", r.opts.Foreign.Cassette, "recording", partial)
		}
	}
	return nil
}

// printDrift prints how the requests differed from those that were recorded.
func (r *run) printDrift(d cassette.Drift) {
	for _, line := range term.Clean(r.redactor.String(d.String())) {
		_, _ = io.WriteString(r.Err, line+"\n")
	}
	if len(d.Unused) > 0 {
		r.Logger().Warn("exchanges of the cassette were not asked for", "cassette", r.opts.Foreign.Cassette, "unused", len(d.Unused))
	}
}
