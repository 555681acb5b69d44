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

// contract is the published schema in the form that lines are checked with: as
// plain nodes, which nearly every event is found faultless by, and compiled by
// the schema library, which says what is wrong with the others.
type contract struct {
	envelope *node
	payloads map[schema.Type]*node
	names    map[string]string // every member name of the contract, by itself: no line gets copies of its own
	// compiled is the library's form. To make it takes milliseconds, so it is
	// made at its first use.
	compiled func() *compiled
}

// compiled has the parts of a line one by one: judging a line by its type alone
// costs a third of trying all types.
type compiled struct {
	envelope *jsonschema.Schema
	payloads map[schema.Type]*jsonschema.Schema
}

// v1 returns the contract of schema.Version, read at its first use. The
// embedded schema is part of the program, so what is wrong with it is a panic.
var v1 = sync.OnceValue(func() *contract {
	c, err := readContract()
	if err != nil {
		panic(err)
	}
	return c
})

// urn is the id of the published schema, under which it is compiled.
const urn = "urn:openagent:run_event:v1"

// readContract reads the embedded schema.
func readContract() (*contract, error) {
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
	c := &contract{envelope: doc.Defs["envelope"], payloads: map[schema.Type]*node{}, names: map[string]string{}}
	c.envelope.prepare(c.names)
	for _, t := range schema.Types() {
		c.payloads[t] = doc.Defs[string(t)]
		c.payloads[t].prepare(c.names)
	}
	c.compiled = sync.OnceValue(func() *compiled {
		parts, err := compile(text)
		if err != nil {
			panic(err)
		}
		return parts
	})
	return c, nil
}

// compile compiles the parts of a line.
func compile(text []byte) (*compiled, error) {
	compiler, err := newCompiler(urn, text)
	if err != nil {
		return nil, err
	}
	c := &compiled{payloads: map[schema.Type]*jsonschema.Schema{}}
	if c.envelope, err = compiler.Compile(urn + "#/$defs/envelope"); err != nil {
		return nil, err
	}
	for _, t := range schema.Types() {
		if c.payloads[t], err = compiler.Compile(urn + "#/$defs/" + string(t)); err != nil {
			return nil, err
		}
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
