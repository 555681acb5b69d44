package validate

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// corpus are seeds for the tests that compare with encoding/json.
var corpus = []string{
	`{}`, `[]`, `""`, `0`, `-0`, `-`, `01`, `1.`, `1.5e+10`, `1e`, `.5`, `+1`, `true`, `tru`, `nullx`, `{"a"}`, `{"a":}`,
	`{"a":1,}`, `[1,]`, `[1 2]`, `{,}`, `"\u00e9\n\/"`, `"\x"`, `"\u12"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ud83d\u0041"`,
	` { "a" : [ 1 , { "b" : null } ] } `, `{"a":{"a":1},"b":[{"a":1}]}`, `"abc`, `"abc\`, `"a` + "\n" + `b"`, ``, ` `,
	`[[[[[[]]]]]]`, `{"\u0061":1}`, `1 2`, "\"\x80\"",
}

func FuzzBuild_AgreesWithEncodingJSON(f *testing.F) {
	for _, seed := range corpus {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		r, ok := readWhole(bytes.Trim(src, " \t\r\n")) // the blanks of JSON
		if !ok || !utf8.Valid(src) || *r.Notes != (jsontext.Notes{}) {
			return
		}
		want := decoded(t, src)
		if got := build(newReader(r.Src), allNames(want)); !reflect.DeepEqual(tame(got), zeroWild(want)) {
			t.Fatalf("build(%q) = %#v, want %#v", src, got, want)
		}
	})
}

func decoded(t *testing.T, src []byte) (v any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// allNames returns the name of every member in v.
func allNames(v any) map[string]string {
	names := map[string]string{}
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				names[name] = name
				collect(member)
			}
		case []any:
			for _, item := range v {
				collect(item)
			}
		}
	}
	collect(v)
	return names
}

// zeroWild replaces what build keeps from the library, as tame does.
func zeroWild(v any) any {
	switch v := v.(type) {
	case json.Number:
		return tame(buildNumber(string(v)))
	case map[string]any:
		for name := range v {
			v[name] = zeroWild(v[name])
		}
	case []any:
		v = v[:min(len(v), maxBuilt+1)]
		for i := range v {
			v[i] = zeroWild(v[i])
		}
		return v
	}
	return v
}

func TestBuild_LeavesOutUnknownNames(t *testing.T) {
	got := build(newReader([]byte(`{"a":{"b":[1,{"c":2}],"z":9},"z":[[{"a":"\"}"}]],"c":null}`)), map[string]string{"a": "a", "b": "b", "c": "c"})
	want := map[string]any{
		"a": map[string]any{"b": []any{json.Number("1"), map[string]any{"c": json.Number("2")}}},
		"c": nil,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("build = %#v, want %#v", got, want)
	}
}

func TestBuildNumber_KeepsWildOnesApart(t *testing.T) {
	for text, isWild := range map[string]bool{
		"1": false, "-0.5": false, "12345678901234567890": false, "123456789012345678901": true,
		"1.2345678901234567890": false, "1.23456789012345678901": true, "1e0": true, "1E9999999999": true,
	} {
		if _, got := buildNumber(text).(wild); got != isWild {
			t.Errorf("buildNumber(%s) is wild: %t, want %t", text, got, isWild)
		}
	}
}

func TestWhole(t *testing.T) {
	for _, tt := range []struct {
		text      string
		n         int64
		plain, ok bool
	}{
		{"0", 0, true, true}, {"-0", 0, false, true}, {"-7", -7, true, true}, {"7.0", 7, false, true},
		{"7.5", 0, false, false}, {"9007199254740992", 1 << 53, true, true}, {"99999999999999999999", 0, false, false},
	} {
		n, plain, ok := whole(json.Number(tt.text))
		if n != tt.n || plain != tt.plain || ok != tt.ok {
			t.Errorf("whole(%s) = %d, %t, %t, want %d, %t, %t", tt.text, n, plain, ok, tt.n, tt.plain, tt.ok)
		}
	}
	if _, _, ok := whole(json.Number("9007199254740993")); ok {
		t.Error("whole(2^53 + 1) is ok, want it out of range")
	}
}
