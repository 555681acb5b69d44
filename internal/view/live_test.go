package view

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/openagent-ci/openagent/internal/event"
)

func TestPicture_FollowsTheSize(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	live := NewLive(&strings.Builder{}, Screen{})
	live.now = func() time.Time { return at(4000) }
	live.board = *boardAt(4000)
	var m tea.Model = picture{ctx: ctx, live: live}
	if got := m.View().Content; got != "" {
		t.Errorf("View of unknown size = %q, want nothing", got)
	}
	m, cmd := m.Update(tea.WindowSizeMsg{Width: 30, Height: 3})
	if got, want := m.View().Content, "  runs   execute_com…  (2.4 s)\nstep 2, execute_command 2.4 s…\n"; got != want || cmd != nil {
		t.Errorf("View of 30x3 = %q, want %q", got, want)
	}
	if _, cmd := m.Update(redraw{}); cmd == nil {
		t.Error("Update(redraw) asks for no further one: the clock stands still")
	}
	cancel()
	if got := m.View().Content; !strings.HasPrefix(got, "  runs   execute_com…  (2.4 s)\nending, ") {
		t.Errorf("View of a run that was cancelled = %q, want it to say so", got)
	}
}

func TestLive_OtherTextWaitsForTheEnd(t *testing.T) {
	var out strings.Builder
	l := NewLive(&out, Screen{})
	write := func(s string) {
		if n, err := l.Write([]byte(s)); n != len(s) || err != nil {
			t.Errorf("Write(%q) = %d, %v", s, n, err)
		}
	}
	write("before\n")
	l.set(true)
	write("level=WARN msg=\"\x1b[2Jcareful\"\n")
	if got := out.String(); got != "before\n" {
		t.Errorf("written so far: %q, want only what came before", got)
	}
	if got, want := l.draw(80, 24, false), "  level=WARN msg=\"careful\"\nstep 0 · Ctrl-C ends the run\n"; got != want {
		t.Errorf("picture = %q, want %q", got, want)
	}
	l.close(nil)
	write("after\n")
	if got, want := out.String(), "before\nlevel=WARN msg=\"\x1b[2Jcareful\"\nafter\n"; got != want {
		t.Errorf("written = %q, want %q", got, want)
	}
}

// A picture that could not be drawn does not take the run's end with it.
func TestLive_EndIsToldWithoutPicture(t *testing.T) {
	var out strings.Builder
	l := NewLive(&out, Screen{})
	for _, e := range ofRun {
		if err := l.Emit(event.Event{RunID: "r1", Step: e.step, Kind: e.kind, Data: e.data}); err != nil {
			t.Fatalf("Emit(%s) = %v, want nil", e.kind, err)
		}
	}
	l.close(errors.New("no such terminal"))
	if got := out.String(); !strings.HasPrefix(got, "run r1 with ") || !strings.Contains(got, "\nend: timeout after 2 steps, ") {
		t.Errorf("written = %q, want the run and its end", got)
	}
}
