package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// errCallTime is the cause of a context that ended with the time for one call.
var errCallTime = errors.New("the time for the call is over")

// mostSpans is how many times its time a call may take when it reports progress.
const mostSpans = 10

// patience waits for one call: for a span from the last sign of progress on, and for
// ten in all.
type patience struct {
	token string
	span  time.Duration
	last  time.Time // when all of it is over

	mu    sync.Mutex
	timer *time.Timer
	begun bool // anew, by progress
}

// newPatience returns a context for a call that is known by token.
func newPatience(ctx context.Context, token string, span time.Duration) (*patience, context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	p := &patience{token: token, span: span, last: time.Now().Add(mostSpans * span)}
	p.timer = time.AfterFunc(span, func() { cancel(errCallTime) })
	return p, ctx, func() {
		p.timer.Stop()
		cancel(nil)
	}
}

// restart begins the span anew. A call that is over stays so.
func (p *patience) restart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer.Stop() {
		p.begun = true
		p.timer.Reset(max(0, min(p.span, time.Until(p.last))))
	}
}

// over says how long was waited in vain.
func (p *patience) over() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.begun:
		return fmt.Sprintf("within %v", p.span)
	case time.Now().Before(p.last):
		return fmt.Sprintf("within %v of its last sign of progress", p.span)
	}
	return fmt.Sprintf("within %v, in which it told of progress", mostSpans*p.span)
}

// progressToken returns the token of a notification of progress, nil for none.
func progressToken(params []byte) any {
	var progress struct {
		Token any `json:"progressToken"`
	}
	_ = json.Unmarshal(params, &progress) // what is none tells of no call
	return progress.Token
}
