package endpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"

	"github.com/openagent-ci/openagent/internal/model/cassette"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Source answers the requests of a run: from a script, from a cassette, or by asking an
// endpoint and recording it. A nil Source is an endpoint that is not recorded.
type Source struct {
	// Model is the model that the script or cassette answers for, Digest that of its
	// text; both are empty for a recorder.
	Model, Digest string

	// One of these is set; byOrder answers from the cassette too.
	script   *transport.Script
	cassette *cassette.Cassette
	tape     *cassette.Recorder
	byOrder  *cassette.Lenient

	name     string // of the file
	recordBy string // the command or flag that records a cassette
	process  *process.Process
	masks    *redact.Redactor
	upstream *url.URL          // of what asks an endpoint and is served
	live     http.RoundTripper // to the endpoint; nil for the usual one
	quiet    bool              // Close prints nothing, and keeps no recording that is not whole
	watch    func(http.Handler) http.Handler
	end      context.CancelFunc // of a recorder
	stop     func() error       // nil unless it is served
}

// Script returns a source that answers from the turns of a script. name is for errors.
func Script(p *process.Process, name string, text []byte) (*Source, error) {
	script, err := transport.LoadScript(name, text)
	if err != nil {
		return nil, err
	}
	return &Source{Model: transport.ModelName, Digest: record.Digest(text), script: script, name: name, process: p}, nil
}

// Cassette returns a source that answers from a cassette, where each request must be
// the recorded one. recordBy is the command or flag that records a cassette.
func Cassette(ctx context.Context, p *process.Process, name, recordBy string, masks *redact.Redactor) (*Source, error) {
	text, err := p.ReadUpTo(ctx, name, cassette.MaxFile)
	if err != nil {
		err = fmt.Errorf("read cassette: %w", err)
		if errors.Is(err, fs.ErrNotExist) {
			err = hint.With(err, "record it by "+recordBy)
		}
		return nil, err
	}
	recorded, err := cassette.Load(name, text, masks)
	if err != nil {
		return nil, err
	}
	return &Source{Model: recorded.Model(), Digest: record.Digest(text), cassette: recorded, name: name, recordBy: recordBy, process: p, masks: masks}, nil
}

// Recorder returns a source that records what an endpoint answers: the one at upstream
// where it is served, or else what Tape gets. What the end of ctx breaks off is not
// recorded.
func Recorder(ctx context.Context, p *process.Process, name string, upstream *url.URL, masks *redact.Redactor) (*Source, error) {
	run, end := context.WithCancel(ctx)
	tape, err := cassette.NewRecorder(run, p.Path(name), masks)
	if err != nil {
		end()
		return nil, err
	}
	return &Source{tape: tape, end: end, name: name, process: p, masks: masks, upstream: upstream}, nil
}

// Proxy returns a source that asks the endpoint at upstream, and records nothing.
func Proxy(p *process.Process, upstream *url.URL, masks *redact.Redactor) *Source {
	return &Source{process: p, masks: masks, upstream: upstream}
}

// Watch has what is served see each exchange, before Listen.
func (s *Source) Watch(handler func(http.Handler) http.Handler) { s.watch = handler }

// ByOrder has a cassette answer requests by their order, whatever they contain.
func (s *Source) ByOrder() { s.byOrder = s.cassette.Lenient() }

// ByPrompt has a cassette answer requests by their order, but none with another prompt or
// other tools. What differs is not printed: Miss and Drift return it.
func (s *Source) ByPrompt() { s.byOrder, s.quiet = s.cassette.ByPrompt(), true }

// Miss says why the first request that a cassette did not answer got no answer, and what
// records it again; empty for none.
func (s *Source) Miss() string {
	refused, _ := s.Outcome()
	if refused == nil {
		return ""
	}
	text := refused.Message + "\n"
	if s.cassette != nil {
		text += s.cassette.Difference() + "record it again: " + s.recordBy + "\n"
	}
	return s.masks.String(text)
}

// Drift shows how the requests to a cassette that answers by order differed, empty for
// not at all.
func (s *Source) Drift() string {
	if s == nil || s.byOrder == nil {
		return ""
	}
	d := s.byOrder.Drift()
	return s.masks.String(d.String())
}

// Asks reports whether an endpoint is asked.
func (s *Source) Asks() bool { return s != nil && s.upstream != nil }

// Records reports whether an endpoint is asked and recorded.
func (s *Source) Records() bool { return s != nil && s.tape != nil }

// Replays reports whether a cassette answers.
func (s *Source) Replays() bool { return s != nil && s.cassette != nil }

// Path returns where the first recorded request went, as [cassette.Cassette.Path] does.
func (s *Source) Path() (base, last string) { return s.cassette.Path() }

// Transport returns what answers for a script or a cassette.
func (s *Source) Transport() http.RoundTripper {
	switch {
	case s.script != nil:
		return s.script
	case s.byOrder != nil:
		return s.byOrder
	}
	return s.cassette
}

// Tape returns a transport that records what next answers; next itself if nothing is
// recorded.
func (s *Source) Tape(next http.RoundTripper) http.RoundTripper {
	if !s.Records() {
		return next
	}
	return s.tape.Tape(next)
}

// Err returns why the recording could not be written so far.
func (s *Source) Err() error {
	if !s.Records() {
		return nil
	}
	return s.tape.Err()
}

// Skip passes over the answers that n requests of an earlier run got.
func (s *Source) Skip(n int) {
	switch {
	case s == nil:
	case s.script != nil:
		s.script.Skip(n)
	case s.cassette != nil:
		s.cassette.Skip(n)
	}
}

// SetAgent notes which program sends the requests, before the first one.
func (s *Source) SetAgent(a cassette.Agent) {
	switch {
	case s == nil:
	case s.tape != nil:
		s.tape.SetAgent(a)
	case s.byOrder != nil:
		s.byOrder.SetAgent(a)
	}
}

// Outcome returns why the first request that a script or cassette refused was
// refused, nil for none, and how many turns of a script are left.
func (s *Source) Outcome() (refused *chat.Failure, left int) {
	switch {
	case s == nil:
	case s.script != nil:
		left, refused = s.script.Outcome()
	case s.cassette != nil:
		refused = s.cassette.Missed()
	}
	return refused, left
}

// Listen has the source answer on a port of this machine until Close, also when ctx has
// ended. origin is its address, without a path.
func (s *Source) Listen(ctx context.Context) (origin string, err error) {
	var h http.Handler = s.script
	if s.script == nil {
		at, next, lost := &url.URL{Scheme: "http", Host: "cassette.invalid"}, s.Transport(), (func(error))(nil)
		if s.Asks() {
			if next = s.live; next == nil {
				next = transport.Upstream()
			}
			at, next = s.upstream, s.Tape(next)
			lost = func(err error) {
				s.process.Logger().Warn("the endpoint gave no answer", "error", s.masks.String(err.Error()))
			}
		}
		h = transport.Relay(at, next, lost)
	}
	if s.watch != nil {
		h = s.watch(h)
	}
	if origin, s.stop, err = transport.Listen(ctx, h); err != nil {
		return "", fmt.Errorf("serve a model: %w", err)
	}
	return origin, nil
}

// Close stops a source that is served. It reports how a cassette was used, or ends a
// recording, which replaces the cassette if the run ended well. Its error is that of a
// recording that could not be written.
func (s *Source) Close(ok bool) error {
	if s == nil {
		return nil
	}
	if s.end != nil {
		s.end() // what breaks off from now on does so because of this
	}
	log := s.process.Logger()
	if s.stop != nil {
		if err := s.stop(); err != nil {
			log.Warn("the served model ended before the run", "error", err)
		}
	}
	switch {
	case s.tape != nil:
		broken := s.tape.Err()
		partial, err := s.tape.Close(ok && broken == nil)
		if s.quiet && partial != "" && err == nil {
			return cmp.Or(broken, os.Remove(partial))
		}
		if partial != "" && broken == nil && err == nil {
			log.Warn("the run did not end well, so the cassette is not replaced; rename its recording to replay it",
				"cassette", s.name, "recording", partial)
		}
		return cmp.Or(broken, err)
	case s.quiet:
	case s.byOrder != nil:
		d := s.byOrder.Drift()
		s.print(d.String())
		s.warnOfUnused(len(d.Unused))
	case s.cassette != nil:
		if different := s.cassette.Difference(); different != "" {
			s.print(different + "openagent: hint: record it anew by " + s.recordBy)
			return nil
		}
		unused, _ := s.cassette.Unused()
		s.warnOfUnused(unused)
	}
	return nil
}

// print prints text that contains what an agent sent.
func (s *Source) print(text string) {
	for _, line := range term.Clean(s.masks.String(text)) {
		_, _ = io.WriteString(s.process.Err, line+"\n")
	}
}

func (s *Source) warnOfUnused(n int) {
	if n == 0 {
		return
	}
	_, all := s.cassette.Unused()
	s.process.Logger().Warn("exchanges of the cassette were not asked for", "cassette", s.name, "unused", n, "recorded", all)
}
