// Package trace sends what runs and scenarios did as one OpenTelemetry trace, to the
// endpoint that the OTEL_* variables name.
package trace

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

const (
	// maxSpans bounds the spans of a trace; those above are counted.
	maxSpans = 10_000
	// maxEvents bounds the events of a span, as OpenTelemetry's own libraries do.
	maxEvents = 128
	// maxText bounds the captured texts of a trace together, in bytes, so that what is
	// sent stays below the 20 MiB that a collector takes by default.
	maxText = 4 << 20
)

type (
	traceID [16]byte
	spanID  [8]byte
)

// Trace gathers the spans of one trace. Runs may add to it at the same time. A nil
// Trace gathers nothing.
type Trace struct {
	exporter *exporter
	id       traceID
	parent   spanID // of the first spans: of whoever started this process, or zero
	state    string // of the trace, as its other members passed it on
	flags    byte

	mu      sync.Mutex
	spans   []*span
	text    int // captured so far
	dropped int // spans for which there was no room
}

// Begin returns the trace that the environment asks for, nil where it asks for none,
// and what is wrong with its variables. inJob says whether this is a job of GitHub
// Actions, which the trace then names.
func Begin(p process.Env, version string, inJob bool) (*Trace, []string) {
	e, warnings := newExporter(p, version, inJob)
	if e == nil {
		return nil, warnings
	}
	t := &Trace{exporter: e, flags: sampled}
	if header := p.Getenv(ParentVariable); header != "" {
		var ok bool
		if t.id, t.parent, t.flags, ok = parseParent(header); ok {
			t.state = p.Getenv(StateVariable)
		} else {
			warnings = append(warnings, ParentVariable+" is not understood, so a new trace begins: want 00-TRACE-SPAN-FLAGS in lower-case hex")
			t.flags = sampled
		}
	}
	if t.id == (traceID{}) {
		_, _ = rand.Read(t.id[:]) // never fails
	}
	if !e.sampler.samples(t) {
		return nil, warnings
	}
	t.flags |= sampled
	return t, warnings
}

// ID returns the trace's id as its viewers show it, empty for no trace.
func (t *Trace) ID() string {
	if t == nil {
		return ""
	}
	return hex.EncodeToString(t.id[:])
}

// open adds a span that has no end yet, nil where there is no room for it: methods of
// that do nothing.
func (t *Trace) open(name string, kind int, parent *span, at time.Time) *span {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.spans) >= maxSpans {
		t.dropped++
		return nil
	}
	s := &span{trace: t, name: name, kind: kind, parent: t.parent, remote: true, start: at}
	if parent != nil {
		s.parent, s.remote = parent.id, false
	}
	_, _ = rand.Read(s.id[:]) // never fails
	t.spans = append(t.spans, s)
	return s
}

// captures reports whether texts are part of the trace, and there is room for one of
// that size.
func (t *Trace) captures(size int) bool {
	if !t.exporter.texts {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text += size
	return t.text <= maxText
}

// The variables by which a process is told of the trace that it is part of.
const (
	ParentVariable = "TRACEPARENT"
	StateVariable  = "TRACESTATE"
)

// sampled is the flag of a trace that somebody keeps.
const sampled byte = 1

// parseParent reads a value of TRACEPARENT; later versions than 00 may have more
// parts.
func parseParent(header string) (id traceID, parent spanID, flags byte, ok bool) {
	parts := parentPattern().FindStringSubmatch(strings.TrimSpace(header))
	if parts == nil || parts[1] == "00" && parts[5] != "" || parts[1] == "ff" {
		return traceID{}, spanID{}, 0, false
	}
	var own [1]byte
	for i, into := range [][]byte{id[:], parent[:], own[:]} {
		_, _ = hex.Decode(into, []byte(parts[i+2])) // it is hex
	}
	if id == (traceID{}) || parent == (spanID{}) {
		return traceID{}, spanID{}, 0, false
	}
	return id, parent, own[0] & sampled, true
}

// parentPattern matches a value of TRACEPARENT: version, trace, span, flags and the rest.
var parentPattern = lazyregexp.New(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$`)

// Environ returns env, of a process whose spans belong below the run, with the trace that
// it is part of and no other. Of a run without spans it is as it was.
func (r *Run) Environ(env []string) []string {
	if r == nil || r.root == nil {
		return env
	}
	env = slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == ParentVariable || name == StateVariable
	})
	env = append(env, ParentVariable+"=00-"+r.trace.ID()+"-"+hex.EncodeToString(r.root.id[:])+"-"+hex.EncodeToString([]byte{r.trace.flags}))
	if r.trace.state != "" {
		env = append(env, StateVariable+"="+r.trace.state)
	}
	return env
}

// underKey is the key of the span that runs belong below.
type underKey struct{}

// under is a span of a trace.
type under struct {
	trace *Trace
	span  *span
}

// From returns a run below the span that the context has, nil for none.
func From(ctx context.Context, mask func(string) string) *Run {
	u, ok := ctx.Value(underKey{}).(under)
	if !ok {
		return nil
	}
	return u.trace.run(u.span, mask)
}
