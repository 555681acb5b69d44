package history

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSession_LinesInOrderOfTheTalk(t *testing.T) {
	s, _ := opened(t, Options{Dir: filepath.Join(t.TempDir(), "new", "sessions"), Session: "nightly"})
	_, err := s.Begin(t.Context(), "look <here>", nil)
	must(t, err)
	must(t, s.Called(t.Context(), Call{ID: "c1", Tool: "shell", Arguments: `{"cmd": "ls -la"}`, Result: ""}))
	must(t, s.Answer(t.Context(), "done\n"))
	must(t, s.Answer(t.Context(), ""))
	const begin = `{"v":1,"ts":"2026-03-03T12:00:00Z","session":"nightly","run_id":"r1",`
	want := begin + `"role":"user","content":"look <here>"}` + "\n" +
		begin + `"role":"tool_call","content":"shell(cmd='ls -la')","tool_call_id":"c1","tool":"shell"}` + "\n" +
		begin + `"role":"tool_result","content":"","tool_call_id":"c1","tool":"shell"}` + "\n" +
		begin + `"role":"assistant","content":"done\n"}` + "\n"
	if diff := cmp.Diff(want, stored(t, s)); diff != "" {
		t.Errorf("session (-want +got):\n%s", diff)
	}
}

func TestSession_ResultIsCutAt2000Characters(t *testing.T) {
	s, _ := opened(t, Options{Dir: t.TempDir(), Session: "s"})
	exact := strings.Repeat("é", 2000)
	must(t, s.Called(t.Context(), Call{ID: "a", Tool: "t", Result: exact}))
	must(t, s.Called(t.Context(), Call{ID: "b", Tool: "t", Result: exact + "x"}))
	got, _ := readAll(t, strings.NewReader(stored(t, s)))
	want := []string{"tool_call t()", "tool_result " + exact, "tool_call t()", "tool_result " + exact + "\n[truncated]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// No member of any line holds a secret, not even one that the cut would leave
// a part of.
func TestSession_SecretsAreMaskedOnTheWayIn(t *testing.T) {
	const secret = "sk-test-it's\n\"quoted\""
	mask := func(s string) string { return strings.ReplaceAll(s, secret, "[redacted]") }
	s, _ := opened(t, Options{Dir: t.TempDir(), Session: "s", Mask: mask, Consolidation: &Consolidation{Threshold: 1}})
	_, err := s.Begin(t.Context(), "use "+secret, nil)
	must(t, err)
	must(t, s.Called(t.Context(), Call{
		ID: "c" + secret, Tool: "t", Arguments: `{"key": "sk-test-it's\n\"quoted\""}`, Result: strings.Repeat("x", 1995) + secret,
	}))
	must(t, s.Answer(t.Context(), "used "+secret))
	_, err = s.Begin(t.Context(), "again", func(context.Context, string, string) (string, error) { return "it was " + secret, nil })
	must(t, err)
	meta, err := os.ReadFile(s.path(metaKind))
	must(t, err)
	all := stored(t, s) + string(meta)
	if strings.Contains(all, "sk-test") {
		t.Errorf("session holds a part of the secret:\n%s", all)
	}
	if n := strings.Count(all, "[reda"); n != 7 {
		t.Errorf("session holds %d masks, want 7:\n%s", n, all)
	}
}

func TestOpen_FreshSessionIsNew(t *testing.T) {
	dir, long := t.TempDir(), strings.Repeat("r", 64)
	put(t, dir, "r1", lineOf(t, noon, roleUser, "old"))
	for _, c := range []struct{ run, want string }{
		{"r1", "r1-2"}, {"r1", "r1-3"}, {long, long}, {long, long[:62] + "-2"},
	} {
		s, _ := opened(t, Options{Dir: dir, RunID: c.run, Window: 40})
		if s.Name() != c.want {
			t.Errorf("Open(run %s).Name() = %s, want %s", c.run, s.Name(), c.want)
		}
		if past, err := s.Begin(t.Context(), "new", nil); err != nil || len(past.Talk) != 0 {
			t.Errorf("Begin() of a fresh session = %+v, %v, want nothing", past, err)
		}
	}
}

func TestOpen_Refused(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "folder"+linesKind), 0o700))
	put(t, dir, "file", "")
	for name, c := range map[string]struct {
		opts Options
		want string
	}{
		"name":      {Options{Dir: dir, Session: "../x", RunID: "r"}, `session "../x": want 1 to 64 letters`},
		"long name": {Options{Dir: dir, Session: strings.Repeat("r", 65), RunID: "r"}, "want 1 to 64 letters"},
		"run id":    {Options{Dir: dir, RunID: ".."}, `run id ".." cannot be its name`},
		"no file":   {Options{Dir: dir, Session: "folder", RunID: "r"}, "is no regular file"},
		"no folder": {Options{Dir: filepath.Join(dir, "file"+linesKind, "x"), Session: "s", RunID: "r"}, "make folder of sessions"},
	} {
		if _, err := Open(t.Context(), c.opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Open(%s) = %v, want an error with %q", name, err, c.want)
		}
	}
}

func TestOpen_TornLastLineIsMovedAside(t *testing.T) {
	one, two := lineOf(t, noon, roleUser, "one"), lineOf(t, noon, roleAssistant, "two")
	half := two[:len(two)/2]
	for _, c := range []struct{ name, file, want, torn string }{
		{"half a line", one + half, one, half},
		{"nothing but half a line", half, "", half},
		{"NUL bytes", one + strings.Repeat("\x00", 5000), one, strings.Repeat("\x00", 5000)},
		{"half a long line", one + `{"v":1,"x":"` + strings.Repeat("y", 3*readerBytes), one, `{"v":1,"x":"` + strings.Repeat("y", 3*readerBytes)},
		{"all but the end", one + strings.TrimSuffix(two, "\n"), one + two, ""},
		{"whole", one + two, one + two, ""},
		{"empty", "", "", ""},
		{"broken in the middle", half + "\n" + one, half + "\n" + one, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, "s", c.file)
			s, log := opened(t, Options{Dir: dir, Session: "s"})
			if got := stored(t, s); got != c.want {
				t.Errorf("session = %.200q, want %.200q", got, c.want)
			}
			aside, _ := os.ReadFile(filepath.Join(dir, "s.jsonl.torn-1"))
			if string(aside) != c.torn {
				t.Errorf("moved aside = %.200q, want %.200q", aside, c.torn)
			}
			if warned := strings.Contains(log.String(), "moved aside"); warned != (c.torn != "") {
				t.Errorf("log = %q, want it told: %v", log, c.torn != "")
			}
			if ours, err := s.Verify(t.Context()); !ours || err != nil {
				t.Errorf("Verify() after Open = %v, %v, want true", ours, err)
			}
			must(t, s.Answer(t.Context(), "next"))
			if got, want := stored(t, s), c.want+strings.Replace(lineOf(t, noon, roleAssistant, "next"), `"r"`, `"r1"`, 1); got != want {
				t.Errorf("session after the next line = %.300q, want %.300q", got, want)
			}
		})
	}
}

// A writer that another one holds up says so in the end, and goes on when it is
// let.
func TestAppend_WaitsForTheLock(t *testing.T) {
	s, _ := opened(t, Options{Dir: t.TempDir(), Session: "s"})
	unlock, err := lock(t.Context(), filepath.Join(s.opts.Dir, ".lock"))
	must(t, err)
	synctest.Test(t, func(t *testing.T) {
		err := s.Answer(t.Context(), "one")
		if err == nil || !strings.Contains(err.Error(), "another process has held "+filepath.Join(s.opts.Dir, ".lock")) {
			t.Errorf("Answer() under a lock = %v, want an error that says who holds it", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		if err := s.Answer(ctx, "one"); err == nil || time.Since(began) > 2*time.Second {
			t.Errorf("Answer() under a lock, of a run that is to end = %v after %s, want an error within a second", err, time.Since(began))
		}
	})
	must(t, unlock())
	// It was a run that is being cancelled: what it did is still kept.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must(t, s.Called(ctx, testCall("a", 0)))
	if got, _ := readAll(t, strings.NewReader(stored(t, s))); len(got) != 2 {
		t.Errorf("session has %d lines, want the two of the last call", len(got))
	}
}

func TestAppend_TwoProcesses(t *testing.T) {
	dir := t.TempDir()
	const count = 40
	var running []*exec.Cmd
	for _, id := range []string{"a", "b"} {
		cmd, out := writer(t, dir, "s", id, count)
		running = append(running, cmd)
		go func() {
			for out.Scan() { // the pipe must not fill up
			}
		}()
	}
	for _, cmd := range running {
		if state, err := cmd.Process.Wait(); err != nil || !state.Success() {
			t.Fatalf("writer: %v, %v", state, err)
		}
	}
	checkCalls(t, dir, "s", map[string]int{"a": count, "b": count})
}

// checkCalls makes sure that a session holds pairs of lines alone, and the
// calls of each writer up to a number.
func checkCalls(t *testing.T, dir, session string, acknowledged map[string]int) {
	t.Helper()
	s, _ := opened(t, Options{Dir: dir, Session: session})
	must(t, s.Close())
	lines, _ := readAll(t, strings.NewReader(stored(t, s)))
	have := stored(t, s)
	for i, l := range lines {
		if !strings.HasPrefix(l, "tool_call ") && !strings.HasPrefix(l, "tool_result ") {
			t.Fatalf("line %d of %s is %.80q, want one about a call", i, session, l)
		}
	}
	for id, count := range acknowledged {
		for n := range count {
			mark := `"tool_call_id":"` + testCall(id, n).ID + `"`
			if got := strings.Count(have, mark); got != 2 {
				t.Fatalf("call %d of writer %s has %d lines, want 2", n, id, got)
			}
		}
	}
}

// Whatever the moment at which a writer is killed, what it acknowledged is
// there, and the next one goes on.
func TestAppend_KilledAtAnyMoment(t *testing.T) {
	rounds := 20
	if os.Getenv("OPENAGENT_TEST_LONG") != "" {
		rounds = 500
	}
	dir := t.TempDir()
	for range rounds {
		session := "s"
		must(t, errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)))
		cmd, out := writer(t, dir, session, "a", 1_000_000)
		acknowledged, enough := 0, rand.IntN(12)
		for acknowledged < enough && out.Scan() {
			acknowledged++
		}
		must(t, cmd.Process.Kill())
		for out.Scan() {
			acknowledged++
		}
		_ = cmd.Wait() // it was killed
		checkCalls(t, dir, session, map[string]int{"a": acknowledged})
		s, _ := opened(t, Options{Dir: dir, Session: session})
		must(t, s.Called(t.Context(), testCall("b", 0)))
		must(t, s.Close())
		checkCalls(t, dir, session, map[string]int{"a": acknowledged, "b": 1})
	}
}
