//go:build unix

package runner_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// countVar tells a role of the benchmarks how many events to print.
const countVar = "RUNNER_TEST_EVENTS"

// events returns n events of a run, the first and the last among them: steps
// with one tool call each, whose result is half a kilobyte.
func events(n int) []schema.Event {
	id, tool, preview := ptr("call_1_0"), ptr("read_file"), ptr(strings.Repeat("some text of a file, ", 25))
	turn := []schema.Event{
		{Type: schema.TypeStepStarted, Data: schema.StepStarted{}},
		{Type: schema.TypeToolCallDetected, Data: schema.ToolCallDetected{ToolCallID: id, Tool: tool}},
		{Type: schema.TypeToolDecision, Data: schema.ToolDecision{ToolCallID: id, Tool: tool, Decision: ptr("allow")}},
		{Type: schema.TypeToolExecStarted, Data: schema.ToolExecStarted{ToolCallID: id, Tool: tool}},
		{Type: schema.TypeToolExecFinished, Data: schema.ToolExecFinished{ToolCallID: id, Tool: tool, OK: ptr(true), ContentPreview: preview}},
	}
	list := []schema.Event{started()}
	for i := range n - 2 {
		e := turn[i%len(turn)]
		e.RunID, e.Step = "r1", int64(i/len(turn)+1)
		list = append(list, e)
	}
	last := finished(true, "done")
	last.Step = int64((n-2)/len(turn) + 1)
	return append(list, last)
}

// benchRoles are agents of the benchmarks.
var benchRoles = map[string]func(){
	"events": func() {
		n, _ := strconv.Atoi(os.Getenv(countVar))
		os.Stdout.Write(stream(events(n)...))
	},
	// Each event bears the time at which it is printed.
	"ticks": func() {
		n, _ := strconv.Atoi(os.Getenv(countVar))
		for i, e := range events(n) {
			time.Sleep(time.Millisecond)
			e.SchemaVersion, e.Sequence, e.TS = schema.Version, int64(i+1), time.Now().UTC().Format("2006-01-02T15:04:05.000000000Z")
			b, err := schema.Encode(e)
			if err != nil {
				panic(err)
			}
			os.Stdout.Write(b)
		}
	},
}

func benchAgent(b *testing.B, role string, events int) runner.Config {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	return runner.Config{Command: []string{self}, Env: []string{roleVar + "=" + role, countVar + "=" + strconv.Itoa(events)}}
}

func wantSuccess(b *testing.B, e *runner.Execution, events int) {
	if e.Verdict != runner.VerdictSuccess || e.Events != events {
		b.Fatalf("%s, %d events, %s, want success with %d", e.Verdict, e.Events, e.Reason, events)
	}
}

// used returns the processor time of this process, without its children's.
func used() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkScan is the price of judging a saved stream.
func BenchmarkScan(b *testing.B) {
	const n = 10_000
	input := stream(events(n)...)
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	for b.Loop() {
		e, err := runner.Scan(context.Background(), bytes.NewReader(input), runner.Config{Stream: validate.Options{Strict: true}})
		if err != nil {
			b.Fatal(err)
		}
		wantSuccess(b, e, n)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/event")
}

// BenchmarkRun is the processor time that following a living agent takes, with
// a secret to look for and one without.
func BenchmarkRun(b *testing.B) {
	const n = 20_000
	for name, secrets := range map[string][]string{"plain": nil, "secret": {secret}} {
		b.Run(name, func(b *testing.B) {
			cfg := benchAgent(b, "events", n)
			cfg.Secrets = secrets
			before := used()
			for b.Loop() {
				wantSuccess(b, runner.Run(context.Background(), cfg), n)
			}
			b.ReportMetric(float64((used()-before).Microseconds())/float64(b.N*n), "cpu-µs/event")
		})
	}
}

// BenchmarkRun_Delay is the time from the moment before an event is printed to
// the Handler that is told of it, with its findings; as a yardstick, the time
// to whoever reads the same pipe and does nothing else.
func BenchmarkRun_Delay(b *testing.B) {
	const n = 2000
	cfg := benchAgent(b, "ticks", n)
	b.Run("runner", func(b *testing.B) {
		var delays delays
		cfg.Handler = &recorder{onLine: func(l runner.Line) { delays.add(b, l.Event.TS) }}
		for b.Loop() {
			wantSuccess(b, runner.Run(context.Background(), cfg), n)
		}
		delays.report(b)
	})
	b.Run("pipe", func(b *testing.B) {
		var delays delays
		for b.Loop() {
			readPipe(b, cfg, func(line []byte) {
				_, rest, _ := bytes.Cut(line, []byte(`"ts":"`))
				ts, _, _ := bytes.Cut(rest, []byte(`"`))
				delays.add(b, string(ts))
			})
		}
		delays.report(b)
	})
}

// delays are the times since times that events bear.
type delays []time.Duration

func (d *delays) add(b *testing.B, ts string) {
	at, err := time.Parse(time.RFC3339Nano, ts)
	if err != nil {
		b.Error(err)
	}
	*d = append(*d, time.Since(at))
}

func (d delays) report(b *testing.B) {
	slices.Sort(d)
	b.ReportMetric(float64(d[len(d)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(d[len(d)*99/100].Microseconds()), "p99-µs")
}

// readPipe starts the agent of cfg and hands on the lines it prints.
func readPipe(b *testing.B, cfg runner.Config, line func([]byte)) {
	cmd := exec.Command(cfg.Command[0])
	cmd.Env = cfg.Env
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		line(lines.Bytes())
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
}
