package cassette

import (
	"net/url"
	"slices"

	"github.com/openagent-ci/openagent/internal/wire"
)

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
