package provider

import (
	"testing"
	"testing/iotest"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// A body reads as its pieces in a row, however often and in whatever portions.
func TestBody_ReadsAsItsPieces(t *testing.T) {
	b := body{
		pieces: [][]byte{[]byte(`{"model":`), nil, []byte(`"m"`), []byte(",")},
		end:    [][]byte{{}, []byte(`"messages":[]}`), nil},
	}
	whole := []byte(`{"model":"m","messages":[]}`)
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

// A request shares the pieces of the one before, which stays as it was: it may still
// be on its way when the next one differs from it.
func TestBody_OfTheLastRequestStays(t *testing.T) {
	c := New(Config{Model: "m"})
	said := func(text string) *chat.Message { return &chat.Message{Role: chat.RoleUser, Content: text} }
	a, b, d, e := said("a"), said("b"), said("d"), said("e")
	var sent []body
	var want []string
	for _, messages := range [][]*chat.Message{{a}, {a, b}, {a, b, d}, {a, e, d}, {a, e}, {a, e, b}, {a, e, d, b}, nil, {d}} {
		b, err := c.body(chat.Request{Messages: messages})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := New(Config{Model: "m"}).body(chat.Request{Messages: messages})
		if err != nil {
			t.Fatal(err)
		}
		sent, want = append(sent, b), append(want, string(alone.whole()))
	}
	for i, b := range sent {
		if got := string(b.whole()); got != want[i] {
			t.Errorf("request %d is %s, want %s", i, got, want[i])
		}
	}
}
