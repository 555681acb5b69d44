package validate

import (
	"fmt"
	"sync"

	"github.com/openagent-ci/openagent/internal/text/jsonschema"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/schema"
)

// contract is a published schema of events: what all lines have, and the data of each
// type, compiled when it is first needed.
type contract struct {
	version  string
	envelope *jsonschema.Schema
	payloads map[schema.Type]func() *jsonschema.Schema
}

// contracts has the contracts that were read, each as a sync.OnceValue, by the texts of
// their schemas.
var contracts sync.Map

// read returns the contract of a version that the set has. What is wrong with it is a
// panic: it is part of the program.
func read(s schema.Set, version string) *contract {
	text, err := s.Load(version)
	if err != nil {
		panic(err)
	}
	once, _ := contracts.LoadOrStore(string(text), sync.OnceValue(func() *contract { return compile(version, text) }))
	return once.(func() *contract)()
}

// compile compiles the envelope of a schema. Each definition is compiled by itself: as a
// whole it takes ten times as long to compile, and to check a line by it.
func compile(version string, text []byte) *contract {
	document, _ := decode(text).(map[string]any)
	defs, _ := document["$defs"].(map[string]any)
	definition := func(name string) func() *jsonschema.Schema {
		if defs[name] == nil {
			panic(fmt.Errorf("read schema %s: not an event schema: $defs has no %q", version, name))
		}
		return sync.OnceValue(func() *jsonschema.Schema { return jsonschema.MustCompile(string(jsontext.MustMarshal(defs[name]))) })
	}
	c := &contract{version, definition("envelope")(), map[schema.Type]func() *jsonschema.Schema{}}
	types := c.envelope.Node().Properties["type"]
	if types == nil {
		panic(fmt.Errorf("read schema %s: not an event schema: its envelope has no type", version))
	}
	for _, name := range types.Enum {
		c.payloads[schema.Type(fmt.Sprint(name))] = definition(fmt.Sprint(name))
	}
	return c
}

// parts returns the parts of an event that the contract describes, in the order of
// findings: those of the envelope, then those of data.
func (c *contract) parts(e *event) []part {
	parts := inspect(c.envelope, e.members, "")
	if payload := c.payloads[e.typ]; payload != nil && e.data != nil {
		parts = append(parts, inspect(payload(), e.data, "data")...)
	}
	return parts
}
