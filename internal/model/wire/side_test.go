package wire

import (
	"net/url"
	"testing"
)

func TestIsSide(t *testing.T) {
	at, err := url.Parse("/v1beta/models/m:generateContent")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		wire, body        string
		needsTools, plain bool // the latter: what is wanted where none are needed
	}{
		{"chat", `{"messages":[{"role":"user","content":"go on"}]}`, true, false},
		{"chat", `{"messages":[{"role":"system","content":"You are a title generator."}]}`, true, true},
		{"chat", `{"messages":[],"tools":[{"function":{"name":"f"}}],"x":"You are a title generator."}`, false, false},
		{"anthropic", `{"messages":[{"role":"user","content":"quota"}]}`, true, true},
		{"anthropic", `{"messages":[],"tools":[{"name":"f"}]}`, false, false},
		{"responses", `{"input":"CONTEXT CHECKPOINT COMPACTION"}`, true, true},
		{"responses", `{"input":"a","tools":[{"type":"function","name":"f"}]}`, false, false},
		{"gemini", `{"contents":[],"systemInstruction":{"parts":[{"text":"You are a specialized Task Routing AI."}]}}`, true, true},
		// What the endpoint itself does is no tool of a client.
		{"gemini", `{"contents":[],"tools":[{"googleSearch":{}}]}`, true, false},
		{"gemini", `{"contents":[],"tools":{"functionDeclarations":{"name":"f"}}}`, false, false},
	} {
		r, _ := ByName(tt.wire).Parse(at, []byte(tt.body)) // an empty conversation is enough here
		for needs, want := range map[bool]bool{true: tt.needsTools, false: tt.plain} {
			if got := r.IsSide([]byte(tt.body), needs); got != want {
				t.Errorf("%s: IsSide(%s, %t) = %t, want %t", tt.wire, tt.body, needs, got, want)
			}
		}
	}
}
