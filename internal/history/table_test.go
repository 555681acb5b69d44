package history

import (
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

func TestTable_TimesAndBrokenLines(t *testing.T) {
	noon := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	list := []Summary{{Name: "a"}, {Name: "b", Bytes: 20, Lines: 2, Skipped: 1, First: noon, Last: noon.Add(time.Hour)}}
	want := "SESSION  LAST              LINES         BYTES\na        -                 0             0\nb        2026-03-03 13:00  2 (1 broken)  20\n"
	if got := Table(list); got != want {
		t.Errorf("Table = %q, want %q", got, want)
	}
	if got, want := Table(nil), "No sessions.\n"; got != want {
		t.Errorf("Table of none = %q, want %q", got, want)
	}
}

func TestSummary_JSON(t *testing.T) {
	noon := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	got, err := jsontext.Marshal([]Summary{{Name: "a<b", Bytes: 1}, {Name: "b", Bytes: 20, Lines: 2, Skipped: 1, First: noon, Last: noon}})
	want := `[{"session":"a<b","lines":0,"bytes":1,"first":null,"last":null,"skipped_lines":0},` +
		`{"session":"b","lines":2,"bytes":20,"first":"2026-03-03T12:00:00Z","last":"2026-03-03T12:00:00Z","skipped_lines":1}]`
	if err != nil || strings.TrimSpace(string(got)) != want {
		t.Errorf("JSON = %s, %v, want %s", got, err, want)
	}
}
