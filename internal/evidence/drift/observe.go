package drift

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/lines"
	"github.com/openagent-ci/openagent/schema"
)

const (
	native  = "native"  // the format of streams in an agent's own form
	unknown = "unknown" // the name or version of an agent that is not known
	anyWord = "=*"      // stands for the texts of a key that are no choice of words
	maxLine = 4 << 20   // bytes of a line that is read, LF not counted
)

// Bounds of what is gathered: what is beyond them is counted in Observation.Omitted.
const (
	maxStreams = 64    // agents, versions and formats
	maxKeys    = 20000 // keys of all streams
	maxOwn     = 256   // keys of an object, and types of a stream
	maxDepth   = 16    // levels of a line
	maxWords   = 32    // words of a key; one that has more is no choice of words
)

// Observer gathers what it reads. Its zero value is ready. Its memory is bounded.
type Observer struct {
	streams map[ident]*Stream
	at      place
	keys    int

	unread, omitted, skipped int // as in Observation
}

// ident identifies a stream; its format is a version of the contract or native.
type ident struct {
	Agent   string `json:"agent"`
	Version string `json:"version"`
	Format  string `json:"format"`
}

// Stream is what was seen of one agent, version and format.
type Stream struct {
	ident
	Files    int             `json:"files"`
	Lines    int             `json:"lines"`
	Keys     []*Key          `json:"keys"`
	root     Key             // holds the types
	file     string          // the last one that was counted
	contract map[string]spec // by type, that of the envelope under no name
}

// Key is what was seen of one key in the lines of a type.
type Key struct {
	Type string `json:"type"`
	// Path leads to it from the line, with points between names; [] stands for the
	// values of an array and * for names that are not told apart. It is empty for the
	// line.
	Path     string   `json:"path"`
	Standing string   `json:"standing,omitempty"` // what the schema says of it, empty without one
	Count    int      `json:"count"`              // in how many of the Of objects it is
	Of       int      `json:"of"`
	Seen     []string `json:"seen"` // the kinds of its values, and with = in front the words of a choice

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
	errNothing = errors.New("no line of it is an event")
	errUnknown = errors.New("its first line is that of no known agent")
)

// lines reads a stream to its end. What it says of itself comes before what is given.
// Nothing is gathered of a stream for which it returns errNothing or errUnknown.
func (o *Observer) lines(ctx context.Context, r io.Reader, file string, given ident) error {
	o.at = place{file, 1}
	given.Agent, given.Version = cmp.Or(given.Agent, unknown), cmp.Or(given.Version, unknown)
	id, in := given, lines.NewReader(r, 128<<10, maxLine)
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
		if err == nil && line != nil && given.Format == "" {
			switch name, _ := adapter.Detect(text); name {
			case "":
				return hint.With(fmt.Errorf("%w; known: openagent, %s", errUnknown, strings.Join(adapter.Names(), ", ")),
					"openagent convert --from NAME makes a stream of the contract of it")
			case adapter.Contract:
				given.Format = schema.Version
			default:
				given.Agent, given.Format = name, native
			}
			id = given
		}
		if err != nil || line == nil || !id.read(line, given) {
			unread++
			continue
		}
		found = true
		o.line(id, line)
	}
	if !found {
		return cmp.Or(ctx.Err(), errNothing)
	}
	o.unread += unread
	return ctx.Err()
}

// object returns the one JSON object that a line is, nil for another line.
func object(line []byte) (v map[string]any) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if d.Decode(&v) != nil || len(bytes.TrimSpace(line[d.InputOffset():])) > 0 {
		return nil
	}
	return v
}

// read makes id that of the line: the one of the line before, or of what was given, unless
// the line says otherwise. It reports whether the line belongs to a stream.
func (id *ident) read(line map[string]any, given ident) bool {
	if given.Format == native {
		for _, name := range []string{"claude_code_version", "qwen_code_version"} {
			if id.Version == unknown {
				id.Version = labelOf(line, name)
			}
		}
		return true
	}
	if _, ok := line["schema_version"].(string); !ok {
		return false
	}
	id.Format = labelOf(line, "schema_version")
	if line["type"] == string(schema.TypeRunStarted) {
		id.Agent, id.Version = given.Agent, given.Version
		data, _ := line["data"].(map[string]any)
		if agent, ok := data["agent"].(map[string]any); ok {
			id.Agent, id.Version = labelOf(agent, "name"), labelOf(agent, "version")
		}
	}
	return true
}

// line gathers a line, if there is room for its stream.
func (o *Observer) line(id ident, line map[string]any) {
	s := o.streams[id]
	if s == nil && len(o.streams) >= maxStreams {
		o.omitted++
		return
	}
	if s == nil {
		s = &Stream{ident: id, contract: contract(id.Format), root: Key{first: o.at, below: map[string]*Key{}}}
		if o.streams == nil {
			o.streams = map[ident]*Stream{}
		}
		o.streams[id] = s
	}
	if s.Files == 0 || s.file != o.at.file {
		s.file = o.at.file
		s.Files++
	}
	s.Lines++
	s.root.objects++
	o.member(s, &s.root, typeOf(line), "", s.contract[""], line, 0)
}

// member gathers a member of an object, or a value of an array; of is what the schema says
// of it.
func (o *Observer) member(s *Stream, above *Key, name, standing string, of spec, v any, level int) {
	k := o.child(s, above, name, standing, level)
	if k == nil {
		o.omitted++
		return
	}
	if k.counted != above.objects || name == items { // several names may stand under one
		k.counted = above.objects
		k.Count++
	}
	last := strings.TrimRight(k.Path[strings.LastIndexByte(k.Path, '.')+1:], items)
	switch v := v.(type) {
	case map[string]any:
		k.add(kindObject, o.at)
		k.objects++
		if slices.Contains(arguments, last) {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below, standing, called := of.member(name, k.Standing)
			if level == 0 && name == "data" {
				below = s.contract[k.Type]
			}
			if slices.Contains(dictionaries, last) || !keyPattern().MatchString(name) {
				called = others
			}
			o.member(s, k, called, standing, below, v[name], level+1)
		}
	case []any:
		k.add(kindArray, o.at)
		below, _ := of["items"].(map[string]any)
		for _, item := range v {
			o.member(s, k, items, k.Standing, below, item, level+1)
		}
	case string:
		k.add(kindString, o.at)
		if isChoice(last) {
			k.word(v, o.at)
		}
	case json.Number:
		kind := kindInteger
		if strings.ContainsAny(string(v), ".eE") {
			kind = kindNumber
		}
		k.add(kind, o.at)
	case bool:
		k.add("boolean", o.at)
	default:
		k.add("null", o.at)
	}
}

// child returns the key of that name below another; nil where there is no room for it.
func (o *Observer) child(s *Stream, above *Key, name, standing string, level int) *Key {
	if c := above.below[name]; c != nil {
		return c
	}
	if len(above.below) >= maxOwn && name != others {
		o.omitted++
		return o.child(s, above, others, standing, level)
	}
	if o.keys >= maxKeys || level > maxDepth {
		return nil
	}
	o.keys++
	c := &Key{Type: name, Standing: standing, above: above, below: map[string]*Key{}, first: o.at, seen: map[string]place{}}
	if above != &s.root {
		c.Type, c.Path = above.Type, strings.TrimPrefix(above.Path+"."+name, ".")
		if name == items {
			c.Path = above.Path + name
		}
	}
	above.below[name] = c
	s.Keys = append(s.Keys, c)
	return c
}

// word notes a text, or that the texts are no choice of words.
func (k *Key) word(text string, at place) {
	_, known := k.seen["="+text]
	_, open := k.seen[anyWord]
	switch {
	case known || open:
	case k.words < maxWords && wordPattern().MatchString(text):
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
