package show

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// A line that is no event is broken either way; one beyond the bound is not even read.
func TestWriteStream_LinesAreBounded(t *testing.T) {
	for size, long := range map[int]bool{maxLogLine: false, maxLogLine + 1: true} {
		line := append(bytes.Repeat([]byte("x"), size), '\n')
		err := WriteStream(io.Discard, bytes.NewReader(line))
		if !errors.Is(err, ErrLogLine) || strings.Contains(err.Error(), "longer than") != long {
			t.Errorf("WriteStream of a line of %d bytes = %v, want it called too long: %v", size, err, long)
		}
	}
}

// An empty line and half a line at the end are lines too.
func TestWriteStream_NamesTheBrokenLine(t *testing.T) {
	const good = `{"kind":"no such kind","run_id":"r","seq":1,"ts":"2026-03-03T12:00:00Z","data":{}}` + "\n"
	for log, want := range map[string]string{"": "", good: "", good + "\n": "line 2: ", good + good + `{"ki`: "line 3: "} {
		err := WriteStream(io.Discard, strings.NewReader(log))
		if got := err != nil; got != (want != "") || got && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("WriteStream(%q) = %v, want %q", log, err, want)
		}
	}
}
