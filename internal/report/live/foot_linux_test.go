package live

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// What goes by stays on the screen as it was written; the foot stands below it
// and is gone at the end.
func TestFoot_WhatStaysOnTheScreen(t *testing.T) {
	pty := newTerminal(t, 44, 24)
	f := NewFoot(pty.screen, term.NewScreen(pty.screen, func(string) string { return "" }))
	ctx, cancel := context.WithCancel(t.Context())
	f.While(ctx, func() {
		for _, e := range ofRun {
			_ = f.Emit(event.Event{RunID: "r1", Step: e.step, Data: e.data})
			if d, starts := e.data.(event.ToolExecStart); starts {
				if _, err := f.Write([]byte("> " + d.ToolCallID + "\n")); err != nil {
					t.Error(err)
				}
				f.Findings(1)
			}
		}
		cancel()
		pty.await("ending") // the foot goes on without anything to write
	})
	pty.screen.WriteString("verdict\n")
	pty.await("verdict\r\n")
	p := &paper{t: t}
	p.write(pty.seen.String())
	if diff := cmp.Diff("> a\n> c\nverdict\n", p.text()); diff != "" {
		t.Errorf("on the screen (-want +got):\n%s", diff)
	}
}

func TestFoot_Line(t *testing.T) {
	for ms, want := range map[int]string{
		0: "waiting for the first turn · 0 tool calls · 0 findings · 0 ms", 702: "turn 1, read_file 0 ms · 1 tool call · 0 findings · 702 ms",
		705: "turn 1 · 1 tool call · 0 findings · 705 ms", 1501: "turn 2, execute_command 0 ms · 2 tool calls · 0 findings · 1.5 s",
		9100: "run finished, waiting for the agent to exit · 2 tool calls · 0 findings · 9.1 s",
	} {
		f := &Foot{now: func() time.Time { return at(ms) }, ending: func() bool { return false }}
		f.board = *boardAt(ms)
		f.board.began = at(0)
		if got := f.line(); got != term.Cut(want, 80-1) {
			t.Errorf("line after %d ms = %q, want %q", ms, got, want)
		}
	}
	f := &Foot{now: func() time.Time { return at(1) }, ending: func() bool { return true }}
	if got := f.line(); !strings.HasPrefix(got, "ending, Ctrl-C again does not wait · ") {
		t.Errorf("line = %q, want it to say first that the run is ending", got)
	}
}

// A log gets nothing but what was written.
func TestFoot_NoTerminal(t *testing.T) {
	var b strings.Builder
	f := NewFoot(&b, term.Screen{})
	f.While(t.Context(), func() { _, _ = f.Write([]byte("one\n")) })
	if b.String() != "one\n" {
		t.Errorf("written = %q, want the line alone", b.String())
	}
}
