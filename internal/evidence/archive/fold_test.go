package archive

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// folded returns the rows of calls and steps that a stream makes; each line is the step,
// the type and the data.
func folded(t *testing.T, lines ...string) (calls []toolCallRow, steps []stepRow) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	out := &rows{root, "x", map[string]*sheet{}, nil}
	var stream strings.Builder
	for i, l := range lines {
		parts := strings.SplitN(l, " ", 3)
		ts := time.Date(2026, 3, 3, 20, 0, i, 0, time.UTC).Format(time.RFC3339)
		stream.WriteString(`{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"` + ts + `","run_id":"r","step":` + parts[0] + `,"type":"` + parts[1] + `","data":` + parts[2] + "}\n")
	}
	f := newFold("k", newCells(nil), out)
	if err := f.read(t.Context(), strings.NewReader(stream.String())); err != nil {
		t.Fatal(err)
	}
	for table, made := range out.sheets {
		if err := made.close(table); err != nil {
			t.Fatal(err)
		}
		path := dir + "/" + made.temporary
		switch table {
		case tableToolCalls:
			calls, err = parquet.ReadFile[toolCallRow](path)
		case tableSteps:
			steps, err = parquet.ReadFile[stepRow](path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return calls, steps
}

func at(second int) *time.Time { return new(time.Date(2026, 3, 3, 20, 0, second, 0, time.UTC)) }

// Each life of a call is a row, in whatever state the stream leaves it.
func TestFold_LivesOfCalls(t *testing.T) {
	calls, steps := folded(t,
		`0 run_started {}`,
		`1 step_started {"step_id":null,"step_index":null,"allowed_tools":null,"enforcement_mode":null}`,
		`1 tool_call_detected {"tool_call_id":"a","tool":"read_file","status":"complete"}`,
		`1 tool_decision {"tool_call_id":"a","tool":"read_file","decision":"allow","reason":null,"source":"policy"}`,
		`1 tool_exec_started {"tool_call_id":"a","tool":"read_file"}`,
		`1 tool_exec_finished {"tool_call_id":"a","tool":"read_file","ok":false,"content_preview":"x","truncated":false,"original_bytes":null,"error_kind":"not_found"}`,
		`1 tool_retry {"tool_call_id":"a","tool":"read_file","attempt":1,"max_retries":2,"failure_class":"x","action":"y"}`,
		`2 tool_call_detected {"tool_call_id":"a","tool":"search"}`, // the id is used again
		`2 tool_decision {"tool_call_id":"a","tool":"search","decision":"deny","reason":"no","source":"policy"}`,
		`2 tool_exec_finished {"tool_call_id":null,"tool":"other","ok":true,"content_preview":null,"truncated":false,"original_bytes":null}`,
		`2 run_finished {"exit_reason":"ok","ok":true,"final_output":"","error":null}`,
	)
	no, yes := false, true
	want := []toolCallRow{
		{RunKey: "k", Step: 1, Line: 3, ToolCallID: new("a"), Tool: new("read_file"), DetectedStatus: new("complete"), Decision: new("allow"), DecisionSource: new("policy"),
			Started: at(4), DurationMS: new(int64(1000)), OK: &no, ErrorKind: new("not_found"), Retries: 1},
		{RunKey: "k", Step: 2, Line: 10, Tool: new("other"), OK: &yes},
		{RunKey: "k", Step: 2, Line: 8, ToolCallID: new("a"), Tool: new("search"), Decision: new("deny"), DecisionReason: new("no"), DecisionSource: new("policy")},
	}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	wantSteps := []stepRow{
		{RunKey: "k", Step: 1, Started: at(1), DurationMS: new(int64(6000)), Events: 6, ToolCalls: 1, ToolRetries: 1},
		{RunKey: "k", Step: 2, Started: at(7), DurationMS: new(int64(3000)), Events: 3, ToolCalls: 1, Denied: 1},
	}
	if diff := cmp.Diff(wantSteps, steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// A decision about a call that was decided, started or finished begins another life of it.
func TestFold_DecisionsOfAnIDThatIsUsedAgain(t *testing.T) {
	const decision = `1 tool_decision {"tool_call_id":"a","tool":"t","decision":"allow","reason":null,"source":"policy"}`
	for before, want := range map[string]int{
		`1 tool_call_detected {"tool_call_id":"a","tool":"t","status":"complete"}`: 1,
		decision: 2,
		`1 tool_exec_started {"tool_call_id":"a","tool":"t"}`:                                                                           2,
		`1 tool_exec_finished {"tool_call_id":"a","tool":"t","ok":true,"content_preview":null,"truncated":false,"original_bytes":null}`: 2,
	} {
		if calls, _ := folded(t, before, decision); len(calls) != want {
			t.Errorf("a decision after %.25s makes %d rows, want %d", before, len(calls), want)
		}
	}
}

// A stream that opens calls and never ends them takes no memory without bound.
func TestFold_CallsThatNeverEnd(t *testing.T) {
	var lines []string
	for i := range maxOpen + 500 {
		lines = append(lines, `1 tool_exec_started {"tool_call_id":"`+strings.Repeat("x", i%7)+time.Duration(i).String()+`","tool":"t"}`)
	}
	calls, _ := folded(t, lines...)
	if len(calls) != maxOpen+500 {
		t.Errorf("%d rows of %d calls", len(calls), maxOpen+500)
	}
}
