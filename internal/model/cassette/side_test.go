package cassette

import (
	"fmt"
	"testing"
)

func TestJoinParts_IsTheBody(t *testing.T) {
	for _, body := range []string{
		`{"a":1}`, `{"a":[]}`, `{"a":[1,[2],{"b":[3]}],"b":{},"c":["x"]}`, `{"":["x","y"],"a/b":[1,2],"a~1b":"z","~0":[null]}`,
		`"no object"`,
	} {
		parts := bodyParts([]byte(body), nil)
		if parts[0].key == wholeBody {
			body = parts[0].value
		}
		if got := string(joinParts(parts)); got != body {
			t.Errorf("joinParts(%v) = %s, want %s", parts, got, body)
		}
	}
}

// A side request is one here that is one to a script, also where no other request
// of the cassette offers tools.
func TestInOrder_KnownSideRequestsWithoutTools(t *testing.T) {
	title := `{"messages":[{"role":"system","content":"You are a title generator."},{"role":"user","content":"%s"}],"model":"small"}`
	c := recordedFrom(t, "", said{chatPath, fmt.Sprintf(title, "a"), "title"}, said{chatPath, `{"messages":["a"],"model":"large"}`, "1"})
	if got := c.Model(); got != "large" {
		t.Errorf("model is %q, want that of the conversation", got)
	}
	o := c.Lenient()
	for i, tt := range []struct{ body, want string }{
		{`{"messages":["z"]}`, "1"}, {fmt.Sprintf(title, "b"), "title"}, {fmt.Sprintf(title, "c"), "title"},
	} {
		if got := answerOf(t, o, chatPath, tt.body); got != tt.want {
			t.Errorf("answer %d is %q, want %q", i+1, got, tt.want)
		}
	}
}
