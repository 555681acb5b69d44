package validate

import (
	"encoding/json"
	"sync"

	"github.com/openagent-ci/openagent/schema"
)

// contract is the published schema as plain nodes, by which every line is
// judged; the tests hold them against the schema library. To compile the schema
// there takes longer than to judge a thousand lines here.
type contract struct {
	envelope *node
	payloads map[schema.Type]*node
	names    names
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
	c := &contract{envelope: doc.Defs["envelope"], payloads: map[schema.Type]*node{}, names: names{}}
	c.envelope.prepare(c.names)
	for _, t := range schema.Types() {
		c.payloads[t] = doc.Defs[string(t)]
		c.payloads[t].prepare(c.names)
	}
	return c, nil
}
