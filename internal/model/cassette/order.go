package cassette

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/model/wire"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Lenient answers from a cassette what programs ask that put times, ids and paths
// into their requests: the first request of the run gets what the first recorded
// one got, whatever either says. What they say differently is its drift. Requests
// besides the conversation, for titles and the like, are counted by their kind, and
// the last of a kind may be asked for again. It is safe for concurrent use.
type Lenient struct {
	c    *Cassette
	came *scrubber // of what comes; that of what was recorded is in known

	kinds  []kind   // of the exchanges
	bodies [][]part // their requests without what differs each time
	tools  bool     // some request offers tools, so that one without is none of the conversation
	prompt bool     // a request of the conversation or to a judge with another prompt or other tools gets no answer

	// The lock of c guards these too.
	used  []bool
	drift Drift
	seen  map[Difference]bool
}

// Lenient returns a transport that answers from c by order.
func (c *Cassette) Lenient() *Lenient { return c.lenient(false) }

func (c *Cassette) lenient(prompt bool) *Lenient {
	o := &Lenient{
		c: c, prompt: prompt, tools: c.offersTools(), came: newScrubber(""), used: make([]bool, len(c.exchanges)), seen: map[Difference]bool{},
		drift: Drift{Schema: driftSchema, Cassette: c.name, Recorded: c.Agent(), Requests: []DriftRequest{}, Unused: []int{}},
	}
	was := newScrubber(c.Agent().Folder)
	for i := range c.exchanges {
		x := &c.exchanges[i]
		o.bodies = append(o.bodies, was.parts(x.body))
		o.kinds = append(o.kinds, o.kind(x, o.bodies[i]))
	}
	return o
}

// SetAgent notes whose requests come, before the first one.
func (o *Lenient) SetAgent(a Agent) {
	o.drift.Replayed, o.came = a, newScrubber(a.Folder, o.c.Agent().Folder) // recorded answers name the recorded folder
}

// kind tells requests apart that are counted apart: where they go, and how they
// begin. The zero value is that of the conversation.
type kind struct{ where, begin string }

// ofJudge is the kind of the requests that ask a judge.
var ofJudge = kind{"judge", judgePrompt}

func (o *Lenient) kind(x *exchange, body []part) kind {
	if o.prompt && slices.ContainsFunc(body, func(p part) bool { return p.key == "messages/0" && strings.Contains(p.value, judgePrompt) }) {
		return ofJudge
	}
	if !x.isBeside(o.tools) {
		return kind{}
	}
	k := kind{where: x.method + " " + pathOf(x)}
	for _, p := range body {
		if slices.Contains([]string{"system", "system/0", "instructions", "systemInstruction", "messages/0"}, p.key) {
			k.begin = p.value[:min(len(p.value), maxBegin)]
			break
		}
	}
	return k
}

// maxBegin is how much of a system prompt tells kinds of requests apart, in bytes.
const maxBegin = 160

// RoundTrip answers with the next exchange of the request's kind. One too many
// fails with a *chat.Failure of kind cassette.
func (o *Lenient) RoundTrip(req *http.Request) (*http.Response, error) {
	return o.c.respond(req, o.exchangeFor)
}

// exchangeFor returns the exchange that answers, and notes how its request differed.
func (o *Lenient) exchangeFor(got *exchange) (*exchange, error) {
	body := o.came.parts(got.body)
	k := o.kind(got, body)
	o.c.mu.Lock()
	defer o.c.mu.Unlock()
	o.drift.Came++
	at := o.next(k, body)
	if i := slices.IndexFunc(o.kinds, func(other kind) bool { return other.where == k.where }); at < 0 && i >= 0 {
		at = o.next(o.kinds[i], body) // it begins in another way than it did
	}
	alike := len(slices.DeleteFunc(slices.Clone(o.kinds), func(other kind) bool { return other != k }))
	switch {
	case at < 0 && k == ofJudge:
		return nil, o.miss("request %d is a vote of a judge, and the cassette has only %s", o.drift.Came, term.Counted(alike, "vote"))
	case at < 0 && k == kind{}:
		return nil, o.miss("request %d came, and each of the %d recorded ones was answered", o.drift.Came, alike)
	case at < 0:
		return nil, o.miss("request %d, %s, is like none that was recorded", o.drift.Came, k.where)
	}
	if was, is := o.c.exchanges[at].wire(), got.wire(); was != is {
		return nil, o.miss("request %d, %s, came over another API than request %d of the cassette, %s",
			o.drift.Came, pathOf(got), at+1, pathOf(&o.c.exchanges[at]))
	}
	if o.prompt && (k == kind{} || k == ofJudge) {
		if changed := o.changedPrompt(at, got, body); len(changed) > 0 {
			if o.c.difference == "" {
				o.c.difference = o.c.show(at, o.drift.Came, changed)
			}
			return nil, o.miss("request %d is not the recorded one: %s", o.drift.Came, changed[0])
		}
	}
	o.used[at] = true
	o.note(at, got, body)
	return &o.c.exchanges[at], nil
}

func (o *Lenient) miss(format string, args ...any) *chat.Failure {
	o.drift.Missed++
	return o.c.miss(format, args...)
}

// wire returns the API that a request is made over, nil for none.
func (x *exchange) wire() *wire.Wire {
	over, _, _ := wire.Find(pathOf(x), nil)
	return over
}

func pathOf(x *exchange) string {
	path, _, _ := strings.Cut(x.path, "?")
	return path
}

// next returns the exchange of a kind that answers, -1 for none: of those that nobody
// asked for the first with the same body, which another request may have overtaken, or
// else the first. When all were asked for, the last of a kind that is not of the
// conversation and not of a judge answers again.
func (o *Lenient) next(k kind, body []part) int {
	first, last := -1, -1
	for i, other := range o.kinds {
		if other != k {
			continue
		}
		last = i
		if o.used[i] {
			continue
		}
		if slices.Equal(o.bodies[i], body) {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	if first < 0 && k != (kind{}) && k != ofJudge {
		return last
	}
	return first
}

// offersTools reports whether some request of the cassette offers tools.
func (c *Cassette) offersTools() bool {
	return slices.ContainsFunc(c.exchanges, func(x exchange) bool {
		r, _, ok := x.request()
		return ok && len(r.Tools) > 0
	})
}

// isBeside reports whether a request is none of the conversation, which needs tools
// or not: a side request, or one for something else than a reply.
func (x *exchange) isBeside(needsTools bool) bool {
	r, body, ok := x.request()
	return !ok || r.IsSide(body, needsTools)
}

// request returns what a request for a reply says, and its body; ok is false for one
// for something else.
func (x *exchange) request() (r wire.Request, body []byte, ok bool) {
	at, err := url.Parse(x.path)
	if err != nil {
		return r, nil, false
	}
	w, ask, _ := wire.Find(at.Path, nil)
	if ask != wire.Answer {
		return r, nil, false
	}
	body = joinParts(x.body)
	r, _ = w.Parse(at, body) // what cannot be read offers nothing
	return r, body, true
}
