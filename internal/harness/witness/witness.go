// Package witness notes what a model asks an agent to do, and how much of it, from the
// requests and replies between the two.
package witness

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/openagent-ci/openagent/internal/model/prices"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/model/wire"
	"github.com/openagent-ci/openagent/internal/text/clip"
)

// maxCalls and maxArguments bound what is kept of the calls: their number, and the bytes
// of all their arguments.
const (
	maxCalls     = 20_000
	maxArguments = 64 << 20
)

// Budget bounds what a run may use; 0 is no bound. Cost is in US dollars, by Prices.
type Budget struct {
	Tokens, Steps int64
	Cost          float64
	Prices        *prices.Table
}

// Set reports whether anything is bounded.
func (b Budget) Set() bool { return b.Tokens > 0 || b.Steps > 0 || b.Cost > 0 }

// Call is a call in a reply.
type Call struct {
	wire.Made
	// Answered counts from 1 the calls whose results were sent to the model, in that
	// order; 0 is a call without one.
	Answered int
	// Main says that the call is of the first conversation that offers tools, or of one
	// that continues it.
	Main bool
	used int // the request in which a result was last counted for it
}

// Seen is what was seen of a run.
type Seen struct {
	Calls    []Call // in the order in which they came
	Requests int
	// Usage is that of all replies, Cost what they cost by the prices of the budget.
	Usage wire.Usage
	Cost  float64
	// Partly says that some reply did not report its usage, or not all of it. It does not
	// cover replies that the agent hung up on.
	Partly bool
	// Lacks says which parts of Usage some reply did not report, Unpriced that Cost lacks
	// what some reply used.
	Lacks    struct{ Input, Output, Total bool }
	Unpriced bool
	// Unread says why something was not seen, Spent why a request was refused; empty
	// where nothing was.
	Unread, Spent string
}

// Witness sees the exchanges of one run. It is safe for concurrent use.
type Witness struct {
	budget  Budget
	refused chan struct{}

	open sync.WaitGroup // exchanges

	mu       sync.Mutex
	read     int     // requests
	seen     Seen    // without the calls
	list     []*Call // in the order in which they came
	answered int
	size     int   // of all arguments
	steps    int64 // replies that could have called tools
	ending   map[*reply]bool
	main     bool // there is a conversation of the main loop
	calls    map[[sha256.Size]byte]*conversation
	byID     map[string][]*Call       // in all conversations
	after    map[string]*conversation // of a response
	upgrade  bool                     // the last request asked for a WebSocket
	unpriced string                   // why tokens or cost are not known
}

type conversation struct {
	main bool // it is that of the main loop
	byID map[string][]*Call
	last []*Call // of the last whole reply with calls
}

// New returns a witness that refuses requests once the budget is spent.
func New(b Budget) *Witness {
	return &Witness{
		budget: b, refused: make(chan struct{}),
		ending: map[*reply]bool{}, calls: map[[sha256.Size]byte]*conversation{}, byID: map[string][]*Call{}, after: map[string]*conversation{},
	}
}

// Refused returns a channel that is closed when a request is refused.
func (w *Witness) Refused() <-chan struct{} { return w.refused }

// patience is for exchanges whose agent has ended, linger for the rest of a reply that the
// agent hung up on.
const (
	patience = 2 * time.Second
	linger   = 10 * time.Second
)

// Seen returns what was seen of an agent that has ended.
func (w *Witness) Seen() Seen {
	over := make(chan struct{})
	go func() {
		w.open.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(patience):
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.seen
	for _, call := range w.list {
		s.Calls = append(s.Calls, *call)
	}
	switch {
	case w.upgrade:
		s.Unread = cmp.Or(s.Unread, "the agent insists on a WebSocket")
	case s.Requests == 0:
		s.Unread = cmp.Or(s.Unread, "no request was seen")
	}
	return s
}

// Handler returns a handler that sees what next is asked, and answers.
func (w *Witness) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		over, ask, _ := wire.Find(req.URL.Path, req.Header)
		switch {
		case strings.EqualFold(req.Header.Get("Upgrade"), "websocket"):
			w.note(func() { w.upgrade = true })
			rw.Header().Set("Upgrade", "HTTP/1.1")
			transport.Refuse(rw, req, http.StatusUpgradeRequired, "WebSockets are not served here: ask over HTTP")
		case req.Method == http.MethodPost && (ask == wire.Nothing || ask.Method() != req.Method):
			w.unreadable(rw, req, next)
		case ask != wire.Answer || req.Method != ask.Method():
			next.ServeHTTP(rw, req)
		default:
			w.exchange(rw, req, over, next)
		}
	})
}

// unreadable sends on a request that may ask for a reply in an API that is not known.
func (w *Witness) unreadable(rw http.ResponseWriter, req *http.Request, next http.Handler) {
	if why := w.mayAsk(0); why != "" {
		transport.Refuse(rw, req, http.StatusBadRequest, why)
		return
	}
	next.ServeHTTP(&reply{ResponseWriter: rw, head: func(status int) {
		if status < http.StatusMultipleChoices {
			w.missed(fmt.Sprintf("POST %s asks in an API that is not known", clip.Short(req.URL.Path, 200)))
		}
	}}, req)
}

// exchange sees one request for a reply. It reads on when the agent hangs up during the
// reply, since the usage comes last.
func (w *Witness) exchange(rw http.ResponseWriter, req *http.Request, over *wire.Wire, next http.Handler) {
	if w.budget.Set() {
		w.settle()
	}
	if why := w.mayAsk(1); why != "" {
		transport.Refuse(rw, req, http.StatusBadRequest, why)
		return
	}
	w.open.Add(1)
	defer w.open.Done()
	ctx, cancel := context.WithCancel(context.WithoutCancel(req.Context()))
	defer cancel()
	follow := context.AfterFunc(req.Context(), cancel)
	defer func() { follow() }()
	var body bytes.Buffer
	body.Grow(int(min(max(req.ContentLength, 0), 1<<20)) + bytes.MinRead)
	see := &reply{ResponseWriter: rw, over: make(chan struct{})}
	begun := sync.OnceFunc(func() {
		see.asked = w.request(over, req, body.Bytes())
		body = bytes.Buffer{}
	})
	see.ends = func() { w.note(func() { w.ending[see] = true }) }
	see.head = func(status int) {
		go begun() // a long conversation takes a while, and the agent waits for the reply
		see.reader = over.Read(status, rw.Header())
		if status >= http.StatusMultipleChoices && status < http.StatusBadRequest {
			w.missed("the endpoint redirects requests, and the agent may follow")
		}
		if follow() {
			follow = context.AfterFunc(req.Context(), func() {
				see.ends()
				time.AfterFunc(linger, cancel)
			})
		}
	}
	cut := true
	defer func() {
		begun()
		w.reply(see, cut, req.Context().Err() != nil)
	}()
	sent := req.WithContext(ctx)
	sent.Body = transport.Tee(req.Body, &body)
	next.ServeHTTP(see, sent)
	cut = false
}

// settle waits for replies that have all but ended, so that a budget has their usage.
func (w *Witness) settle() {
	var ending map[*reply]bool
	w.note(func() { ending = maps.Clone(w.ending) })
	late := time.After(linger)
	for r := range ending {
		select {
		case <-r.over:
		case <-late:
			return
		}
	}
}

// mayAsk counts requests, and returns why one is refused, empty for one that is not.
func (w *Witness) mayAsk(requests int) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.Requests += requests
	w.upgrade = false
	why := w.spent()
	if why != "" && w.seen.Spent == "" {
		w.seen.Spent = why
		close(w.refused)
	}
	return why
}

// spent returns which part of the budget is spent, or cannot hold.
func (w *Witness) spent() string {
	b, used := w.budget, *cmp.Or(w.seen.Usage.Total, new(int64))
	unseen := cmp.Or(w.seen.Unread, w.unpriced)
	switch {
	case b.Steps > 0 && w.steps >= b.Steps:
		return fmt.Sprintf("the budget of %d steps is spent", b.Steps)
	case b.Tokens > 0 && used >= b.Tokens:
		return fmt.Sprintf("the budget of %d tokens is spent: %d were used", b.Tokens, used)
	case b.Cost > 0 && prices.Rounded(w.seen.Cost) >= b.Cost:
		return fmt.Sprintf("the budget of $%v is spent: $%v were used", b.Cost, prices.Rounded(w.seen.Cost))
	case b.Set() && w.seen.Unread != "", (b.Tokens > 0 || b.Cost > 0) && unseen != "":
		return "the budget cannot hold: " + unseen
	}
	return ""
}

// asked is what is known of a request.
type asked struct {
	*conversation
	model string
	tools bool
}

// request reads a request, and notes which calls it answers.
func (w *Witness) request(over *wire.Wire, req *http.Request, body []byte) *asked {
	body, err := transport.Unpack(req.Header, body)
	if err != nil {
		w.missed(err.Error())
		return nil
	}
	turns := over.Turns(req.URL, body)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read++
	c := w.after[turns.Previous]
	if c == nil {
		c = w.conversation(cmp.Or(turns.Thread, turns.First))
	}
	if turns.Tools && !w.main {
		w.main, c.main = true, true
	}
	w.answers(c, turns.Results)
	return &asked{c, turns.Model, turns.Tools}
}

// conversation returns the one that is named by its id, or by what its user says first.
func (w *Witness) conversation(name string) *conversation {
	k := sha256.Sum256([]byte(name))
	if w.calls[k] == nil {
		w.calls[k] = &conversation{byID: map[string][]*Call{}}
	}
	return w.calls[k]
}

// answers notes the calls whose results a request has: those of its conversation by
// their ids, one for each result, then those of others: one that has the first result of
// a call of the main loop continues that. A result of which nobody knows the id is one of
// the last reply, by its place: some agents choose ids of their own.
func (w *Witness) answers(c *conversation, results []wire.Made) {
	place := 0
	for _, result := range results {
		call := w.unused(c.byID[result.ID])
		if call == nil {
			call = w.unused(w.byID[result.ID])
			c.main = c.main || call != nil && call.Main && call.Answered == 0
		}
		if result.Last {
			if call == nil && place < len(c.last) && len(w.byID[result.ID]) == 0 {
				call = c.last[place]
			}
			place++
		}
		if call == nil {
			continue
		}
		call.used = w.read
		if call.Answered == 0 {
			w.answered++
			call.Answered = w.answered
		}
	}
}

// unused returns the first of the calls with the same id of which this request has shown
// no result yet.
func (w *Witness) unused(calls []*Call) *Call {
	for _, call := range calls {
		if call.used != w.read {
			return call
		}
	}
	return nil
}

// reply notes what a reply says. Cut says that it broke off, gone that the agent hung up.
func (w *Witness) reply(r *reply, cut, gone bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer close(r.over)
	delete(w.ending, r)
	if r.reader == nil || r.asked == nil {
		return
	}
	finished := r.reader.Whole
	got := r.reader.Close(cut)
	w.seen.Unread = cmp.Or(w.seen.Unread, got.Unread)
	w.spend(got, r.asked, gone)
	if got.ID != "" {
		w.after[got.ID] = r.asked.conversation
	}
	if r.asked.tools && (finished || got.Whole) {
		w.steps++
	}
	if got.Whole && len(got.Calls) > 0 {
		r.asked.last = nil
	}
	for _, made := range got.Calls {
		w.served(r.asked.conversation, made, got.Whole)
	}
}

// served notes a call. One that was made before and has no result yet is the same.
func (w *Witness) served(c *conversation, made wire.Made, whole bool) {
	var call *Call
	if known := c.byID[made.ID]; made.ID != "" && len(known) > 0 {
		if last := known[len(known)-1]; last.Answered == 0 {
			call = last
		}
	}
	if call == nil {
		w.size += len(made.Arguments)
		if len(w.list) >= maxCalls || w.size > maxArguments {
			w.seen.Unread = cmp.Or(w.seen.Unread, "there were too many calls")
			return
		}
		call = &Call{Main: c.main}
		w.list = append(w.list, call)
		if made.ID != "" {
			c.byID[made.ID] = append(c.byID[made.ID], call)
			w.byID[made.ID] = append(w.byID[made.ID], call)
		}
	}
	if whole || call.Tool == "" {
		call.Made = made
	}
	if whole && !made.Hosted {
		c.last = append(c.last, call)
	}
}

// spend adds up what a reply used. One that does not say leaves it unknown, and so does
// one that the agent hung up on and of which the end was not seen.
func (w *Witness) spend(got wire.Answered, a *asked, gone bool) {
	u, lacks := got.Usage, &w.seen.Lacks
	w.seen.Usage.Sum(u)
	unknown := u.Input == nil || u.Output == nil
	lacks.Input = lacks.Input || u.Input == nil || !got.Whole
	lacks.Output = lacks.Output || u.Output == nil || !got.Whole
	lacks.Total = lacks.Total || unknown && u.Total == nil || !got.Whole
	w.seen.Unpriced = w.seen.Unpriced || unknown || !got.Whole
	if gone && !got.Whole {
		w.unpriced = cmp.Or(w.unpriced, "the agent hung up on a reply before its usage was known")
	} else {
		w.seen.Partly = w.seen.Partly || unknown || !got.Whole
	}
	if unknown {
		why := "a reply does not say how many tokens it used"
		if !got.Whole {
			why = "a reply broke off before its usage was known"
		}
		w.unpriced = cmp.Or(w.unpriced, why)
		return
	}
	if w.budget.Prices == nil {
		return
	}
	price, err := w.budget.Prices.For(a.model)
	if err != nil {
		price, err = w.budget.Prices.For(got.Model)
	}
	if err != nil && w.budget.Cost > 0 {
		w.unpriced = cmp.Or(w.unpriced, err.Error())
	}
	if w.seen.Unpriced = w.seen.Unpriced || err != nil; err == nil {
		w.seen.Cost += price.Cost(prices.Tokens{Input: *u.Input, Output: *u.Output, CachedInput: *cmp.Or(u.Cached, new(int64))})
	}
}

// missed notes why something was not seen; the first reason counts.
func (w *Witness) missed(why string) {
	w.note(func() { w.seen.Unread = cmp.Or(w.seen.Unread, why) })
}

func (w *Witness) note(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

// reply is a writer of an answer that has it read.
type reply struct {
	http.ResponseWriter
	head   func(status int) // is called once, before the headers are sent
	headed bool
	asked  *asked
	reader *wire.Reader
	ends   func()        // is called when little of the answer is left
	over   chan struct{} // is closed after the exchange
}

// WriteHeader begins the answer.
func (r *reply) WriteHeader(status int) {
	if status >= http.StatusOK && !r.headed {
		r.headed = true
		r.head(status)
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write has a piece of the answer read and sends it. What can be read is read to its end,
// even if nobody receives it.
func (r *reply) Write(p []byte) (int, error) {
	if !r.headed {
		r.WriteHeader(http.StatusOK)
	}
	if r.reader != nil {
		whole := r.reader.Whole
		if _, _ = r.reader.Write(p); r.reader.Whole && !whole {
			r.ends()
		}
	}
	n, err := r.ResponseWriter.Write(p)
	if err != nil && r.reader != nil && r.reader.Unread == "" {
		return len(p), nil
	}
	return n, err
}

// Unwrap lets http.ResponseController find what it flushes.
func (r *reply) Unwrap() http.ResponseWriter { return r.ResponseWriter }
