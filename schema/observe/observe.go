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
	maxSets  = 64    // agents, versions and formats
	maxTypes = 256   // types of lines of a set
	maxKeys  = 20000 // keys of all sets
	maxOwn   = 128   // keys of an object
	maxDepth = 16    // levels of a line
	maxWords = 32    // words of a key; one that has more is no choice of words
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
	// Native tells a stream in the agent's own form from one of the contract.
	Native bool
	// Recognize, unless nil, says by the first line that is an object whose stream it
	// is, instead of Native and, if it knows, Agent.
	Recognize func(line []byte) (agent string, native, known bool)
}

// Observer gathers what it reads. Its zero value is ready. Its memory is bounded.
type Observer struct {
	sets    map[ident]*set
	files   []string
	at      place
	keys    int
	omitted int
}

// ident identifies a set.
type ident struct{ agent, version, format string }

// set is what was seen of one agent, version and format.
type set struct {
	ident
	files, lines, unread, file int                        // file is the last one that was counted
	contract                   map[string]map[string]any  // of its lines, by type
	types                      map[string]map[string]*key // by type of line and path
}

// key is what was seen of one key, in all objects that hold it. That of the line has
// an empty path.
type key struct {
	standing string
	count    int
	objects  int // of its values
	own      int // keys of these
	words    int // of its texts
	first    place
	seen     map[string]place // kinds, and words of a choice with = in front; where first
}

// place is a line of a file, by their numbers; lines count from 1.
type place struct{ file, line int }

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
	o.at = place{len(o.files) - 1, 1}
	given := newIdent(s.Agent, s.Version, s.Native)
	id, in := given, lines.NewReader(r, bufferSize, MaxLine)
	var last *set
	unread := 0
	for ; ctx.Err() == nil; o.at.line++ {
		text, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil && err != lines.ErrLong {
			return err
		}
		var line map[string]any
		if err == nil {
			line = object(text)
		}
		if line == nil {
			unread++
			continue
		}
		if s.Recognize != nil {
			agent, native, known := s.Recognize(text)
			if !known {
				return ErrUnknown
			}
			given = newIdent(cmp.Or(agent, s.Agent), s.Version, native)
			id, s.Recognize = given, nil
		}
		if !id.read(line, given) {
			unread++
			continue
		}
		last = o.set(id)
		last.unread += unread
		unread = 0
		o.line(last, line)
	}
	if last == nil {
		return cmp.Or(ctx.Err(), ErrNothing)
	}
	last.unread += unread
	return ctx.Err()
}

func newIdent(agent, version string, native bool) ident {
	id := ident{cmp.Or(agent, unknown), cmp.Or(version, unknown), schema.Version}
	if native {
		id.format = Native
	}
	return id
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

// read makes id that of the line, which is of the same set as the one before unless it
// says otherwise; given is what was known before the stream was read. A line of no
// version of the contract is none of its streams.
func (id *ident) read(line map[string]any, given ident) bool {
	if given.format == Native {
		for _, name := range []string{"claude_code_version", "qwen_code_version"} {
			if version, ok := line[name].(string); ok && id.version == unknown {
				id.version = cmp.Or(label(version), unknown)
			}
		}
		return true
	}
	version, ok := line["schema_version"].(string)
	if !ok {
		return false
	}
	id.format = label(version)
	if line["type"] == string(schema.TypeRunStarted) {
		id.agent, id.version = given.agent, given.version
		data, _ := line["data"].(map[string]any)
		if agent, ok := data["agent"].(map[string]any); ok {
			name, _ := agent["name"].(string)
			version, _ := agent["version"].(string)
			id.agent, id.version = cmp.Or(label(name), unknown), cmp.Or(label(version), unknown)
		}
	}
	return true
}

// set returns the set of that name, a new one where there is none.
func (o *Observer) set(id ident) *set {
	s := o.sets[id]
	if s == nil && len(o.sets) >= maxSets {
		o.omitted++
		id = ident{others, others, id.format}
		if id.format != Native && contract(id.format) == nil {
			id.format = others
		}
		s = o.sets[id]
	}
	if s == nil {
		if o.sets == nil {
			o.sets = map[ident]*set{}
		}
		s = &set{ident: id, contract: contract(id.format), types: map[string]map[string]*key{}, file: -1}
		o.sets[id] = s
	}
	if s.file != o.at.file {
		s.file = o.at.file
		s.files++
	}
	return s
}

// line gathers a line.
func (o *Observer) line(s *set, line map[string]any) {
	s.lines++
	name := typeOf(line)
	if s.types[name] == nil && len(s.types) >= maxTypes {
		o.omitted++
		name = others
	}
	keys := s.types[name]
	if keys == nil {
		keys = map[string]*key{"": {}}
		s.types[name] = keys
	}
	keys[""].count++
	spec, known := s.contract[name]
	if !known {
		spec = s.contract[""]
	}
	o.value(keys, "", spec, line, 0)
}

// value gathers the value of the key at a path; spec is what the schema says of it.
func (o *Observer) value(keys map[string]*key, path string, spec map[string]any, v any, level int) {
	k := keys[path]
	k.add(kindOf(v), o.at)
	name := strings.TrimRight(path[strings.LastIndexByte(path, '.')+1:], items)
	switch v := v.(type) {
	case map[string]any:
		k.objects++
		if slices.Contains(arguments, name) || o.deep(level) {
			return
		}
		counted := map[*key]bool{} // several names may stand under one
		for _, member := range slices.Sorted(maps.Keys(v)) {
			below, standing, called := k.member(spec, member)
			if slices.Contains(dictionaries, name) || !isKey(member) {
				called = others
			}
			c, at := o.child(keys, path, called, standing)
			if c == nil {
				continue
			}
			if !counted[c] {
				counted[c] = true
				c.count++
			}
			o.value(keys, at, below, v[member], level+1)
		}
	case []any:
		if o.deep(level) {
			return
		}
		below, _ := spec["items"].(map[string]any)
		for _, item := range v {
			if c, at := o.child(keys, path, items, k.standing); c != nil {
				c.count++
				o.value(keys, at, below, item, level+1)
			}
		}
	case string:
		if isChoice(name) {
			k.word(v, o.at)
		}
	}
}

// deep reports whether a level is the last that is gathered, and counts what is below
// it as a key.
func (o *Observer) deep(level int) bool {
	if level >= maxDepth {
		o.omitted++
	}
	return level >= maxDepth
}

// child returns the key of that name below a path, and its path; nil where there is no
// room for it.
func (o *Observer) child(keys map[string]*key, path, name, standing string) (c *key, at string) {
	parent := keys[path]
	at = join(path, name)
	if c := keys[at]; c != nil {
		return c, at
	}
	if parent.own >= maxOwn && name != others {
		o.omitted++
		return o.child(keys, path, others, standing)
	}
	if o.keys >= maxKeys {
		o.omitted++
		return nil, ""
	}
	o.keys++
	parent.own++
	c = &key{standing: standing}
	keys[at] = c
	return c, at
}

// anyWord stands for the texts of a key that are no choice of words.
const anyWord = "=*"

// word notes a text, or that the texts are no choice of words.
func (k *key) word(text string, at place) {
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
func (k *key) add(what string, at place) {
	if k.seen == nil {
		k.seen, k.first = map[string]place{}, at
	}
	if _, ok := k.seen[what]; !ok {
		k.seen[what] = at
	}
}

// Kinds of JSON values, as JSON Schema distinguishes them.
const kindObject, kindString, kindInteger, kindNumber = "object", "string", "integer", "number"

// inOrder orders what was seen of a key: kinds, then words.
func inOrder(a, b string) int {
	x, y := strings.HasPrefix(a, "="), strings.HasPrefix(b, "=")
	switch {
	case x == y:
		return cmp.Compare(a, b)
	case x:
		return 1
	}
	return -1
}

// kindOf returns the kind of a decoded value, of a number by how it is written.
func kindOf(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return kindObject
	case []any:
		return "array"
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

// contract returns the schemas of the lines of a stream by their types, that of a line
// whose type is not known under no name; nil where no such version is published.
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
	envelope, all := document.Defs["envelope"], document.Defs
	delete(all, "envelope")
	all[""] = nil
	for name, data := range all {
		properties, _ := envelope["properties"].(map[string]any)
		properties = maps.Clone(properties)
		properties["data"] = data
		line := maps.Clone(envelope)
		line["properties"] = properties
		all[name] = line
	}
	return all
}

// member returns what a schema says of a member of the key's objects, and under which
// name it is gathered.
func (k *key) member(spec map[string]any, name string) (below map[string]any, standing, called string) {
	properties, _ := spec["properties"].(map[string]any)
	required, _ := spec["required"].([]any)
	below, ok := properties[name].(map[string]any)
	more, open := spec["additionalProperties"].(map[string]any)
	switch {
	case k.standing == Free || k.standing == Unknown:
		return nil, k.standing, name
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
