package jsonschema

import (
	"strconv"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// draft is a set of drafts of JSON Schema.
type draft int

const (
	draft07 draft = 1 << iota
	draft2020
	both = draft07 | draft2020
)

func (d draft) String() string {
	if d == draft07 {
		return "07"
	}
	return "2020-12"
}

// keyword is what a member of a schema does.
type keyword struct {
	drafts  draft
	compile func(c *compiler, n *node, p place) // nil for one that asserts nothing
}

// place is the value of a keyword, the schema that it stands in and its path.
type place struct {
	schema, v *value
	path      string
}

// keywords returns what the members of a schema do, by name.
func keywords() map[string]keyword {
	return map[string]keyword{
		"$ref":        {both, (*compiler).ref},
		"$dynamicRef": {draft2020, (*compiler).dynamicRef},
		"$defs":       {draft2020, (*compiler).definitions},
		"definitions": {both, (*compiler).definitions},
		"$schema":     {both, (*compiler).sameDraft},
		"$id":         {both, nil}, "$anchor": {draft2020, nil}, "$dynamicAnchor": {draft2020, nil}, // identify

		"$vocabulary": {draft2020, nil}, "$comment": {both, nil}, "title": {both, nil}, "description": {both, nil}, "default": {both, nil}, "examples": {both, nil},
		"readOnly": {both, nil}, "writeOnly": {both, nil}, "deprecated": {draft2020, nil},
		"contentEncoding": {both, nil}, "contentMediaType": {both, nil}, "contentSchema": {draft2020, nil},

		"type":  {both, (*compiler).types},
		"enum":  {both, (*compiler).enum},
		"const": {both, (*compiler).constant},

		"allOf": {both, (*compiler).allOf},
		"anyOf": {both, (*compiler).anyOf},
		"oneOf": {both, (*compiler).oneOf},
		"not":   {both, (*compiler).not},
		"if":    {both, (*compiler).condition},
		"then":  {both, (*compiler).branch}, // condition
		"else":  {both, (*compiler).branch},

		"multipleOf":       {both, (*compiler).multipleOf},
		"maximum":          {both, bound("at most", func(c int) bool { return c <= 0 })},
		"exclusiveMaximum": {both, bound("less than", func(c int) bool { return c < 0 })},
		"minimum":          {both, bound("at least", func(c int) bool { return c >= 0 })},
		"exclusiveMinimum": {both, bound("more than", func(c int) bool { return c > 0 })},

		"maxLength": {both, limit(text, "characters", true)},
		"minLength": {both, limit(text, "characters", false)},
		"pattern":   {both, (*compiler).pattern},
		"format":    {both, (*compiler).format},

		"items":            {both, (*compiler).items},
		"prefixItems":      {draft2020, (*compiler).prefixItems},
		"additionalItems":  {draft07, (*compiler).branch}, // items
		"contains":         {both, (*compiler).contains},
		"minContains":      {draft2020, (*compiler).counted}, // contains
		"maxContains":      {draft2020, (*compiler).counted},
		"maxItems":         {both, limit(list, "items", true)},
		"minItems":         {both, limit(list, "items", false)},
		"uniqueItems":      {both, (*compiler).uniqueItems},
		"unevaluatedItems": {draft2020, (*compiler).unevaluated},

		"properties":            {both, (*compiler).properties},
		"patternProperties":     {both, (*compiler).patternProperties},
		"additionalProperties":  {both, (*compiler).additionalProperties},
		"propertyNames":         {both, (*compiler).propertyNames},
		"required":              {both, (*compiler).required},
		"maxProperties":         {both, limit(object, "members", true)},
		"minProperties":         {both, limit(object, "members", false)},
		"dependentRequired":     {draft2020, (*compiler).dependencies},
		"dependentSchemas":      {draft2020, (*compiler).dependencies},
		"dependencies":          {draft07, (*compiler).dependencies},
		"unevaluatedProperties": {draft2020, (*compiler).unevaluated},
	}
}

// item returns the item of a list that a part of a JSON pointer names, nil for none.
func (v *value) item(part string) *value {
	i, err := strconv.Atoi(part)
	if err != nil || i < 0 || i >= len(v.parts) || strconv.Itoa(i) != part {
		return nil
	}
	return &v.parts[i]
}

// Below are what the keywords' values are read by: each refuses a value that is
// not what it wants.

// schemas returns the schemas of a list that is not empty.
func (c *compiler) schemas(n *node, p place) (all []*node) {
	if p.v.kind != list || len(p.v.parts) == 0 {
		c.fail(p.v, p.path, "got %s, want a list of schemas", p.v)
	}
	for i := range p.v.parts {
		all = append(all, c.node(&p.v.parts[i], p.path+"/"+strconv.Itoa(i), n.resource))
	}
	return all
}

// members returns the schemas of an object, in its order.
func (c *compiler) members(n *node, p place) (all []*node) {
	if p.v.kind != object {
		c.fail(p.v, p.path, "got %s, want an object of schemas", p.v)
		return nil
	}
	for i, name := range p.v.names {
		all = append(all, c.node(&p.v.parts[i], p.path+"/"+jsontext.Pointer.Replace(name), n.resource))
	}
	return all
}

// names returns the texts of a list that has none twice.
func (c *compiler) names(p place) (all []string) {
	if p.v.kind != list {
		c.fail(p.v, p.path, "got %s, want a list of names", p.v)
	}
	seen := map[string]bool{}
	for i := range p.v.parts {
		name := &p.v.parts[i]
		switch {
		case name.kind != text:
			c.fail(name, p.path+"/"+strconv.Itoa(i), "got %s, want a name", name)
		case seen[name.text]:
			c.fail(name, p.path+"/"+strconv.Itoa(i), "%s stands twice in the list", quoted(name.text))
		}
		seen[name.text] = true
		all = append(all, name.text)
	}
	return all
}

// count returns a number of things.
func (c *compiler) count(p place) int {
	if p.v.kind == number {
		if n, ok := parseDecimal(p.v.text).count(); ok {
			return n
		}
	}
	c.fail(p.v, p.path, "got %s, want a whole number that is not negative", p.v)
	return 0
}

// number returns any number.
func (c *compiler) number(p place) decimal {
	if p.v.kind != number {
		c.fail(p.v, p.path, "got %s, want a number", p.v)
		return decimal{}
	}
	return parseDecimal(p.v.text)
}

// definitions compiles schemas that only references use.
func (c *compiler) definitions(n *node, p place) { c.members(n, p) }

// branch compiles a schema that another keyword uses.
func (c *compiler) branch(n *node, p place) { c.node(p.v, p.path, n.resource) }

// counted checks a number that another keyword uses.
func (c *compiler) counted(_ *node, p place) { c.count(p) }

// sibling returns the schema of a keyword beside p, nil for none.
func (c *compiler) sibling(n *node, p place, name string) *node {
	if v := p.schema.member(name); v != nil {
		return c.node(v, n.path+"/"+name, n.resource)
	}
	return nil
}

func (c *compiler) ref(n *node, p place) { c.reference(n, p.v, p.path, nil) }

func (c *compiler) dynamicRef(n *node, p place) { c.reference(n, p.v, p.path, new(string)) }

// sameDraft refuses a part that is of another draft than the whole.
func (c *compiler) sameDraft(_ *node, p place) {
	if d := c.draftOf(p.schema); d != c.draft {
		c.fail(p.v, p.path, "got draft %s within a schema of draft %s", d, c.draft)
	}
}

// add appends a check that only values of a kind are asked.
func (n *node) add(k kind, ask check) {
	n.checks = append(n.checks, func(f *frame) {
		if f.v.kind == k {
			ask(f)
		}
	})
}
