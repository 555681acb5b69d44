package event

import (
	"strings"
	"testing"
)

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
