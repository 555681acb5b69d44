package provider

import (
	"slices"
	"testing"
	"testing/iotest"
)

// A body reads as its pieces in a row, however often and in whatever portions.
func TestBody_ReadsAsItsPieces(t *testing.T) {
	b := body{[]byte(`{"model":`), nil, []byte(`"m"`), []byte(","), []byte{}, []byte(`"messages":[]}`), nil}
	whole := slices.Concat(b...)
	for range 2 {
		if err := iotest.TestReader(b.open(), whole); err != nil {
			t.Error(err)
		}
	}
	if got := b.size(); got != int64(len(whole)) {
		t.Errorf("size() = %d, want %d", got, len(whole))
	}
	if err := iotest.TestReader(body{}.open(), nil); err != nil {
		t.Errorf("an empty body: %v", err)
	}
}
