package jsonschema

import (
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// named is a member that a schema names.
type named struct {
	name   string
	schema *node
}

// matching are the members whose names match a pattern.
type matching struct {
	matcher
	schema *node
}

func (c *compiler) properties(n *node, p place) {
	all := c.named(n, p)
	n.add(object, func(f *frame) {
		for _, m := range all {
			i := f.v.find(m.name)
			if !f.j.spend(1) || i < 0 {
				continue
			}
			if f.mark(i); m.schema.never {
				f.surplus(i, "it left out")
			} else {
				f.add(f.child(m.schema, i))
			}
		}
	})
}

// named returns the members of an object of schemas.
func (c *compiler) named(n *node, p place) (all []named) {
	for i, s := range c.members(n, p) {
		all = append(all, named{p.v.names[i], s})
	}
	return all
}

// surplus notes a member or an item that may not be there.
func (f *frame) surplus(part int, want string) {
	at := &step{f.at, f.v, part}
	got := "an item"
	if f.v.kind == object {
		got = "a member " + quoted(f.v.names[part])
	}
	f.add([]Fault{{Path: at.pointer(), Got: got, Want: want}})
}

// matching returns the members that an object of schemas has by pattern.
func (c *compiler) matching(n *node, p place) (all []matching) {
	for i, s := range c.members(n, p) {
		all = append(all, matching{c.matcher(&p.v.parts[i], p.path+"/"+jsontext.Pointer.Replace(p.v.names[i]), p.v.names[i]), s})
	}
	return all
}

func (c *compiler) patternProperties(n *node, p place) {
	all := c.matching(n, p)
	n.add(object, func(f *frame) {
		for _, m := range all {
			for i, name := range f.v.names {
				if m.matches(f.j, name) {
					f.mark(i)
					f.add(f.child(m.schema, i))
				}
			}
		}
	})
}

func (c *compiler) additionalProperties(n *node, p place) {
	rest := c.node(p.v, p.path, n.resource)
	named, want := map[string]bool{}, []string(nil)
	if v := p.schema.member("properties"); v != nil {
		for _, name := range v.names {
			named[name] = true
			want = append(want, quoted(name))
		}
	}
	var patterns []matching
	if v := p.schema.member("patternProperties"); v != nil {
		patterns = c.matching(n, place{p.schema, v, n.path + "/patternProperties"})
		for _, name := range v.names {
			want = append(want, "names like "+quoted(name))
		}
	}
	none := "none"
	if want != nil {
		none = "none but " + listed(want)
	}
	n.add(object, func(f *frame) {
		for i, name := range f.v.names {
			if named[name] || !f.j.spend(1) || matchesAny(f.j, patterns, name) {
				continue
			}
			if f.mark(i); rest.never {
				f.surplus(i, none)
			} else {
				f.add(f.child(rest, i))
			}
		}
	})
}

func matchesAny(j *checking, patterns []matching, name string) bool {
	for _, p := range patterns {
		if p.matches(j, name) {
			return true
		}
	}
	return false
}

// listed returns words in a row, of many the first.
func listed(words []string) string {
	const shown = 20
	if more := len(words) - shown; more > 0 {
		return strings.Join(words[:shown], ", ") + fmt.Sprintf(" and %d others", more)
	}
	return strings.Join(words, ", ")
}

func (c *compiler) propertyNames(n *node, p place) {
	s := c.node(p.v, p.path, n.resource)
	n.add(object, func(f *frame) {
		for i, name := range f.v.names {
			faults, _ := f.j.check(s, &value{kind: text, text: name}, nil)
			for _, one := range faults {
				f.surplus(i, "a name that is "+one.Want)
			}
		}
	})
}

func (c *compiler) required(n *node, p place) {
	names := c.names(p)
	n.add(object, func(f *frame) { f.require(names, "") })
}

// require notes the members that are missing.
func (f *frame) require(names []string, because string) {
	for _, name := range names {
		if f.j.spend(1) && f.v.find(name) < 0 {
			f.faultOf(f.v.String()+" without "+quoted(name), "a member "+quoted(name)+because)
		}
	}
}

// dependencies compiles what has to hold when a member is there: other members or
// a schema.
func (c *compiler) dependencies(n *node, p place) {
	if p.v.kind != object {
		c.fail(p.v, p.path, "got %s, want an object", p.v)
		return
	}
	for i, name := range p.v.names {
		at := place{p.schema, &p.v.parts[i], p.path + "/" + jsontext.Pointer.Replace(name)}
		if needs := strings.HasSuffix(p.path, "/dependentRequired"); needs || at.v.kind == list && !strings.HasSuffix(p.path, "/dependentSchemas") {
			names := c.names(at)
			n.whenThere(name, func(f *frame) { f.require(names, ", because "+quoted(name)+" is there") })
			continue
		}
		s := c.node(at.v, at.path, n.resource)
		n.sub(s)
		n.whenThere(name, func(f *frame) { f.add(f.inPlace(s)) })
	}
}

// whenThere has objects with a member of that name checked.
func (n *node) whenThere(name string, ask check) {
	n.add(object, func(f *frame) {
		if f.v.find(name) >= 0 {
			ask(f)
		}
	})
}
