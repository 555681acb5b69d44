package tool

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

type sampleArgs struct {
	Path    string   `json:"path" arg:"required,path" doc:"What to read." example:"README.md"`
	Content string   `json:"content" arg:"required,empty" example:"text"`
	Max     int64    `json:"max" default:"10" min:"1" max:"100" example:"20"`
	Offset  *int64   `json:"offset,omitempty" example:"-5"`
	Deep    bool     `json:"deep" default:"true" example:"false"`
	Files   []string `json:"files,omitempty" arg:"path" example:"a.txt"`
}

func ptr[T any](v T) *T { return &v }

func decode(raw json.RawMessage) (args sampleArgs, err *Error) {
	d := decoder{fields: fieldsOf(reflect.TypeFor[sampleArgs]())}
	err = d.decode(raw, reflect.ValueOf(&args).Elem())
	return args, err
}

func TestDecode_Accepted(t *testing.T) {
	base := sampleArgs{Path: "a", Max: 10, Deep: true}
	with := func(change func(*sampleArgs)) sampleArgs {
		args := base
		change(&args)
		return args
	}
	for _, test := range []struct {
		name, raw string
		want      sampleArgs
	}{
		{"defaults", `{"path":"a","content":""}`, base},
		{"null means absent", `{"path":"a","content":"","max":null,"offset":null,"deep":null,"files":null}`, base},
		{"numbers as strings", `{"path":"a","content":"","max":" 5 ","offset":"-3"}`,
			with(func(a *sampleArgs) { a.Max, a.Offset = 5, ptr[int64](-3) })},
		{"whole floats", `{"path":"a","content":"","max":5.0,"offset":1e3}`,
			with(func(a *sampleArgs) { a.Max, a.Offset = 5, ptr[int64](1000) })},
		{"clamped low", `{"path":"a","content":"","max":-1}`, with(func(a *sampleArgs) { a.Max = 1 })},
		{"clamped high", `{"path":"a","content":"","max":1e400}`, with(func(a *sampleArgs) { a.Max = 100 })},
		{"booleans as strings", `{"path":"a","content":"","deep":"FALSE"}`, with(func(a *sampleArgs) { a.Deep = false })},
		{"list", `{"path":"a","content":"","files":["x","-y"]}`, with(func(a *sampleArgs) { a.Files = []string{"x", "-y"} })},
		{"whole pairs", `{"path":"a","content":"\ud83d\ude00\ufffd\uFFFD�"}`, with(func(a *sampleArgs) { a.Content = "😀���" })},
		{"content keeps NUL", `{"path":"a","content":"\u0000"}`, with(func(a *sampleArgs) { a.Content = "\x00" })},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := decode(json.RawMessage(test.raw))
			if err != nil {
				t.Fatalf("Decode(%s) = error %q, want none", test.raw, err.Message)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Decode(%s) (-want +got):\n%s", test.raw, diff)
			}
		})
	}
}

func TestDecode_Refused(t *testing.T) {
	for _, test := range []struct{ name, raw, want string }{
		{"no object", `[1]`, "must be an object, got an array"},
		{"broken", `{"path":`, "not valid JSON"},
		{"trailing", `{"path":"a","content":""} x`, "not valid JSON"},
		{"invalid UTF-8", "{\"path\":\"a\xff\",\"content\":\"\"}", "not valid JSON"},
		{"missing", `{"path":"a"}`, `"content" is required and must be a string`},
		{"nothing", ``, `"path" is required`},
		{"null", `null`, `"path" is required`},
		{"other case", `{"Path":"a","content":""}`, `"Path" is unknown; the arguments are: path (string), content (string), max (integer), offset (integer), deep (boolean), files (array); example: {"path":"README.md","content":"text"}`},
		{"unknown", `{"path":"a","content":"","x":1}`, `"x" is unknown`},
		{"twice", `{"path":"a","path":"b","content":""}`, `"path" is given twice`},
		{"twice by escape", `{"path":"a","p\u0061th":"b","content":""}`, `"path" is given twice`},
		{"empty", `{"path":"","content":""}`, `"path" must not be empty`},
		{"NUL", `{"path":"a\u0000b","content":""}`, "NUL"},
		{"number for text", `{"path":5,"content":""}`, `"path" must be a string, got 5; example: {"path":"README.md","content":"text"}`},
		{"text for integer", `{"path":"a","content":"","max":"many"}`, `"max" must be an integer, got "many"; example: {"path":"README.md","content":"text","max":20}`},
		{"fraction", `{"path":"a","content":"","max":1.5}`, "must be an integer"},
		{"infinity", `{"path":"a","content":"","max":"inf"}`, "must be an integer"},
		{"hex", `{"path":"a","content":"","max":"0x10"}`, "must be an integer"},
		{"empty integer", `{"path":"a","content":"","max":""}`, "must be an integer"},
		{"boolean for integer", `{"path":"a","content":"","max":true}`, "must be an integer"},
		{"number for boolean", `{"path":"a","content":"","deep":1}`, "must be true or false"},
		{"text for list", `{"path":"a","content":"","files":"x"}`, "must be an array of strings"},
		{"number in list", `{"path":"a","content":"","files":[1]}`, "must be an array of strings"},
		{"empty in list", `{"path":"a","content":"","files":[""]}`, "must not be empty"},
		{"NUL in list", `{"path":"a","content":"","files":["\u0000"]}`, "NUL"},
		{"half a pair", `{"path":"a","content":"x\ud83d"}`, `"content" has a \u escape that is half of a surrogate pair`},
		{"half a pair in a list", `{"path":"a","content":"","files":["\ude00\ud83d"]}`, `"files" has a \u escape`},
		{"long key", `{"` + strings.Repeat("k", 5000) + `":1}`, "is unknown"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := decode(json.RawMessage(test.raw))
			if err == nil {
				t.Fatalf("Decode(%s) = no error, want one with %q", test.raw, test.want)
			}
			if err.Kind != KindInvalidInput || !strings.Contains(err.Message, test.want) {
				t.Errorf("Decode(%s) = %s %q, want %s with %q", test.raw, err.Kind, err.Message, KindInvalidInput, test.want)
			}
			if n := utf8.RuneCountInString(err.Message); n > MaxMessage {
				t.Errorf("Decode(...) message has %d characters, want at most %d", n, MaxMessage)
			}
		})
	}
}

func TestDecode_ErrorNamesKeyTypeAndExample(t *testing.T) {
	_, err := decode(json.RawMessage(`{"path":"a","content":"","offset":{}}`))
	want := `{"argument":"offset","expected":"integer","example":{"path":"README.md","content":"text","offset":-5}}`
	if err == nil || string(err.Details) != want {
		t.Fatalf("Decode(...).Details = %+v, want %s", err, want)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"path":"a","content":"","max":"5","deep":"TRUE","files":["x"]}`))
	f.Add([]byte(`{"path":"a","path":"b"}`))
	f.Add([]byte(`{"max":1e999}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		args, err := decode(raw)
		if err != nil {
			if err.Message == "" || !json.Valid(err.Details) {
				t.Fatalf("Decode(%q) = error %+v, want a message and valid details", raw, err)
			}
			return
		}
		again, err := decode(jsontext.MustMarshal(args))
		if err != nil {
			t.Fatalf("Decode(%s) of own arguments = %q, want no error", jsontext.MustMarshal(args), err.Message)
		}
		if string(jsontext.MustMarshal(again)) != string(jsontext.MustMarshal(args)) {
			t.Fatalf("Decode is not stable: %s, then %s", jsontext.MustMarshal(args), jsontext.MustMarshal(again))
		}
	})
}
