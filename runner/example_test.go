package runner_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// Scan judges a stream that was saved, as Run judges a living one.
func ExampleScan() {
	stream := strings.NewReader(`{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"r1","step":0,"type":"run_started","data":{"model":"gpt-5-mini"}}
{"schema_version":"openagent.run_event.v1","sequence":2,"ts":"2026-03-03T20:11:13Z","run_id":"r1","step":1,"type":"run_finished","data":{"exit_reason":"max_steps","ok":false,"final_output":"","error":"the limit of 1 step is reached"}}
`)
	e, err := runner.Scan(context.Background(), stream, runner.Config{Stream: validate.Options{Strict: true}})
	if err != nil {
		log.Fatal(err) // the reader's error; a broken stream is none
	}
	fmt.Println(e.Verdict, "of run", e.RunID, "in", e.Events, "events with", e.TotalFindings(), "findings")
	fmt.Println(e.Reason)
	// Output:
	// failure of run r1 in 2 events with 0 findings
	// the run failed: max_steps: the limit of 1 step is reached
}
