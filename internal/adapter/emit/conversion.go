// Package emit turns what a converter reads into a valid event stream: sequence
// numbers, times, bounds, the life of each call and the single terminal event.
package emit

import (
	"bytes"
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/adapter/raw"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/schema"
)

// MaxLine is the longest line of a source that is read unless Options say another,
// in bytes: claude prints lines of 10 MB for a file that it read.
const MaxLine = 16 << 20

// Options say what a conversion needs besides the lines of its source.
type Options struct {
	// MaxLine is the longest line that is read, in bytes; 0 is the MaxLine of the package.
	MaxLine int
	// RunID is taken where the source names no session.
	RunID string
	// Version is that of the agent's program, Model the one that it was started with and
	// PromptSHA256 the digest of what it was asked; empty for what nobody knows.
	Version, Model, PromptSHA256 string
	// Now returns the time at which the current line arrived.
	Now func() time.Time
	// Saved says that the source was printed at some other time, so that its
	// times are held against the first of them and not against Now.
	Saved bool
	// Mask replaces secrets in a text; nil replaces none.
	Mask func(string) string
	// Emit gets each event of the converted stream and its line, the LF included,
	// which is valid during the call.
	Emit func(e schema.Event, line []byte)
	// Witness, unless nil, knows what the source may leave out.
	Witness Witness
	// Note, unless nil, gets what is wrong with the source, as it is found.
	Note func(Fact)
}

// Kind says what a Fact is about.
type Kind int

// What can be wrong with a source.
const (
	Unreadable    Kind = iota // the line is no JSON object; Name says why
	Unmapped                  // the converter does not know the type in Name
	Format                    // the stream of the agent in Name begins
	Session                   // another session, whose id is Name, begins
	NoTerminal                // the source ended without saying how the run did
	Contradiction             // the source ends in two ways, or goes on after its end, as Name says
	LateDenial                // the call whose id is Name was denied, and shown as run before
	Loss                      // the agent reports that something was lost or left undone, in the words of Name
	LeftOut                   // the line is too long, and a later one says how the run ended
	AtEnd                     // the source is one value, printed at the end, instead of a stream
)

// Fact is something that is wrong with a source. Line counts from 1.
type Fact struct {
	Line int
	Kind Kind
	Name string
}

// End is what is known of the agent's process once its output has ended.
type End struct {
	// ExitStatus is nil when it is not known, or a signal ended the process,
	// whose number Signal has then.
	ExitStatus *int
	Signal     int
	// Cancelled and TimedOut say that the harness ended the run: it was
	// signalled, or a deadline passed.
	Cancelled, TimedOut bool
	// Stopped is how the run ends where the harness ended it for another cause.
	Stopped *Terminal
	// Stderr is the line there that says why the agent ended.
	Stderr string
}

// Class is how a source ended; the names are those of the harness's verdicts.
type Class string

// The classes, by the rows of the table of ends.
const (
	Cancelled   Class = "cancelled"
	TimedOut    Class = "timeout"
	PreRunError Class = "pre_run_error"
	Crash       Class = "crash"
	Violation   Class = "violation"
	Failure     Class = "failure"
	Success     Class = "success"
)

// UnknownVersion is the version of an agent that nobody knows.
const UnknownVersion = "unknown"

// Result is what a conversion comes to.
type Result struct {
	Class Class
	// Observed says that the source told itself how the run ended.
	Observed bool
	// Version is that of the agent, or UnknownVersion.
	Version string
	// Final is the agent's last text, whole up to 16 MiB.
	Final string
	// Denied counts the calls that the agent denied, those of which that was seen
	// only after they were shown as run too.
	Denied int
}

// Agent is what the converted stream says of the agent and of its own stream.
type Agent struct {
	Name string
	// Format names the stream, Mapping the way it is converted and Time where
	// its times come from: source, arrival, or mixed.
	Format, Mapping, Time string
	// Steps says that the stream tells where a turn of the model ends.
	Steps bool
	// Ends says that the stream has a terminal for each turn, so that the last one
	// is that of the run.
	Ends bool
	// AtEnd, unless nil, reports whether the first line is what the agent prints at its
	// end when it was asked for one JSON value instead of a stream.
	AtEnd func(raw.Object) bool
}

// Converter turns the lines of one agent into events, by the emitter that it was
// made with.
type Converter interface {
	// Convert turns one line; false means that its type is not known.
	Convert(line raw.Object) bool
	// Close gives what only the end shows: events that were held back, and the
	// source's terminal where no single line is it.
	Close(End)
}

// Conversion turns the source of one run into the stream of the contract. It is
// not safe for concurrent use.
type Conversion struct {
	e         *Emitter
	converter Converter
	detect    func(raw.Object) string
}

// New returns the conversion of one source of the agent by the converter that make
// returns. Detect names the agent whose stream begins with a line, if any.
func New(a Agent, o Options, make func(*Emitter) Converter, detect func(raw.Object) string) *Conversion {
	e := newEmitter(a, o)
	return &Conversion{e: e, converter: make(e), detect: detect}
}

// Line converts the next line of the source, its LF included if it had one. A
// line that is longer than the limit may be cut one byte after it.
func (c *Conversion) Line(text []byte) {
	c.e.nextLine()
	if len(bytes.TrimSuffix(text, []byte("\n"))) > cmp.Or(c.e.o.MaxLine, MaxLine) {
		c.e.long = append(c.e.long, c.e.line)
		return
	}
	line, why := raw.Read(text)
	switch {
	case why == raw.Blank, why != "" && c.e.rest && c.e.stopped == AtEnd:
		return
	case why != "" && c.e.line == 1 && raw.Whole(text) != nil:
		c.e.readable = true
		c.e.stop(AtEnd, "")
		return
	case why != "":
		c.e.unread(c.e.line, why)
		return
	}
	if !c.e.readable {
		c.e.readable = true
		switch other := c.detect(line); {
		case other != "" && other != c.e.agent.Name:
			c.e.stop(Format, other)
		case c.e.agent.AtEnd != nil && c.e.agent.AtEnd(line):
			c.e.stop(AtEnd, "")
		}
	}
	if c.e.rest {
		c.e.count(TypeOf(line))
		return
	}
	switch mapped := c.converter.Convert(line); {
	case c.e.foreign != "":
		c.e.stop(Session, c.e.foreign)
		c.e.count(TypeOf(line))
	case !mapped:
		if other := c.other(line); other != "" {
			c.e.stop(Format, other)
			c.e.count(TypeOf(line))
			return
		}
		c.e.unknown(TypeOf(line))
	}
	if c.e.Terminal != nil && c.e.terminalLine == c.e.line {
		c.e.checkTerminal(text)
	}
}

// unread notes a line that cannot be read.
func (e *Emitter) unread(line int, why string) {
	e.unreadable = max(e.unreadable, line)
	e.note(Fact{line, Unreadable, why})
}

// other names the agent whose stream begins with a line that the converter does not
// know, if any. A schema_version of somebody else may well be in a new line of this
// agent.
func (c *Conversion) other(line raw.Object) string {
	version := line.Str("schema_version")
	if other := c.detect(line); other != c.e.agent.Name && (version == "" || strings.HasPrefix(version, "openagent.")) {
		return other
	}
	return ""
}

// checkTerminal takes back the source's end where it stands in a line of which two
// readers may read two different ends.
func (e *Emitter) checkTerminal(text []byte) {
	why := ""
	switch {
	case !utf8.Valid(text):
		why = "no UTF-8"
	case jsontext.Repeats(text):
		why = "a member twice in an object"
	default:
		for _, line := range e.long {
			e.note(Fact{line, LeftOut, ""})
		}
		e.long = nil
		return
	}
	e.Terminal = nil
	e.unread(e.line, why)
}

// stop notes why the rest of the source is not converted.
func (e *Emitter) stop(k Kind, name string) {
	e.rest, e.stopped = true, k
	e.note(Fact{e.line, k, name})
}

// Close ends the stream: what still runs, then the one terminal event.
func (c *Conversion) Close(end End) Result {
	if !c.e.rest {
		c.converter.Close(end)
	}
	for _, line := range c.e.long {
		c.e.unread(line, "too long")
	}
	seen := c.e.compare()
	end.Stopped = cmp.Or(end.Stopped, seen.Stopped)
	r := c.e.row(end)
	if r.class == Violation && r.reason == schema.ExitNoTerminal && c.e.readable {
		c.e.note(Fact{c.e.line, NoTerminal, ""})
	}
	if r.code == codeContradiction {
		c.e.note(Fact{cmp.Or(c.e.contradiction, c.e.late), Contradiction, r.text})
	}
	if !c.e.readable {
		r = preRun(r, end)
	}
	c.e.closeRunning(r.code == codeTorn)
	if c.e.readable {
		c.e.addUnseen(seen.Calls)
	}
	c.e.finish(r)
	if c.e.unreadable > 0 && (r.class == Success || r.class == Failure) {
		r.class = Violation // what was read is not all that the agent printed
	}
	return Result{Class: r.class, Observed: c.e.Terminal != nil, Version: c.e.About.Agent.Version, Final: c.e.Final, Denied: c.e.denied}
}

// Ended reports whether the source has said how the run ended, and nothing since.
func (c *Conversion) Ended() bool { return c.e.Terminal != nil && c.e.endSequence == c.e.sequence }

// TypeOf names the type of a line, with its subtype where it has one.
func TypeOf(line raw.Object) string {
	name := line.Str("type")
	if name == "" {
		return "(no type)"
	}
	if sub := line.Str("subtype"); sub != "" {
		name += "/" + sub
	}
	return name
}
