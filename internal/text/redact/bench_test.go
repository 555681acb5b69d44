package redact

import (
	"io"
	"strings"
	"testing"
)

// BenchmarkWriter measures how fast output passes that holds no secret.
func BenchmarkWriter(b *testing.B) {
	for name, line := range map[string]string{
		"text":  "internal/cli/run.go:12: a line of ordinary text, as a compiler may print it\n",
		"zeros": strings.Repeat("\x00", 77),
		"short": "y\n",
	} {
		b.Run(name, func(b *testing.B) {
			block := []byte(strings.Repeat(line, 64<<10/len(line)+1)[:64<<10])
			w := NewWriter(io.Discard, New([]string{"sk-test-0123456789", "ghs-test-zq9876543210"}))
			b.SetBytes(int64(len(block)))
			for b.Loop() {
				_, _ = w.Write(block)
			}
		})
	}
}

// BenchmarkJSONLine looks through lines that hold no secret.
func BenchmarkJSONLine(b *testing.B) {
	r := New([]string{"sk-test-0123456789", "ghs-test-zq9876543210"})
	for name, line := range map[string]string{
		"plain":   `{"schema_version":"openagent.run_event.v1","sequence":4,"ts":"2026-03-03T20:11:12.000Z","run_id":"r","step":1,"type":"tool_exec_started","data":{"tool_call_id":"call_1_0","tool":"read_file"}}` + "\n",
		"escapes": `{"schema_version":"openagent.run_event.v1","sequence":5,"ts":"2026-03-03T20:11:12.000Z","run_id":"r","step":1,"type":"tool_exec_finished","data":{"tool_call_id":"call_1_0","content_preview":"package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n"}}` + "\n",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if _, n := r.JSONLine([]byte(line)); n != 0 {
					b.Fatal("a secret was found")
				}
			}
		})
	}
}
