package proc_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/proc"
)

// What was opened for a command is closed when it has ended, or did not start.
func TestWait_LeavesNoDescriptor(t *testing.T) {
	open := func() int {
		t.Helper()
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	run := func() {
		c := shell("echo out")
		c.Stdout = new(bytes.Buffer)
		start(t, c).Wait(context.Background())
		c.Path = "/nowhere"
		if _, err := proc.Start(c); err == nil {
			t.Error("Start of a program that is not there = nil, want an error")
		}
	}
	run() // opens what stays open
	before := open()
	for range 5 {
		run()
	}
	if after := open(); after != before {
		t.Errorf("%d files are open after five commands, want %d as before", after, before)
	}
}

// stranger holds the other end of a command's output, whose pid it is told, and
// lets the command end.
type stranger struct {
	goOn io.Closer
	end  *os.File
	err  error
}

func (s *stranger) Write(b []byte) (int, error) {
	s.end, s.err = os.OpenFile("/proc/"+strings.TrimSpace(string(b))+"/fd/1", os.O_WRONLY, 0)
	s.goOn.Close()
	return len(b), nil
}

// A process that nobody can kill for it does not keep the end of a command waiting.
func TestWait_PipeHeldByAStranger(t *testing.T) {
	in, goOn := io.Pipe()
	s := &stranger{goOn: goOn}
	c := shell("echo $$; read line")
	c.Stdin, c.Stdout, c.Drain = in, s, time.Millisecond
	exit := start(t, c).Wait(context.Background())
	if s.err != nil {
		t.Fatal(s.err)
	}
	defer s.end.Close()
	if exit.Status != 1 || exit.Interrupted {
		t.Errorf("Wait = %+v, want status 1", exit)
	}
}
