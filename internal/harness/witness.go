package harness

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/adapter/raw"
	"github.com/openagent-ci/openagent/internal/adapter/toolname"
	modelwitness "github.com/openagent-ci/openagent/internal/harness/witness"
	"github.com/openagent-ci/openagent/internal/model/endpoint"
	"github.com/openagent-ci/openagent/internal/model/prices"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// Budget bounds what another agent may use; 0 is no bound. Prices is a file.
type Budget struct {
	Tokens, Steps int64
	Cost          float64
	Prices        string
}

func (b Budget) set() bool { return b.Tokens > 0 || b.Steps > 0 || b.Cost > 0 }

// covers reports whether what an agent says that it used is known to be within the budget.
func (b Budget) covers(used *schema.Usage) bool {
	none := new(int64)
	tokens := max(*cmp.Or(used.TotalTokens, none), *cmp.Or(used.InputTokens, none)+*cmp.Or(used.OutputTokens, none))
	cost, known := used.CostUSD.Get()
	return (b.Tokens == 0 || tokens <= b.Tokens) && (b.Cost == 0 || known && float64(cost) <= b.Cost)
}

// witness compares the calls of another agent's stream with those that its model was seen
// to make. It belongs to one run.
type witness struct {
	agent  *adapter.Agent
	dir    string // the workspace
	budget Budget
	// seen is nil where the harness is not between agent and model, because of reason.
	seen    *modelwitness.Witness
	printed []*call

	requests int
	reason   string // why the comparison is not complete, empty where it is
	found    []validate.Finding
}

// call is a call of the stream, or one of the model, by its neutral name.
type call struct {
	id, tool, arguments string
	other               *call // the same one on the other side
}

// newWitness makes the witness of a run that the harness serves.
func (r *run) newWitness(ctx context.Context) error {
	f := r.opts.Foreign
	limits := modelwitness.Budget{Tokens: f.Budget.Tokens, Steps: f.Budget.Steps, Cost: f.Budget.Cost}
	if f.Budget.Prices != "" {
		text, err := r.Read(ctx, f.Budget.Prices)
		if err != nil {
			return fmt.Errorf("read prices: %w", err)
		}
		if limits.Prices, err = prices.Load(f.Budget.Prices, text); err != nil {
			return err
		}
	}
	r.witness.seen = modelwitness.New(limits)
	r.source.Watch(r.witness.seen.Handler)
	return nil
}

// cannotWitness notes why the harness cannot stand between an agent and its model. A
// budget would not hold then.
func (r *run) cannotWitness(why string) error {
	r.witness.reason = why
	if r.opts.Foreign.Budget.set() {
		return hint.With(fmt.Errorf("a budget could not hold for %s: %s", r.opts.Foreign.Agent.Name, why), "leave it out, or give a key")
	}
	r.Logger().Warn("the calls of the agent are not checked", "reason", why)
	return nil
}

// Called notes a call of the stream.
func (w *witness) Called(c emit.Call) {
	w.printed = append(w.printed, w.neutral(c.ID, c.Tool, string(c.Args)))
}

// neutral returns a call by the name that both sides have for it.
func (w *witness) neutral(id, tool, arguments string) *call {
	tool = w.agent.Printed(tool, arguments)
	n := toolname.Neutral(toolname.Call{Tool: tool, Arguments: arguments}, w.dir)
	return &call{id: id, tool: n.Tool, arguments: n.Arguments}
}

// Compare returns what the stream lacks, and keeps what is to be reported.
func (w *witness) Compare(used *schema.Usage) emit.Seen { return w.lacking(used, w.seen.Seen()) }

func (w *witness) lacking(used *schema.Usage, seen modelwitness.Seen) (s emit.Seen) {
	w.requests, w.reason = seen.Requests, cmp.Or(seen.Unread, above(used, seen))
	s.Usage = usageOf(used, seen)
	switch {
	case seen.Spent != "":
		s.Stopped = &emit.Terminal{Reason: schema.ExitBudgetExceeded, Code: emit.CodeBudget, Text: seen.Spent}
	case w.reason != "" && w.budget.set() && (seen.Unread != "" || !seen.Partly || !w.budget.covers(used)):
		s.Stopped = &emit.Terminal{Reason: schema.ExitBudgetExceeded, Code: emit.CodeBudget, Text: "the budget did not hold: " + w.reason}
	}
	slices.SortStableFunc(seen.Calls, byResult)
	var made, shown []*call
	for _, c := range seen.Calls {
		made = append(made, w.neutral(c.ID, c.Tool, c.Arguments))
		if c.Main || !w.agent.HidesAgents {
			shown = append(shown, made[len(made)-1])
		}
	}
	pair(w.printed, shown) // first, because a sub-agent may make the same call
	pair(w.printed, made)
	for i, c := range seen.Calls {
		if c.Answered == 0 || made[i].other != nil {
			continue
		}
		s.Calls = append(s.Calls, emit.Call{ID: c.ID, Tool: c.Tool, Args: raw.Value(c.Arguments)})
		if silent := slices.Contains(w.agent.Silent, c.Tool) || w.agent.HidesAgents && !c.Main; !silent {
			w.find(validate.RuleHiddenCall, "the model called %s %s and got a result, want that call in the stream", c.Tool, c.Arguments)
		}
	}
	for _, c := range w.printed {
		if c.other == nil && w.reason == "" && !slices.Contains(w.agent.Unprompted, c.tool) {
			w.find(validate.RuleUnservedCall, "the stream has a call of %s %s, want one that the model made", c.tool, c.arguments)
		}
	}
	return s
}

// byResult sorts calls with results first, in the order of these.
func byResult(a, b modelwitness.Call) int {
	if a.Answered == 0 || b.Answered == 0 {
		return b.Answered - a.Answered
	}
	return a.Answered - b.Answered
}

// maxQuoted bounds what a finding quotes of the arguments of a call, in characters.
const maxQuoted = 200

func (w *witness) find(rule, message, tool, arguments string) {
	arguments, _ = clip.OneLine(clip.UTF8(arguments), maxQuoted)
	w.found = append(w.found, validate.NewFinding(rule, 0, fmt.Sprintf(message, tool, arguments)))
}

// pair finds the calls that both sides have: by id, else by name and arguments, else by
// name, each once and in their order.
func pair(printed, made []*call) {
	for _, key := range []func(*call) string{
		func(c *call) string { return c.id },
		func(c *call) string { return c.tool + "\x00" + c.arguments },
		func(c *call) string { return c.tool },
	} {
		open := map[string][]*call{}
		for _, c := range printed {
			if k := key(c); c.other == nil && k != "" {
				open[k] = append(open[k], c)
			}
		}
		for _, c := range made {
			k := key(c)
			if list := open[k]; c.other == nil && len(list) > 0 {
				c.other, list[0].other, open[k] = list[0], c, list[1:]
			}
		}
	}
}

// above says that an agent reports more usage than was seen, empty where it does not.
func above(used *schema.Usage, seen modelwitness.Seen) string {
	if used == nil {
		return ""
	}
	for _, n := range []struct{ reported, seen *int64 }{{used.InputTokens, seen.Usage.Input}, {used.OutputTokens, seen.Usage.Output}} {
		if saw := *cmp.Or(n.seen, new(int64)); n.reported != nil && *n.reported > saw {
			return fmt.Sprintf("the agent reports more tokens (%d) than were seen (%d)", *n.reported, saw)
		}
	}
	return ""
}

// usageOf returns the usage of an agent with the parts that were seen of every reply where
// the agent does not report all of its own, nil where it does and where no part is known.
func usageOf(used *schema.Usage, seen modelwitness.Seen) *schema.Usage {
	if used != nil && used.InputTokens != nil && used.OutputTokens != nil {
		return nil
	}
	u := *cmp.Or(used, &schema.Usage{})
	for _, part := range []struct {
		to    **int64
		seen  *int64
		lacks bool
	}{
		{&u.InputTokens, seen.Usage.Input, seen.Lacks.Input},
		{&u.OutputTokens, seen.Usage.Output, seen.Lacks.Output},
		{&u.TotalTokens, seen.Usage.Total, seen.Lacks.Total},
		{&u.CachedInputTokens, seen.Usage.Cached, seen.Lacks.Input},
	} {
		if part.seen != nil && !part.lacks {
			*part.to = part.seen
		}
	}
	if u == (schema.Usage{}) {
		return nil
	}
	if seen.Cost > 0 && !seen.Unpriced && u.CostUSD.IsZero() {
		u.CostUSD = schema.Some(schema.USD(prices.Rounded(seen.Cost)))
	}
	return &u
}

// findings returns what was found; none without a witness.
func (w *witness) findings() []validate.Finding {
	if w == nil {
		return nil
	}
	return w.found
}

// status returns how complete the comparison is, nil where none was asked for.
func (w *witness) status() *schema.ManifestWitness {
	if w == nil {
		return nil
	}
	s := &schema.ManifestWitness{Complete: w.reason == "", Requests: w.requests}
	if !s.Complete {
		s.Reason = &w.reason
	}
	return s
}

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
