package observe

import (
	"fmt"
	"strings"
)

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
	subject := d.Agent + " " + d.Version
	if d.Format == Native {
		subject += " " + Native
	}
	for _, part := range []string{d.Type, d.Path} {
		if part != "" {
			subject += " " + part
		}
	}
	return subject
}

// String returns the difference as a line for people.
func (d Drift) String() string { return fmt.Sprintf("%s: %s (%s)", d.Subject(), d.Message, d.Rule) }

// Rule is a kind of difference. docs/schema-versions.md lists all.
type Rule struct {
	ID string
	// What says when it is broken.
	What string
}

// The rules about the published schema, then those about a baseline.
const (
	ruleVersion = "unknown-version"
	ruleType    = "unknown-type"
	ruleKey     = "unknown-key"
	ruleKind    = "wrong-kind"
	ruleMissing = "missing-key"
	ruleBound   = "over-bound"

	newStream = "new-stream"
	newType   = "new-type"
	newKey    = "new-key"
	newKind   = "new-kind"
	newValue  = "new-value"
	newSize   = "new-size"
	goneKey   = "gone-key"
)

// Rules returns every rule.
func Rules() []Rule {
	return []Rule{
		{ruleVersion, "The `schema_version` is none that is published."},
		{ruleType, "The contract has no such `type`."},
		{ruleKey, "The contract has no such key, and its name is reserved: only those that begin with `x_` are free."},
		{ruleKind, "The value is of a kind that the key cannot have."},
		{ruleMissing, "A declared key is not there."},
		{ruleBound, "A text, an array or an integer is beyond its bound."},
		{newStream, "The baseline has no such agent, or no such format of it."},
		{newType, "A type of lines was never seen."},
		{newKey, "A key was never seen in lines of that type."},
		{newKind, "A key has a kind of value that was never seen there, such as null."},
		{newValue, "A key that had one of a few words has another one."},
		{newSize, "A text, an array, an integer or a line is of a larger class than any before."},
		{goneKey, "A key that was always there is missing."},
	}
}

// maxDrift bounds the differences of one stream that are listed.
const maxDrift = 200

// drifting gathers differences.
type drifting struct {
	files []string
	list  []Drift
	all   int

	stream Stream
	listed int // of the stream
}

// add adds a difference at a place, the zero place for none.
func (d *drifting) add(rule, typ, path string, at place, format string, args ...any) {
	d.all++
	if d.listed++; d.listed > maxDrift {
		return
	}
	drift := Drift{
		Rule: rule, Agent: d.stream.Agent, Version: d.stream.Version, Format: d.stream.Format,
		Type: typ, Path: path, Message: fmt.Sprintf(format, args...),
	}
	if at.line > 0 {
		drift.File, drift.Line = d.files[at.file], at.line
	}
	d.list = append(d.list, drift)
}

// schema finds how a stream differs from its published schema. Keys and types that
// the baseline has are accepted.
func (d *drifting) schema(s *set, stream Stream, b *Baseline) {
	d.stream, d.listed = stream, 0
	switch {
	case s.format == Native:
		return
	case s.schema == nil && s.lines > 0:
		d.add(ruleVersion, "", "", s.types[""].node.first, "no schema of that name is published: %s", s.format)
		return
	}
	before := b.find(stream)
	for _, t := range stream.Types {
		n := s.types[typeKey(t.Name)].node
		if n.spec == nil {
			if before.typed(t.Name) == nil {
				d.add(ruleType, t.Name, "", t.at, "%s has no such type", s.format)
			}
			continue
		}
		d.missing(t, n, "")
		for _, k := range t.Keys {
			d.key(t, k, before)
		}
	}
}

// typeKey is typed's key of the type that is called so.
func typeKey(name string) string {
	if name == envelopeType {
		return ""
	}
	return name
}

// missing finds the declared keys that are not in every object of n.
func (d *drifting) missing(t Type, n *node, path string) {
	of := n.kinds[kindObject].n
	for _, name := range n.spec.required {
		seen := 0
		if c := n.children[name]; c != nil {
			seen = c.count
		}
		if seen < of {
			d.add(ruleMissing, t.Name, join(path, name), place{}, "declared, and missing in %d of %d", of-seen, of)
		}
	}
}

// key finds how a key differs from its schema.
func (d *drifting) key(t Type, k Key, before *BaselineStream) {
	n := k.node
	if n.spec == nil {
		if _, accepted := before.typed(t.Name)[k.Path]; k.Standing == Unknown && !k.nested && !accepted {
			d.add(ruleKey, t.Name, k.Path, n.first, "%s has no such key, %s", d.stream.Format, k.kinds())
		}
		return
	}
	for i, seen := range n.kinds {
		if seen.n > 0 && !n.spec.allows(kind(i)) {
			d.add(ruleKind, t.Name, k.Path, seen.at, "%s, want %s", kindNames[i], strings.Join(n.spec.kinds, " or "))
		}
	}
	for _, s := range k.Sizes {
		if s.Bound > 0 && s.Most > s.Bound {
			d.add(ruleBound, t.Name, k.Path, s.at, "%d %s, want at most %d", s.Most, s.Unit, s.Bound)
		}
	}
	d.number(t, k)
	d.missing(t, n, k.Path)
}

// number finds integers out of their bounds.
func (d *drifting) number(t Type, k Key) {
	n := k.node
	if k.Most == nil {
		return
	}
	if most := n.spec.most; most != nil && *k.Most > *most {
		d.add(ruleBound, t.Name, k.Path, n.most.at, "%d, want at most %d", *k.Most, *most)
	}
	if least := n.spec.least; least != nil && *k.Least < *least {
		d.add(ruleBound, t.Name, k.Path, n.least.at, "%d, want at least %d", *k.Least, *least)
	}
}

// kinds lists the kinds of the values of a key.
func (k Key) kinds() string { return strings.Join(k.KindNames(), ", ") }

// KindNames returns the kinds of the values of a key in the order of the house.
func (k Key) KindNames() (list []string) {
	for _, name := range kindNames {
		if k.Kinds[name] > 0 {
			list = append(list, name)
		}
	}
	return list
}
