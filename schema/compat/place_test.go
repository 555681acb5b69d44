package compat_test

import (
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// changesOf returns the changes between two documents as text.
func changesOf(t *testing.T, old, next string) (list []string) {
	t.Helper()
	for _, c := range compare(t, []byte(old), []byte(next)) {
		list = append(list, c.String())
	}
	return list
}

// The envelope changes for no reason within a version, its texts and the list
// of event types apart.
func TestCompare_Envelope(t *testing.T) {
	const doc = `{"$defs":{"envelope":{"properties":{"type":{"enum":["a"]},"step":{"type":"integer"}}%}}}`
	for _, tt := range []struct{ old, next, want string }{
		{`"enum":["a"]`, `"enum":["a","b"]`, `widening: /$defs/envelope/properties/type/enum: a new event type: "b" (event-type-added)`},
		{`"enum":["a"]`, `"enum":[]`, `narrowing: /$defs/envelope/properties/type/enum: no longer an event type: "a" (event-type-removed)`},
		{`"step":`, `"more":true,"step":`, `meaning: /$defs/envelope/properties/more: a new member (envelope-changed)`},
		{`,"step":{"type":"integer"}`, ``, `meaning: /$defs/envelope/properties/step: the member is gone (envelope-changed)`},
		{`"integer"`, `"number"`, `meaning: /$defs/envelope/properties/step/type: "integer" is now "number" (envelope-changed)`},
		{`"type":"integer"`, `"type":"integer","enum":[1]`, `meaning: /$defs/envelope/properties/step/enum: null is now [1] (envelope-changed)`},
		{`"type":"integer"`, `"type":"integer","maximum":1`, `meaning: /$defs/envelope/properties/step/maximum: null is now 1 (envelope-changed)`},
		{`"enum":["a"]`, `"enum":["a"],"maxLength":9`, `meaning: /$defs/envelope/properties/type/maxLength: null is now 9 (envelope-changed)`},
		{`%`, `,"required":["step"]`, `meaning: /$defs/envelope/required: null is now ["step"] (envelope-changed)`},
		{`%`, `,"properties2":1`, `meaning: /$defs/envelope/properties2: null is now 1 (envelope-changed)`},
	} {
		next := strings.Replace(strings.Replace(doc, tt.old, tt.next, 1), "%", "", 1)
		got := changesOf(t, strings.Replace(doc, "%", "", 1), next)
		if len(got) != 1 || got[0] != tt.want {
			t.Errorf("Compare of the envelope, %s for %s = %q, want %s", tt.next, tt.old, got, tt.want)
		}
	}
}

// What has a meaning at one place has none at another.
func TestCompare_KeywordsBelongToTheirPlace(t *testing.T) {
	for name, tt := range map[string]struct{ old, next, want string }{
		"an id below the root": {`{"$defs":{"a":{"$id":"x"}}}`, `{"$defs":{"a":{"$id":"y"}}}`, `/$defs/a/$id: "x" is now "y" (id-changed)`},
		"a dialect":            {`{"$schema":"x"}`, `{"$schema":"y"}`, `/$schema: "x" is now "y" (id-changed)`},
		"allOf below the root": {`{"$defs":{"a":{}}}`, `{"$defs":{"a":{"allOf":[{"if":{}}]}}}`, `/$defs/a/allOf: null is now [{"if":{}}] (keyword-changed)`},
		"allOf at the root":    {`{}`, `{"allOf":[{"if":{"properties":{"type":{"const":"new"}}}}]}`, ""},
		"an enum of no envelope": {
			`{"$defs":{"a":{"properties":{"type":{"enum":["a"]}}}}}`, `{"$defs":{"a":{"properties":{"type":{"enum":["a","b"]}}}}}`,
			`/$defs/a/properties/type/enum: a new value: "b" (value-added)`,
		},
		"a name that begins like the envelope's": {
			`{"$defs":{"envelopes":{"maxItems":1}}}`, `{"$defs":{"envelopes":{"maxItems":2}}}`, `/$defs/envelopes/maxItems: more room: 2 and 1 (bound-loosened)`,
		},
		"an escaped name": {
			`{"$defs":{"a~/b":{"type":"null"}}}`, `{"$defs":{"a~/b":{"type":["null","string"]}}}`, `/$defs/a~0~1b/type: now allowed: "string" (type-added)`,
		},
		"free keys of any type lifted": {
			`{"$defs":{"a":{"additionalProperties":{"type":"null"}}}}`, `{"$defs":{"a":{"additionalProperties":true}}}`,
			`/$defs/a/additionalProperties: {"type":"null"} is now true (keyword-changed)`,
		},
	} {
		got := changesOf(t, tt.old, tt.next)
		switch {
		case tt.want == "" && len(got) > 0:
			t.Errorf("%s: Compare = %q, want no change", name, got)
		case tt.want != "" && (len(got) != 1 || !strings.HasSuffix(got[0], ": "+tt.want)):
			t.Errorf("%s: Compare = %q, want %s alone", name, got, tt.want)
		}
	}
}

func TestCompare_ChangesAreSortedByPlace(t *testing.T) {
	got := changesOf(t,
		`{"$id":"a","$defs":{"b":{"type":"null","maxItems":1,"items":{"type":"null"}},"a":{"maxLength":1}}}`,
		`{"$id":"b","$defs":{"b":{"type":["null","string"],"maxItems":2,"items":{"type":["null","string"]}},"a":{"maxLength":2}}}`)
	var places []string
	for _, c := range got {
		places = append(places, strings.Fields(c)[1])
	}
	want := []string{"/$defs/a/maxLength:", "/$defs/b/items/type:", "/$defs/b/maxItems:", "/$defs/b/type:", "/$id:"}
	if diff := cmp.Diff(want, places); diff != "" || !sort.StringsAreSorted(places) {
		t.Errorf("places of the changes (-want +got):\n%s", diff)
	}
}

// A number is an integer, too; an integer is no number.
func TestCompare_Numbers(t *testing.T) {
	of := func(types string) string { return `{"$defs":{"a":{"type":` + types + `}}}` }
	for _, tt := range []struct {
		old, next string
		want      []string
	}{
		{`"number"`, `["number","integer"]`, nil},
		{`["integer","null"]`, `["number","null"]`, []string{`"number" (type-added)`}},
		{`["number","null"]`, `["integer","null"]`, []string{`"number" (type-removed)`}},
		{`"integer"`, `"string"`, []string{`"integer" (type-removed)`, `"string" (type-added)`}},
		{`"number"`, `"string"`, []string{`"number" (type-removed)`, `"integer" (type-removed)`, `"string" (type-added)`}},
	} {
		var got []string
		for _, c := range changesOf(t, of(tt.old), of(tt.next)) {
			got = append(got, c[strings.LastIndex(c, ": ")+2:])
		}
		sort.Strings(got)
		want := append([]string(nil), tt.want...)
		sort.Strings(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("type %s, then %s (-want +got):\n%s", tt.old, tt.next, diff)
		}
	}
}
