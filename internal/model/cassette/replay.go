package cassette

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/model/wire"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// Cassette is a recording that answers in place of an endpoint. It reaches no
// network. Requests must come in the order, and with the method, path and
// canonical body, in which they were recorded. It is safe for concurrent use.
type Cassette struct {
	name      string
	agent     *Agent // nil where the built-in one was recorded
	exchanges []exchange
	masks     *masks

	mu         sync.Mutex
	used       int
	difference string
	missed     *chat.Failure
}

// Model returns the model that the first request of the conversation asked, or else
// the first one at all; "" if it named none.
func (c *Cassette) Model() string {
	tools := c.offersTools()
	i := slices.IndexFunc(c.exchanges, func(x exchange) bool { return !x.isBeside(tools) })
	return c.exchanges[max(i, 0)].model()
}

// model returns the model that a request names, in its body or in its path.
func (x *exchange) model() (model string) {
	for _, p := range x.body {
		if p.key == "model" {
			_ = json.Unmarshal([]byte(p.value), &model) // no string is no name
		}
	}
	if r, _, ok := x.request(); ok && model == "" {
		model = r.Model // what the path says
	}
	return model
}

// Agent returns whose requests were recorded, the zero value where nobody said.
func (c *Cassette) Agent() Agent {
	if c.agent == nil {
		return Agent{}
	}
	return *c.agent
}

// Path returns where the first request went, the path below which the endpoint
// offered its APIs apart from the end that names one of them; both are "" when
// that end is not known.
func (c *Cassette) Path() (base, last string) {
	path, _, _ := strings.Cut(c.exchanges[0].path, "?")
	_, ask, base := wire.Find(path, nil)
	if ask != wire.Answer {
		return "", ""
	}
	return base, strings.TrimPrefix(path, base)
}

// Unused returns how many exchanges were not asked for, and of how many.
func (c *Cassette) Unused() (unused, all int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(len(c.exchanges)-c.used, 0), len(c.exchanges)
}

// Skip passes over the exchanges that an earlier run of the conversation asked for.
func (c *Cassette) Skip(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used += n
}

// Difference shows, in lines of about 2 KB together, how the request that was
// not in the cassette differs from the nearest one that is; "" for none.
func (c *Cassette) Difference() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.difference
}

// RoundTrip answers with the next exchange. A request that is another one, or
// one after the last, fails with a *chat.Failure of kind cassette.
func (c *Cassette) RoundTrip(req *http.Request) (*http.Response, error) {
	return c.respond(req, c.exchangeFor)
}

// respond answers with what came of the exchange that find returns for a request.
func (c *Cassette) respond(req *http.Request, find func(*exchange) (*exchange, error)) (*http.Response, error) {
	body, err := readBody(req)
	if err == nil {
		err = context.Cause(req.Context())
	}
	if err != nil {
		return nil, err
	}
	x, err := find(asked(req, body, c.masks))
	switch {
	case err != nil:
		return nil, err
	case x.status == 0:
		return nil, x.broken()
	}
	return x.response(req), nil
}

// asked returns the exchange that a request begins.
func asked(req *http.Request, body []byte, m *masks) *exchange {
	r := m.learn(req, body)
	return &exchange{method: req.Method, path: address(req.URL, r), body: bodyParts(body, r)}
}

// exchangeFor returns the next exchange if it is what is asked for.
func (c *Cassette) exchangeFor(got *exchange) (*exchange, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used++
	if c.used > len(c.exchanges) {
		return nil, c.miss("request %d came, want at most %d (no exchange is left)", c.used, len(c.exchanges))
	}
	x := &c.exchanges[c.used-1]
	if x.sameRequest(got) {
		return x, nil
	}
	near := c.nearest(got, c.used-1)
	c.difference = c.show(near, c.used, differences(&c.exchanges[near], got))
	return nil, c.miss("request %d is not the recorded one: %s", c.used, firstDifference(&c.exchanges[near], got))
}

func (c *Cassette) miss(format string, args ...any) *chat.Failure {
	err := &chat.Failure{Kind: chat.FailCassette, Message: fmt.Sprintf(format, args...) + "; cassette " + c.name}
	if c.missed == nil {
		c.missed = err
	}
	return err
}

// Missed returns why the first request that no exchange answered got none, nil for
// none.
func (c *Cassette) Missed() *chat.Failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.missed
}

// nearest returns the exchange whose request differs least from got, the expected one
// if no other differs less.
func (c *Cassette) nearest(got *exchange, expected int) int {
	best, least := expected, len(differences(&c.exchanges[expected], got))
	for i := range c.exchanges {
		if n := len(differences(&c.exchanges[i], got)); n < least {
			best, least = i, n
		}
	}
	return best
}

// response returns the recorded answer.
func (x *exchange) response(req *http.Request) *http.Response {
	header := http.Header{}
	for name, value := range x.headers {
		header.Set(name, value)
	}
	var body bytes.Buffer
	for i := range x.answer {
		body.Write(x.answer[i].bytes())
	}
	return transport.Response(req, x.status, header, body.Bytes(), x.broken())
}

// broken returns the error in which the exchange ended, nil if it ended well.
func (x *exchange) broken() error {
	switch {
	case x.end == endTimeout:
		return &chat.Failure{Kind: chat.FailTimeout, Retryable: true, Message: "nothing came in time, as it was recorded"}
	case x.end == endCut && x.status == 0:
		return &chat.Failure{Kind: chat.FailConnection, Retryable: true, Message: "the connection was lost, as it was recorded"}
	case x.end == endCut:
		return io.ErrUnexpectedEOF
	}
	return nil
}
