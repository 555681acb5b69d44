package live

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// What goes by stays on the screen as it was written; the foot stands below it
// and is gone at the end.
func TestLive_WhatStaysOnTheScreen(t *testing.T) {
	for _, height := range []uint16{24, 9, 4} {
		pty := newTerminal(t, 70, height)
		pty.screen.WriteString("$ openagent run --tui\n")
		l := NewLive(pty.screen, term.NewScreen(pty.screen, func(string) string { return "" }), false)
		ctx, cancel := context.WithCancel(t.Context())
		l.While(ctx, func() {
			for i, e := range ofRun {
				_ = l.Emit(event.Event{RunID: "r1", Step: e.step, Data: e.data})
				if i%3 == 0 && i < len(ofRun)-1 {
					pty.more()
				}
				if i == 9 {
					_, _ = l.Write([]byte("level=WARN msg=careful\n"))
				}
			}
			cancel()
			pty.await("ending") // the foot goes on without anything to write
		})
		pty.screen.WriteString("The answer.\n")
		pty.await("The answer.\r\n")
		p := &paper{t: t}
		p.write(pty.seen.String())
		want := `$ openagent run --tui
run r1 with api.example.test gpt
turn 1
  I read it
  first, then I test.
  read cmd/greet/main.go
    ok (3 ms)
level=WARN msg=careful
  $ git push
    denied: pushing is the workflow's job
turn 2
  provider: rate_limit (status 429), attempt 1 of 3 failed, next in 200 ms
  $ go test ./...
    failed (7.4 s)
    | command was cancelled
end: timeout · 2 turns · 3 calls (1 denied, 1 failed) · 9.1 s
  the run took longer than --timeout 9s
  openagent explain timeout says what to do
The answer.
`
		if diff := cmp.Diff(want, p.text()); diff != "" {
			t.Errorf("on the screen of %d rows (-want +got):\n%s", height, diff)
		}
	}
}
