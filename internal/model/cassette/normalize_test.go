package cassette

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/text/jsontext"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/redact"
)

// normalized returns an answer as it is kept.
func normalized(body, media string, secrets ...string) string {
	pieces := split([]byte(body), media)
	normalize(pieces, "")
	maskAnswer(redact.New(secrets), pieces)
	var out []byte
	for i := range pieces {
		out = append(out, pieces[i].bytes()...)
	}
	return string(out)
}

func TestNormalize_OnlyWhatNobodyReads(t *testing.T) {
	for in, want := range map[string]string{
		// Ids of calls stay, whatever they look like.
		`{"id":"chatcmpl-a","choices":[{"delta":{"tool_calls":[{"id":"chatcmpl-tool-a"}]}}]}`: `{"id":"chatcmpl-1","choices":[{"delta":{"tool_calls":[{"id":"chatcmpl-tool-a"}]}}]}`,
		`{"id":"3f2a-77","created":1.5e9,"model":"m-2026","system_fingerprint":null}`:         `{"id":"id-1","created":0,"model":"m-2026","system_fingerprint":null}`,
		`{"id":"","created":null,"obfuscation":"x"}`:                                          `{"id":"","created":null,"obfuscation":""}`,
		`{"id":7,"created":"now","usage":{"created":3,"id":"x"}}`:                             `{"id":7,"created":"now","usage":{"created":3,"id":"x"}}`,
		// The APIs of Anthropic and Google; calls keep their ids.
		`{"type":"message_start","message":{"id":"msg_a","content":[],"usage":{}},"request_id":"req_b"}`:                             `{"type":"message_start","message":{"id":"msg_1","content":[],"usage":{}},"request_id":""}`,
		`{"type":"content_block_start","content_block":{"type":"tool_use","id":"toolu_a"}}`:                                          `{"type":"content_block_start","content_block":{"type":"tool_use","id":"toolu_a"}}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"id":"a"}}]}}],"responseId":"xY","createTime":"2026-01-02T03:04:05Z"}`: `{"candidates":[{"content":{"parts":[{"functionCall":{"id":"a"}}]}}],"responseId":"id-1","createTime":"1970-01-01T00:00:00Z"}`,
		// A piece may end within a surrogate pair.
		`{"id":"x","delta":"\ud83d","text":"\u003c\/","n":[1.0,null,{}]}`: `{"id":"id-1","delta":"\ud83d","text":"\u003c\/","n":[1.0,null,{}]}`,
		// The same id is the same name, another one is another.
		`{"response":{"id":"resp_a","created_at":5,"output":[{"id":"msg_b","call_id":"call_c"}]},"item_id":"msg_b","item":{"id":"fc_d"}}`: `{"response":{"id":"resp_1","created_at":0,"output":[{"id":"msg_2","call_id":"call_c"}]},"item_id":"msg_2","item":{"id":"fc_3"}}`,
	} {
		if got := normalized("data: "+in+"\n\n", mediaEvents); got != "data: "+want+"\n\n" {
			t.Errorf("event %s is kept as %s, want %s", in, got, want)
		}
		if got := normalized(in, mediaJSON); got != want {
			t.Errorf("body %s is kept as %s, want %s", in, got, want)
		}
	}
	names := normalized("data: {\"id\":\"gen-a\"}\n\ndata: {\"id\":\"gen-b\"}\n\ndata: {\"id\":\"gen-a\"}\n\n", mediaEvents)
	if want := "data: {\"id\":\"gen-1\"}\n\ndata: {\"id\":\"gen-2\"}\n\ndata: {\"id\":\"gen-1\"}\n\n"; names != want {
		t.Errorf("ids of several events are kept as %q, want %q", names, want)
	}
}

func TestSplit_Forms(t *testing.T) {
	for name, tt := range map[string]struct {
		body, media string
		want        []piece
	}{
		"named event":      {"event: a\r\ndata: {\"x\" : 1}\r\n\r\n", mediaEvents, []piece{{Event: "a", Data: []byte(`{"x":1}`)}}},
		"comments":         {": a\n\n: b\ndata:{}\n\n\n:c\n", mediaEvents, []piece{{Data: []byte("{}")}, {Text: ":c\n"}}},
		"no JSON":          {"data: [DONE]\n\ndata: nope\n\n", mediaEvents, []piece{{Text: "data: [DONE]\n\n"}, {Text: "data: nope\n\n"}}},
		"data in two":      {"data: {\ndata: }\n\n", mediaEvents, []piece{{Text: "data: {\n"}, {Text: "data: }\n\n"}}},
		"retry":            {"retry: 3\ndata: {}\n\n", mediaEvents, []piece{{Text: "retry: 3\n"}, {Text: "data: {}\n\n"}}},
		"torn":             {"data: {}\n\ndata: {}\n", mediaEvents, []piece{{Data: []byte("{}")}, {Text: "data: {}\n"}}},
		"JSON":             {" {\"b\": 1.0, \"a\": \"<\"}\n", mediaJSON, []piece{{JSON: []byte(`{"b":1.0,"a":"<"}`)}}},
		"a list":           {"[1, 2]", mediaJSON, []piece{{JSON: []byte("[1,2]")}}},
		"half a list":      {"[1,", mediaJSON, []piece{{Text: "[1,"}}},
		"alive":            {"event: ping\ndata: {\"type\": \"ping\"}\n\n", mediaEvents, nil},
		"torn JSON":        {`{"a":`, mediaJSON, []piece{{Text: `{"a":`}}},
		"text with colons": {": a\n\nb", "text/plain", []piece{{Text: ": a\n\n"}, {Text: "b"}}},
		"bytes":            {"a\xff\n\n", mediaEvents, []piece{{Base64: []byte("a\xff\n\n")}}},
		"empty":            {"", mediaEvents, nil},
	} {
		if diff := cmp.Diff(tt.want, split([]byte(tt.body), tt.media)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestMaskAnswer_SecretsInPieces(t *testing.T) {
	const secret = "sk-test-abcdefghij"
	call := func(index, arguments string) string {
		return `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":` + index + `,"function":{"arguments":` + arguments + `}}]}}]}` + "\n\n"
	}
	for name, tt := range map[string]struct{ body, want string }{
		"whole":      {"data: {\"a\":\"x " + secret + "\"}\n\n", "data: {\"a\":\"x [redacted]\"}\n\n"},
		"escaped":    {"data: {\"a\":\"\\u0073k-test-abcdefghij\"}\n\n", "data: {\"a\":\"[redacted]\"}\n\n"},
		"name":       {"data: {\"" + secret + "\":1}\n\n", "data: {\"[redacted]\":1}\n\n"},
		"page":       {"<p>" + secret + "\n</p>\n", "<p>[redacted]\n</p>\n"},
		"bytes":      {"\xff" + secret + "\n", "\xff[redacted]\n"},
		"torn":       {"data: {\"a\":\"" + secret[:12], "data: {\"a\":\"[redacted]"},
		"two events": {"data: {\"t\":\"x sk-te\"}\n\ndata: {\"u\":\"sk\",\"t\":\"st-abcdefghij y\"}\n\n", "data: {\"t\":\"x [redacted] y\"}\n\ndata: {\"u\":\"sk\",\"t\":\"\"}\n\n"},
		// Two calls side by side are two texts.
		"two calls": {call("0", `"sk-test-a"`) + call("1", `"{}"`) + call("0", `"bcdefghij"`), call("0", `"[redacted]"`) + call("1", `"{}"`) + call("0", `""`)},
		"no secret": {"data: {\"t\":\"sk-test\"}\n\ndata: {\"t\":\"-other\"}\n\n", "data: {\"t\":\"sk-test\"}\n\ndata: {\"t\":\"-other\"}\n\n"},
	} {
		got := normalized(tt.body, mediaEvents, secret)
		if got != tt.want || strings.Contains(got, secret) {
			t.Errorf("%s: %q is kept as %q, want %q", name, tt.body, got, tt.want)
		}
	}
}

// A secret that reads like JSON is masked where it is a text, and nothing is
// made of the members that look like it.
func TestMaskJSON_SecretLikeJSON(t *testing.T) {
	const secret = `":1,"key":"`
	in := jsontext.MustMarshal(map[string]any{"a": json.Number("1"), "key": "x", "t": secret})
	if got, want := string(maskJSON(redact.New([]string{secret}), in)), `{"a":1,"key":"x","t":"[redacted]"}`; got != want {
		t.Errorf("maskJSON(%s) = %s, want %s", in, got, want)
	}
}

func TestLineDifference(t *testing.T) {
	lines := func(s string) string { return strings.ReplaceAll(s, " ", "\n") + "\n" }
	for name, tt := range map[string]struct {
		want, got string
		diff      []string
	}{
		"equal":     {"a b", "a b", nil},
		"middle":    {"a b c d", "a x c d", []string{"  a", "- b", "+ x", "  c"}},
		"two apart": {"a b c d e", "a x c y e", []string{"  a", "- b", "+ x", "  c", "- d", "+ y", "  e"}},
		"added":     {"a", "a b", []string{"  a", "+ b"}},
		"taken":     {"a b c", "c", []string{"- a", "- b", "  c"}},
		"all":       {"a", "b", []string{"- a", "+ b"}},
	} {
		if diff := cmp.Diff(tt.diff, lineDifference(lines(tt.want), lines(tt.got))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
