package runner

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/schema/validate"
)

// seen is a Handler that remembers the lines it was shown.
type seen struct{ lines []Line }

func (s *seen) Line(l Line) {
	l.Raw, l.Event = bytes.Clone(l.Raw), nil
	s.lines = append(s.lines, l)
}
func (*seen) Stderr([]byte) {}

// scanned is what a scan comes to, without its times.
type scanned struct {
	Execution
	Lines []Line
}

// differences is cmp.Diff for what is nearly always equal.
func differences(want, got scanned) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// alone is what a scan comes to that sees no line whole, but of a single byte.
func alone(t *testing.T, stream string, cfg Config) scanned {
	t.Helper()
	return scannedBy(t, iotest.OneByteReader(strings.NewReader(stream)), cfg, blockSize)
}

func scannedBy(t *testing.T, r io.Reader, cfg Config, size int) scanned {
	t.Helper()
	handler := &seen{}
	cfg.Handler = handler
	e, err := scan(context.Background(), r, cfg, size)
	if err != nil {
		t.Fatal(err)
	}
	e.Started, e.Ended = time.Time{}, time.Time{}
	return scanned{*e, handler.lines}
}

// Wherever a stream is cut into blocks, and whoever scans them, the findings are
// the same.
func TestScan_EveryBlock(t *testing.T) {
	for _, v := range golden.Vectors() {
		cfg := Config{Stream: validate.Options{Strict: v.Strict}}
		if len(v.Stream) > 1<<14 {
			continue
		}
		want := alone(t, string(v.Stream), cfg)
		for _, cfg.Jobs = range []int{1, 3} {
			for _, size := range []int{7, 151, len(v.Stream)/2 + 1, len(v.Stream) + 1} {
				if diff := differences(want, scannedBy(t, bytes.NewReader(v.Stream), cfg, size)); diff != "" {
					t.Fatalf("%s in blocks of %d by %d (-alone +blocks):\n%s", v.Name, size, cfg.Jobs, diff)
				}
			}
		}
	}
	run := vector(t, "run")
	want := alone(t, run, Config{})
	for size := 1; size <= len(run)+1; size++ {
		for jobs := 1; jobs <= 2; jobs++ {
			if diff := differences(want, scannedBy(t, strings.NewReader(run), Config{Jobs: jobs}, size)); diff != "" {
				t.Fatalf("in blocks of %d by %d (-alone +blocks):\n%s", size, jobs, diff)
			}
		}
	}
}

// vector returns the stream of a vector of the kit.
func vector(t *testing.T, name string) string {
	t.Helper()
	for _, v := range golden.Vectors() {
		if v.Name == name {
			return string(v.Stream)
		}
	}
	t.Fatalf("no vector %s", name)
	return ""
}

// Bounds, secrets and what is cut are the same in blocks.
func TestScan_BlocksWithBounds(t *testing.T) {
	run := vector(t, "run")
	input := "torn{\n" + run + strings.Repeat("y", 40_000) + "sk-test-read_file\n" + strings.Repeat("z", 300) + "\nend"
	for name, cfg := range map[string]Config{
		"lines":   {Stream: validate.Options{MaxLine: 250}},
		"stream":  {MaxStream: 900},
		"secrets": {Secrets: []string{"sk-test-read_file", "step_started"}},
		"both":    {Stream: validate.Options{MaxLine: 250}, Secrets: []string{"sk-test-read_file"}},
		"runs":    {Stream: validate.Options{Runs: true}},
	} {
		want := alone(t, input+"\n"+run, cfg)
		for _, cfg.Jobs = range []int{1, 2} {
			for _, size := range []int{100, 4000, 1 << 20} {
				if diff := differences(want, scannedBy(t, strings.NewReader(input+"\n"+run), cfg, size)); diff != "" {
					t.Errorf("%s in blocks of %d by %d (-alone +blocks):\n%s", name, size, cfg.Jobs, diff)
				}
			}
		}
	}
}

func TestScan_BlocksEnd(t *testing.T) {
	run := vector(t, "run")
	broken := errors.New("disk gone")
	e, err := scan(context.Background(), io.MultiReader(strings.NewReader(run), iotest.ErrReader(broken)), Config{Jobs: 2}, 100)
	if !errors.Is(err, broken) || e.Events != 7 || e.Verdict != VerdictPreRunError {
		t.Errorf("scan of what breaks off = %d events, verdict %q, %v, want 7, pre_run_error, %v", e.Events, e.Verdict, err, broken)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	e, err = scan(ctx, strings.NewReader(run), Config{Jobs: 2}, 100)
	if !errors.Is(err, context.Canceled) || e.Events != 0 || e.Verdict != VerdictCancelled {
		t.Errorf("scan that is cancelled = %d events, verdict %q, %v, want none, cancelled, %v", e.Events, e.Verdict, err, context.Canceled)
	}
}

// A number of goroutines that nobody has processors for takes no memory.
func TestScan_JobsWithoutBound(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Scan(t.Context(), strings.NewReader("{}\n"), Config{Jobs: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 64<<20 {
		t.Errorf("Scan took %d bytes, want what some processors need", allocated)
	}
}
