package enter

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEncode_IsReadAgain(t *testing.T) {
	want := []Step{
		{Op: Unshare, Number: 1<<63 + 7},
		{Op: ReadOnly, Optional: true, Text: "/a path\nwith a line"},
		{Op: Limit, Number: 7, Second: 1 << 40},
		{Op: Filter, Text: "\x00\xff\x00"},
	}
	var got []Step
	for b := Encode(want); len(b) > 0; {
		step, rest, ok := decode(b)
		if !ok {
			t.Fatalf("decode(%q) finds no step", b)
		}
		got, b = append(got, step), rest
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps read again (-want +got):\n%s", diff)
	}
}

// A plan that was cut must not let a command start without the last steps.
func TestDecode_RefusesACutStep(t *testing.T) {
	whole := Encode([]Step{{Op: ReadOnly, Text: "/path"}})
	for n := range whole {
		if _, _, ok := decode(whole[:n]); ok {
			t.Errorf("decode takes a step of which %d of %d bytes are there", n, len(whole))
		}
	}
}
