package drift

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Observation is what streams carry and how that differs from the published schemas and
// a baseline. It is sorted, and the order of streams and lines changes nothing but places,
// unless something was omitted.
type Observation struct {
	Schema   string   `json:"schema"`
	Baseline string   `json:"baseline,omitempty"` // the file that was compared with
	Updated  bool     `json:"updated"`            // the baseline was written
	Added    []Drift  `json:"added"`              // what the baseline had not held before
	Streams  []Stream `json:"streams"`
	Drift    []Drift  `json:"drift"`             // the first of all
	Drifts   int      `json:"drifts"`            // counts all
	Notes    []Drift  `json:"notes"`             // what is no drift: further values of a key
	Unread   int      `json:"unread"`            // lines that are no line of a stream
	Omitted  int      `json:"omitted,omitempty"` // what was gathered under * or not at all, for want of room
	Skipped  int      `json:"skipped"`           // files of folders that are no streams
}

// Drift is one difference between what was seen and the published schema, or the
// baseline.
type Drift struct {
	Rule string `json:"rule"`
	ident
	Type    string `json:"type,omitempty"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	File    string `json:"file,omitempty"` // where it was seen first
	Line    int    `json:"line,omitempty"` // 0 where something was not seen
}

// sentence returns the difference with the agent, the type of line and the key it is of.
func (d Drift) sentence() string {
	subject := []string{d.Agent, d.Version, d.Type, d.Path}
	if d.Format == native {
		subject = slices.Insert(subject, 2, native)
	}
	return strings.Join(strings.Fields(strings.Join(subject, " ")), " ") + ": " + d.Message
}

// String returns the difference as a line for people.
func (d Drift) String() string { return d.sentence() + " (" + d.Rule + ")" }

// Baseline is what was seen of streams before, without counts, so that it does not
// change with every run: by "agent format", and then by "type: path", the words of
// Key.Seen with blanks between, after always where each object that can hold the key did.
type Baseline struct {
	Schema  string                       `json:"schema"` // baselineVersion
	Streams map[string]map[string]string `json:"streams"`
}

// The values of schema in every observation and baseline.
const observationVersion, baselineVersion = "openagent.schema_observation.v2", "openagent.schema_baseline.v2"

const (
	always    = "always"
	separator = ": "
	maxDrifts = 1000 // differences that are listed
)

// The rules about the published schema, then those about a baseline.
// docs/schema-versions.md lists all.
const (
	ruleVersion, ruleType, ruleKey                         = "unknown-version", "unknown-type", "unknown-key"
	newStream, newType, newKey, newKind, newValue, goneKey = "new-stream", "new-type", "new-key", "new-kind", "new-value", "gone-key"
)

// ParseBaseline reads a baseline. An error quotes nothing of it but its schema: the text may
// be that of another file.
func ParseBaseline(text []byte) (*Baseline, error) {
	var b Baseline
	err := json.Unmarshal(text, &b)
	switch at := new(json.SyntaxError); {
	case errors.As(err, &at):
		return nil, fmt.Errorf("read baseline: no JSON from byte %d on", at.Offset)
	case b.Schema != baselineVersion:
		return nil, fmt.Errorf("read baseline: schema is %.64q, want %q", b.Schema, baselineVersion)
	case err != nil:
		return nil, errors.New("read baseline: a value is of the wrong type")
	case jsontext.Repeats(text):
		return nil, errors.New("read baseline: a member stands twice in an object")
	}
	return &b, nil
}

// Encode returns the baseline as a JSON document with a line for each key.
func (b *Baseline) Encode() []byte {
	text, _ := json.MarshalIndent(b, "", "  ") // texts in maps have no error
	return append(text, '\n')
}

// Merge adds what was seen, but for streams of unknown versions. A baseline forgets nothing
// but that a key was always there.
func (b *Baseline) Merge(o *Observer) {
	b.Schema = baselineVersion
	if b.Streams == nil {
		b.Streams = map[string]map[string]string{}
	}
	for _, s := range o.streams {
		if all := new(Observation).compare(s, b); all != nil {
			b.Streams[s.name()] = all
		}
	}
}

// Result returns what was seen, and how it differs from the schemas and a baseline, if any.
func (o *Observer) Result(b *Baseline) Observation {
	r := Observation{
		Schema: observationVersion, Added: []Drift{}, Streams: []Stream{}, Drift: []Drift{}, Notes: []Drift{},
		Unread: o.unread, Omitted: o.omitted, Skipped: o.skipped,
	}
	for _, s := range slices.SortedFunc(maps.Values(o.streams), func(a, b *Stream) int {
		return cmp.Or(cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Format, b.Format))
	}) {
		r.compare(s, b)
		r.Streams = append(r.Streams, *s)
	}
	return r
}

// name is how a baseline names a stream, for all versions of its agent.
func (id ident) name() string { return id.Agent + " " + id.Format }

// name is how a baseline names a key.
func (k *Key) name() string { return k.Type + separator + k.Path }

// parentOf returns the name of the object, or the array, that holds a key.
func parentOf(name string) string {
	typ, path, _ := strings.Cut(name, separator)
	if array, ok := strings.CutSuffix(path, items); ok {
		return typ + separator + array
	}
	return typ + separator + path[:max(strings.LastIndexByte(path, '.'), 0)]
}

// settle sorts the keys, fills in Of and Seen, and returns them by name.
func (s *Stream) settle() map[string]*Key {
	slices.SortFunc(s.Keys, func(a, b *Key) int { return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Path, b.Path)) })
	byName := map[string]*Key{}
	for _, k := range s.Keys {
		k.Of = k.above.objects
		if strings.HasSuffix(k.Path, items) {
			k.Of = k.Count
		}
		k.Seen = slices.SortedFunc(maps.Keys(k.seen), inOrder)
		byName[k.name()] = k
	}
	return byName
}

// inOrder orders what was seen of a key: always, kinds, then words.
func inOrder(a, b string) int {
	return strings.Compare(strings.Replace(a, "=", "~", 1), strings.Replace(b, "=", "~", 1))
}

// missing counts the objects that lack the key of that name, of how many.
func missing(byName map[string]*Key, name string) (n, of int) {
	above := byName[parentOf(name)]
	if k := byName[name]; k != nil {
		return k.Of - k.Count, k.Of
	}
	if above == nil || strings.HasSuffix(name, items) {
		return 0, 0
	}
	return above.objects, above.objects
}

// add adds a difference of a key, or of a type, at a place, the zero place for none.
func (r *Observation) add(s *Stream, rule, name string, at place, format string, args ...any) {
	typ, path, _ := strings.Cut(name, separator)
	list := &r.Notes
	if rule != newValue {
		list = &r.Drift
		r.Drifts++
	}
	if len(*list) < maxDrifts {
		*list = append(*list, Drift{rule, s.ident, typ, path, fmt.Sprintf(format, args...), at.file, at.line})
	}
}

// compare adds how a stream differs from its schema and the baseline, which accepts what it
// has, and returns the two together, nil for an unknown version.
func (r *Observation) compare(s *Stream, b *Baseline) (all map[string]string) {
	byName := s.settle()
	if s.Format != native && s.contract == nil {
		r.add(s, ruleVersion, "", s.root.first, "no schema of that name is published: %s", s.Format)
		return nil
	}
	var before map[string]string
	if b != nil {
		if before = b.Streams[s.name()]; before == nil {
			r.add(s, newStream, "", place{}, "the baseline has no %s stream of %s", s.Format, s.Agent)
		}
	}
	all = map[string]string{}
	for _, k := range s.Keys {
		name, first := k.name(), strings.Join(k.Seen, ", ")
		was, known := before[name]
		above, within := before[parentOf(name)]
		_, declared := s.contract[k.Type]
		switch {
		case known:
			r.compareKey(s, k, slices.DeleteFunc(strings.Fields(was), isAlways))
		case k.Path == "" && s.contract != nil && !declared:
			r.add(s, ruleType, name, k.first, "%s has no such type", s.Format)
		case k.Path == "" && before != nil:
			r.add(s, newType, name, k.first, "a type of lines that was never seen")
		case k.Standing == reserved && k.above.Standing != reserved:
			r.add(s, ruleKey, name, k.first, "%s has no such key, %s", s.Format, first)
		case within && k.Path != "":
			r.add(s, newKey, name, k.first, "a key that was never seen, %s in %d of %d", first, k.Count, k.Of)
		}
		// Objects that were seen before did not have a key that was not.
		lacked := slices.Contains(strings.Fields(above), kindObject) && !strings.HasSuffix(k.Path, items)
		if !known && !lacked && k.Path != "" && k.Count == k.Of {
			was = always
		}
		all[name] = union(was, k.Seen)
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		all[name] = cmp.Or(all[name], before[name])
		if n, of := missing(byName, name); n > 0 && slices.ContainsFunc(strings.Fields(before[name]), isAlways) {
			r.add(s, goneKey, name, place{}, "was always there, missing in %d of %d", n, of)
			all[name] = strings.Join(slices.DeleteFunc(strings.Fields(all[name]), isAlways), " ")
		}
	}
	return all
}

// compareKey finds how a key differs from what was seen of it before.
func (r *Observation) compareKey(s *Stream, k *Key, was []string) {
	before := strings.Join(was, ", ")
	for _, word := range k.Seen {
		switch value, isValue := strings.CutPrefix(word, "="); {
		case slices.Contains(was, word), word == kindInteger && slices.Contains(was, kindNumber):
		case !isValue:
			r.add(s, newKind, k.name(), k.seen[word], "%s, before %s", word, before)
		case slices.Contains(was, kindString) && !slices.Contains(was, anyWord):
			r.add(s, newValue, k.name(), k.seen[word], "%q, before %s", value, before)
		}
	}
}

func isAlways(word string) bool { return word == always }

// union returns what was seen of a key before and now.
func union(was string, seen []string) string {
	words := append(strings.Fields(was), seen...)
	slices.SortFunc(words, inOrder)
	words = slices.Compact(words)
	isValue := func(word string) bool { return word[0] == '=' }
	if at := slices.IndexFunc(words, isValue); slices.Contains(words, anyWord) || at >= 0 && len(words)-at > maxWords {
		words = append(slices.DeleteFunc(words, isValue), anyWord)
	}
	return strings.Join(words, " ")
}
