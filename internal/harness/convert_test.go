package harness

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// native returns a stream that codex printed.
func native(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "adapter", "testdata", "codex", "n1.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// converted converts in by its first line.
func converted(in io.Reader, out io.Writer) (*runner.Execution, error) {
	return Convert(context.Background(), &process.Process{In: in, Out: out, Err: io.Discard}, "-", runner.Convert{RunID: "r1"}, false)
}

// What a line becomes is there before the next line is.
func TestConvert_LineByLine(t *testing.T) {
	in, feed := io.Pipe()
	from, out := io.Pipe()
	defer from.Close()
	ended := make(chan error)
	go func() {
		_, err := converted(in, out)
		out.Close()
		ended <- err
	}()
	got := bufio.NewScanner(from)
	types := map[int][]schema.Type{
		0: {schema.TypeRunStarted}, 2: {schema.TypeStepStarted},
		3: {schema.TypeToolCallDetected, schema.TypeToolDecision, schema.TypeToolExecStarted}, 4: {schema.TypeToolExecFinished},
	}
	for i, line := range strings.SplitAfter(native(t), "\n") {
		if _, err := io.WriteString(feed, line); err != nil {
			t.Fatal(err)
		}
		for _, want := range types[i] {
			if !got.Scan() || !strings.Contains(got.Text(), `"type":"`+string(want)+`"`) {
				t.Fatalf("line %d became %q, want %s", i+1, got.Text(), want)
			}
		}
	}
	feed.Close()
	if !got.Scan() || !strings.Contains(got.Text(), `"type":"run_finished"`) || got.Scan() {
		t.Errorf("at the end came %q, want run_finished alone", got.Text())
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// failing fails to read or write after some calls.
type failing struct {
	left int
	from io.Reader
}

var errFailing = errors.New("it broke")

func (f *failing) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errFailing
	}
	return len(p), nil
}

func (f *failing) Read(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errFailing
	}
	return f.from.Read(p[:1])
}

// A stdout that cannot be written ends the reading, also of a source without end.
func TestConvert_CannotPrint(t *testing.T) {
	line := strings.SplitAfter(native(t), "\n")[0]
	endless := io.MultiReader(strings.NewReader(native(t)), &repeated{text: line})
	out := &failing{left: 3}
	if _, err := converted(endless, out); !errors.Is(err, errFailing) || out.left != -1 {
		t.Errorf("Convert() = %v after %d further writes, want %v after none", err, -1-out.left, errFailing)
	}
}

// repeated is a text without end.
type repeated struct{ text string }

func (r *repeated) Read(p []byte) (int, error) { return copy(p, r.text), nil }

func TestConvert_CannotRead(t *testing.T) {
	for _, after := range []int{0, 10, 400} { // before, within the first line, and behind it
		if _, err := converted(&failing{left: after, from: strings.NewReader(native(t))}, io.Discard); !errors.Is(err, errFailing) {
			t.Errorf("Convert() of a stream that breaks after %d bytes = %v, want %v", after, err, errFailing)
		}
	}
}

// Lines that cannot be read are skipped to find out whose stream it is, but not
// without end.
func TestConvert_Recognizes(t *testing.T) {
	prose := strings.Repeat(strings.Repeat("prose ", 1000)+"\n", 10)
	for name, tt := range map[string]struct {
		source  string
		events  int
		unknown bool
	}{
		"at once":          {native(t), 7, false},
		"behind prose":     {prose + native(t), 7, false},
		"without end":      {strings.Repeat(prose, 300) + native(t), 0, true},
		"a long line":      {strings.Repeat("x", emit.MaxLine+maxUnreadable), 0, true},
		"prose alone":      {prose, 1, false},
		"nothing":          {"", 1, false},
		"nobody's":         {prose + `{"type":"hello"}`, 0, true},
		"of the contract":  {prose + `{"schema_version":"x"}`, 0, false},
		"one line, no end": {strings.SplitAfter(native(t), "\n")[0], 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			_, err := converted(strings.NewReader(tt.source), &out)
			if unknown := errors.As(err, &UnknownSourceError{}); unknown != tt.unknown || !unknown && err != nil {
				t.Errorf("Convert() = %v, want an unknown source: %v", err, tt.unknown)
			}
			if n := bytes.Count(out.Bytes(), []byte("\n")); n != tt.events {
				t.Errorf("%d events, want %d", n, tt.events)
			}
		})
	}
}

// Times and the end of the process are those of the options.
func TestConvert_ClockAndEnd(t *testing.T) {
	at, status := time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC), 7
	var out bytes.Buffer
	conv := runner.Convert{RunID: "r1", Now: func() time.Time { return at }, End: emit.End{ExitStatus: &status}}
	e, err := Convert(context.Background(), &process.Process{In: strings.NewReader(native(t)), Out: &out, Err: io.Discard}, "-", conv, false)
	if err != nil || strings.Count(out.String(), `"ts":"2026-03-03T20:11:12.000Z"`) != 7 || !strings.Contains(out.String(), `"error_code":"exit_status"`) {
		t.Errorf("Convert() = %v, want seven events of one time that end with the exit status:\n%s", err, &out)
	}
	if e.Errors != 0 || e.FindingCounts["run/exit-status"] != 1 {
		t.Errorf("findings %v, want a warning run/exit-status", e.Findings)
	}
}

// The times of a saved stream are its own, however long ago that was.
func TestConvert_TimesOfTheSource(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "adapter", "testdata", "copilot", "n1.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	conv := runner.Convert{RunID: "r1", Now: func() time.Time { return time.Date(2222, 2, 2, 0, 0, 0, 0, time.UTC) }}
	if _, err := Convert(context.Background(), &process.Process{In: bytes.NewReader(text), Out: &out, Err: io.Discard}, "-", conv, false); err != nil {
		t.Fatal(err)
	}
	events := bytes.Count(out.Bytes(), []byte("\n"))
	if n := strings.Count(out.String(), `"ts":"2026-`); n == 0 || n != events {
		t.Errorf("%d of %d events have a time of the source:\n%s", n, events, &out)
	}
}
