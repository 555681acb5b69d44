//go:build unix

package signals

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// patience bounds what should be there at once.
const patience = 30 * time.Second

// TestEarly_HoldsWhatCame: importing the package was enough to survive.
func TestEarly_HoldsWhatCame(t *testing.T) {
	for _, want := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		if err := syscall.Kill(os.Getpid(), want); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-Early():
			if got != want {
				t.Errorf("Early has %v, want %v", got, want)
			}
		case <-time.After(patience):
			t.Fatalf("Early has nothing, want %v", want)
		}
	}
}
