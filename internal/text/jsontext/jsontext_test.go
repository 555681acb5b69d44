package jsontext

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// corpus are seeds for the tests that compare with encoding/json.
var corpus = []string{
	`{}`, `[]`, `""`, `0`, `-0`, `-`, `01`, `1.`, `1.5e+10`, `1e`, `.5`, `+1`, `true`, `tru`, `nullx`, `{"a"}`, `{"a":}`,
	`{"a":1,}`, `[1,]`, `[1 2]`, `{,}`, `"\u00e9\n\/"`, `"\x"`, `"\u12"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ud83d\u0041"`,
	` { "a" : [ 1 , { "b" : null } ] } `, `{"a":{"a":1},"b":[{"a":1}]}`, `"abc`, `"abc\`, `"a` + "\n" + `b"`, ``, ` `,
	`[[[[[[]]]]]]`, `{"\u0061":1}`, `1 2`, "\"\x80\"", `"\ud83d\ud83d\ude00 long enough for words"`, `{"a\"":"}"}`,
}

const room = 64

func reader[T Text](src T) *Reader[T] { return &Reader[T]{Src: src, Room: room} }

// value builds the value at Pos by the loops that callers have.
func value(t *testing.T, r *Reader[string]) any {
	t.Helper()
	at := r.Pos
	switch r.Peek() {
	case '{':
		object := map[string]any{}
		for name := range r.Members() {
			object[name] = value(t, r)
		}
		return object
	case '[':
		list := []any{}
		for range r.Items() {
			list = append(list, value(t, r))
		}
		return list
	case '"':
		r.Skip()
		if r.Fault != FaultNone {
			return nil
		}
		return Unquote(r.Src[at:r.Pos])
	}
	r.Skip()
	var v any
	dec := json.NewDecoder(strings.NewReader(r.Src[at:r.Pos]))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil && r.Fault == FaultNone {
		t.Fatalf("Skip() of %q at %d to %d: %v", r.Src, at, r.Pos, err)
	}
	return v
}

func FuzzReader(f *testing.F) {
	for _, seed := range corpus {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		r, b := reader(src), reader([]byte(src))
		got := r.Whole()
		if again := b.Whole(); got != again || r.Pos != b.Pos || r.Fault != b.Fault {
			t.Fatalf("Whole(%q) = %t at %d, fault %d; of bytes %t at %d, fault %d", src, got, r.Pos, r.Fault, again, b.Pos, b.Fault)
		}
		built := reader(src)
		built.Blanks()
		v := value(t, built)
		if built.Fault == FaultNone {
			built.Blanks()
		}
		if built.Fault != r.Fault || built.Pos != r.Pos || r.Room != room && r.Fault == FaultNone {
			t.Fatalf("loops over %q end at %d, fault %d; Skip at %d, fault %d, room %d", src, built.Pos, built.Fault, r.Pos, r.Fault, r.Room)
		}
		if r.Fault == FaultDepth {
			return
		}
		if want := json.Valid([]byte(src)); got != want {
			t.Fatalf("Whole(%q) = %t, want %t as json.Valid", src, got, want)
		}
		if !got || !utf8.ValidString(src) {
			return
		}
		var want any
		dec := json.NewDecoder(strings.NewReader(src))
		dec.UseNumber()
		if err := dec.Decode(&want); err != nil || !reflect.DeepEqual(v, want) {
			t.Fatalf("value of %q = %#v, want %#v, %v", src, v, want, err)
		}
	})
}

// Where a text breaks off, and whether more of it could mend that.
func TestReader_Faults(t *testing.T) {
	for _, tt := range []struct {
		src  string
		at   int
		want Fault
	}{
		{``, 0, FaultEnd}, {`{`, 1, FaultEnd}, {`{"a`, 3, FaultEnd}, {`{"a"`, 4, FaultEnd}, {`{"a":`, 5, FaultEnd},
		{`{"a":1`, 6, FaultEnd}, {`{"a":1,`, 7, FaultEnd}, {`[1,`, 3, FaultEnd}, {`tru`, 0, FaultEnd}, {`-`, 1, FaultEnd},
		{`1.`, 2, FaultEnd}, {`1e+`, 3, FaultEnd}, {`"\`, 2, FaultEnd}, {`"\u00`, 1, FaultEnd},
		{`x`, 0, FaultSyntax}, {`{a`, 1, FaultSyntax}, {`{"a" 1}`, 5, FaultSyntax}, {`{"a":1 "b"`, 7, FaultSyntax},
		{`[1,]`, 3, FaultSyntax}, {`{"a":1,}`, 7, FaultSyntax}, {`trux`, 0, FaultSyntax}, {`"\x00000"`, 1, FaultSyntax},
		{`"\u00g0"`, 1, FaultSyntax}, {"\"\\u00\x100\"", 1, FaultSyntax}, {`"\x"`, 1, FaultSyntax}, {"\"a\tb\"", 2, FaultSyntax}, {`-x`, 1, FaultSyntax}, {`[1.]`, 3, FaultSyntax},
		{strings.Repeat("[", room), room, FaultEnd}, {strings.Repeat("[", room+1), room, FaultDepth},
		{strings.Repeat(`{"":`, room) + "[", 4 * room, FaultDepth},
	} {
		r := reader(tt.src)
		if ok := r.Skip(); ok || r.Fault != tt.want || r.Pos != tt.at {
			t.Errorf("Skip(%s) = %t at %d, fault %d, want fault %d at %d", tt.src, ok, r.Pos, r.Fault, tt.want, tt.at)
		}
		if at := r.Pos; r.Skip() || r.Pos != at {
			t.Errorf("Skip(%s) after a fault goes on to %d", tt.src, r.Pos)
		}
	}
}

func TestReader_Notes(t *testing.T) {
	many := func(last string) string {
		var b strings.Builder
		b.WriteByte('{')
		for i := range 40 {
			b.WriteString(`"k` + strings.Repeat("x", i) + `":1,`)
		}
		return b.String() + `"` + last + `":2}`
	}
	for _, tt := range []struct {
		src  string
		want Notes
	}{
		{`{"a":1,"b":2}`, Notes{}},
		{`{"a":1,"a":2,"b":1,"b":2}`, Notes{Repeated: 7}},
		{`{"a":{"a":1},"b":{"a":1}}`, Notes{}},
		{`[{"a":1},{"a":1}]`, Notes{}},
		{`{"a":{"b":1,"c":[{"d":1,"d":1}]}}`, Notes{Repeated: 24}},
		{`{"é":1,"\u00e9":1}`, Notes{Repeated: 8}},
		{`{"😀":1,"\ud83d\ude00":1}`, Notes{Repeated: 10}},
		{`{"":1,"":1}`, Notes{Repeated: 6}},
		{many("new"), Notes{}},
		{many("k"), Notes{Repeated: len(many("k")) - len(`"k":2}`)}},
		{many("kxxxxxxxxxxxxxxxxxxxxxxxxx"), Notes{Repeated: len(many("")) - len(`"":2}`)}},
		{`"\ud83d\ude00"`, Notes{}},
		{`["\ud83d","\ude00"]`, Notes{Surrogate: 2}},
		{`"\ud83d\ud83d\ude00"`, Notes{Surrogate: 1}},
		{`{"a":"\ud83dx","a":"\ude00"}`, Notes{Surrogate: 6, Repeated: 15}},
		{`[1e999,1.5E-0999,1e9999]`, Notes{Costly: 12}},
		{strings.Repeat("1", 1000), Notes{}},
		{strings.Repeat("1", 1001), Notes{Costly: 1001}},
	} {
		var got Notes
		r := Reader[string]{Src: tt.src, Room: room, Notes: &got}
		if !r.Whole() || got != tt.want {
			t.Errorf("notes of %s = %+v, fault %d, want %+v", tt.src, got, r.Fault, tt.want)
		}
	}
}

func FuzzUnquote_AgreesWithEncodingJSON(f *testing.F) {
	for _, seed := range []string{`""`, `"\n\t\b\f\r\/\\\""`, `"\u00e9\u0000"`, `"\ud83d\ude00x"`, `"\ud83d"`, `"\ud83d\ud83d\ude00"`, `"\\u0041"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		var want string
		if !utf8.ValidString(raw) || !strings.HasPrefix(raw, `"`) || !strings.HasSuffix(raw, `"`) || json.Unmarshal([]byte(raw), &want) != nil {
			return
		}
		if got := Unquote(raw); got != want {
			t.Errorf("Unquote(%q) = %q, want %q", raw, got, want)
		}
	})
}

func TestMarshal_LeavesHTMLAlone(t *testing.T) {
	v := map[string]any{"a<b>&c": []int{1}}
	got, err := Marshal(v)
	if want := `{"a<b>&c":[1]}`; err != nil || string(got) != want {
		t.Errorf("Marshal() = %s, %v, want %s", got, err, want)
	}
	var b bytes.Buffer
	if err := Write(&b, v); err != nil || b.String() != string(got)+"\n" {
		t.Errorf("Write() wrote %q, %v", b.String(), err)
	}
	b.Reset()
	if err := WriteIndented(&b, v); err != nil || b.String() != "{\n  \"a<b>&c\": [\n    1\n  ]\n}\n" {
		t.Errorf("WriteIndented() wrote %q, %v", b.String(), err)
	}
	if _, err := Marshal(func() {}); err == nil {
		t.Error("Marshal(func) = nil error")
	}
}
