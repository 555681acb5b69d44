package observe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Result is what was seen, sorted by name: but for the places in Drift, the order of
// streams and lines does not change it, unless something was omitted.
type Result struct {
	Streams []Stream `json:"streams"`
	// Drift has the first differences, Drifts counts all.
	Drift  []Drift `json:"drift"`
	Drifts int     `json:"drifts"`
	// Notes are differences that are no drift: further values of a key.
	Notes []Drift `json:"notes"`
	// Unread counts lines that are no line of a stream.
	Unread int `json:"unread"`
	// Omitted counts what was gathered under * or not at all, for want of room.
	Omitted int `json:"omitted,omitempty"`
}

// Drift is one difference between what was seen and the published schema, or the
// baseline.
type Drift struct {
	Rule string `json:"rule"`
	ident
	Type    string `json:"type,omitempty"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	// File and Line are where it was seen first; the line is 0 where something was
	// not seen.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Subject names what differs: an agent, a type of its lines, a key.
func (d Drift) Subject() string {
	native := ""
	if d.Format == Native {
		native = Native
	}
	return strings.Join(slices.DeleteFunc([]string{d.Agent, d.Version, native, d.Type, d.Path}, func(s string) bool { return s == "" }), " ")
}

// String returns the difference as a line for people.
func (d Drift) String() string { return fmt.Sprintf("%s: %s (%s)", d.Subject(), d.Message, d.Rule) }

// The rules about the published schema, then those about a baseline.
// docs/schema-versions.md lists all.
const (
	ruleVersion = "unknown-version"
	ruleType    = "unknown-type"
	ruleKey     = "unknown-key"

	newStream = "new-stream"
	newType   = "new-type"
	newKey    = "new-key"
	newKind   = "new-kind"
	newValue  = "new-value"
	goneKey   = "gone-key"
)

// maxDrift bounds the differences that are listed.
const maxDrift = 1000

// Result returns what was seen, with its drift from the published schemas and from
// the baseline, unless that is nil.
func (o *Observer) Result(b *Baseline) Result {
	r := Result{Streams: []Stream{}, Drift: []Drift{}, Notes: []Drift{}, Unread: o.unread, Omitted: o.omitted}
	for _, s := range slices.SortedFunc(maps.Values(o.streams), func(a, b *Stream) int {
		return cmp.Or(cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Format, b.Format))
	}) {
		r.compare(s, b)
		r.Streams = append(r.Streams, *s)
	}
	return r
}

// settle sorts the keys, fills in what follows from all lines, and returns them by name.
func (s *Stream) settle() map[string]*Key {
	slices.SortFunc(s.Keys, func(a, b *Key) int { return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Path, b.Path)) })
	byName := map[string]*Key{}
	for _, k := range s.Keys {
		k.Of = k.above.objects
		if strings.HasSuffix(k.Path, items) {
			k.Of = k.Count
		}
		k.Seen = slices.SortedFunc(maps.Keys(k.seen), inOrder)
		byName[nameOf(k.Type, k.Path)] = k
	}
	return byName
}

// missing counts the objects that could hold the key of that name and do not.
func missing(byName map[string]*Key, name string) int {
	if k := byName[name]; k != nil {
		return k.Of - k.Count
	}
	typ, path, _ := strings.Cut(name, separator)
	above := byName[nameOf(typ, parentOf(path))]
	if above == nil || strings.HasSuffix(path, items) { // an array may be empty
		return 0
	}
	return above.objects
}

// add adds a difference of a key, or of a type, at a place, the zero place for none.
func (r *Result) add(s *Stream, rule, typ, path string, at place, format string, args ...any) {
	list := &r.Drift
	if rule == newValue {
		list = &r.Notes
	} else {
		r.Drifts++
	}
	if len(*list) < maxDrift {
		*list = append(*list, Drift{rule, s.ident, typ, path, fmt.Sprintf(format, args...), at.file, at.line})
	}
}

// compare finds how a stream differs from its published schema and from what was seen of
// it before. Keys and types that the baseline has are accepted; of an agent that was
// never seen nothing else can differ.
func (r *Result) compare(s *Stream, b *Baseline) {
	byName := s.settle()
	if s.Format != Native && s.contract == nil {
		r.add(s, ruleVersion, "", "", s.root.first, "no schema of that name is published: %s", s.Format)
		return
	}
	var before map[string]string
	if b != nil {
		before = b.Streams[s.name()]
	}
	if b != nil && before == nil {
		r.add(s, newStream, "", "", place{}, "the baseline has no %s stream of %s", s.Format, s.Agent)
	}
	for _, k := range s.Keys {
		add := func(rule, format string, args ...any) { r.add(s, rule, k.Type, k.Path, k.first, format, args...) }
		was, seen := before[nameOf(k.Type, k.Path)]
		_, within := before[nameOf(k.Type, parentOf(k.Path))]
		_, declared := s.contract[k.Type]
		switch {
		case seen:
			r.compareKey(s, k, fieldsWithout(was, always))
		case k.Path == "" && s.contract != nil && !declared:
			add(ruleType, "%s has no such type", s.Format)
		case k.Path == "" && before != nil:
			add(newType, "a type of lines that was never seen")
		case k.Standing == Unknown && k.above.Standing != Unknown:
			add(ruleKey, "%s has no such key, %s", s.Format, strings.Join(k.Seen, ", "))
		case within && k.Path != "":
			add(newKey, "a key that was never seen, %s in %d of %d", strings.Join(k.Seen, ", "), k.Count, k.Of)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if n := missing(byName, name); n > 0 && slices.Contains(strings.Fields(before[name]), always) {
			typ, path, _ := strings.Cut(name, separator)
			of := n
			if k := byName[name]; k != nil {
				of = k.Of
			}
			r.add(s, goneKey, typ, path, place{}, "was always there, missing in %d of %d", n, of)
		}
	}
}

// compareKey finds how a key differs from what was seen of it before.
func (r *Result) compareKey(s *Stream, k *Key, was []string) {
	for _, word := range k.Seen {
		value, isValue := strings.CutPrefix(word, "=")
		switch {
		case slices.Contains(was, word), word == kindInteger && slices.Contains(was, kindNumber):
		case !isValue:
			r.add(s, newKind, k.Type, k.Path, k.seen[word], "%s, before %s", word, strings.Join(was, ", "))
		case slices.Contains(was, kindString) && !slices.Contains(was, anyWord):
			r.add(s, newValue, k.Type, k.Path, k.seen[word], "%q, before %s", value, strings.Join(was, ", "))
		}
	}
}
