package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// tale is a script whose calls tell how often they were run, and which run again do
// no harm.
type tale struct {
	text  bool     // calls are written as text
	turns []string // each a turn of the script
	calls map[string]string
	ended map[string]int // on record, by name
	open  map[string]int // interrupted, by name
}

const taleTurns, taleCalls = 8, 2

// newTale returns a tale of two calls a turn.
func newTale(text bool) *tale {
	s := &tale{text: text, calls: map[string]string{}, ended: map[string]int{}, open: map[string]int{}}
	for turn := range taleTurns {
		var calls []string
		for i := range taleCalls {
			name := fmt.Sprintf("c%dx%d", turn, i)
			s.calls[name] = fmt.Sprintf(`{"tool":"execute_command","arguments":{"command":"echo ran >>ran-%s; sleep 0.003; echo done >%s"}}`, name, name)
			calls = append(calls, s.calls[name])
		}
		s.turns = append(s.turns, s.turn("", calls))
	}
	s.turns = append(s.turns, "- text: The end.\n")
	return s
}

// taleName finds the names of calls in arguments.
var taleName = regexp.MustCompile(`ran-(c\d+x\d+)`)

// names returns the names of all calls in a text.
func names(text string) (all []string) {
	for _, m := range taleName.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// turn returns a turn with these calls, which wants the last message to hold a text.
func (s *tale) turn(expect string, calls []string) string {
	var b strings.Builder
	if s.text {
		var text strings.Builder
		for _, c := range calls {
			text.WriteString("TOOL_CALL:\n" + c + "\n")
		}
		quoted, _ := json.Marshal(text.String())
		fmt.Fprintf(&b, "- text: %s\n", quoted)
	} else {
		fmt.Fprintf(&b, "- tool_calls: [%s]\n", strings.Join(calls, ", "))
	}
	if expect != "" {
		fmt.Fprintf(&b, "  expect: %q\n", expect)
	}
	return b.String()
}

// start prepares a run that goes on with an earlier one, if there is one.
func (s *tale) start(t *testing.T, l *life, id, earlier string) *life {
	t.Helper()
	path := l.path("script-" + id)
	if err := os.WriteFile(path, []byte(strings.Join(s.turns, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "--output=json", "--run-id=" + id, "--script=" + path}
	if earlier == "" {
		args = append(args, "go")
	} else {
		args = append(args, "--resume="+earlier)
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	next := &life{dir: l.dir, cmd: l.cmd}
	cmd := *l.cmd
	next.cmd = &cmd
	next.cmd.Path, next.cmd.Args = path, append([]string{path}, args...)
	next.cmd.Stdout, next.cmd.Stderr = &next.stdout, &next.stderr
	return next
}

// conversation is what the record of a run has: how many requests were answered, and the
// calls of the last reply, by name, that have no end.
type conversation struct {
	lines, requests int
	open            []string
	over            bool // the model has said its last
}

// read reads the record of a run by the letters of its format, as any program could.
func (s *tale) read(t *testing.T, l *life, run string) (r conversation) {
	t.Helper()
	ended := map[string]bool{} // by id
	for row := range rows(t, l.path("state", "runs", run, "calls.jsonl")) {
		var c struct{ ID, Arguments string }
		if err := json.Unmarshal(row, &c); err != nil {
			t.Errorf("calls.jsonl: %v", err)
		}
		ended[c.ID] = true
		s.ended[names(c.Arguments)[0]]++
	}
	answered := ""
	asked := map[string]string{} // names by id
	var order []string
	for row := range rows(t, l.path("state", "runs", run, "messages.jsonl")) {
		var m struct {
			Step, Requests int
			Role, Text     string
			ToolCallID     string `json:"tool_call_id"`
			Calls          []struct{ ID, Arguments string }
		}
		if err := json.Unmarshal(row, &m); err != nil {
			t.Errorf("messages.jsonl: %v", err)
		}
		r.lines, r.requests = r.lines+1, m.Requests
		if m.Role != "assistant" {
			answered += m.ToolCallID + " " + m.Text + "\n"
			continue
		}
		order, answered, r.over = nil, "", strings.Contains(m.Text, "The end")
		for _, c := range m.Calls {
			asked[c.ID], order = names(c.Arguments)[0], append(order, c.ID)
		}
		for i, name := range names(m.Text) {
			id := fmt.Sprintf("call_%d_%d", m.Step, i)
			asked[id], order = name, append(order, id)
		}
	}
	for _, id := range order {
		if !ended[id] && !strings.Contains(answered, id+" ") {
			r.open = append(r.open, asked[id])
		}
	}
	return r
}

// rows returns the whole lines of a file, none where there is no file.
func rows(t *testing.T, path string) func(func([]byte) bool) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return func(yield func([]byte) bool) {
		in := bufio.NewReader(bytes.NewReader(text))
		for {
			row, err := in.ReadBytes('\n')
			if err != nil || !yield(row) {
				return
			}
		}
	}
}

// repeat puts a turn behind those that were taken, in which the model makes the calls
// again that it is told were interrupted.
func (s *tale) repeat(r conversation) {
	if len(r.open) == 0 {
		return
	}
	var calls []string
	for _, name := range r.open {
		s.open[name]++
		calls = append(calls, s.calls[name])
	}
	s.turns = slices.Insert(s.turns, r.requests, s.turn("Error (interrupted): the run was interrupted before this call", calls))
}

// A run that is killed at any moment, twice over, goes on to the state to which it
// comes undisturbed: no call on record is run twice, and the model is told of each
// that was interrupted, so that it can make it again.
func TestKill_ThenResumed(t *testing.T) {
	t.Parallel()
	whole := span(t, func() *life { return newTale(false).start(t, newLife(t), "whole", "") })
	var mu sync.Mutex
	seen := map[string]int{}
	atMoments(t, times(10, 100), whole, func(i int, at time.Duration) {
		tale, l := newTale(i%2 == 1), newLife(t)
		earlier, killed := "", false
		var last *life
		for n, id := range []string{"first", "second", "third"} {
			last = tale.start(t, l, id, earlier)
			if err := last.cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if n < 2 {
				time.Sleep(at / time.Duration(n+1))
				_ = last.cmd.Process.Kill() // it may have ended
			}
			_ = last.cmd.Wait()
			killed = !last.cmd.ProcessState.Exited()
			r := tale.read(t, l, id)
			mu.Lock()
			seen[fmt.Sprintf("%s: %d interrupted", id, len(r.open))]++
			mu.Unlock()
			if r.over {
				break
			}
			if r.lines > 0 {
				tale.repeat(r)
				earlier = id
			}
		}
		l.deserted(t)
		tale.check(t, l, last, killed)
		if t.Failed() {
			t.Logf("killed after %v, moment %d", at, i)
		}
	})
	t.Logf("a whole run took %v; %v", whole, seen)
}

// check holds the end of a tale against what it is without a disturbance. A run that
// was killed when the model had said its last may not have told so.
func (s *tale) check(t *testing.T, l, last *life, killed bool) {
	t.Helper()
	if killed {
		t.Log("killed behind the last words of the model")
	} else if end := finished(t, last.stdout.Bytes()); !end.Data.OK {
		t.Errorf("the last run ended %s: %s\n%s", end.Data.Reason, end.Data.Error, &last.stderr)
	}
	for name := range s.calls {
		state, err := os.ReadFile(l.path("ws", name))
		if err != nil || string(state) != "done\n" {
			t.Errorf("%s is %q, %v, want it done", name, state, err)
		}
		text, err := os.ReadFile(l.path("ws", "ran-"+name))
		n, most := strings.Count(string(text), "ran\n"), 1+s.open[name]
		if err != nil || n < 1 || n > most || s.ended[name] != 1 {
			t.Errorf("%s was run %d times and is on record %d times, %v; want it run 1 to %d times, and on record once", name, n, s.ended[name], err, most)
		}
	}
}
