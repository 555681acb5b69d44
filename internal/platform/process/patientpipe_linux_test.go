package process

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Lines come whole and in order, be there room for a line or for a part of it.
func TestPatient_LinesThroughAPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := NewDeadlineWriter(t.Context(), w)
	var want bytes.Buffer
	for i := range 200 {
		want.Write(bytes.Repeat([]byte{byte('a' + i%26)}, i*i))
		want.WriteByte('\n')
	}
	var reading sync.WaitGroup
	var got []byte
	reading.Go(func() {
		time.Sleep(10 * time.Millisecond) // the pipe is full by now
		got, err = io.ReadAll(r)
	})
	for line := range bytes.Lines(want.Bytes()) {
		if n, err := p.Write(line); n != len(line) || err != nil {
			t.Fatalf("Write of %d bytes = %d, %v, want all", len(line), n, err)
		}
	}
	w.Close()
	reading.Wait()
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("read %d bytes, %v, want the %d that were written", len(got), err, want.Len())
	}
}

// A file that cannot say what fits without waiting gets everything as well.
func TestPatient_LinesToAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := NewDeadlineWriter(t.Context(), f)
	for _, line := range []string{"one\n", "", "two\n"} {
		if n, err := p.Write([]byte(line)); n != len(line) || err != nil {
			t.Errorf("Write(%q) = %d, %v, want all", line, n, err)
		}
	}
	if got, err := os.ReadFile(path); string(got) != "one\ntwo\n" {
		t.Errorf("the file holds %q, %v, want both lines", got, err)
	}
}

// A pipe that nobody reads holds a run up for no longer than any other reader.
func TestPatient_GivesAFullPipeUp(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := NewDeadlineWriter(ctx, w)
	line := make([]byte, 1<<20)
	n, err := p.Write(line)
	if n == len(line) || !errors.Is(err, errStalled) {
		t.Errorf("Write to a pipe that nobody reads = %d, %v, want %v", n, err, errStalled)
	}
	if n, err := p.Write(line); n != 0 || !errors.Is(err, errStalled) {
		t.Errorf("Write after that = %d, %v, want %v", n, err, errStalled)
	}
}
