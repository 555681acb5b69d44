package transport

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sentEvents returns the data of each event of a Responses stream. The field
// event must be the type that the data has, and the numbers must count up.
func sentEvents(t *testing.T, body string) []map[string]any {
	t.Helper()
	var events []map[string]any
	for block := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		name, data, ok := strings.Cut(block, "\n")
		var e map[string]any
		if err := json.Unmarshal([]byte(strings.TrimPrefix(data, "data: ")), &e); err != nil || !ok {
			t.Fatalf("event is %q, %v, want a name and JSON", block, err)
		}
		if name != "event: "+e["type"].(string) || e["sequence_number"] != float64(len(events)) {
			t.Errorf("event %d is %q, want its type and number", len(events), block)
		}
		events = append(events, e)
	}
	return events
}

func TestScript_ReplyIsAResponsesStream(t *testing.T) {
	resp, body, err := ask(t, load(t, reply), requestTo(t, "/responses", "{}"))
	if err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("status %d, content type %q, %v, want 200 text/event-stream", resp.StatusCode, resp.Header.Get("Content-Type"), err)
	}
	events := sentEvents(t, body)
	var types []string
	var text, arguments strings.Builder
	for _, e := range events {
		kind := strings.TrimPrefix(e["type"].(string), "response.")
		types = append(types, kind)
		delta, _ := e["delta"].(string)
		switch kind {
		case "output_text.delta":
			text.WriteString(delta)
		case "function_call_arguments.delta":
			arguments.WriteString(delta)
		}
	}
	want := []string{
		"created",
		"output_item.added", "content_part.added", "output_text.delta", "output_text.delta",
		"output_text.done", "content_part.done", "output_item.done",
		"output_item.added", "function_call_arguments.delta", "function_call_arguments.delta",
		"function_call_arguments.delta", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done",
		"completed",
	}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
	if text.String() != "1234567890123456ä and more" || arguments.String() != `{"b":1,"a":[true,null,2.5]}` {
		t.Errorf("pieces make up %q and %q, want text and arguments", &text, &arguments)
	}
	whole := map[string]any{}
	if err := json.Unmarshal([]byte(`{
		"id": "resp_script_1", "object": "response", "created_at": 0, "status": "completed", "error": null,
		"incomplete_details": null, "model": "script", "parallel_tool_calls": true, "tool_choice": "auto", "tools": [],
		"output": [
			{"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
				"content": [{"type": "output_text", "text": "1234567890123456ä and more", "annotations": []}]},
			{"type": "function_call", "id": "fc_1_0", "status": "completed", "call_id": "call_1_0", "name": "f",
				"arguments": "{\"b\":1,\"a\":[true,null,2.5]}"}
		],
		"usage": {"input_tokens": 7, "output_tokens": 1, "total_tokens": 8}
	}`), &whole); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(whole), events[len(events)-1]["response"]); diff != "" {
		t.Errorf("response (-want +got):\n%s", diff)
	}
}

func TestScript_ResponsesEnd(t *testing.T) {
	for turn, want := range map[string]struct{ event, reason string }{
		"{text: a}":                                {"response.completed", ""},
		"{tool_calls: [{tool: f}]}":                {"response.completed", ""},
		"{text: a, finish_reason: length}":         {"response.incomplete", "max_output_tokens"},
		"{text: a, finish_reason: content_filter}": {"response.incomplete", "content_filter"},
		"{text: a, finish_reason: eos}":            {"response.completed", ""},
		`{text: a, finish_reason: ""}`:             {"response.output_item.done", ""},
	} {
		_, body, _ := ask(t, load(t, "["+turn+"]"), requestTo(t, "/responses", "{}"))
		events := sentEvents(t, body)
		last := events[len(events)-1]
		response, _ := last["response"].(map[string]any)
		details, _ := response["incomplete_details"].(map[string]any)
		reason, _ := details["reason"].(string)
		if last["type"] != want.event || reason != want.reason {
			t.Errorf("turn %s ends with %v, reason %q, want %v", turn, last["type"], reason, want)
		}
	}
}
