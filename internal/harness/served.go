package harness

import (
	"cmp"
	"context"
	"fmt"
	"net/url"

	"github.com/openagent-ci/openagent/internal/model/endpoint"
	"github.com/openagent-ci/openagent/schema/validate"
)

// serveModel has what the options name answer the agent, on a port of this machine: a
// script, a cassette, or the endpoint behind a recorder.
func (r *run) serveModel(ctx context.Context) error {
	f := *r.opts.Foreign
	var upstream *url.URL
	var err error
	switch {
	case f.Script != "":
		r.source, err = r.readScript(ctx, f.Script)
	case f.Record:
		if upstream, err = url.Parse(cmp.Or(f.BaseURL, f.Agent.Upstream)); err != nil {
			return fmt.Errorf("record cassette: %w", err)
		}
		r.source, err = endpoint.Recorder(context.WithoutCancel(ctx), r.Process, f.Cassette, upstream, r.redactor)
	case f.Cassette != "":
		if r.source, err = endpoint.Cassette(ctx, r.Process, f.Cassette, "--cassette-mode record", r.redactor); err == nil {
			r.source.ByOrder()
		}
	case f.Witness:
		if why := r.needsOwnHost(); why != "" {
			return r.cannotWitness(why)
		}
		if upstream, err = url.Parse(cmp.Or(f.BaseURL, f.Agent.Upstream)); err != nil {
			return fmt.Errorf("ask the endpoint: %w", err)
		}
		r.source = endpoint.Proxy(r.Process, upstream, r.redactor)
	default:
		return nil
	}
	if err == nil {
		err = r.newWitness(ctx)
	}
	if err != nil {
		return err
	}
	origin, err := r.source.Listen(ctx)
	if err != nil {
		return err
	}
	if f.BaseURL = f.Agent.Endpoint(origin); upstream != nil {
		f.BaseURL = origin + upstream.Path // the agent asks for what the endpoint has
	}
	f.Model = cmp.Or(f.Model, r.source.Model)
	r.opts.Foreign = &f
	return nil
}

// needsOwnHost says why an agent has to ask its provider itself, empty where it does not.
func (r *run) needsOwnHost() string {
	f := r.opts.Foreign
	k := r.keyOf(f.Agent)
	switch {
	case k == (agentKey{}) && !f.PrivateHome:
		return "the login of this user needs the provider's own host"
	case f.BaseURL == "" && f.Agent.Upstream == "":
		return f.Agent.Name + " asks the provider's own host without --base-url"
	}
	return ""
}

func (r *run) readScript(ctx context.Context, name string) (*endpoint.Source, error) {
	text, err := r.Read(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	return endpoint.Script(r.Process, name, text)
}

// scriptFindings returns what a script or cassette refused; of turns that nobody
// asked for it only warns, since a run may end early on purpose.
func (r *run) scriptFindings() []validate.Finding {
	refused, left := r.source.Outcome()
	if refused != nil {
		who := "scripted model"
		if r.source.Replays() {
			who = "cassette"
		}
		return []validate.Finding{validate.NewFinding(validate.RuleScript, 0, "the "+who+" refused a request: "+refused.Message)}
	}
	if left > 0 {
		r.Logger().Warn("turns of the script were not asked for", "script", r.opts.Foreign.Script, "unused", left)
	}
	return nil
}
