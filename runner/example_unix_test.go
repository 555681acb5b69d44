//go:build unix

package runner_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// watcher prints the tools that an agent calls, and what is wrong with a line.
type watcher struct{}

func (watcher) Line(l runner.Line) {
	for _, f := range l.Findings {
		fmt.Println("finding:", f)
	}
	if l.Event == nil {
		return // the line is no event
	}
	if e, ok := l.Event.Data.(*schema.ToolCallDetected); ok && e.Tool != nil {
		fmt.Println("tool:", *e.Tool)
	}
}

func (watcher) Stderr(p []byte) { os.Stderr.Write(p) }

// Run starts an agent of any kind, here a shell script, and follows it.
func ExampleRun() {
	const agent = `
event() { printf '{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-03-03T20:11:12Z","run_id":"r1","step":%d,"type":"%s","data":%s}\n' "$@"; }
event 1 0 run_started '{}'
event 2 1 tool_call_detected '{"tool_call_id":"c1","tool":"read_file"}'
echo 'Thinking ...'
event 3 1 run_finished '{"exit_reason":"ok","ok":true,"final_output":"done","error":null}'`
	e := runner.Run(context.Background(), runner.Config{
		Command: []string{"sh", "-c", agent},
		Env:     os.Environ(), // nothing is inherited by itself
		Timeout: time.Minute,
		File:    "events.jsonl",
		Handler: watcher{},
	})
	fmt.Println(e.Verdict)
	fmt.Println(e.Reason)
	// Output:
	// tool: read_file
	// finding: events.jsonl:3:1: line/json: "T" at column 1, want JSON; the line begins "Thinking ..."
	// violation
	// 1 error in line 3: line/json: "T" at column 1, want JSON
}
