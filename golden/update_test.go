package golden

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const fresh = `{"type":"a","ts":"2026-03-03T20:11:12Z","run_id":"r9","data":{"x": 1.50, "y":{"deep":[1,2]},"z":"data"},"more":true}
{"type":"b","data":{"x":1,"new":"\u003c"}}
{"type":"a","data":{"z":null,"x":2}}
no JSON
{"type":"c","data":{"x":1}}
{"type":"a","data":[1]}
`

// What a golden file leaves out of events of a type stays out; what it has no
// event of comes whole.
func TestUpdate_KeepsOutWhatWasLeftOut(t *testing.T) {
	want := `{"type":"a","data":{"x":0}}
{"type":"a","data":{"y":0}}
{"type":"b","data":{}}
not JSON either
{"type":"d","data":{"x":1}}
`
	updated := `{"type":"a","ts":"2000-01-01T00:00:00.001Z","run_id":"run","data":{"x":1.50,"y":{"deep":[1,2]}},"more":true}
{"type":"b","data":{}}
{"type":"a","data":{"x":2}}
no JSON
{"type":"c","data":{"x":1}}
{"type":"a","data":[1]}
`
	if diff := cmp.Diff(updated, string(Roots{}.Update([]byte(fresh), []byte(want)))); diff != "" {
		t.Errorf("Update (-want +got):\n%s", diff)
	}
	if found := Compare([]byte(fresh), []byte(updated)); len(found) > 0 {
		t.Errorf("Compare with the updated stream = %v, want no difference", found)
	}
}

func TestUpdate_OfNothingIsTheStream(t *testing.T) {
	want := string(Roots{}.Normalize([]byte(fresh)))
	if diff := cmp.Diff(want, string(Roots{}.Update([]byte(fresh), nil))); diff != "" {
		t.Errorf("Update (-want +got):\n%s", diff)
	}
}
