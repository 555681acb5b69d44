package wire

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sample is a reply with all that a reader takes of one.
func sample() Reply {
	n := func(i int64) *int64 { return &i }
	return Reply{
		Number: 1, Model: "m", Text: new("Two calls.\ndata: {}"),
		Calls: []Call{{"run", `{"command":"echo \"one\""}`}, {"run", `{"command":"echo two"}`}},
		Usage: &Usage{Input: n(30), Output: n(12), Cached: n(5)},
	}
}

func read(w *Wire, body []byte, pieces int) Answered {
	r := w.Read(http.StatusOK, http.Header{})
	for len(body) > 0 {
		n := min(len(body), pieces)
		_, _ = r.Write(body[:n])
		body = body[n:]
	}
	return r.Close(false)
}

// What each API spells is read as what it was, in pieces of any size; a reply that is
// not whole does not count as whole.
func TestReader_ReadsWhatIsSpelled(t *testing.T) {
	for _, w := range wires {
		for name, spell := range map[string]func(Reply) ([]byte, error){"stream": w.stream, "whole": w.whole, "array": w.array} {
			if spell == nil {
				continue
			}
			body, err := spell(sample())
			if err != nil {
				t.Fatal(err)
			}
			for _, pieces := range []int{1, 7, len(body)} {
				got := read(w, body, pieces)
				var calls []Call
				for _, c := range got.Calls {
					if c.ID == "" {
						t.Errorf("%s %s: a call has no id", w.Name, name)
					}
					calls = append(calls, Call{c.Tool, c.Arguments})
				}
				if diff := cmp.Diff(sample().Calls, calls); diff != "" {
					t.Errorf("%s %s, pieces of %d: calls (-want +got):\n%s", w.Name, name, pieces, diff)
				}
				if u := got.Usage; !got.Whole || *u.Input != 30 || *u.Output != 12 || *u.Cached != 5 || got.Unread != "" {
					t.Errorf("%s %s: %+v, want it whole with usage 30, 12 and 5", w.Name, name, got)
				}
			}
			for _, cut := range []int{0, 1, len(body) / 4, len(body) / 2} {
				if got := read(w, body[:cut], 16); got.Whole {
					t.Errorf("%s %s: whole after %d of %d bytes", w.Name, name, cut, len(body))
				}
			}
			broken := w.Read(http.StatusOK, http.Header{})
			_, _ = broken.Write(body)
			if broken.Close(true).Whole {
				t.Errorf("%s %s: a reply that broke off is whole", w.Name, name)
			}
		}
	}
}

func TestReader_Unread(t *testing.T) {
	chat := ByName("chat")
	if chat.Read(http.StatusTooManyRequests, nil) != nil {
		t.Error("an error is read as a reply")
	}
	packed := chat.Read(http.StatusOK, http.Header{"Content-Encoding": {"zstd"}})
	_, _ = packed.Write([]byte("x"))
	if got := packed.Close(false); got.Unread != "a reply was compressed by zstd" || got.Whole {
		t.Errorf("compressed: %+v", got)
	}
	large := chat.Read(http.StatusOK, nil)
	piece := make([]byte, 1<<20)
	for range 65 {
		_, _ = large.Write(piece)
	}
	if got := large.Close(false); got.Unread != "a reply was too large" || cap(large.held) > 0 {
		t.Errorf("large: %+v, and %d bytes are held", got, cap(large.held))
	}
}

// A stream is the same with any line ends, and with values over several lines.
func TestReader_LineEnds(t *testing.T) {
	const stream = `data: {"choices":[{"delta":{"tool_calls":[{"id":"c1",|data: "function":{"name":"run","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}||: comment|data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}||data: [DONE]||`
	for _, end := range []string{"\n", "\r\n", "\r"} {
		for _, size := range []int{1, 7, 1000} {
			got := read(ByName("chat"), []byte(strings.ReplaceAll(stream, "|", end)), size)
			if len(got.Calls) != 1 || got.Calls[0].Tool != "run" || !got.Whole || got.Usage.Input == nil || *got.Usage.Input != 5 || got.Unread != "" {
				t.Errorf("line ends %q in pieces of %d: %+v, want the call and its usage", end, size, got)
			}
		}
	}
}

// What is no JSON is not a reply without calls.
func TestReader_NoJSON(t *testing.T) {
	for _, body := range []string{"", "x", "{\"id\":1} x", "data: x\n\n", "data: {\"id\":1}\n\ndata: {\"id\":\n\n", ": nothing\n\n", "\x28\xb5\x2f\xfd\n"} {
		if got := read(ByName("anthropic"), []byte(body), 4); got.Unread != notJSON {
			t.Errorf("%q: unread %q, want %q", body, got.Unread, notJSON)
		}
	}
}

// Calls that the endpoint runs itself, custom tools and tools of a namespace are known as
// what they are.
func TestReader_OtherCalls(t *testing.T) {
	for _, tt := range []struct {
		wire, body string
		want       []Made
	}{
		{"responses", `{"id":"r1","status":"completed","output":[{"type":"web_search_call","id":"ws_1","action":{"query":"q"}},{"type":"custom_tool_call","call_id":"c1","name":"apply_patch","input":"*** Begin"},{"type":"function_call","call_id":"c2","namespace":"mcp__time__","name":"now","arguments":"{}"},{"type":"function_call","call_id":"c3","namespace":"multi_agent_v1","name":"spawn_agent","arguments":"{}"},{"type":"reasoning"}]}`,
			[]Made{{ID: "ws_1", Tool: "web_search", Arguments: `{"query":"q"}`, Hosted: true}, {ID: "c1", Tool: "apply_patch", Arguments: "*** Begin"}, {ID: "c2", Tool: "mcp__time__now", Arguments: "{}"}, {ID: "c3", Tool: "spawn_agent", Arguments: "{}"}}},
		{"anthropic", `{"stop_reason":"tool_use","content":[{"type":"server_tool_use","id":"s1","name":"web_search","input":{}},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}`,
			[]Made{{ID: "s1", Tool: "web_search", Arguments: "{}", Hosted: true}, {ID: "t1", Tool: "Bash", Arguments: `{"command":"ls"}`}}},
		{"gemini", `{"candidates":[{"finishReason":"STOP","content":{"parts":[{"functionCall":{"name":"run"}}]}}]}`, []Made{{Tool: "run", Arguments: "{}"}}},
	} {
		got := read(ByName(tt.wire), []byte(tt.body), 64)
		if diff := cmp.Diff(tt.want, got.Calls); diff != "" || !got.Whole {
			t.Errorf("%s (-want +got):\n%s", tt.wire, diff)
		}
	}
}

// A request shows what its user said first, and which results stand behind the last reply.
func TestWire_Turns(t *testing.T) {
	at := &url.URL{Path: "/models/m:generateContent"}
	for _, tt := range []struct {
		wire, body string
		want       Turns
	}{
		{"chat", `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"do it"},{"role":"assistant","tool_calls":[]},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"assistant"},{"role":"tool","tool_call_id":"b"},{"role":"user","content":"more"}]}`,
			Turns{Model: "m", First: "do it", Results: []Made{{ID: "a"}, {ID: "b", Last: true}}}},
		{"responses", `{"previous_response_id":"r0","input":[{"role":"user","content":[{"type":"input_text","text":"do it"}]},{"type":"function_call","call_id":"a"},{"type":"function_call_output","call_id":"a","output":"1"}]}`,
			Turns{Model: "m", First: "do it", Previous: "r0", Results: []Made{{ID: "a", Last: true}}}},
		{"responses", `{"input":"do it","model":"n","tools":[{}],"client_metadata":{"thread_id":"t1"}}`, Turns{Model: "n", Tools: true, First: "do it", Thread: "t1"}},
		{"anthropic", `{"messages":[{"role":"user","content":[{"type":"text","text":"do it","cache_control":{}}]},{"role":"assistant","content":[]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},{"type":"text","text":"reminder"}]}]}`,
			Turns{Model: "m", First: "do it", Results: []Made{{ID: "a", Last: true}}}},
		{"gemini", `{"contents":[{"role":"user","parts":[{"text":"do it"}]},{"role":"model","parts":[]},{"role":"user","parts":[{"functionResponse":{"name":"run","response":{}}}]}]}`,
			Turns{Model: "m", First: "do it", Results: []Made{{Tool: "run", Last: true}}}},
		{"gemini", `{"contents":{"parts":{"text":"x"},"role":"user"}}`, Turns{Model: "m", First: "x"}},
		{"chat", `no JSON`, Turns{Model: "m"}},
	} {
		got := ByName(tt.wire).Turns(at, []byte(tt.body))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.wire, tt.body, diff)
		}
	}
}

// A number that cannot be a count makes the usage of its reply unknown.
func TestReader_NoCount(t *testing.T) {
	for _, tt := range []struct {
		count string
		known bool
	}{
		{"0", true}, {"9007199254740992", true},
		{"-1", false}, {"1e300", false}, {"9007199254740994", false}, {"9223372036854775807", false},
	} {
		r := ByName("chat").Read(http.StatusOK, nil)
		fmt.Fprintf(r, `{"usage":{"prompt_tokens":1,"completion_tokens":%s,"total_tokens":1}}`, tt.count)
		got := r.Close(false).Usage
		if known := got.Input != nil && got.Output != nil && got.Total != nil; known != tt.known || !known && got != (Usage{}) {
			t.Errorf("%s: usage is %+v, want it known: %t", tt.count, got, tt.known)
		}
	}
}
