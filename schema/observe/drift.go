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
	// Omitted counts what was gathered under * or not at all, for want of room.
	Omitted int `json:"omitted,omitempty"`
}

// Stream is what was seen of one agent, its version, and the format of its streams:
// a version of the contract, or Native.
type Stream struct {
	Agent   string `json:"agent"`
	Version string `json:"version"`
	Format  string `json:"format"`
	Files   int    `json:"files"`
	Lines   int    `json:"lines"`
	// Unread counts lines that are no line of such a stream.
	Unread int   `json:"unread"`
	Keys   []Key `json:"keys"`
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
}

// Drift is one difference between what was seen and the published schema, or the
// baseline.
type Drift struct {
	Rule    string `json:"rule"`
	Agent   string `json:"agent"`
	Version string `json:"version"`
	Format  string `json:"format"`
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
	d := drifting{files: o.files, result: Result{Streams: []Stream{}, Drift: []Drift{}, Omitted: o.omitted}}
	sets := slices.SortedFunc(maps.Values(o.sets), func(a, b *set) int {
		return cmp.Or(cmp.Compare(a.agent, b.agent), cmp.Compare(a.version, b.version), cmp.Compare(a.format, b.format))
	})
	for _, s := range sets {
		stream := Stream{Agent: s.agent, Version: s.version, Format: s.format, Files: s.files, Lines: s.lines, Unread: s.unread, Keys: s.keys()}
		d.result.Streams = append(d.result.Streams, stream)
		d.stream(s, stream, b)
	}
	return d.result
}

// keys returns what was seen in the order of types and paths.
func (s *set) keys() (list []Key) {
	for _, name := range slices.Sorted(maps.Keys(s.types)) {
		for _, path := range slices.Sorted(maps.Keys(s.types[name])) {
			k := s.types[name][path]
			list = append(list, Key{name, path, k.standing, k.count, s.holders(name, path), slices.SortedFunc(maps.Keys(k.seen), inOrder)})
		}
	}
	return list
}

// holders counts what could hold the key at a path, which need not have been seen.
func (s *set) holders(name, path string) int {
	k, parent := s.types[name][path], s.types[name][parentOf(path)]
	switch {
	case path == "":
		return s.lines
	case parent == nil, strings.HasSuffix(path, items) && k == nil:
		return 0 // an array may be empty
	case strings.HasSuffix(path, items):
		return k.count
	}
	return parent.objects
}

// drifting gathers the differences of a stream.
type drifting struct {
	*set
	files  []string
	result Result
}

// add adds a difference of a key, or of a type, at a place, the zero place for none.
func (d *drifting) add(rule string, k Key, at place, format string, args ...any) {
	if d.result.Drifts++; d.result.Drifts > maxDrift {
		return
	}
	drift := Drift{Rule: rule, Agent: d.agent, Version: d.version, Format: d.format, Type: k.Type, Path: k.Path, Message: fmt.Sprintf(format, args...)}
	if at.line > 0 {
		drift.File, drift.Line = d.files[at.file], at.line
	}
	d.result.Drift = append(d.result.Drift, drift)
}

// stream finds how a stream differs from its published schema and from what was seen of
// it before. Keys and types that the baseline has are accepted; of an agent that was
// never seen nothing else can differ.
func (d *drifting) stream(s *set, stream Stream, b *Baseline) {
	d.set = s
	if s.format != Native && s.contract == nil {
		first := stream.Keys[0]
		d.add(ruleVersion, Key{}, s.types[first.Type][""].first, "no schema of that name is published: %s", s.format)
		return
	}
	before, ok := b.stream(s.ident)
	if b != nil && !ok {
		d.add(newStream, Key{}, place{}, "the baseline has no %s stream of %s", s.format, s.agent)
	}
	for _, k := range stream.Keys {
		was, seen := before[nameOf(k.Type, k.Path)]
		_, typed := before[nameOf(k.Type, "")]
		_, within := before[nameOf(k.Type, parentOf(k.Path))]
		at := s.types[k.Type][k.Path].first
		_, declared := s.contract[k.Type]
		switch {
		case seen:
			d.key(k, strings.Fields(was))
		case k.Path == "" && s.contract != nil && !declared:
			d.add(ruleType, k, at, "%s has no such type", s.format)
		case k.Path == "" && ok:
			d.add(newType, k, at, "a type of lines that was never seen")
		case k.Standing == Unknown && s.types[k.Type][parentOf(k.Path)].standing != Unknown:
			d.add(ruleKey, k, at, "%s has no such key, %s", s.format, strings.Join(k.Seen, ", "))
		case typed && within && k.Path != "":
			d.add(newKey, k, at, "a key that was never seen, %s in %d of %d", strings.Join(k.Seen, ", "), k.Count, k.Of)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		typ, path, _ := strings.Cut(name, separator)
		of, count := s.holders(typ, path), 0
		if k := s.types[typ][path]; k != nil {
			count = k.count
		}
		if path != "" && count < of && slices.Contains(strings.Fields(before[name]), always) {
			d.add(goneKey, Key{Type: typ, Path: path}, place{}, "was always there, missing in %d of %d", of-count, of)
		}
	}
}

// key finds how a key differs from what was seen of it before.
func (d *drifting) key(k Key, was []string) {
	was = slices.DeleteFunc(was, func(word string) bool { return word == always })
	for _, word := range k.Seen {
		at := d.types[k.Type][k.Path].seen[word]
		value, isValue := strings.CutPrefix(word, "=")
		switch {
		case slices.Contains(was, word), word == kindInteger && slices.Contains(was, kindNumber):
		case !isValue:
			d.add(newKind, k, at, "%s, before %s", word, strings.Join(was, ", "))
		case slices.Contains(was, kindString) && !slices.Contains(was, anyWord):
			d.add(newValue, k, at, "%q, before %s", value, strings.Join(was, ", "))
		}
	}
}
