package event

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLog_ParseReadsWhatWasWritten(t *testing.T) {
	want := Event{
		Time: time.Date(2026, 3, 3, 20, 11, 12, 5e6, time.UTC), RunID: "r", Step: 2, Kind: ToolExecEnd,
		Data: Data{"content": "a<b\u2028", "n": json.Number("3"), "list": []any{"x"}, "none": nil},
	}
	var out strings.Builder
	if err := NewLog(&out, false).Emit(want); err != nil {
		t.Fatal(err)
	}
	got, err := Parse([]byte(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Parse(%s) (-want +got):\n%s", out.String(), diff)
	}
}

func TestLog_DeltasOnlyWhenAskedFor(t *testing.T) {
	for _, deltas := range []bool{false, true} {
		var out strings.Builder
		if err := NewLog(&out, deltas).Emit(Event{Kind: ModelDelta}); err != nil {
			t.Fatal(err)
		}
		if got := out.Len() > 0; got != deltas {
			t.Errorf("Log with deltas %v wrote %q", deltas, out.String())
		}
	}
}

func TestParse_Refuses(t *testing.T) {
	const good = `{"ts":"2026-03-03T20:11:12Z","run_id":"r","step":0,"kind":"run_start","data":{}}`
	if _, err := Parse([]byte(good)); err != nil {
		t.Fatalf("Parse(%s) = %v", good, err)
	}
	for _, line := range []string{
		"", "\n", "null", "[]", "prose", good + "}", good + good, good[:len(good)-1],
		strings.Replace(good, "2026-03-03T20:11:12Z", "yesterday", 1),
		strings.Replace(good, `"run_start"`, `""`, 1), strings.Replace(good, `"kind"`, `"king"`, 1),
		strings.Replace(good, `"step":0`, `"step":"0"`, 1), strings.Replace(good, `"step":0`, `"step":1e99`, 1),
		strings.Replace(good, `"data":{}`, `"data":[]`, 1),
	} {
		if e, err := Parse([]byte(line)); err == nil || !strings.HasPrefix(err.Error(), "event log: ") {
			t.Errorf("Parse(%q) = %+v, %v, want an error that says what was read", line, e, err)
		}
	}
}
