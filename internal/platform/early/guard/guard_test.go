//go:build unix

package guard

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

const mark = "MARK=of this run"

// A guard gets as far as this only when its harness has ended.
func TestMain(m *testing.M) {
	if Entry() != "" {
		os.Stdout.WriteString(Entry())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// What ends a harness is sent to its guard too, as a rule.
func TestEntry_WaitsForTheEndOfTheHarness(t *testing.T) {
	guard := exec.Command(os.Args[0])
	guard.Env = append(os.Environ(), Variable+"="+mark)
	var said bytes.Buffer
	guard.Stdout = &said
	harness, err := guard.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := guard.Start(); err != nil {
		t.Fatal(err)
	}
	// More than a pipe holds: it reads.
	for range 32 {
		if _, err := harness.Write(make([]byte, 4<<10)); err != nil {
			t.Fatal("the guard does not wait: ", err)
		}
	}
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if err := guard.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.WriteString(harness, "alive"); err != nil {
		t.Fatal("the guard does not wait: ", err)
	}
	harness.Close()
	if err := guard.Wait(); err != nil || said.String() != mark {
		t.Errorf("the guard said %q and ended with %v, want %q once its harness has ended", &said, err, mark)
	}
}
