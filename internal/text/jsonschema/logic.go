package jsonschema

import (
	"fmt"
	"slices"
	"strings"
)

// typeNames are the types in the words of schemas and of faults.
var typeNames = [...]struct{ name, words string }{
	{"null", "null"}, {"boolean", "true or false"}, {"integer", "a whole number"}, {"number", "a number"},
	{"string", "a string"}, {"array", "a list"}, {"object", "an object"},
}

// is reports whether v is of the type of that name.
func (v *value) is(name string) bool {
	switch v.kind {
	case boolean:
		return name == "boolean"
	case number:
		return name == "number" || name == "integer" && parseDecimal(v.text).integer()
	case text:
		return name == "string"
	case list:
		return name == "array"
	case object:
		return name == "object"
	}
	return name == "null"
}

func (c *compiler) types(n *node, p place) {
	var wanted, words []string
	if p.v.kind == text {
		wanted = []string{p.v.text}
	} else {
		wanted = c.names(p)
	}
	for _, name := range wanted {
		i := slices.IndexFunc(typeNames[:], func(t struct{ name, words string }) bool { return t.name == name })
		if i < 0 {
			c.fail(p.v, p.path, "there is no type %s; the types are null, boolean, integer, number, string, array, object", quoted(name))
			return
		}
		words = append(words, typeNames[i].words)
	}
	if len(wanted) == 0 {
		c.fail(p.v, p.path, "got %s, want a type or several", p.v)
	}
	n.checks = slices.Insert(n.checks, 0, func(f *frame) { // what it finds says most
		if !slices.ContainsFunc(wanted, f.v.is) {
			f.fault(strings.Join(words, ", or "))
		}
	})
}

func (c *compiler) enum(n *node, p place) {
	if p.v.kind != list {
		c.fail(p.v, p.path, "got %s, want a list of values", p.v)
		return
	}
	const shown = 12
	var words []string
	keys := map[string]bool{}
	for i := range p.v.parts {
		v := &p.v.parts[i]
		keys[v.key()] = true
		if len(words) < shown {
			words = append(words, c.written(v))
		}
	}
	if more := len(p.v.parts) - shown; more > 0 {
		words = append(words, fmt.Sprintf("or %d others", more))
	}
	want := "one of " + strings.Join(words, ", ")
	if words == nil {
		want = "nothing here"
	}
	n.checks = append(n.checks, func(f *frame) {
		if f.j.spend(f.v.size()/8) && !keys[f.v.key()] {
			f.fault(want)
		}
	})
}

func (c *compiler) constant(n *node, p place) {
	key, want := p.v.key(), c.written(p.v)
	n.checks = append(n.checks, func(f *frame) {
		if f.j.spend(f.v.size()/8) && f.v.key() != key {
			f.fault(want)
		}
	})
}

// written returns a value of the schema as it is written there, cut where it is long.
func (c *compiler) written(v *value) string {
	switch v.kind {
	case text:
		return quoted(v.text)
	case list, object:
		return v.String() + " as the schema has it"
	}
	return v.text
}

func (c *compiler) allOf(n *node, p place) {
	for _, s := range c.schemas(n, p) {
		n.sub(s)
		n.checks = append(n.checks, func(f *frame) { f.add(f.inPlace(s)) })
	}
}

// alternatives compiles schemas of which some have to accept the value.
func (c *compiler) alternatives(n *node, p place) []*node {
	all := c.schemas(n, p)
	for _, s := range all {
		n.sub(s)
	}
	return all
}

func (c *compiler) anyOf(n *node, p place) {
	all := c.alternatives(n, p)
	n.checks = append(n.checks, func(f *frame) {
		var refused [][]Fault
		accepted := false
		for _, s := range all {
			if faults := f.inPlace(s); len(faults) > 0 {
				refused = append(refused, faults)
			} else if accepted = true; !f.j.track { // else each may check other parts
				return
			}
		}
		if !accepted {
			f.none(refused)
		}
	})
}

func (c *compiler) oneOf(n *node, p place) {
	all := c.alternatives(n, p)
	n.checks = append(n.checks, func(f *frame) {
		var refused [][]Fault
		var accepted []string
		for i, s := range all {
			if faults := f.inPlace(s); len(faults) > 0 {
				refused = append(refused, faults)
			} else if accepted = append(accepted, fmt.Sprint(i+1)); len(accepted) > 1 {
				f.faultOf("a value that alternatives "+strings.Join(accepted, " and ")+" both accept", fmt.Sprintf("one that exactly one of %d accepts", len(all)))
				return
			}
		}
		if len(accepted) == 0 {
			f.none(refused)
		}
	})
}

func (c *compiler) not(n *node, p place) {
	s := c.node(p.v, p.path, n.resource)
	n.sub(s)
	n.checks = append(n.checks, func(f *frame) {
		if faults, _ := f.j.check(s, f.v, f.at); len(faults) == 0 {
			f.fault("a value that " + quoted(p.path) + " of the schema does not accept")
		}
	})
}

func (c *compiler) condition(n *node, p place) {
	s, then, otherwise := c.node(p.v, p.path, n.resource), c.sibling(n, p, "then"), c.sibling(n, p, "else")
	for _, branch := range []*node{s, then, otherwise} {
		if branch != nil {
			n.sub(branch)
		}
	}
	n.checks = append(n.checks, func(f *frame) {
		next := otherwise
		if len(f.inPlace(s)) == 0 {
			next = then
		}
		if next != nil {
			f.add(f.inPlace(next))
		}
	})
}
