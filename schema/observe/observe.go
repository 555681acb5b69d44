// Package observe counts what streams carry, and how that differs from the published
// schema and a baseline.
package observe

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/lines"
	"github.com/openagent-ci/openagent/schema"
)

// Native is the format of streams that agents print in a form of their own.
const Native = "native"

// unknown is the name or version of an agent that is not known.
const unknown = "unknown"

// maxSets bounds the agents, versions and formats that are counted separately.
const maxSets = 64

// Source is what is known of a stream before it is read.
type Source struct {
	// File is how messages call the stream.
	File string
	// Agent and Version are those of the program that printed it, empty when not
	// known. What the stream says of itself comes first.
	Agent, Version string
	// Native tells a stream in the agent's own form from one of the contract.
	Native bool
	// Recognize, unless nil, says by the first line that is an object whose stream it
	// is, in place of Agent and Native.
	Recognize func(line []byte) (agent string, native, known bool)
}

// Observer gathers what it reads. Its zero value is ready. Memory is bounded: what
// is beyond the bounds is counted in Result.Omitted.
type Observer struct {
	sets    map[ident]*set
	last    *set // of the line before
	files   []string
	omitted Omitted
	nodes   int // of all trees, but for those that a schema names

	// Of the line that is read.
	at      place
	members []member
	name    []byte
	text    []byte
}

// ident identifies a set.
type ident struct{ agent, version, format string }

// set is what was seen of one agent, version and format.
type set struct {
	ident
	files, lines, unread int
	file                 int // the last one that was counted
	schema               *contract
	types                map[string]*kindOfLine
}

// kindOfLine is what was seen of the lines of one type.
type kindOfLine struct {
	lines int
	bytes size
	node  *node
}

// place is a line of a file, by their numbers.
type place struct{ file, line int }

// member is a member of the line that is read.
type member struct{ name, value []byte }

// Errors of what is no stream.
var (
	ErrNothing = errors.New("no line of it is an event")
	ErrUnknown = errors.New("its first line is that of no known agent")
)

// Read reads a stream to its end and looks at ctx between lines. One without a line
// that can be read is ErrNothing, one that is not recognized ErrUnknown; of such a
// stream nothing is gathered.
func (o *Observer) Read(ctx context.Context, r io.Reader, s Source) error {
	o.files = append(o.files, s.File)
	o.at = place{file: len(o.files) - 1}
	f := feed{o: o, recognize: s.Recognize}
	f.set(s.Agent, s.Version, s.Native)
	err := eachLine(ctx, r, f.line)
	switch {
	case f.last != nil:
		f.last.unread += f.unread
	case err == nil && f.stranger:
		err = ErrUnknown
	case err == nil:
		err = ErrNothing
	}
	return err
}

// feed is one stream that is read.
type feed struct {
	o         *Observer
	recognize func([]byte) (agent string, native, known bool)
	stranger  bool  // it was not recognized
	given, id ident // what was known before, and what its lines have said so far
	last      *set
	unread    int // since the last line that was gathered
}

// set sets whose stream it is.
func (f *feed) set(agent, version string, native bool) {
	f.given = ident{cmp.Or(agent, unknown), cmp.Or(version, unknown), schema.Version}
	if native {
		f.given.format = Native
	}
	f.id = f.given
}

// line gathers a line, and reports whether there should be more.
func (f *feed) line(line []byte, whole bool) bool {
	f.o.at.line++
	if !whole || !f.o.split(line) {
		f.unread++
		return true
	}
	if f.recognize != nil {
		agent, native, known := f.recognize(line)
		if f.recognize = nil; !known {
			f.stranger = true
			return false
		}
		f.set(agent, "", native)
	}
	if !f.o.identify(&f.id, f.given) {
		f.unread++
		return true
	}
	f.last = f.o.set(f.id)
	f.last.unread += f.unread
	f.unread = 0
	f.o.line(f.last, line)
	return true
}

// split reads the members of a line, and reports whether it is one JSON object.
func (o *Observer) split(line []byte) bool {
	r := jsontext.Reader[[]byte]{Src: bytes.TrimSuffix(line, []byte{'\n'}), Room: maxNesting}
	o.members = o.members[:0]
	r.Blanks()
	for name := range r.Members() {
		at := r.Pos
		r.Skip()
		o.members = append(o.members, member{name, r.Src[at:r.Pos]})
	}
	r.Blanks()
	return r.Fault == jsontext.FaultNone && r.Pos == len(r.Src)
}

// get returns the value of a member of the line, nil for none.
func (o *Observer) get(name string) []byte {
	for i := range o.members {
		if string(o.members[i].name) == name {
			return o.members[i].value
		}
	}
	return nil
}

// identify makes id that of the line, which is of the same set as the one before
// unless it says otherwise; given is what was known before the stream was read. A line
// of no version of the contract is none of its streams.
func (o *Observer) identify(id *ident, given ident) bool {
	if given.format == Native {
		o.nativeVersion(id)
		return true
	}
	version := o.word(o.get("schema_version"))
	if version == nil {
		return false
	}
	if string(version) != id.format {
		id.format = label(version)
	}
	if string(o.word(o.get("type"))) == string(schema.TypeRunStarted) {
		id.agent, id.version = given.agent, given.version
		o.readAgent(id)
	}
	return true
}

// readAgent reads what a run_started says of its agent.
func (o *Observer) readAgent(id *ident) {
	for name, value := range jsontext.Parts(o.get("data")) {
		if string(name) != "agent" || value[0] != '{' {
			continue
		}
		for name, value := range jsontext.Parts(value) {
			switch string(name) {
			case "name":
				id.agent = cmp.Or(label(o.word(value)), unknown)
			case "version":
				id.version = cmp.Or(label(o.word(value)), unknown)
			}
		}
	}
}

// nativeVersion reads the version that two agents print in their first line.
func (o *Observer) nativeVersion(id *ident) {
	if id.version != unknown {
		return
	}
	for _, name := range []string{"claude_code_version", "qwen_code_version"} {
		if version := o.word(o.get(name)); version != nil {
			id.version = cmp.Or(label(version), unknown)
		}
	}
}

// word returns the text that a value is, nil for no text. It is valid until the
// next call.
func (o *Observer) word(value []byte) []byte {
	if len(value) == 0 || value[0] != '"' {
		return nil
	}
	if body := value[1 : len(value)-1]; bytes.IndexByte(body, '\\') < 0 {
		return body
	}
	o.text = jsontext.AppendUnquote(o.text[:0], value)
	return o.text
}

// set returns the set of that name, a new one where there is none.
func (o *Observer) set(id ident) *set {
	if o.last != nil && o.last.ident == id && o.last.file == o.at.file {
		return o.last
	}
	s := o.sets[id]
	if s == nil && len(o.sets) >= maxSets {
		o.omitted.Streams++
		id = ident{others, others, id.format}
		if id.format != Native && o.contract(id.format) == nil {
			id.format = others
		}
		s = o.sets[id]
	}
	if s == nil {
		if o.sets == nil {
			o.sets = map[ident]*set{}
		}
		s = &set{ident: id, schema: o.contract(id.format), types: map[string]*kindOfLine{}, file: -1}
		o.sets[id] = s
	}
	o.last = s
	if s.file != o.at.file {
		s.file = o.at.file
		s.files++
	}
	return s
}

// contract returns the contract of a format, nil for none.
func (o *Observer) contract(format string) *contract {
	for _, s := range o.sets {
		if s.format == format {
			return s.schema
		}
	}
	return load(format)
}

// line gathers a line whose members were read.
func (o *Observer) line(s *set, line []byte) {
	s.lines++
	if s.format == Native {
		o.nativeLine(s, o.nativeType(), line)
		return
	}
	data := o.get("data")
	envelope := s.envelope(o.at)
	envelope.lines++
	envelope.node.countKind(kindObject, o.at)
	for _, m := range o.members {
		c := o.child(envelope.node, m.name)
		if c == nil || !c.countIn(envelope.node) {
			continue
		}
		if string(m.name) == "data" {
			c.countKind(kindOf(m.value), o.at)
			continue
		}
		o.value(c, m.value)
	}
	k := o.typed(s, o.word(o.get("type")))
	k.lines++
	k.bytes.raise(int64(len(line)), o.at)
	if data != nil {
		o.value(k.node, data)
	}
}

// nativeLine gathers a line that no envelope is around.
func (o *Observer) nativeLine(s *set, name, line []byte) {
	k := o.typed(s, name)
	k.lines++
	k.bytes.raise(int64(len(line)), o.at)
	k.node.countKind(kindObject, o.at)
	for _, m := range o.members {
		if c := o.child(k.node, m.name); c != nil && c.countIn(k.node) {
			o.value(c, m.value)
		}
	}
}

// envelope returns what was seen of the members that lines of every type have. It is
// under no name, as no type is.
func (s *set) envelope(at place) *kindOfLine {
	k := s.types[""]
	if k == nil {
		k = &kindOfLine{node: &node{spec: s.schema.typed(envelopeType), first: at}}
		s.types[""] = k
	}
	return k
}

// maxTypes bounds the types of lines of a set.
const maxTypes = 256

// typed returns what was seen of the lines of a type.
func (o *Observer) typed(s *set, name []byte) *kindOfLine {
	if k := s.types[string(name)]; k != nil {
		return k
	}
	text := label(name)
	if text == "" || text == envelopeType && s.format != Native {
		text = others
	}
	if k := s.types[text]; k != nil {
		return k
	}
	spec := s.schema.typed(text)
	if spec == nil && len(s.types) >= maxTypes && text != others {
		o.omitted.Types++
		return o.typed(s, []byte(others))
	}
	k := &kindOfLine{node: &node{spec: spec, first: o.at}}
	s.types[text] = k
	return k
}

// nativeType names the type of a line in an agent's own form: its type, and what
// that is made of by the agents that are known.
func (o *Observer) nativeType() []byte {
	o.name = append(o.name[:0], label(o.word(o.get("type")))...)
	if subtype := o.word(o.get("subtype")); subtype != nil {
		o.name = append(append(o.name, '/'), label(subtype)...)
	}
	for _, part := range []string{"item", "part"} {
		value := o.get(part)
		if len(value) == 0 || value[0] != '{' {
			continue
		}
		for name, value := range jsontext.Parts(value) {
			if kind := o.word(value); string(name) == "type" && kind != nil {
				o.name = append(append(o.name, '/'), label(kind)...)
				break
			}
		}
	}
	return o.name
}

// MaxLine is the longest line that is read, in bytes, LF not counted. Agents print
// lines of more than a megabyte.
const MaxLine = 4 << 20

// bufferSize is how much of a stream is read at once.
const bufferSize = 128 << 10

// eachLine calls do with each line of a stream, and its LF if it has one, until that
// returns false. whole is false for a line longer than MaxLine, of which only the
// beginning is handed over.
func eachLine(ctx context.Context, r io.Reader, do func(line []byte, whole bool) bool) error {
	in := lines.NewReader(r, bufferSize, MaxLine)
	for ctx.Err() == nil {
		line, err := in.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil && err != lines.ErrLong:
			return err
		case !do(line, err == nil):
			return nil
		}
	}
	return ctx.Err()
}
