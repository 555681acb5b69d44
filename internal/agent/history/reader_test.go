package history

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/lines"
)

// lineOf returns a line as it stands in a file, with its end.
func lineOf(t testing.TB, at time.Time, r Role, content string) string {
	t.Helper()
	b, err := jsontext.Marshal(line{V: version, TS: stamp(at), Session: "s", RunID: "r", Role: r.name, Content: content})
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

var noon = time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)

// readAll reads what a file holds, one text for each line: its role and
// content, or broken.
func readAll(t testing.TB, src io.Reader) (list []string, offsets []int64) {
	t.Helper()
	in := lines.NewReader(src, 16, maxLine) // lines are longer than its buffer
	err := eachRecord(in, 0, func(rec *Record) {
		offsets = append(offsets, rec.Offset)
		switch {
		case rec.broken:
			list = append(list, "broken")
		default:
			list = append(list, rec.Role.name+" "+clip.UTF8(string(rec.Text)))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, offsets
}

func TestReader_Lines(t *testing.T) {
	const begin = `{"v":1,"ts":"2026-03-03T12:00:00Z","session":"s","run_id":"r",`
	for _, c := range []struct{ name, file, want string }{
		{"as written", begin + `"role":"user","content":"hi"}`, "user hi"},
		{"any order and blanks", ` { "content" : "hi" , "role":	"user","x":{"a":[1,{"b":[]}],"content":"no"},"ts":"2026-03-03T12:00:00.5+01:00","v":1 } ` + "\r", "user hi"},
		{"escapes", begin + `"role":"user","content":"\"\\\/\b\f\n\r\t\u00e9\u00E9\ud83d\ude00"}`, "user \"\\/\b\f\n\r\téé😀"},
		{"halves of pairs", begin + `"role":"user","content":"\ud83d \ude00\ud83d\n\ud83d\ud83d\ude00"}`, "user \ufffd \ufffd\ufffd\n\ufffd😀"},
		{"escaped key", begin + `"r\u006fle":"user","content":"hi"}`, "user hi"},
		{"escaped key and plain one", begin + `"role":"user","content":"a","c\u006fntent":"b"}`, "user b"},
		{"one comma too many", `{,"v":1,"ts":"2026-03-03T12:00:00Z","role":"user","content":"hi"}`, "broken"},
		{"empty object", `{}`, "broken"},
		{"all roles", begin + `"role":"system","content":"hi"}`, "system hi"},
		{"last of two", begin + `"role":"tool","role":"user","content":"a","content":"b"}`, "user b"},
		{"empty content", begin + `"role":"tool_result","content":""}`, "tool_result "},
		{"no JSON", `hello`, "broken"},
		{"nothing", ``, "broken"},
		{"half", begin + `"role":"user","con`, "broken"},
		{"half a text", begin + `"role":"user","content":"x`, "broken"},
		{"half an escape", begin + `"role":"user","content":"x\`, "broken"},
		{"half a code point", begin + `"role":"user","content":"x\u00`, "broken"},
		{"unknown escape", begin + `"role":"user","content":"\x"}`, "broken"},
		{"control", begin + "\"role\":\"user\",\"content\":\"a\tb\"}", "broken"},
		{"NUL bytes", strings.Repeat("\x00", 100), "broken"},
		{"two values", begin + `"role":"user","content":"x"}{}`, "broken"},
		{"trailing comma", begin + `"role":"user","content":"x",}`, "broken"},
		{"no role", begin + `"content":"x"}`, "broken"},
		{"other role", begin + `"role":"robot","content":"x"}`, "broken"},
		{"no content", begin + `"role":"user"}`, "broken"},
		{"content of another type", begin + `"role":"user","content":["x"]}`, "broken"},
		{"other version", `{"v":2,"ts":"2026-03-03T12:00:00Z","role":"user","content":"hi"}`, "broken"},
		{"no version", `{"ts":"2026-03-03T12:00:00Z","role":"user","content":"hi"}`, "broken"},
		{"no time", `{"v":1,"ts":"yesterday","role":"user","content":"hi"}`, "broken"},
		{"bad number", begin + `"x":01,"role":"user","content":"x"}`, "broken"},
		{"bad list", begin + `"x":[1,],"role":"user","content":"x"}`, "broken"},
		{"too deep", begin + `"x":` + strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + `,"role":"user","content":"x"}`, "broken"},
		{"long key", begin + `"` + strings.Repeat("k", 5000) + `":"` + strings.Repeat("v", 200000) + `","role":"user","content":"x"}`, "user x"},
		{"invalid UTF-8", begin + "\"role\":\"user\",\"content\":\"\xff\"}", "user \ufffd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole := lineOf(t, noon, roleAssistant, "next")
			got, offsets := readAll(t, iotest.HalfReader(strings.NewReader(c.file+"\n"+whole)))
			if diff := cmp.Diff([]string{c.want, "assistant next"}, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			if want := int64(len(c.file) + 1); len(offsets) == 2 && offsets[1] != want {
				t.Errorf("the second line is at %d, want %d", offsets[1], want)
			}
		})
	}
}

// A line that is too long is skipped like a broken one.
func TestReader_LineTooLong(t *testing.T) {
	one := lineOf(t, noon, roleUser, "one")
	long := strings.Replace(one, "one", strings.Repeat("x", maxLine+3*readerBytes), 1)
	file := one + long + long + one + strings.TrimSuffix(long, "\n")
	in := lines.NewReader(strings.NewReader(file), readerBytes, maxLine)
	type place struct {
		offset int
		broken bool
	}
	var got []place
	must(t, eachRecord(in, 0, func(rec *Record) { got = append(got, place{int(rec.Offset), rec.broken}) }))
	next := len(one)
	want := []place{{0, false}, {next, true}, {next + len(long), true}, {next + 2*len(long), false}, {2*next + 2*len(long), true}}
	if !slices.Equal(got, want) {
		t.Errorf("lines = %v, want %v", got, want)
	}
}

func TestReader_LastLineWithoutEnd(t *testing.T) {
	one := lineOf(t, noon, roleUser, "one")
	got, _ := readAll(t, strings.NewReader(one+strings.TrimSuffix(one, "\n")))
	if diff := cmp.Diff([]string{"user one", "user one"}, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	for cut := 1; cut < len(one)-1; cut++ {
		if got, _ := readAll(t, iotest.OneByteReader(strings.NewReader(one[:cut]))); len(got) != 1 || got[0] != "broken" {
			t.Errorf("lines of %q = %q, want one that is broken", one[:cut], got)
		}
	}
}

func TestReader_CancelledAndFailing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	none := func(rec *Record) { t.Errorf("a line is at %d, want none", rec.Offset) }
	dir := t.TempDir()
	put(t, dir, "s", lineOf(t, noon, roleUser, "x"))
	if err := readLines(ctx, filepath.Join(dir, "s"+linesKind), 0, math.MaxInt64, none); err != context.Canceled {
		t.Errorf("readLines() = %v, want %v", err, context.Canceled)
	}
	failing := io.MultiReader(strings.NewReader(`{"v":1,`), iotest.ErrReader(io.ErrClosedPipe))
	if err := eachRecord(lines.NewReader(failing, 16, maxLine), 0, none); err != io.ErrClosedPipe {
		t.Errorf("eachRecord() = %v, want %v", err, io.ErrClosedPipe)
	}
}

// FuzzReader compares each line with what encoding/json makes of it.
func FuzzReader(f *testing.F) {
	f.Add([]byte(lineOf(f, noon, roleUser, "a\"\\\n\u00e9")))
	f.Add([]byte("{\"v\":1}\n\n\x00\n[]\n"))
	f.Add([]byte(`{"v":1,"ts":"2026-03-03T12:00:00Z","role":"user","content":"\ud83d\u","x":[{}]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		if bytes.Count(file, []byte("["))+bytes.Count(file, []byte("{")) > 500 {
			t.Skip("what has bounds here has none there")
		}
		got, offsets := readAll(t, bytes.NewReader(file))
		at := int64(0)
		n := 0
		for text := range bytes.Lines(file) {
			if n >= len(got) || offsets[n] != at {
				t.Fatalf("line %d of %q at %d: read %q at %d", n, file, at, got, offsets)
			}
			if want, ok := oracle(text); ok != (got[n] != "broken") || ok && want != got[n] {
				t.Fatalf("line %d of %q = %q, want %q (a record: %v)", n, file, got[n], want, ok)
			}
			at += int64(len(text))
			n++
		}
		if n != len(got) {
			t.Fatalf("%q has %d lines, %d were read", file, n, len(got))
		}
	})
}

// oracle reads a line with the standard library.
func oracle(text []byte) (string, bool) {
	text = bytes.TrimSuffix(text, []byte("\n"))
	var m map[string]json.RawMessage
	if json.Unmarshal(text, &m) != nil {
		return "", false
	}
	var ts time.Time
	var name, content string
	for key, into := range map[string]any{"ts": &ts, "role": &name, "content": &content} {
		if raw := m[key]; raw == nil || raw[0] != '"' || json.Unmarshal(raw, into) != nil {
			return "", false
		}
	}
	_, known := roleNamed(name)
	return name + " " + content, known && string(m["v"]) == "1"
}
