// Package observe counts what streams carry, and how that differs from the published
// schema and a baseline.
package observe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/lines"
	"github.com/openagent-ci/openagent/schema"
)

// Native is the format of streams that agents print in a form of their own.
const Native = "native"

// unknown is the name or version of an agent that is not known.
const unknown = "unknown"

// Bounds of what is gathered: what is beyond them is counted in Result.Omitted.
const (
	maxStreams = 64    // agents, versions and formats
	maxKeys    = 20000 // keys of all streams
	maxOwn     = 256   // keys of an object, and types of a stream
	maxDepth   = 16    // levels of a line
	maxWords   = 32    // words of a key; one that has more is no choice of words
)

// MaxLine is the longest line that is read, in bytes, LF not counted. Agents print
// lines of more than a megabyte.
const MaxLine = 4 << 20

// bufferSize is how much of a stream is read at once, in bytes.
const bufferSize = 128 << 10

// Source is what is known of a stream before it is read.
type Source struct {
	// File is how messages call the stream.
	File string
	// Agent and Version are those of the program that printed it, empty when not
	// known. What the stream says of itself comes first.
	Agent, Version string
	// Recognize says by the first line that is an object whether the stream is in an
	// agent's own form, and of which if it knows. Without it the stream is one of the
	// contract.
	Recognize func(line []byte) (agent string, native, known bool)
}

// Observer gathers what it reads. Its zero value is ready. Its memory is bounded.
type Observer struct {
	streams map[ident]*Stream
	at      place
	keys    int
	unread  int
	omitted int
}

// ident identifies a stream: an agent, its version, and the format, which is a version
// of the contract or Native.
type ident struct {
	Agent   string `json:"agent"`
	Version string `json:"version"`
	Format  string `json:"format"`
}

// Stream is what was seen of one agent, version and format.
type Stream struct {
	ident
	Files int    `json:"files"`
	Lines int    `json:"lines"`
	Keys  []*Key `json:"keys"`

	root     Key                       // holds the types
	file     string                    // the last one that was counted
	contract map[string]map[string]any // schemas by type, that of the envelope under no name
}

// Key is what was seen of one key in the lines of a type.
type Key struct {
	Type string `json:"type"`
	// Path leads to it from the line, with points between names; [] stands for the
	// values of an array and * for names that are not told apart. It is empty for the
	// line.
	Path string `json:"path"`
	// Standing is what the schema says of it, empty without one.
	Standing string `json:"standing,omitempty"`
	// Count is in how many of the Of objects it is.
	Count int `json:"count"`
	Of    int `json:"of"`
	// Seen has the kinds of its values, and with = in front the words of a choice.
	Seen []string `json:"seen"`

	above   *Key
	below   map[string]*Key
	objects int // of its values
	counted int // the last object above that was counted
	words   int // of its texts
	first   place
	seen    map[string]place // where first
}

// place is a line of a file; lines count from 1.
type place struct {
	file string
	line int
}

// Errors of what is no stream.
var (
	ErrNothing = errors.New("no line of it is an event")
	ErrUnknown = errors.New("its first line is that of no known agent")
)

// Read reads a stream to its end and looks at ctx between lines. One without a line
// that can be read is ErrNothing, one that is not recognized ErrUnknown; of such a
// stream nothing is gathered.
func (o *Observer) Read(ctx context.Context, r io.Reader, s Source) error {
	o.at = place{s.File, 1}
	given := ident{cmp.Or(s.Agent, unknown), cmp.Or(s.Version, unknown), schema.Version}
	id, in := given, lines.NewReader(r, bufferSize, MaxLine)
	unread, found := 0, false
	for ; ctx.Err() == nil; o.at.line++ {
		text, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil && err != lines.ErrLong {
			return err
		}
		line := object(text)
		if err == nil && line != nil && s.Recognize != nil {
			agent, native, known := s.Recognize(text)
			if !known {
				return ErrUnknown
			}
			given.Agent = cmp.Or(agent, given.Agent)
			if native {
				given.Format = Native
			}
			id, s.Recognize = given, nil
		}
		if err != nil || line == nil || !id.read(line, given) {
			unread++
			continue
		}
		found = true
		o.line(o.stream(id), line)
	}
	if !found {
		return cmp.Or(ctx.Err(), ErrNothing)
	}
	o.unread += unread
	return ctx.Err()
}

// object returns the one JSON object that a line is, nil for another line.
func object(line []byte) map[string]any {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var v map[string]any
	if d.Decode(&v) != nil || len(bytes.TrimSpace(line[d.InputOffset():])) > 0 {
		return nil
	}
	return v
}

// read makes id that of the line, which is of the same stream as the one before unless it
// says otherwise; given is what was known before the stream was read. A line of no
// version of the contract is none of its streams.
func (id *ident) read(line map[string]any, given ident) bool {
	if given.Format == Native {
		for _, name := range []string{"claude_code_version", "qwen_code_version"} {
			if version, ok := line[name].(string); ok && id.Version == unknown {
				id.Version = cmp.Or(label(version), unknown)
			}
		}
		return true
	}
	version, ok := line["schema_version"].(string)
	if !ok {
		return false
	}
	id.Format = label(version)
	if line["type"] == string(schema.TypeRunStarted) {
		id.Agent, id.Version = given.Agent, given.Version
		data, _ := line["data"].(map[string]any)
		if agent, ok := data["agent"].(map[string]any); ok {
			name, _ := agent["name"].(string)
			version, _ := agent["version"].(string)
			id.Agent, id.Version = cmp.Or(label(name), unknown), cmp.Or(label(version), unknown)
		}
	}
	return true
}

// stream returns the stream of that name, nil where there is no room for it.
func (o *Observer) stream(id ident) *Stream {
	s := o.streams[id]
	switch {
	case s != nil:
	case len(o.streams) >= maxStreams:
		return nil
	case o.streams == nil:
		o.streams = map[ident]*Stream{}
		fallthrough
	default:
		s = &Stream{ident: id, contract: contract(id.Format), root: Key{first: o.at, below: map[string]*Key{}}}
		o.streams[id] = s
	}
	if s.Files == 0 || s.file != o.at.file {
		s.file = o.at.file
		s.Files++
	}
	return s
}

// line gathers a line.
func (o *Observer) line(s *Stream, line map[string]any) {
	if s == nil {
		o.omitted++
		return
	}
	s.Lines++
	s.root.objects++
	if k := o.child(s, &s.root, typeOf(line), ""); k != nil {
		k.Count++
		o.value(s, k, s.contract[""], line, 0)
	}
}

// value gathers a value of a key; spec is what the schema says of it.
func (o *Observer) value(s *Stream, k *Key, spec map[string]any, v any, level int) {
	kind := kindOf(v)
	k.add(kind, o.at)
	if level >= maxDepth && (kind == kindObject || kind == kindArray) {
		o.omitted++
		return
	}
	name := strings.TrimRight(k.Path[strings.LastIndexByte(k.Path, '.')+1:], items)
	switch v := v.(type) {
	case map[string]any:
		k.objects++
		if slices.Contains(arguments, name) {
			return
		}
		for _, member := range slices.Sorted(maps.Keys(v)) {
			below, standing, called := k.member(spec, member)
			if level == 0 && member == "data" {
				below = s.contract[k.Type]
			}
			if slices.Contains(dictionaries, name) || !isKey(member) {
				called = others
			}
			c := o.child(s, k, called, standing)
			if c == nil {
				continue
			}
			if c.counted != k.objects { // several names may stand under one
				c.counted = k.objects
				c.Count++
			}
			o.value(s, c, below, v[member], level+1)
		}
	case []any:
		below, _ := spec["items"].(map[string]any)
		for _, item := range v {
			if c := o.child(s, k, items, k.Standing); c != nil {
				c.Count++
				o.value(s, c, below, item, level+1)
			}
		}
	case string:
		if isChoice(name) {
			k.word(v, o.at)
		}
	}
}

// child returns the key of that name below another; nil where there is no room for it.
func (o *Observer) child(s *Stream, above *Key, name, standing string) *Key {
	if c := above.below[name]; c != nil {
		return c
	}
	if len(above.below) >= maxOwn && name != others {
		o.omitted++
		return o.child(s, above, others, standing)
	}
	if o.keys >= maxKeys {
		o.omitted++
		return nil
	}
	o.keys++
	c := &Key{Type: name, Standing: standing, above: above, below: map[string]*Key{}, first: o.at, seen: map[string]place{}}
	if above != &s.root {
		c.Type, c.Path = above.Type, join(above.Path, name)
	}
	above.below[name] = c
	s.Keys = append(s.Keys, c)
	return c
}

// anyWord stands for the texts of a key that are no choice of words.
const anyWord = "=*"

// word notes a text, or that the texts are no choice of words.
func (k *Key) word(text string, at place) {
	_, known := k.seen["="+text]
	_, open := k.seen[anyWord]
	switch {
	case known || open:
	case isWord(text) && k.words < maxWords:
		k.words++
		k.add("="+text, at)
	default:
		maps.DeleteFunc(k.seen, func(seen string, _ place) bool { return seen[0] == '=' })
		k.add(anyWord, at)
	}
}

// add notes where something was seen first.
func (k *Key) add(what string, at place) {
	if _, ok := k.seen[what]; !ok {
		k.seen[what] = at
	}
}

// Kinds of JSON values, as JSON Schema distinguishes them.
const kindObject, kindArray, kindString, kindInteger, kindNumber = "object", "array", "string", "integer", "number"

// inOrder orders what was seen of a key: kinds, then words.
func inOrder(a, b string) int {
	return strings.Compare(strings.Replace(a, "=", "~", 1), strings.Replace(b, "=", "~", 1))
}

// kindOf returns the kind of a decoded value, of a number by how it is written.
func kindOf(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return kindObject
	case []any:
		return kindArray
	case string:
		return kindString
	case bool:
		return "boolean"
	case json.Number:
		if strings.ContainsAny(string(v), ".eE") {
			return kindNumber
		}
		return kindInteger
	}
	return "null"
}

// What a schema says of a key.
const (
	Declared = "declared" // it is on every line
	Additive = "additive" // it may be there
	Free     = "free"     // it is the producer's own
	Unknown  = "unknown"  // its name is reserved
)

// streams are the names of the versions of the event contract; other schemas, and
// frozen revisions, have names too.
var streams = lazyregexp.New(`^openagent\.run_event\.v[0-9]{1,9}$`)

// contract returns the schemas of a version of the contract by type of event, that of the
// envelope under no name; nil where no such version is published.
func contract(version string) map[string]map[string]any {
	if !streams().MatchString(version) {
		return nil
	}
	text, err := schema.Load(version)
	var document struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	if err != nil || json.Unmarshal(text, &document) != nil {
		return nil
	}
	document.Defs[""] = document.Defs["envelope"]
	delete(document.Defs, "envelope")
	return document.Defs
}

// member returns what a schema says of a member of the key's objects, and under which
// name it is gathered.
func (k *Key) member(spec map[string]any, name string) (below map[string]any, standing, called string) {
	properties, _ := spec["properties"].(map[string]any)
	required, _ := spec["required"].([]any)
	below, ok := properties[name].(map[string]any)
	more, open := spec["additionalProperties"].(map[string]any)
	switch {
	case k.Standing == Free || k.Standing == Unknown:
		return nil, k.Standing, name
	case spec["type"] == nil: // nothing is said of its members
		return nil, "", name
	case ok && slices.Contains(required, any(name)):
		return below, Declared, name
	case ok:
		return below, Additive, name
	case open:
		return more, Additive, others
	case strings.HasPrefix(name, "x_"):
		return nil, Free, name
	}
	return nil, Unknown, name
}
