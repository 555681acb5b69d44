package raw_test

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/adapter/raw"
)

func TestRead_SaysWhyNot(t *testing.T) {
	for line, want := range map[string]string{
		`{"a":1}` + "\r\n":                 "",
		` {} `:                             "",
		"\ufeff{}":                         "",
		"":                                 "blank",
		" \n":                              "blank",
		"hello":                            "no JSON object",
		`[{"a":1}]`:                        "no JSON object",
		`{"a":1`:                           "torn",
		`{"a":"b`:                          "torn",
		`{"a":1}{"b":2}`:                   "not one JSON object",
		`{"a":1} x`:                        "not one JSON object",
		`{"a" 1}`:                          "not one JSON object",
		`{"a":` + strings.Repeat("[", 600): "nested too deep",
	} {
		if got, why := raw.Read([]byte(line)); why != want || why != "" && got != nil {
			t.Errorf("Read(%.40q) = %v, %q, want why %q", line, got, why, want)
		}
	}
}

// Every reader of a kind gives nothing for a value of another kind.
func TestValue_Kinds(t *testing.T) {
	o, why := raw.Read([]byte(`{"s":"a\u00e9","n":12,"f":1.5,"b":true,"z":null,"o":{"k":"v","k":"w"},"l":[1,"x"],"big":9007199254740993,"s":"last"}`))
	if why != "" {
		t.Fatal(why)
	}
	if got := o.Str("s"); got != "last" {
		t.Errorf("s = %q, want the last of two", got)
	}
	if got := o.Str("o", "k"); got != "w" {
		t.Errorf("o.k = %q, want w", got)
	}
	items := 0
	for range o.Get("l").Items() {
		items++
	}
	if n := o.Get("n").Integer(); n == nil || *n != 12 || items != 2 || *o.Get("f").Number() != 1.5 || !*o.Get("b").Truth() || !o.Get("b").IsTrue() {
		t.Errorf("n = %v, %d items, f = %v, b = %v", n, items, o.Get("f").Number(), o.Get("b").Truth())
	}
	if !o.Get("z").IsNull() || !o.Get("none").IsNull() || o.Get("n").IsNull() {
		t.Error("IsNull is wrong of z, none or n")
	}
	for name, wrong := range map[string]bool{
		"text of a number":     o.Get("n").Text() != "" || o.Get("n").Optional() != nil,
		"integer of a text":    o.Get("s").Integer() != nil,
		"integer of a float":   o.Get("f").Integer() != nil,
		"integer beyond 2^53":  o.Get("big").Integer() != nil,
		"number of a text":     o.Get("s").Number() != nil,
		"truth of null":        o.Get("z").Truth() != nil,
		"object of a list":     o.Get("l").Object() != nil,
		"member of a text":     o.Get("s").Get("k") != nil,
		"kind of what is none": o.Get("none").Is('"'),
	} {
		if wrong {
			t.Errorf("%s is something", name)
		}
	}
}

// A member that is an object is read with the last one of its name.
func TestObject_OfALine(t *testing.T) {
	o, why := raw.Read([]byte(`{"none":{},"a":{"k":"v\u0061","k2":{"deep":1}},"a":{"k":"last"},"n":1}`))
	if why != "" {
		t.Fatal(why)
	}
	if got := o.Object("a").Str("k"); got != "last" {
		t.Errorf("a.k = %q, want that of the last a", got)
	}
	if got := o[1].Value.Object(); len(got) != 2 || got.Str("k") != "va" || len(got.Object("k2")) != 1 {
		t.Errorf("the first a has %v, want k and k2", got)
	}
	if none := o.Object("none"); none == nil || len(none) != 0 {
		t.Errorf("none = %v, want an object without members", none)
	}
	if o.Object("n") != nil || o.Object("no") != nil || o.Str("n") != "" {
		t.Error("a number or nothing is an object or a text")
	}
}
