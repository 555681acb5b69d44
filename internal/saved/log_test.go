package saved

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadLogLine_Bound(t *testing.T) {
	for _, tt := range []struct {
		size int
		ok   bool
	}{{maxLogLine, true}, {maxLogLine + 1, false}} {
		line := append(bytes.Repeat([]byte("x"), tt.size), '\n')
		got, err := readLogLine(bufio.NewReader(bytes.NewReader(line)), nil)
		if (err == nil) != tt.ok || tt.ok && len(got) != len(line) {
			t.Errorf("readLogLine of %d bytes = %d bytes, %v, want it read: %v", tt.size, len(got), err, tt.ok)
		}
	}
}

func TestReadLogLine_Ends(t *testing.T) {
	r := bufio.NewReader(strings.NewReader("a\n\nb"))
	var got []string
	for {
		line, err := readLogLine(r, nil)
		if len(line) == 0 {
			if err == nil {
				t.Fatal("readLogLine = nothing without an error")
			}
			break
		}
		got = append(got, string(line))
	}
	if diff := cmp.Diff([]string{"a\n", "\n", "b"}, got); diff != "" {
		t.Errorf("readLogLine (-want +got):\n%s", diff)
	}
}
