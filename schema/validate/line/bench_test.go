package line_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate/line"
)

// What internal/devtools/linecheck asks for: the stream in a file, and how long.
var (
	write = flag.String("write", "", "`file` that the benchmark writes its stream to")
	steps = flag.Int("steps", 2000, "steps of the stream of the benchmark")
)

// stream returns the lines of a run with that many steps of one call each, of
// about 630 bytes in the mean: listings, test output, and some prose that is
// not English.
func stream(tb testing.TB, steps int) []byte {
	tb.Helper()
	var out []byte
	at := time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC)
	sequence := int64(0)
	add := func(step int, data any, typ schema.Type) {
		sequence++
		at = at.Add(7 * time.Millisecond)
		line, err := schema.Encode(schema.Event{
			SchemaVersion: schema.Version, Sequence: sequence, TS: at.Format("2006-01-02T15:04:05.000Z"),
			RunID: "20260303-201112-4f2a", Step: int64(step), Type: typ, Data: data,
		})
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, line...)
	}
	add(0, &schema.RunStarted{Agent: &schema.Agent{Name: "openagent", Version: "1.0.0"}, Provider: schema.Some("script")}, schema.TypeRunStarted)
	for k := 1; k <= steps; k++ {
		id, tool := fmt.Sprintf("call_%d_0", k), "read_file"
		text := content(k)
		add(k, &schema.StepStarted{StepID: new(fmt.Sprintf("step_%d", k)), StepIndex: new(int64(k)),
			AllowedTools: []string{"read_file", "write_file", "edit_file", "execute_command", "search", "list_files"}, EnforcementMode: new("policy")}, schema.TypeStepStarted)
		add(k, &schema.ToolCallDetected{ToolCallID: &id, Tool: &tool, Index: new(int64(0)), Source: new("native"), Status: new("complete"),
			Repaired: new(false), ArgumentsPreview: schema.Some(`{"path":"internal/agent/loop.go","from":` + fmt.Sprint(k) + `}`), ArgumentsBytes: schema.Some(int64(43))}, schema.TypeToolCallDetected)
		add(k, &schema.ToolDecision{ToolCallID: &id, Tool: &tool, Decision: new("allow"), Reason: new("allowed by default"), Source: new("policy")}, schema.TypeToolDecision)
		add(k, &schema.ToolExecStarted{ToolCallID: &id, Tool: &tool}, schema.TypeToolExecStarted)
		add(k, &schema.ToolExecFinished{ToolCallID: &id, Tool: &tool, OK: new(true), ContentPreview: &text, Status: new("ok"),
			SummaryText: schema.Some("read 40 lines of internal/agent/loop.go"), OutputTruncated: new(false), DurationMS: schema.Some(int64(k % 40))}, schema.TypeToolExecFinished)
	}
	add(steps, &schema.RunFinished{ExitReason: "ok", OK: true, FinalOutput: "The test passes now.", Error: nil}, schema.TypeRunFinished)
	return out
}

// content returns what the k-th call printed.
func content(k int) string {
	switch k % 4 {
	case 0:
		return strings.Repeat(fmt.Sprintf("--- PASS: TestLoop_Step%d (0.00s)\n", k), 50)
	case 1:
		return strings.Repeat("\tif err := run(ctx, \"step\"); err != nil {\n\t\treturn fmt.Errorf(\"run: %w\", err)\n\t}\n", 20)
	case 2:
		return strings.Repeat("The loop ends when the model makes no further call; limits and guards end it before that. ", 22)
	}
	return strings.Repeat("Größe: 12 €, naïve Übung — «déjà vu» 日本語のテキスト. ", 5)
}

func BenchmarkScan(b *testing.B) {
	text := stream(b, *steps)
	if *write != "" {
		if err := os.WriteFile(*write, text, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(text)))
	var s line.Scanner
	var f line.Facts
	lines := 0
	b.ReportAllocs()
	for b.Loop() {
		lines = 0
		for rest := text; len(rest) > 0; lines++ {
			n := s.Scan(rest)
			if n == 0 {
				b.Fatalf("not faultless: %.300s", rest)
			}
			s.Facts(rest, &f)
			rest = rest[n:]
		}
	}
	b.ReportMetric(float64(len(text)/lines), "bytes/line")
}
