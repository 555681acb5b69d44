package toolcall

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// FuzzValueEnd compares the reader of JSON with that of the
// standard library.
func FuzzValueEnd(f *testing.F) {
	for _, text := range []string{`{"tool": "read_file", "arguments": {"path": "a"}}`, `{"a":[1,2.5e-3,"x\u00e9",null,true]}`, `[[],{}]`, `"\ud83d"`, `-0`, `1e`, `{"a":}`, `{,}`, `[1,]`, "\"a\nb\"", `"\x"`, `01`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Count(text, "[")+strings.Count(text, "{") > MaxDepth {
			return
		}
		i := SkipBlanks(text, 0)
		end, fault := ValueEnd(text, i, 1)
		got := fault == jsontext.FaultNone && SkipBlanks(text, end) == len(text)
		if want := json.Valid([]byte(text)); got != want {
			t.Errorf("ValueEnd(%q) = %d, %d: valid %v, want %v", text, end, fault, got, want)
		}
		if fault == jsontext.FaultEnd && json.Valid([]byte(text)) {
			t.Errorf("ValueEnd(%q) is cut, and JSON", text)
		}
	})
}

// FuzzRead reads what is almost JSON: every member that comes out is JSON, and
// what was JSON comes out without repairs.
func FuzzRead(f *testing.F) {
	for _, text := range []string{`{'tool': "read_file", arguments: {path: "a",},}`, `[{"name": "a" "args": {"b": True}}`, `{"a" {"b": 1]}`, "{“a”: \"b\nc\", /* d */ \"e\": \"f}}"} {
		f.Add(text, true, false)
		f.Add(text[:len(text)-2], false, true)
	}
	f.Fuzz(func(t *testing.T, text string, normal, tag bool) {
		if text == "" || text[0] != '{' && text[0] != '[' {
			return
		}
		r := Reader{Text: text, Normal: normal}
		got := r.Read(0, tag)
		if got.End <= 0 || got.End > len(text) || got.Trouble == nil && got.Part.Object {
			t.Errorf("Read(%q) = %+v, want an end in the text and nothing in part", text, got)
		}
		for _, e := range got.Elements {
			for _, m := range e.Members {
				if !json.Valid([]byte(m.Raw)) {
					t.Errorf("Read(%q) has the value %q of %q, want JSON", text, m.Raw, m.Key)
				}
			}
		}
		if json.Valid([]byte(text)) && strings.Count(text, "[")+strings.Count(text, "{") <= MaxDepth && (got.Trouble != nil || len(got.Elements) > 0 && got.Elements[0].Repairs != nil) {
			t.Errorf("Read(%q) = %+v, where all of it is JSON", text, got)
		}
		if object, _, _, trouble := r.ReadArguments(0); text[0] == '{' && trouble == nil && !json.Valid([]byte(object)) {
			t.Errorf("ReadArguments(%q) = %q, want JSON", text, object)
		}
	})
}
