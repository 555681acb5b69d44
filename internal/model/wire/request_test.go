package wire

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLast_IsTheMemberThatCounts(t *testing.T) {
	for body, want := range map[string]map[string]any{
		`{"messages":[{"n":"1"},{"n":"2"}],"x":[{"n":"3"}]}`:                  {"n": "2"},
		` {"x":{"messages":[{"n":"0"}]}, "mess\u0061ges" : [ {"n" : "1"} ] }`: {"n": "1"},
		`{"messages":[{"n":"1"}],"messages":[{"n":"2"}]}`:                     {"n": "2"},
	} {
		last, err := lastIn(chatCompletions, body)
		if diff := cmp.Diff(want, last); diff != "" || err != nil {
			t.Errorf("%s: last message, %v (-want +got):\n%s", body, err, diff)
		}
	}
	for body, want := range map[string]string{
		`{}`: "a request without messages", `{"messages":{"a":1}}`: "a request without messages",
		`{"messages":[{},[]]}`: "a message that is no object",
	} {
		if _, err := lastIn(chatCompletions, body); err == nil || err.Error() != want {
			t.Errorf("%s: error is %v, want %s", body, err, want)
		}
	}
}
