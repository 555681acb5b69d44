package jsonschema

import (
	"fmt"
	"math"
)

// items compiles the schema of all items behind those of prefixItems, or as draft
// 07 has it, one schema or a list of them.
func (c *compiler) items(n *node, p place) {
	if c.draft == draft07 && p.v.kind == list {
		n.tuple(c.schemas(n, p))
		n.rest(len(p.v.parts), c.sibling(n, p, "additionalItems"))
		return
	}
	if p.v.kind == list {
		c.fail(p.v, p.path, "got a list of schemas, which is called prefixItems in draft 2020-12; want one schema")
		return
	}
	before := 0
	if prefix := p.schema.member("prefixItems"); prefix != nil && c.draft != draft07 {
		before = len(prefix.parts)
	}
	n.rest(before, c.node(p.v, p.path, n.resource))
}

func (c *compiler) prefixItems(n *node, p place) { n.tuple(c.schemas(n, p)) }

// tuple has the first items checked, each by a schema of its own.
func (n *node) tuple(schemas []*node) {
	n.add(list, func(f *frame) {
		for i, s := range schemas[:min(len(schemas), len(f.v.parts))] {
			f.add(f.child(s, i))
			f.mark(i)
		}
	})
}

// rest has all items checked from one on; nil for no schema.
func (n *node) rest(from int, s *node) {
	if s == nil {
		return
	}
	n.add(list, func(f *frame) {
		if s.never && len(f.v.parts) > from {
			f.fault(fmt.Sprintf("at most %d", from))
			return
		}
		for i := from; i < len(f.v.parts); i++ {
			f.add(f.child(s, i))
			f.mark(i)
		}
	})
}

func (c *compiler) contains(n *node, p place) {
	s, least, most := c.node(p.v, p.path, n.resource), 1, math.MaxInt
	if c.draft != draft07 {
		if v := p.schema.member("minContains"); v != nil {
			least = c.count(place{p.schema, v, n.path + "/minContains"})
		}
		if v := p.schema.member("maxContains"); v != nil {
			most = c.count(place{p.schema, v, n.path + "/maxContains"})
		}
	}
	n.add(list, func(f *frame) {
		found := 0
		for i := range f.v.parts {
			if len(f.child(s, i)) == 0 {
				found++
				f.mark(i)
			}
		}
		switch {
		case found < least:
			f.faultOf(fmt.Sprintf("%s of which %d fit %s", f.v, found, quoted(p.path)), fmt.Sprintf("at least %d that fit it", least))
		case found > most:
			f.faultOf(fmt.Sprintf("%s of which %d fit %s", f.v, found, quoted(p.path)), fmt.Sprintf("at most %d that fit it", most))
		}
	})
}

func (c *compiler) uniqueItems(n *node, p place) {
	if p.v.kind != boolean {
		c.fail(p.v, p.path, "got %s, want true or false", p.v)
	}
	if p.v.text != "true" {
		return
	}
	n.add(list, func(f *frame) {
		if !f.j.spend(f.v.size() / 8) {
			return
		}
		first := map[string]int{}
		for i := range f.v.parts {
			key := f.v.parts[i].key()
			if first, again := first[key]; again {
				f.faultOf(fmt.Sprintf("a list whose items %d and %d are equal, counted from 0", first, i), "items that are all different")
				return
			}
			first[key] = i
		}
	})
}

// unevaluated compiles the schema of what no other keyword checked.
func (c *compiler) unevaluated(n *node, p place) {
	c.track = true
	s, k := c.node(p.v, p.path, n.resource), object
	if p.path[len(n.path):] == "/unevaluatedItems" {
		k = list
	}
	n.last = append(n.last, func(f *frame) {
		if f.v.kind != k {
			return
		}
		for i := range f.v.parts {
			if f.marked(i) || !f.j.spend(1) {
				continue
			}
			if f.mark(i); s.never {
				f.surplus(i, "none besides those that the schema names")
			} else {
				f.add(f.child(s, i))
			}
		}
	})
}
