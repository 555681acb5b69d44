package validate

import "testing"

func TestStream_EmptyHasNoTerminal(t *testing.T) {
	got := NewStream(Options{}).Close()
	if len(got) != 1 || got[0].Rule != streamTerminalMissing || got[0].Line != 0 {
		t.Errorf("Close of an empty stream = %v, want %s at line 0", got, streamTerminalMissing)
	}
}
