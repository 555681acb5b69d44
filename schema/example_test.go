package schema_test

import (
	"fmt"
	"os"

	"github.com/openagent-ci/openagent/schema"
)

// A producer encodes a payload struct; a reader gets a pointer to the same.
func Example() {
	tool := "read_file"
	line, err := schema.Encode(schema.Event{
		SchemaVersion: schema.Version, Sequence: 2, TS: "2026-03-03T20:11:12.000Z", RunID: "nightly", Step: 1,
		Type: schema.TypeToolCallDetected, Data: schema.ToolCallDetected{Tool: &tool},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	os.Stdout.Write(line)

	event, err := schema.Decode(line)
	if err != nil {
		fmt.Println(err)
		return
	}
	if call, ok := event.Data.(*schema.ToolCallDetected); ok && call.Tool != nil {
		fmt.Println("line", event.Sequence, "calls", *call.Tool)
	}
	// Output:
	// {"schema_version":"openagent.run_event.v1","sequence":2,"ts":"2026-03-03T20:11:12.000Z","run_id":"nightly","step":1,"type":"tool_call_detected","data":{"tool_call_id":null,"tool":"read_file"}}
	// line 2 calls read_file
}
