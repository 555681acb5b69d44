package validate_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema/validate"
)

// flowLine is an event about one tool call.
func flowLine(sequence int, typ, id, more string) []byte {
	return fmt.Appendf(nil, `{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-03-03T20:11:12.000Z",`+
		`"run_id":"r1","step":1,"type":%q,"data":{"tool_call_id":%q,"tool":"t"%s}}`+"\n", sequence, typ, id, more)
}

const (
	allowed = `,"decision":"allow","reason":null,"source":null`
	denied  = `,"decision":"deny","reason":null,"source":null`
	ended   = `,"ok":true,"content_preview":null,"truncated":false,"original_bytes":null`
)

// flowStream counts the findings of a stream by rule as it is fed.
type flowStream struct {
	*validate.Stream
	sequence int
	found    map[string]int
}

func newFlowStream() *flowStream {
	return &flowStream{Stream: validate.NewStream(validate.Options{}), found: map[string]int{}}
}

func (s *flowStream) add(typ, id, more string) {
	s.sequence++
	s.count(s.Line(flowLine(s.sequence, typ, id, more)))
}

func (s *flowStream) count(findings []validate.Finding) {
	for _, f := range findings {
		s.found[f.Rule]++
	}
}

// A denied call is remembered over thousands of others.
func TestStream_RemembersCalls(t *testing.T) {
	s := newFlowStream()
	s.add("tool_decision", "first", denied)
	for i := range 5000 {
		s.add("tool_decision", fmt.Sprint(i), allowed)
	}
	s.add("tool_exec_started", "first", "")
	if s.found["flow/exec-after-deny"] != 1 {
		t.Errorf("a denied call starts 5000 calls later: found %v, want one flow/exec-after-deny", s.found)
	}
}

// A running call is remembered longer than those that are over, and nothing
// is said of what was forgotten.
func TestStream_SaysNothingOfForgottenCalls(t *testing.T) {
	s := newFlowStream()
	s.add("tool_decision", "runs", allowed)
	s.add("tool_exec_started", "runs", "")
	s.add("tool_decision", "stays", allowed)
	s.add("tool_exec_started", "stays", "")
	s.add("tool_decision", "waits", allowed)
	for i := range 50_000 {
		s.add("tool_decision", fmt.Sprint(i), allowed)
	}
	s.add("tool_exec_finished", "runs", ended)
	s.add("tool_exec_started", "waits", "")
	s.add("tool_exec_finished", "waits", ended)
	s.add("tool_decision", "waits", denied)
	s.add("tool_exec_started", "waits", "")
	s.count(s.Close())
	delete(s.found, "stream/terminal-missing")
	delete(s.found, "stream/run-started")
	want := map[string]int{"flow/exec-after-deny": 1, "flow/unfinished-tool": 2}
	if fmt.Sprint(s.found) != fmt.Sprint(want) {
		t.Errorf("found %v, want %v: a new decision makes a forgotten call known again", s.found, want)
	}
}

// However many calls a stream has and however it breaks their rules, what is
// kept of them does not grow with it.
func TestStream_MemoryOfCallsIsBounded(t *testing.T) {
	long := strings.Repeat("z", 20_000)
	for name, id := range map[string]func(int) string{
		"new ids":  func(i int) string { return fmt.Sprint(i) },
		"one id":   func(int) string { return "same" },
		"long ids": func(i int) string { return fmt.Sprint(long, i%20_000) },
	} {
		s := validate.NewStream(validate.Options{})
		const calls = 60_000
		before := heap()
		for i := range calls {
			if name == "long ids" && i > 5000 {
				break
			}
			s.Line(flowLine(i+1, "tool_exec_started", id(i), ""))
		}
		grown := heap() - before
		if grown > 4<<20 {
			t.Errorf("%s: %d unfinished calls hold %d bytes, want at most 4 MiB", name, calls, grown)
		}
		runtime.KeepAlive(s)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Findings of earlier lines wait for the end; too many of them are told at
// once, and none is lost.
func TestStream_ReportsEveryUnfinishedCall(t *testing.T) {
	s := newFlowStream()
	const starts = 10_000
	var before []int
	for range starts {
		s.sequence++
		findings := s.Line(flowLine(s.sequence, "tool_exec_started", "same", ""))
		for _, f := range findings {
			if f.Rule == "flow/unfinished-tool" {
				before = append(before, f.Line)
			}
		}
		s.count(findings)
	}
	s.count(s.Close())
	if got := s.found["flow/unfinished-tool"]; got != starts {
		t.Errorf("%d starts of one call give %d findings, want one each", starts, got)
	}
	if len(before) == 0 || !slices.IsSorted(before) {
		t.Errorf("%d findings came before the end, sorted %v, want some in order", len(before), slices.IsSorted(before))
	}
}
