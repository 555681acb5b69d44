package drift

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// observation returns what lines of an agent's own stream carry.
func observation(t *testing.T, lines ...string) Observation {
	t.Helper()
	o := observed(t, source{Agent: "a", Version: "1", Format: native}, lines...).Result(&Baseline{})
	o.Baseline = "b\x1b[31m"
	return o
}

// Lines for people have 80 characters at most, but for those of the drift.
func TestObservation_LinesFit(t *testing.T) {
	long := strings.Repeat("a-long-name.", 5)
	key := strings.ReplaceAll(long, ".", "_")
	var lines []string
	for i := range 20 {
		lines = append(lines, fmt.Sprintf(`{"type":%q,"status":"a_status_of_many_letters_%d",%q:{%q:[1,2.5,null,"x",true]},"n":-9223372036854775807}`, long, i, key, key))
	}
	o := observation(t, lines...)
	var b bytes.Buffer
	if err := o.Write(&b, "human", true); err != nil {
		t.Fatal(err)
	}
	widest := 0
	for line := range strings.Lines(b.String()) {
		if !strings.Contains(line, "new-stream") {
			widest = max(widest, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
		}
	}
	if widest != 80 {
		t.Errorf("the widest line has %d characters, want 80:\n%s", widest, &b)
	}
	if strings.Contains(b.String(), "\x1b") || !strings.Contains(b.String(), "drift: 1; baseline b\n") {
		t.Errorf("want no sequences for a terminal:\n%s", &b)
	}
}

// A share is 100 percent only for all, and none that was seen is 0.
func TestObservation_Shares(t *testing.T) {
	lines := slices.Repeat([]string{`{"type":"t","most":1}`}, 298)
	lines = append(lines, `{"type":"t","most":1,"one":1}`, `{"type":"t"}`)
	var b strings.Builder
	if err := observation(t, lines...).Write(&b, "human", true); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{"most 99% integer", "one 1% integer", "type 100% string"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %q", &b, want)
		}
	}
}

// What was not listed or had no room is told, in every form.
func TestObservation_ReportsWhatIsLeftOut(t *testing.T) {
	o := observation(t, `{"type":"t"}`)
	o.Drifts, o.Omitted, o.Skipped, o.Unread = 7, 3, 2, 5
	var b bytes.Buffer
	if err := o.Write(&b, "human", false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"and 6 more\n", "keys and types not told apart, for want of room: 3\n", "skipped: 2 files without a stream\n", "not read: 5 lines that are no event\n", "drift: 7; "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("people are not told %q:\n%s", want, &b)
		}
	}
	b.Reset()
	if err := o.Write(&b, "json", false); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema  string
		Added   []Drift
		Drift   []Drift
		Drifts  int
		Omitted int
		Skipped int
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got.Schema != observationVersion || got.Added == nil || len(got.Drift) != 1 || got.Drifts != 7 || got.Omitted != 3 || got.Skipped != 2 {
		t.Errorf("JSON is %+v, %v:\n%s", got, err, &b)
	}
	findings, more := o.Findings()
	if len(findings) != 1 || more != 6 || findings[0].File != native || findings[0].Rule != "new-stream" {
		t.Errorf("Findings = %+v and %d more, want that of the stream and 6", findings, more)
	}
}
