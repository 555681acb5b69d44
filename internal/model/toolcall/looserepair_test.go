package toolcall

import "testing"

func TestMask_RefusesWhatIsNoPunctuation(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a": 1, 'b': [true, None]}`: true, `{a: "x"}`: true, `{"a": b}`: false, `{"a": "x" + "y"}`: false, `{"a": 01}`: false, `{"a": "x}`: false, `{"a": (1)}`: false, `{"a": "C:\U"}`: false,
	} {
		if _, ok := mask(text); ok != want {
			t.Errorf("mask(%s) = %v, want %v", text, ok, want)
		}
	}
}
