package jsontext_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// FuzzParts: what is found without a check, in a value that was read, are the
// members and items that a Reader finds.
func FuzzParts(f *testing.F) {
	f.Add([]byte("{ \"a\\\\\" : [ ] , \"\\u0062\\\"\":{ },\"c\":[1 ,[\"]\",{\"}\":-1.5e3}],true\t, null\n],\"c\":\"\\\\\\\"\",\"d\":[]}"))
	f.Add([]byte(`[[[]],{},"\\",0,"a,b:c"]`))
	f.Add([]byte(`{"type":"x","data":{"a":{"b":{}},"text":"say \"hi\"\n"},"n":12}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := jsontext.Reader[[]byte]{Src: text, Room: 64}
		if r.Whole() {
			compareParts(t, bytes.Trim(text, " \t\r\n"))
		}
	})
}

func compareParts(t *testing.T, v []byte) {
	r := jsontext.Reader[[]byte]{Src: v, Room: 64}
	var want, got, items [][]byte
	switch v[0] {
	case '{':
		for name := range r.Members() {
			at := r.Pos
			r.Skip()
			want = append(want, name, v[at:r.Pos])
		}
	case '[':
		for range r.Items() {
			at := r.Pos
			r.Skip()
			want = append(want, nil, v[at:r.Pos])
		}
	}
	for name, value := range jsontext.Parts(v) {
		got = append(got, name, value)
		compareParts(t, value)
	}
	for item := range jsontext.Items(v) {
		items = append(items, nil, item)
	}
	if !slices.EqualFunc(got, want, bytes.Equal) || v[0] == '[' && !slices.EqualFunc(items, want, bytes.Equal) || v[0] != '[' && items != nil {
		t.Fatalf("parts of %q: got %q, items %q, want %q", v, got, items, want)
	}
}
