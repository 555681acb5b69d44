package runner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

func scan(t *testing.T, input string, cfg runner.Config) *runner.Execution {
	t.Helper()
	e, err := runner.Scan(context.Background(), strings.NewReader(input), cfg)
	if err != nil {
		t.Fatalf("Scan: %v", err)
	}
	return e
}

func TestScan_Verdicts(t *testing.T) {
	for name, tt := range map[string]struct {
		input string
		want  runner.Verdict
	}{
		"clean":      {string(clean()), runner.VerdictSuccess},
		"failed":     {string(stream(started(), finished(false, ""))), runner.VerdictFailure},
		"pre-run":    {string(preRun()), runner.VerdictPreRunError},
		"empty":      {"", runner.VerdictViolation},
		"unfinished": {string(stream(started())), runner.VerdictViolation},
		"no error":   {strings.Replace(string(clean()), `,"error":null`, "", 1), runner.VerdictViolation},
		"gap":        {string(clean()) + string(line(9, started())), runner.VerdictViolation},
	} {
		t.Run(name, func(t *testing.T) {
			e := scan(t, tt.input, runner.Config{})
			if e.Verdict != tt.want || e.Reason == "" {
				t.Errorf("Scan = %s, %q, want %s with a reason", e.Verdict, e.Reason, tt.want)
			}
		})
	}
}

func TestScan_SameWhateverTheReads(t *testing.T) {
	input := "torn{\n" + string(clean()) + strings.Repeat("y", 300) + "\nend"
	cfg := runner.Config{File: "f", Stream: validate.Options{MaxLine: 250}}
	want := scan(t, input, cfg)
	got, err := runner.Scan(context.Background(), iotest.OneByteReader(strings.NewReader(input)), cfg)
	if err != nil {
		t.Fatalf("Scan: %v", err)
	}
	got.Started, got.Ended = want.Started, want.Ended
	if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" {
		t.Errorf("Scan byte by byte (-whole +bytes):\n%s", diff)
	}
}

func TestScan_NoCapOfLinesAtAll(t *testing.T) {
	e := scan(t, string(clean()), runner.Config{Stream: validate.Options{MaxLine: math.MaxInt}})
	if e.Verdict != runner.VerdictSuccess {
		t.Errorf("Scan = %s, %q, want success", e.Verdict, e.Reason)
	}
}

// gatherer is a Handler that acts on lines only when no other is waiting.
type gatherer struct{ waiting, done int }

func (g *gatherer) Line(runner.Line) { g.waiting++ }
func (g *gatherer) Stderr([]byte)    {}
func (g *gatherer) Flush()           { g.done, g.waiting = g.done+g.waiting, 0 }

func TestScan_ReportsWhenNoLineIsWaiting(t *testing.T) {
	g := &gatherer{}
	read := func(p []byte) (int, error) {
		if g.waiting > 0 {
			t.Errorf("%d lines wait while the stream is read on, want none", g.waiting)
		}
		return 0, io.EOF
	}
	input := io.MultiReader(strings.NewReader("one\ntwo\n"), readerFunc(read), strings.NewReader("torn"))
	if _, err := runner.Scan(t.Context(), input, runner.Config{Handler: g}); err != nil || g.done != 3 || g.waiting != 0 {
		t.Errorf("Scan = %v with %d lines flushed and %d not, want 3 and 0", err, g.done, g.waiting)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func asJSON(t *testing.T, e *runner.Execution) string {
	t.Helper()
	b, err := json.MarshalIndent(e, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestScan_ReadError(t *testing.T) {
	broken := errors.New("disk gone")
	r := io.MultiReader(bytes.NewReader(clean()), iotest.ErrReader(broken))
	e, err := runner.Scan(context.Background(), r, runner.Config{})
	if !errors.Is(err, broken) || e.Events != 2 || e.Verdict != runner.VerdictPreRunError || len(e.Findings) > 0 {
		t.Errorf("Scan = %d events, verdict %q, %v, want 2, pre_run_error without a finding, %v", e.Events, e.Verdict, err, broken)
	}
}

func TestScan_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := runner.Scan(ctx, bytes.NewReader(clean()), runner.Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Scan = %v, want %v", err, context.Canceled)
	}
}

func TestScan_SecretAcrossTheCut(t *testing.T) {
	for before := 980; before <= 1002; before++ {
		for _, after := range []int{0, 100, 1 << 20} {
			input := strings.Repeat("a", before) + secret + strings.Repeat("b", after) + "\n"
			rec := &recorder{}
			e := scan(t, input, runner.Config{
				Handler: rec, Secrets: []string{secret}, Stream: validate.Options{MaxLine: 1000},
			})
			if got := rec.stdout.String(); strings.Contains(got, "sk-") || len(got) > 1002 {
				t.Errorf("secret after %d of %d bytes: line is %d bytes, ends %q", before, len(input), len(got), tail(got))
			}
			if len(input) > 1001 && e.FindingCounts["line/too-long"]+e.FindingCounts["line/json"] != 1 {
				t.Errorf("secret after %d of %d bytes: findings %v, want one for the line", before, len(input), e.FindingCounts)
			}
		}
	}
}

func TestScan_SecretsInARow(t *testing.T) {
	input := strings.Repeat(secret, 5000) + "\n"
	for _, limit := range []int{1, 100, 1000, 40_000} {
		rec := &recorder{}
		scan(t, input, runner.Config{Handler: rec, Secrets: []string{secret}, Stream: validate.Options{MaxLine: limit}})
		if got := rec.stdout.String(); strings.Contains(got, "sk-") || len(got) > limit+2 {
			t.Errorf("MaxLine %d: line of %d bytes ends %q, want no part of a secret", limit, len(got), tail(got))
		}
	}
}

func TestScan_TerminalWithBrokenPayload(t *testing.T) {
	e := scan(t, strings.Replace(string(clean()), `,"error":null`, "", 1), runner.Config{})
	if e.Finished() || e.RunID != "r1" {
		t.Errorf("Scan: finished %v, run id %q, want an unfinished run r1", e.Finished(), e.RunID)
	}
}

// endless repeats a line, n bytes in all.
type endless struct {
	line []byte
	n    int64
}

func (r *endless) Read(b []byte) (int, error) {
	if r.n <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n+len(r.line) <= len(b) {
		n += copy(b[n:], r.line)
	}
	r.n -= int64(n)
	return n, nil
}

func TestScan_MemoryIsFlat(t *testing.T) {
	peak := func(size int64) uint64 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		e, err := runner.Scan(context.Background(), &endless{[]byte("{\"not\": \"an event\"}\n"), size}, runner.Config{})
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(e)
		return max(after.HeapAlloc, before.HeapAlloc) - before.HeapAlloc
	}
	if small, large := peak(1<<16), peak(1<<21); large > small+1<<18 {
		t.Errorf("what is held after 64 KiB: %d bytes, after 2 MiB: %d, want the same", small, large)
	}
}

// tail returns what of s is worth showing.
func tail(s string) string { return s[max(0, len(s)-30):] }
