package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
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
		if got := build(newReader(r.Src), allNames(want)); !reflect.DeepEqual(got, wildNumbers(want)) {
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
func allNames(v any) names {
	interned := names{}
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				interned[name] = named{name: name}
				collect(member)
			}
		case []any:
			for _, item := range v {
				collect(item)
			}
		}
	}
	collect(v)
	return interned
}

// wildNumbers makes the numbers of v and the bounds of its lists what build makes them.
func wildNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		return buildNumber(string(v))
	case map[string]any:
		for name := range v {
			v[name] = wildNumbers(v[name])
		}
	case []any:
		v = v[:min(len(v), maxBuilt+1)]
		for i := range v {
			v[i] = wildNumbers(v[i])
		}
		return v
	}
	return v
}

func TestBuild_LeavesOutUnknownNames(t *testing.T) {
	interned := names{"a": {name: "a"}, "b": {name: "b"}, "c": {name: "c"}}
	got := build(newReader([]byte(`{"a":{"b":[1,{"c":2}],"z":9},"z":[[{"a":"\"}"}]],"c":null}`)), interned)
	want := map[string]any{
		"a": map[string]any{"b": []any{json.Number("1"), map[string]any{"c": json.Number("2")}}},
		"c": nil,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("build = %#v, want %#v", got, want)
	}
}

// The names of counts by kind are those of the stream; of very many, enough are
// built to see that there are too many.
func TestBuild_FreeNames(t *testing.T) {
	interned := names{"a": {name: "a"}, "free": {name: "free", free: true}}
	got := build(newReader([]byte(`{"free":{"x/y":1,"free":{"z":{"z":1}}},"a":{"x":1}}`)), interned)
	want := map[string]any{
		"free": map[string]any{"x/y": json.Number("1"), "free": map[string]any{}}, "a": map[string]any{},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("build = %#v, want %#v", got, want)
	}
	var many strings.Builder
	for i := range 2 * maxBuilt {
		fmt.Fprintf(&many, `"n%d":1,`, i)
	}
	got = build(newReader([]byte(`{"free":{`+strings.TrimSuffix(many.String(), ",")+`}}`)), interned)
	if n := len(got.(map[string]any)["free"].(map[string]any)); n != maxBuilt+1 {
		t.Errorf("build of %d names has %d, want %d", 2*maxBuilt, n, maxBuilt+1)
	}
}

func TestDecimal(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "0.0": true, "12": true, "0.123456": true, "0.1000000": false, "0.1234567": false, "-0": false, "-0.0": false,
		"-0.5": true, "9007199254740992": true, "9007199254740994": false, "-9007199254740994": false, "9007199254740993.5": false,
		"9007199254740992.0": true, "9007199254740992.5": false, "9007199254740993": false, "9007199254740991.5": true, "-9007199254740991.5": true, "-9007199254740993": false,
	} {
		if got := decimal(json.Number(text)); got != want {
			t.Errorf("decimal(%s) = %t, want %t", text, got, want)
		}
	}
	if decimal(hugeNumber("1e0")) || decimal("1") || decimal(nil) {
		t.Error("decimal of a wild number, a text or null is true, want false")
	}
}

func TestBuildNumber_KeepsWildOnesApart(t *testing.T) {
	for text, isWild := range map[string]bool{
		"1": false, "-0.5": false, "1234567890123456789012": false, "12345678901234567890123": true,
		"9007199254740992.000000": false, "1.2345678901234567890123": true, "1e0": true, "1E9999999999": true,
	} {
		if _, got := buildNumber(text).(hugeNumber); got != isWild {
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
		{"9007199254740992.0", 1 << 53, false, true}, {"9007199254740993.0", 0, false, false}, {"-9007199254740993.0", 0, false, false}, {"9007199254740992.5", 0, false, false}, {"1.0000000000000000001", 0, false, false},
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
