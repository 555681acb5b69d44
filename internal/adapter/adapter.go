// Package adapter turns the streams of other agents' command line programs into
// the stream of the contract: one file per agent, with the row that says how it
// is started and the converter of its lines, over one emitter that owns
// numbers, steps, times, bounds and the single terminal event.
package adapter

import (
	"bytes"
	"time"

	"github.com/openagent-ci/openagent/schema"
)

// MaxLine is the longest line of a source that is read, in bytes: codex prints
// lines of 1.2 MB.
const MaxLine = 4 << 20

// Options say what a conversion needs besides the lines of its source.
type Options struct {
	// RunID is taken where the source names no session.
	RunID string
	// Version is that of the agent's program, empty where nobody asked it.
	Version string
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
	// Note, unless nil, gets what is wrong with the source, as it is found.
	Note func(Fact)
}

// Kind says what a Fact is about.
type Kind int

// What can be wrong with a source.
const (
	Unreadable Kind = iota // the line is no JSON object; Name says why
	Unmapped               // the converter does not know the type in Name
	Format                 // the first readable line is that of the agent in Name
	Session                // another session, whose id is Name, begins
	NoTerminal             // the source ended without saying how the run did
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
	// Stderr is the last line that the agent wrote there.
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

// Result is what a conversion comes to.
type Result struct {
	Class Class
	// Observed says that the source told itself how the run ended.
	Observed bool
	// Final is the agent's last text, whole up to 16 MiB.
	Final string
	// Lines counts those of the source.
	Lines int
}

// converter turns the lines of one agent into events, by the emitter that it was
// made with.
type converter interface {
	// convert turns one line; false means that its type is not known.
	convert(line object) bool
	// close gives what only the end shows: events that were held back, and the
	// source's terminal where no single line is it.
	close(End)
}

// Converter turns the source of one run into the stream of the contract. It is
// not safe for concurrent use.
type Converter struct {
	*emitter
	converter converter
	members   object // memory for those of a line
	// unreadable is the last line that was none, 0 for no such line.
	unreadable int
	readable   bool
	// rest says that what follows is counted and not converted, stopped why.
	rest    bool
	stopped Kind
}

// New returns the conversion of one source of the agent.
func (a *Agent) New(o Options) *Converter {
	e := newEmitter(a, o)
	return &Converter{emitter: e, converter: a.converter(e)}
}

// Line converts the next line of the source, its LF included if it had one. A
// line that is longer than MaxLine may be cut one byte behind that.
func (c *Converter) Line(raw []byte) {
	c.nextLine()
	line, why := readLine(raw, c.members)
	if len(bytes.TrimSuffix(raw, []byte("\n"))) > MaxLine {
		line, why = nil, "too long"
	}
	if line != nil {
		c.members = line
	}
	if why != "" {
		c.unreadable = c.line
		c.note(Fact{c.line, Unreadable, why})
		return
	}
	if !c.readable {
		c.readable = true
		if other := detect(line); other != "" && other != c.agent.Name {
			c.stop(Format, other)
		}
	}
	if c.rest {
		c.count(typeOf(line))
		return
	}
	switch known := c.converter.convert(line); {
	case c.foreign != "":
		c.stop(Session, c.foreign)
		c.count(typeOf(line))
	case !known:
		c.unknown(typeOf(line))
	}
}

// stop notes why the rest of the source is not converted.
func (c *Converter) stop(k Kind, name string) {
	c.rest, c.stopped = true, k
	c.note(Fact{c.line, k, name})
}

// Close ends the stream: what still runs, then the one terminal event.
func (c *Converter) Close(end End) Result {
	if !c.rest {
		c.converter.close(end)
	}
	r := c.row(end)
	if r.class == Violation && r.reason == schema.ExitNoTerminal && c.readable {
		c.note(Fact{c.line, NoTerminal, ""})
	}
	if !c.readable {
		r = preRun(r, end)
	}
	c.closeRunning(r.code == codeTorn)
	c.finish(r)
	if c.unreadable > 0 && (r.class == Success || r.class == Failure) {
		r.class = Violation // what was read is not all that the agent printed
	}
	return Result{Class: r.class, Observed: c.terminal != nil, Final: c.final, Lines: c.line}
}
