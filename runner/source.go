package runner

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// input is what the output of an agent goes to.
type input interface {
	io.Writer
	// close ends the stream, once it is known how the agent ended.
	close(emit.End)
}

// newInput returns where the output of the agent goes, or what it once was: to the
// checker, or through the conversion to it.
func (c *checker) newInput(saved bool) input {
	if c.cfg.Convert == nil {
		return c
	}
	s := &source{checker: c, saved: saved, maxLine: emit.MaxLine}
	if c.cfg.Stream.MaxLine > 0 {
		s.maxLine = c.maxLine
	}
	s.split = &splitter{max: max(c.maxLine, s.maxLine) + 2 + lookahead, emit: s.line}
	if c.cfg.Convert.Agent != nil {
		s.begin(c.cfg.Convert.Agent)
	}
	return s
}

// source converts the lines of another agent and feeds what they become to the
// checker.
type source struct {
	*checker
	split   *splitter
	saved   bool
	maxLine int // of the agent's own stream
	// conv is nil while nobody knows whose stream it is, and for one of the
	// contract.
	conv  *emit.Conversion
	plain bool
	// held are the lines that came before the first one that could be read.
	held      []heldLine
	size      int
	undecided int   // how many of them are readable
	max       int64 // of the agent's own stream; 0 is no bound
	ended     bool
	// made and found are what the current line becomes, and shows.
	made  []madeLine
	found []validate.Finding
}

type madeLine struct {
	event schema.Event
	raw   []byte
}

type heldLine struct {
	raw     []byte
	dropped int64
}

// maxRefused is how often an endpoint may refuse the credentials in a row: some agents
// ask again without end.
const maxRefused = 3

// maxHeld bounds the bytes that are held until it is clear whose stream it is.
const maxHeld = 1 << 20

// begin converts the stream as that of the agent.
func (s *source) begin(a *adapter.Agent) {
	s.exec.Source = &Source{Agent: a.Name, Mapping: a.Mapping, Inferred: a.Gaps.Decisions}
	s.max, s.checker.max = s.checker.max, 0
	now := s.cfg.Convert.Now
	if now == nil {
		now = time.Now
	}
	s.conv = a.New(emit.Options{
		MaxLine: s.maxLine, RunID: s.cfg.Convert.RunID, Now: now,
		Version: s.cfg.Convert.Version, Model: s.cfg.Convert.Model, PromptSHA256: s.cfg.Convert.PromptSHA256,
		Saved: s.saved, Mask: s.secrets.String,
		Emit: func(e schema.Event, line []byte) { s.made = append(s.made, madeLine{e, bytes.Clone(line)}) },
		Note: func(f emit.Fact) { s.note(a, f) }, Witness: s.cfg.Convert.Witness,
	})
}

// note makes a finding of what is wrong with the agent's own stream. One that was
// not read to its end is not blamed for what the end might have held.
func (s *source) note(a *adapter.Agent, f emit.Fact) {
	if f.Kind != emit.NoTerminal || !s.exec.Capped {
		s.found = append(s.found, sourceFinding(a, f, s.cfg.Stream.Strict))
	}
}

// Write takes a piece of the stream; it never fails.
func (s *source) Write(p []byte) (int, error) {
	if s.exec.Capped {
		return len(p), nil
	}
	_, _ = s.split.Write(p) // never fails
	s.flush()
	if s.facts.silence.refused >= maxRefused && s.refused != nil && !s.ended {
		s.refused()
		s.refused = nil // once is enough
	}
	return len(p), nil
}

// line takes one line of the agent's output.
func (s *source) line(raw []byte, dropped int64) {
	switch {
	case s.conv != nil:
		s.convert(raw, dropped)
	case s.plain:
		s.checker.line(raw, dropped)
	default:
		s.detect(raw, dropped)
	}
}

// detect finds out whose stream it is by the first line that shows it.
func (s *source) detect(raw []byte, dropped int64) {
	name, readable := adapter.Detect(raw)
	s.held = append(s.held, heldLine{append([]byte(nil), raw...), dropped})
	s.size += len(raw)
	if readable {
		s.undecided++
	}
	if name != "" || s.undecided == adapter.MaxUndecided || s.size > maxHeld {
		s.decide(name)
	}
}

// decide takes the stream for that of the agent of the name, or of the contract.
func (s *source) decide(name string) {
	if a, err := adapter.ByName(name); err == nil {
		s.begin(a)
	} else {
		s.plain = true
	}
	held := s.held
	s.held = nil
	for _, l := range held {
		s.line(l.raw, l.dropped)
	}
}

// convert converts one line of the agent's own stream.
func (s *source) convert(raw []byte, dropped int64) {
	x := s.exec.Source
	size := int64(len(raw)) + dropped
	if s.exec.Capped {
		return
	}
	if s.max > 0 && x.Bytes+size > s.max {
		s.exec.Capped = true
		s.addSource(validate.NewFinding(validate.RuleStreamCap, x.Lines+1, fmt.Sprintf("the stream is longer than %d bytes, want no more; the rest was not converted", s.max)))
		return
	}
	x.Lines, x.Bytes = x.Lines+1, x.Bytes+size
	content, ending := trimLF(raw)
	long := len(content) > s.maxLine
	if long {
		raw = content[:s.maxLine+1]
	}
	out, secrets := redactLine(s.secrets, raw, content, long, dropped > 0, s.maxLine)
	l := Line{Number: x.Lines, Raw: out, Cut: long}
	if secrets > 0 {
		s.exec.SecretLines++
		s.found = append(s.found, validate.NewFinding(validate.RuleSecret, x.Lines, "the line holds a known secret, which was replaced, want none"))
	}
	s.conv.Line(out)
	if long && ending {
		l.Raw = append(l.Raw[:len(l.Raw):len(l.Raw)], '\n')
	}
	l.Findings = s.addFound()
	if h, ok := s.cfg.Handler.(SourceHandler); ok {
		h.Source(l)
	}
	s.checkMade()
	if ended := s.conv.Ended(); ended != s.ended {
		s.ended = ended
		s.finished(ended)
	}
}

// checkMade checks the lines that were made.
func (s *source) checkMade() {
	for i := range s.made {
		s.checker.check(s.made[i].raw, 0, &s.made[i].event, nil)
	}
	s.made = nil // the events may be kept
}

// close converts what is left and ends the converted stream.
func (s *source) close(end emit.End) {
	s.split.close()
	if s.conv == nil && !s.plain {
		s.decide("")
	}
	if s.conv != nil {
		end.Stderr = s.secrets.String(end.Stderr)
		r := s.conv.Close(end)
		s.checkVersion(r.Version)
		s.addFound()
		s.checkMade()
		x := s.exec.Source
		x.Final, x.Denied, x.class, x.observed = r.Final, r.Denied, r.Class, r.Observed
	}
	s.checker.close(end)
}

// checkVersion finds out whether the conversion was tested with the agent's version.
func (s *source) checkVersion(version string) {
	if a, err := adapter.ByName(s.exec.Source.Agent); err == nil && version != emit.UnknownVersion {
		tested := slices.Contains(a.Tested, version)
		if s.exec.Source.Tested = &tested; !tested {
			s.found = append(s.found, validate.NewFinding(validate.RuleVersion, 0,
				fmt.Sprintf("%s is version %q, want one that the conversion was tested with: %s", a.Name, version, strings.Join(a.Tested, ", "))))
		}
	}
}

// addFound takes over what the current line shows and returns it.
func (s *source) addFound() []validate.Finding {
	found := s.found
	s.found = nil
	s.addSource(found...)
	return found
}

// addSource adds findings about the agent's own stream, which are held to what
// was asked for and not to what the converted stream is.
func (s *source) addSource(found ...validate.Finding) {
	s.findings.addAbout(s.cfg.Convert.File, s.cfg.Stream.Strict, found)
}

// redactLine replaces the known secrets of a line. A long one is searched beyond
// its cut, and where it goes on unseen, its last bytes are left out: they may
// be the beginning of a secret.
func redactLine(r *redact.Redactor, raw, content []byte, long, unseen bool, maxLine int) ([]byte, int) {
	if !long {
		return r.JSONLine(raw)
	}
	text, n := r.Known(string(content))
	end := len(text)
	if unseen {
		end -= lookahead
	}
	return []byte(text[:max(0, min(end, maxLine+1))]), n
}
