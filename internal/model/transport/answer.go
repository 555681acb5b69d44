package transport

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter/toolname"
	"github.com/openagent-ci/openagent/internal/model/wire"
	"github.com/openagent-ci/openagent/internal/text/nearest"
)

// answer is a turn as it goes over the wire.
type answer struct {
	status int
	header http.Header
	body   []byte
	// cut reports that the connection breaks after body.
	cut bool
	// late is what the answer has to wait for, nil for nothing.
	late *fault
}

// ModelName is what a script calls itself.
const ModelName = "script"

// answer returns the response of turn n in the form that was asked for. The same
// turn, number and request always give the same bytes.
func (t *turn) answer(n int, q inquiry) (answer, error) {
	a := answer{status: http.StatusOK, header: http.Header{}}
	if t.fault != nil && t.fault.replaces() {
		a = t.fault.answer(q.asked.Wire)
	} else {
		calls, err := q.own(t.calls)
		if err != nil {
			return a, err
		}
		body, media, err := q.asked.Spell(wire.Reply{Number: n, Model: ModelName, Text: t.text, Calls: calls, Finish: t.finish, Usage: t.usage})
		if err != nil {
			return a, err
		}
		a.header.Set("Content-Type", media)
		a.body = body
	}
	a.late = t.fault
	if t.fault != nil && t.fault.cut >= 0 {
		a.cut = true
		a.body = a.body[:min(t.fault.cut, len(a.body))]
	}
	return a, nil
}

// own returns calls as the agent that asks makes them, by the tools that it offers.
func (q inquiry) own(calls []wire.Call) ([]wire.Call, error) {
	if q.body == nil || calls == nil {
		return calls, nil
	}
	var offered []toolname.Tool
	for _, t := range q.asked.Tools {
		offered = append(offered, toolname.Tool(t))
	}
	workspace := func() string { return toolname.Workspace(q.body) }
	own := make([]wire.Call, len(calls))
	for i, c := range calls {
		made, err := toolname.Own(toolname.Call(c), offered, workspace)
		if err != nil {
			return nil, fmt.Errorf("call %d: %w%s", i+1, err, meant(c.Tool, offered))
		}
		own[i] = wire.Call(made)
	}
	return own, nil
}

// meant returns what a tool that is not on offer was probably to be, for an error.
func meant(tool string, offered []toolname.Tool) string {
	known := toolname.Names()
	if slices.Contains(known, tool) {
		return ""
	}
	for _, t := range offered {
		known = append(known, t.Name)
	}
	return nearest.Hint(tool, known)
}

// answer returns the response that stands in place of a reply.
func (f *fault) answer(over *wire.Wire) answer {
	a := answer{status: http.StatusOK, header: http.Header{}}
	if f.status != 0 {
		a.status = f.status
	}
	if f.retryAfter != "" {
		a.header.Set("Retry-After", f.retryAfter)
	}
	switch {
	case f.body != nil:
		a.body = []byte(*f.body)
	case a.status >= http.StatusBadRequest:
		a.body = over.Failure(wire.Failure{Status: a.status, Message: "scripted fault", RetryAfter: f.retryAfter})
	}
	a.header.Set("Content-Type", contentType(string(a.body)))
	return a
}

// contentType is what a server would say of such a body.
func contentType(body string) string {
	switch {
	case strings.HasPrefix(strings.TrimSpace(body), "<"):
		return "text/html"
	case strings.HasPrefix(strings.TrimSpace(body), "{"):
		return "application/json"
	}
	return "text/event-stream"
}
