package archive

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/testkit/simulated"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// read returns the rows of a table, by the library and none of ours.
func read[T any](t *testing.T, dir, table string) (rows []T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, table, "*", "*.parquet"))
	if err != nil || len(files) == 0 {
		t.Fatalf("table %s has %v, %v", table, files, err)
	}
	for _, name := range files {
		more, err := parquet.ReadFile[T](name)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, more...)
	}
	return rows
}

// What an agent wrote to attack who reads the answer of a query, or by accident, is
// harmless in every column: evidence whose makers did not mask it too.
func TestAdd_HostileTexts(t *testing.T) {
	const hostile = `\u001b]0;owned\u0007\u001b[31mred\u0000 API_TOKEN=sk-test-0123456789abcdef ##[error]x \u202eevil\nAuthorization: Bearer abcdefghijklmnop0123456789\nhunter2-is-known `
	evidence := runs(t, 1, simulated.Options{})
	resealed(t, evidence[0], `"content_preview":"`, `"content_preview":"`+hostile)
	for _, name := range []string{"call_1"} { // an id with a sequence and a line end in it, in all its events
		for range 4 {
			resealed(t, evidence[0], `"tool_call_id":"`+name+`"`, `"tool_call_id":"id\u001b[2J\n::error::hunter2-is-known `+name+`"`)
		}
	}
	dir := filepath.Join(t.TempDir(), "archive")
	added, err := Add(t.Context(), process.Env{}, dir, evidence, redact.New([]string{"hunter2-is-known"}), func(err error) { t.Error(err) })
	if err != nil || added.New != 1 {
		t.Fatalf("Add = %+v, %v", added, err)
	}
	var texts []string
	for _, e := range read[eventRow](t, dir, tableEvents) {
		for _, s := range []*string{e.ToolCallID, e.Tool, e.Kind, e.Preview} {
			if s != nil {
				texts = append(texts, *s)
			}
		}
	}
	for _, c := range read[toolCallRow](t, dir, tableToolCalls) {
		if c.ToolCallID != nil {
			texts = append(texts, *c.ToolCallID)
		}
	}
	all := strings.Join(texts, "\n")
	for _, bad := range []string{"\x1b", "\x00", "\a", "\u202e", "##[", "\n::error", "sk-test-0123456789abcdef", "abcdefghijklmnop", "hunter2-is-known", "owned"} {
		if strings.Contains(all, bad) {
			t.Errorf("a column holds %q", bad)
		}
	}
	for _, good := range []string{"red API_TOKEN=", "# #[error]x evil", "id : :error::"} {
		if !strings.Contains(all, good) {
			t.Errorf("no column holds %q", good)
		}
	}
}

// Times that some engines do not read are null, beside all else of their events.
func TestAdd_TimesFarAway(t *testing.T) {
	evidence := runs(t, 1, simulated.Options{Days: 1})
	const old = `"ts":"2026-`
	resealed(t, evidence[0], old, `"ts":"0001-`) // of the first line
	dir := filepath.Join(t.TempDir(), "archive")
	if added, refused, err := adding(t, dir, evidence...); err != nil || added.New != 1 {
		t.Fatalf("Add = %+v, %v, %v", added, refused, err)
	}
	rows := read[eventRow](t, dir, tableEvents)
	if rows[0].TS != nil || rows[0].Type != "run_started" || rows[1].TS == nil || rows[1].TS.Year() != 2026 {
		t.Errorf("times are %v and %v, want none and one of 2026", rows[0].TS, rows[1].TS)
	}
}

func TestInstant(t *testing.T) {
	for text, want := range map[string]bool{
		"0001-01-01T00:00:00Z": false, "1969-12-31T23:59:59Z": false, "1999-12-31T23:59:59.999999999Z": false, "2000-01-01T00:00:00Z": true,
		"2000-01-01T00:30:00+01:00": false, "2099-12-31T23:59:59.999Z": true, "2100-01-01T00:00:00Z": false, "9999-12-31T23:59:59Z": false,
	} {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := instant(at); (got != nil) != want {
			t.Errorf("instant(%s) = %v, want a time %v", text, got, want)
		}
	}
}
