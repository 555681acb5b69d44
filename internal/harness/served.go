package harness

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/schema/validate"
)

// served is what stands in for the endpoint of an agent, on a port of this machine.
type served struct {
	origin string
	stop   func() error
}

// serve has h answer the agent until the run is over: its endpoint and, unless one
// is named, its model are those of h.
func (r *run) serve(ctx context.Context, h http.Handler, model string) error {
	var s served
	var err error
	if s.origin, s.stop, err = transport.Listen(ctx, h); err != nil {
		return fmt.Errorf("serve a model: %w", err)
	}
	r.served = &s
	f := *r.opts.Foreign
	f.BaseURL, f.Model = f.Agent.Endpoint(s.origin), cmp.Or(f.Model, model)
	r.opts.Foreign = &f
	return nil
}

// stopServing ends what serve began.
func (r *run) stopServing() {
	if r.served == nil {
		return
	}
	if r.endTape != nil {
		r.endTape()
	}
	if err := r.served.stop(); err != nil {
		r.Logger().Warn("the served model ended before the run", "error", err)
	}
}

// serveScript has the script of the options answer the agent.
func (r *run) serveScript(ctx context.Context) error {
	name := r.opts.Foreign.Script
	text, err := r.Read(ctx, name)
	if err != nil {
		return fmt.Errorf("read script: %w", err)
	}
	if r.script, err = transport.LoadScript(name, text); err != nil {
		return err
	}
	return r.serve(ctx, r.script, transport.ModelName)
}

// scriptFindings returns what a script or cassette refused; of turns that nobody
// asked for it only warns, since a run may end early on purpose.
func (r *run) scriptFindings() []validate.Finding {
	refusal := func(who string, f *chat.Failure) []validate.Finding {
		return []validate.Finding{validate.NewFinding(validate.RuleScript, 0, "the "+who+" refused a request: "+f.Message)}
	}
	if r.replayed != nil && r.replayed.Missed() != nil {
		return refusal("cassette", r.replayed.Missed())
	}
	if r.script == nil {
		return nil
	}
	left, refused := r.script.Outcome()
	if refused != nil {
		return refusal("scripted model", refused)
	}
	if left > 0 {
		r.Logger().Warn("turns of the script were not asked for", "script", r.opts.Foreign.Script, "unused", left)
	}
	return nil
}
