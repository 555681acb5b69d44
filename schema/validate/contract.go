package validate

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/openagent-ci/openagent/schema"
)

// contract is a published schema as plain nodes, by which every line is checked;
// the tests hold them against the schema library. To compile the schema there takes
// longer than to check a thousand lines here.
type contract struct {
	version  string
	envelope *node
	payloads map[schema.Type]*node
	names    names
}

// v1 returns the contract of schema.Version, read at its first use. The
// embedded schema is part of the program, so what is wrong with it is a panic.
var v1 = sync.OnceValue(func() *contract { return mustRead(schema.Set{}, schema.Version) })

// mustRead is readContract for a version that the set has.
func mustRead(s schema.Set, version string) *contract {
	text, err := s.Load(version)
	if err != nil {
		panic(err)
	}
	c, err := readContract(version, text)
	if err != nil {
		panic(err)
	}
	return c
}

// readContract reads the schema of a version of the event contract.
func readContract(version string, text []byte) (*contract, error) {
	var doc struct {
		Defs map[string]*node `json:"$defs"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("read schema %s: %w", version, err)
	}
	c := &contract{version: version, envelope: doc.Defs["envelope"], payloads: map[schema.Type]*node{}, names: names{}}
	if c.envelope == nil || c.envelope.Properties["type"] == nil {
		return nil, fmt.Errorf("read schema %s: not an event schema: no envelope in $defs has a type", version)
	}
	c.envelope.prepare(c.names)
	for _, t := range c.envelope.Properties["type"].Enum {
		payload := doc.Defs[string(t)]
		if payload == nil {
			return nil, fmt.Errorf("read schema %s: not an event schema: $defs has no payload of the type %q", version, t)
		}
		payload.prepare(c.names)
		c.payloads[t] = payload
	}
	return c, nil
}
