package validate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

func ExampleStream() {
	stream := `{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"r1","step":0,"type":"run_started","data":{}}
{"schema_version":"openagent.run_event.v1","sequence":3,"ts":"2026-03-03T20:11:13Z","run_id":"r1","step":1,"type":"tool_exec_started","data":{"tool_call_id":null,"tool":null}}
`
	s := validate.NewStream(validate.Options{})
	var findings []validate.Finding
	for line := range strings.Lines(stream) {
		findings = append(findings, s.Line([]byte(line))...)
	}
	findings = append(findings, s.Close()...)
	validate.Sort(findings)
	for _, f := range findings {
		f.File = "events.jsonl"
		fmt.Println(f)
	}
	// Output:
	// events.jsonl:2: stream/sequence-gap: sequence is 3, want 2
	// events.jsonl: stream/terminal-missing: the run "r1" ends without run_finished
}

// The examples of the published schema are part of its reference text, so they
// must hold.
func TestSchema_ExamplesMatch(t *testing.T) {
	text, err := schema.Load(schema.Version)
	if err != nil {
		t.Fatal(err)
	}
	type member struct{ Examples []json.RawMessage }
	var doc struct {
		Defs map[schema.Type]struct {
			Examples   []map[string]json.RawMessage
			Properties map[string]member
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for _, typ := range schema.Types() {
		def := doc.Defs[typ]
		hold := func(what string, data map[string]json.RawMessage) {
			line, err := schema.Encode(schema.Event{SchemaVersion: schema.Version, Sequence: 1,
				TS: "2026-03-03T20:11:12Z", RunID: "r1", Type: typ, Data: data})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range validate.NewStream(validate.Options{}).Line(line) {
				if stage, _, _ := strings.Cut(f.Rule, "/"); stage == "schema" || f.Rule == "size/string" || f.Rule == "size/preview" {
					t.Errorf("%s of %s: %v, want no finding", what, typ, f)
				}
			}
		}
		hold("the example", def.Examples[0])
		for name, m := range def.Properties {
			for _, example := range m.Examples {
				data := map[string]json.RawMessage{}
				for n, v := range def.Examples[0] {
					data[n] = v
				}
				data[name] = example
				hold("an example of "+name, data)
			}
		}
	}
}
