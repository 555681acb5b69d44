package jsonschema

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/nearest"
)

// SchemaError is why a schema does not compile, and where.
type SchemaError struct {
	Line, Column int
	// Path is the JSON pointer of the place, empty for the whole schema.
	Path    string
	Problem string
}

// Error names line, column and path.
func (e *SchemaError) Error() string {
	at := ""
	if e.Path != "" {
		at = " (" + e.Path + ")"
	}
	return fmt.Sprintf("line %d, column %d%s: %s", e.Line, e.Column, at, e.Problem)
}

// node is a compiled schema.
type node struct {
	at       *value
	path     string
	never    bool // the schema false
	resource *resource
	checks   []check // in the order of the text, that of the type first
	last     []check // those that ask what the others have checked
	inPlace  []*edge // schemas that check the same value
}

// check checks the value of a frame by one keyword.
type check func(f *frame)

// edge leads to a schema that is known when all are compiled.
type edge struct{ to *node }

// resource is a part of a schema that references count from: the whole, or one
// with an $id of its own.
type resource struct {
	base    *url.URL
	root    *value
	path    string
	anchors map[string]*value
	dynamic map[string]*node
}

// compiler compiles one schema.
type compiler struct {
	text      string
	draft     draft
	table     map[string]keyword
	nodes     map[*value]*node
	order     []*node
	resources map[string]*resource
	pending   []reference
	warnings  []string
	track     bool
	err       *SchemaError // the first
}

// reference is a reference that is resolved when all ids are known.
type reference struct {
	from *resource
	v    *value
	path string
	edge *edge
	// dynamic gets the anchor that is looked for at run time, if it is one.
	dynamic *string
}

// Compile compiles a schema. The error is a *SchemaError.
func Compile(schema string) (*Schema, error) {
	c := &compiler{text: schema, nodes: map[*value]*node{}, resources: map[string]*resource{}}
	if len(schema) > MaxSchema {
		return nil, &SchemaError{Line: 1, Column: 1, Problem: fmt.Sprintf("the schema has %d bytes, want at most %d", len(schema), MaxSchema)}
	}
	v, wrong := parse(schema)
	if wrong != nil {
		line, column := Position(schema, min(wrong.at, len(schema)))
		return nil, &SchemaError{Line: line, Column: column, Problem: "got " + wrong.problem + ", want one JSON value"}
	}
	c.draft = c.draftOf(v)
	c.table = keywords()
	root := c.node(v, "", &resource{base: &url.URL{}, root: v, anchors: map[string]*value{}, dynamic: map[string]*node{}})
	for len(c.pending) > 0 && c.err == nil {
		next := c.pending[0]
		c.pending = c.pending[1:]
		c.resolve(next)
	}
	if c.err == nil {
		c.refuseCycles()
	}
	if c.err != nil {
		return nil, c.err
	}
	return &Schema{root: root, text: schema, warnings: c.warnings, track: c.track}, nil
}

// fail notes what is wrong at v; the first that is noted counts.
func (c *compiler) fail(v *value, path, format string, args ...any) {
	if c.err == nil {
		line, column := Position(c.text, v.at)
		c.err = &SchemaError{Line: line, Column: column, Path: path, Problem: fmt.Sprintf(format, args...)}
	}
}

// maxWarnings bounds the warnings of a schema.
const maxWarnings = 20

// warn notes a word of v that nobody knows, and which of known may have been meant.
func (c *compiler) warn(v *value, path, problem, word string, candidates func() []string) {
	if len(c.warnings) < maxWarnings {
		line, column := Position(c.text, v.at)
		problem += nearest.Hint(word, candidates())
		c.warnings = append(c.warnings, (&SchemaError{Line: line, Column: column, Path: path, Problem: problem}).Error())
	}
}

// draftOf returns the draft that a schema names, the newest for none.
func (c *compiler) draftOf(v *value) draft {
	named := v.member("$schema")
	if named == nil {
		return draft2020
	}
	name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(named.text, "http://"), "https://"), "#"), "/")
	switch {
	case named.kind != text:
	case name == "json-schema.org/draft/2020-12/schema":
		return draft2020
	case name == "json-schema.org/draft-07/schema":
		return draft07
	}
	c.fail(named, "/$schema", "got %s, want https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema#", named)
	return draft2020
}

// node compiles the schema v once; r is the resource that it stands in.
func (c *compiler) node(v *value, path string, r *resource) *node {
	if n := c.nodes[v]; n != nil {
		return n
	}
	n := &node{at: v, path: path, resource: r}
	c.nodes[v] = n
	c.order = append(c.order, n)
	switch {
	case c.err != nil:
	case v.kind == boolean:
		n.never = v.text == "false"
	case v.kind != object:
		c.fail(v, path, "got %s, want a schema: an object, true or false", v)
	case c.draft == draft07 && v.member("$ref") != nil:
		c.reference(n, v.member("$ref"), path+"/$ref", nil) // which hides what stands beside it
	default:
		c.identify(n, v)
		for i, name := range v.names {
			c.keyword(n, v, i, name)
		}
	}
	return n
}

// keyword compiles the member i of the schema v.
func (c *compiler) keyword(n *node, v *value, i int, name string) {
	at, path := &v.parts[i], n.path+"/"+jsontext.Pointer.Replace(name)
	k, known := c.table[name]
	switch {
	case c.err != nil:
	case !known, k.drafts&c.draft == 0:
		c.warn(at, path, "the keyword "+quoted(name)+" is not known in draft "+c.draft.String()+" and asserts nothing", name, c.keywords)
	case k.compile != nil:
		k.compile(c, n, place{v, at, path})
	}
}

// keywords returns the names of the keywords of the draft.
func (c *compiler) keywords() (names []string) {
	for name, k := range c.table {
		if k.drafts&c.draft != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// identify registers the names that v has in references.
func (c *compiler) identify(n *node, v *value) {
	if id := v.member("$id"); id != nil {
		c.id(n, v, id)
	} else if v == n.resource.root {
		c.resources[""] = n.resource
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		anchor := v.member(keyword)
		if anchor == nil || c.draft == draft07 {
			continue
		}
		if anchor.kind != text || anchor.text == "" || strings.ContainsAny(anchor.text, "#/ ") {
			c.fail(anchor, n.path+"/"+keyword, "got %s, want the name of an anchor", anchor)
			return
		}
		n.resource.anchors[anchor.text] = v
		if keyword == "$dynamicAnchor" {
			n.resource.dynamic[anchor.text] = n
		}
	}
}

// id registers the address of v, or in draft 07 its anchor.
func (c *compiler) id(n *node, v, id *value) {
	u, err := url.Parse(id.text)
	switch {
	case id.kind != text || err != nil:
		c.fail(id, n.path+"/$id", "got %s, want the address of the schema", id)
		return
	case c.draft == draft07 && strings.HasPrefix(id.text, "#") && len(id.text) > 1:
		n.resource.anchors[id.text[1:]] = v
		return
	case u.Fragment != "":
		c.fail(id, n.path+"/$id", "got %s, want an address without a part behind #", id)
		return
	}
	base := n.resource.base.ResolveReference(u)
	base.Fragment, base.RawFragment = "", ""
	if v == n.resource.root {
		n.resource.base = base
	} else {
		n.resource = &resource{base: base, root: v, path: n.path, anchors: map[string]*value{}, dynamic: map[string]*node{}}
	}
	if other := c.resources[base.String()]; other != nil && other != n.resource {
		c.fail(id, n.path+"/$id", "%s is the address of two schemas", quoted(base.String()))
		return
	}
	c.resources[base.String()] = n.resource
}

// reference makes n check as well by what v refers to.
func (c *compiler) reference(n *node, v *value, path string, dynamic *string) {
	if v.kind != text {
		c.fail(v, path, "got %s, want a reference such as #/$defs/name", v)
		return
	}
	to := n.sub(nil)
	c.pending = append(c.pending, reference{from: n.resource, v: v, path: path, edge: to, dynamic: dynamic})
	n.checks = append(n.checks, func(f *frame) {
		target := to.to
		if dynamic != nil && *dynamic != "" {
			target = f.j.dynamic(*dynamic, target)
		}
		f.add(f.inPlace(target))
	})
}

// sub notes that n checks its value by another schema too.
func (n *node) sub(to *node) *edge {
	e := &edge{to}
	n.inPlace = append(n.inPlace, e)
	return e
}

// resolve finds what a reference refers to.
func (c *compiler) resolve(ref reference) {
	address, fragment, _ := strings.Cut(ref.v.text, "#")
	u, err := url.Parse(address)
	name, ferr := url.PathUnescape(fragment)
	if err != nil || ferr != nil {
		c.fail(ref.v, ref.path, "got %s, want a reference such as #/$defs/name", ref.v)
		return
	}
	r := ref.from
	if address != "" {
		r = c.resources[r.base.ResolveReference(u).String()]
	}
	switch {
	case r == nil:
		c.fail(ref.v, ref.path, "%s is outside of the schema: only references within it are followed, no file and no address", quoted(ref.v.text))
	case name == "":
		ref.edge.to = c.node(r.root, r.path, r)
	case name[0] == '/':
		ref.edge.to = c.pointed(ref, r, name)
	case r.anchors[name] == nil:
		c.fail(ref.v, ref.path, "%s leads nowhere: there is no such anchor", quoted(ref.v.text))
	default:
		v := r.anchors[name]
		ref.edge.to = c.node(v, "", r)
		if ref.dynamic != nil && r.dynamic[name] != nil {
			*ref.dynamic = name
		}
	}
}

// pointed returns the schema at a JSON pointer within r.
func (c *compiler) pointed(ref reference, r *resource, pointer string) *node {
	v, path := r.root, r.path
	for part := range strings.SplitSeq(pointer[1:], "/") {
		part = jsontext.PointerName.Replace(part)
		path += "/" + jsontext.Pointer.Replace(part)
		next := v.member(part)
		if v.kind == list {
			next = v.item(part)
		}
		if next == nil {
			c.fail(ref.v, ref.path, "%s leads nowhere: the schema has nothing at %s", quoted(ref.v.text), quoted(path))
			return nil
		}
		v = next
		if n := c.nodes[v]; n != nil {
			r = n.resource
		}
	}
	return c.node(v, path, r)
}

// refuseCycles finds schemas that come back to themselves without going into the
// value, which would never end.
func (c *compiler) refuseCycles() {
	const open, done = 1, 2
	state := map[*node]int{}
	var visit func(n *node) *node
	visit = func(n *node) *node {
		switch state[n] {
		case open:
			return n
		case done:
			return nil
		}
		state[n] = open
		for _, e := range n.inPlace {
			if found := visit(e.to); found != nil {
				return found
			}
		}
		state[n] = done
		return nil
	}
	for _, n := range c.order {
		if found := visit(n); found != nil {
			c.fail(found.at, found.path, "the schema refers to itself without going into the value, so judging would never end")
			return
		}
	}
}
