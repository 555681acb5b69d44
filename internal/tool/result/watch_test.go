package result

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// watched returns a Watch and the options of a command that it looks at.
func watched(t *testing.T, budget int) (*Watch, Options) {
	opts := secretive(t, budget)
	opts.Watch = &Watch{}
	return opts.Watch, opts
}

// While a command runs, its last whole lines are seen, without secrets that came in
// parts; once it has ended, nothing is.
func TestWatch_ShowsTheRunningCommand(t *testing.T) {
	w, opts := watched(t, 100)
	stdout, stderr := NewCapture(testCall, "stdout", opts), NewCapture(testCall, "stderr", opts)
	if got := w.Streams(); got != nil {
		t.Errorf("Streams before any output = %q, want none", got)
	}
	for _, step := range []struct {
		out, err string
		want     []string
	}{
		{"one\ntw", "", []string{"one\n"}},
		{"o\nkey " + secret[:5], "", []string{"one\ntwo\n"}},
		{secret[5:] + "\n", "warning\n", []string{"one\ntwo\nkey [redacted]\n", "warning\n"}},
		{strings.Repeat("0123456789\n", 1000), "", []string{strings.Repeat("0123456789\n", 9), "warning\n"}},
	} {
		_, _ = stdout.Write([]byte(step.out))
		_, _ = stderr.Write([]byte(step.err))
		if diff := cmp.Diff(step.want, w.Streams()); diff != "" {
			t.Errorf("Streams after %.20q and %q (-want +got):\n%s", step.out, step.err, diff)
		}
	}
	stdout.Stream()
	if got := w.Streams(); len(got) != 1 {
		t.Errorf("Streams after the end of one = %q, want the other", got)
	}
	stderr.Discard()
	if got := w.Streams(); got != nil {
		t.Errorf("Streams after the end = %q, want none", got)
	}
}

// A command that draws its last line anew shows what it drew, not what it is drawing.
func TestWatch_Progress(t *testing.T) {
	for _, before := range []string{"", "whole\n", strings.Repeat("0123456789\n", ArtifactHead/10)} {
		w, opts := watched(t, 100)
		c := NewCapture(testCall, "stdout", opts)
		_, _ = c.Write([]byte(before))
		_, _ = c.Write([]byte(before[max(0, len(before)-11):]))
		for _, step := range []struct{ out, want string }{
			{"10 %", ""}, {"\r20 %\r", "20 %\n"}, {"3", "20 %\n"}, {"0 %\r\r", "30 %\n"}, {secret[:9] + "\r", ""}, {"x " + secret + "\r", "x [redacted]\n"}, {"done\n", ""},
		} {
			_, _ = c.Write([]byte(step.out))
			got := strings.Join(w.Streams(), "|")
			if step.out == "done\n" {
				step.want = "done\n"
				got = got[max(0, len(got)-5):]
			}
			if want := step.want; !strings.HasSuffix(got, want) || want == "" && strings.Contains(got, "%") {
				t.Errorf("Streams behind %d bytes, after %q = %q, want it to end in %q", len(before), step.out, got[max(0, len(got)-100):], want)
			}
		}
		c.Stream()
	}
}

// What is looked at while a command prints is not torn.
func TestWatch_WhileTheCommandPrints(t *testing.T) {
	w, opts := watched(t, 1000)
	c := NewCapture(testCall, "stdout", opts)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20_000 {
			_, _ = c.Write([]byte("one whole line\n"))
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		for _, end := range w.Streams() {
			if strings.ReplaceAll(end, "one whole line\n", "") != "" {
				t.Fatalf("Streams = %q, want whole lines", end)
			}
		}
	}
	c.Stream()
}
