package provider

import (
	"encoding/json"
	"reflect"
	"testing"
)

// usualChunks are read in one pass, oddChunks are left to encoding/json.
var usualChunks = []string{
	`{"id":"c","object":"chat.completion.chunk","created":0,"model":"m","system_fingerprint":null,"choices":[{"index":0,"delta":{"role":"assistant","content":null,"refusal":null},"logprobs":null,"finish_reason":null}],"usage":null}`,
	`{"choices":[{"index":0,"delta":{"content":"a \"word\" and a line\n, änd"},"finish_reason":null}]}`,
	`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}]},"finish_reason":null}]}`,
	`{"choices":[{"index":1,"delta":{"tool_calls":[]},"finish_reason":"stop"},{"delta":{}}]}`,
	`{"choices":[]}`, `{}`,
}

var oddChunks = []string{
	``, `null`, `[]`, `{"choices":null}`, `{"choices":[null]}`, `{"choices":[{}]`, `{"choices":[]} {}`,
	`{"choices":[],"error":{"message":"m"}}`,
	`{"choices":[],"usage":{"prompt_tokens":1}}`,
	`{"choices":[],"choices":[{}]}`,
	`{"choices":[],"Choices":[{}]}`,
	`{"choices":[{"message":{"content":"whole"}}]}`,
	`{"choices":[{"delta":null}]}`,
	`{"choices":[{"delta":{"reasoning_content":"thought"}}]}`,
	`{"choices":[{"delta":{"content":[{"text":"part"}]}}]}`,
	`{"choices":[{"delta":{"content":"\ud83d"}}]}`,
	"{\"choices\":[{\"delta\":{\"content\":\"\xf0\x9f\"}}]}",
	`{"choices":[{"delta":{"tool_calls":[{"index":10,"id":"c"}]}}]}`,
	`{"choices":[{"delta":{"tool_calls":[{"index":"0"}]}}]}`,
	`{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{"path":"a"}}}]}}]}`,
	`{"choices":[{"delta":{"tool_calls":[{"extra_content":{}}]}}]}`,
	`{"choices":[{"delta":{"function_call":{"name":"f"}}}]}`,
	`{"choices":[{"finish_reason":1}]}`, `{"choices":[{"finish_reason":"\`,
}

func TestChunk_ReadAsDecoded(t *testing.T) {
	for _, text := range usualChunks {
		if !readAlike(t, []byte(text)) {
			t.Errorf("readUsual(%s) = false, want it read", text)
		}
	}
	for _, text := range oddChunks {
		if readAlike(t, []byte(text)) {
			t.Errorf("readUsual(%s) = true, want it left to encoding/json", text)
		}
	}
}

func FuzzChunk_ReadAsDecoded(f *testing.F) {
	for _, text := range append(usualChunks, oddChunks...) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { readAlike(t, data) })
}

// readAlike reports whether a chunk is read in one pass, and fails when it is then
// not what encoding/json makes of it.
func readAlike(t *testing.T, data []byte) bool {
	t.Helper()
	var got, want chunk
	if !got.readUsual(data) {
		return false
	}
	if err := json.Unmarshal(data, &want); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: read as %+v, decoded as %+v, %v", data, got, want, err)
	}
	return true
}
