package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/openagent-ci/openagent/schema"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// contract is the published schema in the form that lines are checked with:
// compiled by the schema library, and as plain nodes for the rules beside it.
type contract struct {
	envelope *jsonschema.Schema
	payloads map[schema.Type]*jsonschema.Schema

	nodes map[string]*node // $defs
	names map[string]bool  // every member name of the contract
}

// v1 returns the contract of schema.Version, compiled at its first use.
var v1 = sync.OnceValue(func() *contract {
	c, err := compile()
	if err != nil {
		panic(err) // the embedded schema is part of the program
	}
	return c
})

// urn is the id of the published schema, under which it is compiled.
const urn = "urn:openagent:run_event:v1"

// compile prepares the embedded schema. The parts of a line are compiled one
// by one: judging a line by its type alone costs a third of trying all types.
func compile() (*contract, error) {
	text, err := schema.Load(schema.Version)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Defs map[string]*node `json:"$defs"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	compiler, err := newCompiler(urn, text)
	if err != nil {
		return nil, err
	}
	c := &contract{
		payloads: map[schema.Type]*jsonschema.Schema{},
		nodes:    doc.Defs,
		names:    map[string]bool{},
	}
	if c.envelope, err = compiler.Compile(urn + "#/$defs/envelope"); err != nil {
		return nil, err
	}
	for _, t := range schema.Types() {
		if c.payloads[t], err = compiler.Compile(urn + "#/$defs/" + string(t)); err != nil {
			return nil, err
		}
	}
	for _, n := range doc.Defs {
		n.prepare(c.names)
	}
	return c, nil
}

// newCompiler returns a compiler that knows the text under its URN and reads
// nothing else.
func newCompiler(urn string, text []byte) (*jsonschema.Compiler, error) {
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	compiler.AssertFormat = true
	compiler.LoadURL = refuse
	return compiler, compiler.AddResource(urn, bytes.NewReader(text))
}

// refuse keeps the library from reading anything but what it was given.
func refuse(url string) (io.ReadCloser, error) {
	return nil, fmt.Errorf("schema %s is not part of the contract", url)
}
