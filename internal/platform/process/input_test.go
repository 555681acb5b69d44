package process

import (
	"bytes"
	"strings"
	"testing"
)

func TestReadUpTo_Bound(t *testing.T) {
	for size, want := range map[int]bool{0: true, MaxInput: true, MaxInput + 1: false, MaxInput * 2: false} {
		got, err := ReadUpTo(bytes.NewReader(make([]byte, size)), "script.yaml", MaxInput)
		if (err == nil) != want || want && len(got) != size {
			t.Errorf("ReadUpTo of %d bytes = %d bytes, %v, want them read: %v", size, len(got), err, want)
		}
		if err != nil && !strings.Contains(err.Error(), "script.yaml is larger than 16777216 bytes") {
			t.Errorf("ReadUpTo of %d bytes: %v, want the name and the bound", size, err)
		}
	}
}
