package history

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/clip"
)

// record returns a line as it stands in a file, with its end.
func record(t testing.TB, at time.Time, r role, content string) string {
	t.Helper()
	b, err := encode([]line{{V: version, TS: stamp(at), Session: "s", RunID: "r", Role: r.name, Content: content}})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var noon = time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)

// readAll reads what a file holds, one text for each line: its role and
// content, or broken.
func readAll(t testing.TB, src io.Reader) (lines []string, offsets []int64) {
	t.Helper()
	r := newReader(context.Background())
	r.buf = r.buf[:13] // it has to grow
	err := eachLine(r, src, func(h head, content []byte, err error) error {
		offsets = append(offsets, h.offset)
		switch {
		case err != nil:
			lines = append(lines, "broken")
		default:
			lines = append(lines, h.role.name+" "+clip.UTF8(string(r.text(content))))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, offsets
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
			whole := record(t, noon, roleAssistant, "next")
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

// A line that is too long is skipped like a broken one, and takes no more memory.
func TestReader_LineTooLong(t *testing.T) {
	one := record(t, noon, roleUser, "one")
	long := strings.Replace(one, "one", strings.Repeat("x", maxLine+3*readerBytes), 1)
	r := newReader(t.Context())
	r.reset(strings.NewReader(one+long+long+one+strings.TrimSuffix(long, "\n")), 0)
	for i, want := range []error{nil, errBroken, errBroken, nil, errBroken, io.EOF} {
		if h, _, err := r.next(); err != want || i == 3 && h.offset != int64(len(one)+2*len(long)) {
			t.Errorf("next() %d = %v at %d, want %v", i, err, h.offset, want)
		}
	}
	if len(r.buf) > 4*maxLine {
		t.Errorf("the reader holds %d bytes", len(r.buf))
	}
}

func TestReader_LastLineWithoutEnd(t *testing.T) {
	one := record(t, noon, roleUser, "one")
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
	r := newReader(ctx)
	r.reset(strings.NewReader(record(t, noon, roleUser, "x")), 0)
	cancel()
	if _, _, err := r.next(); err != context.Canceled {
		t.Errorf("next() = %v, want %v", err, context.Canceled)
	}
	r = newReader(t.Context())
	r.reset(io.MultiReader(strings.NewReader(`{"v":1,`), iotest.ErrReader(io.ErrClosedPipe)), 0)
	if _, _, err := r.next(); err != io.ErrClosedPipe {
		t.Errorf("next() = %v, want %v", err, io.ErrClosedPipe)
	}
}

// FuzzReader compares each line with what encoding/json makes of it.
func FuzzReader(f *testing.F) {
	f.Add([]byte(record(f, noon, roleUser, "a\"\\\n\u00e9")))
	f.Add([]byte("{\"v\":1}\n\n\x00\n[]\n"))
	f.Add([]byte(`{"v":1,"ts":"2026-03-03T12:00:00Z","role":"user","content":"\ud83d\u","x":[{}]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		if bytes.Count(file, []byte("["))+bytes.Count(file, []byte("{")) > maxDepth {
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
	_, known := roleNamed([]byte(name))
	return name + " " + content, known && string(m["v"]) == "1"
}
