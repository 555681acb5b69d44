package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// strict is an endpoint that answers with a call, and then refuses whoever does
// not give back with that call what it gave.
type strict struct {
	api    string
	events []string // of the first answer
	asks   string   // what the first request must hold
	back   string   // what the second must
}

// stricts imitate endpoints as their documents and their errors describe them.
// Of what differs each time they send something new.
func stricts(n int) map[string]strict {
	call := `{"index":0,"id":"call_0","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a.txt\"}"}`
	item := `"type":"function_call","id":"fc_x","call_id":"c1","name":"read_file","arguments":"{\"path\":\"a.txt\"}"`
	thought := fmt.Sprintf(`{"id":"rs_%d","type":"reasoning","encrypted_content":"gAAA%d==","summary":[{"type":"summary_text","text":"I read"}]}`, n, n)
	text := func(s string) string { return `{"choices":[{"delta":{"content":"","reasoning_content":"` + s + `"}}]}` }
	return map[string]strict{
		"DeepSeek, thinking": {"chat", []string{text(`I `), text(`read.\n`), piece(call + "}"), called}, "", `"reasoning_content":"I read.\n"`},
		"Gemini, compatible": {"chat", []string{piece(call + `,"extra_content":{"google":{"thought_signature":"c2ln<+/"}}}`), called}, "",
			`{"extra_content":{"google":{"thought_signature":"c2ln<+/"}},"function":`},
		"OpenRouter": {"chat", []string{
			`{"choices":[{"delta":{"reasoning":"I","reasoning_details":[{"type":"reasoning.text","text":"I","index":0}]}}]}`,
			`{"choices":[{"delta":{"reasoning":" r","reasoning_details":[{"type":"reasoning.text","text":" r","index":0}]}}]}`,
			`{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","signature":"s==","index":0}]}}]}`, piece(call + "}"), called,
		}, "", `"reasoning":"I r","reasoning_details":[{"index":0,"signature":"s==","text":"I r","type":"reasoning.text"}]`},
		"Responses": {"responses", []string{
			`{"type":"response.output_item.done","output_index":0,"item":` + thought + `}`,
			`{"type":"response.output_item.added","output_index":1,"item":{` + item + `}}`,
			`{"type":"response.output_item.done","output_index":1,"item":{` + item + `}}`,
			`{"type":"response.completed","response":{"id":"resp_x","output":[` + thought + `,{` + item + `}]}}`,
		}, `"include":["reasoning.encrypted_content"]`, thought + `,{"arguments":`},
	}
}

// serve returns the endpoint for one run.
func (s strict) serve(t *testing.T) *httptest.Server {
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		body, _ := io.ReadAll(r.Body)
		want, answer := s.asks, s.events
		if n > 1 {
			want, answer = s.back, []string{hello, done}
			if s.api == "responses" {
				answer = []string{`{"type":"response.output_text.delta","delta":"hello"}`, `{"type":"response.completed","response":{}}`}
			}
		}
		if !bytes.Contains(body, []byte(want)) || !json.Valid(body) {
			t.Errorf("request %d is %s, want in it %s", n, body, want)
			whole(400, "application/json", `{"error":{"message":"what was given is missing"}}`)(w, r, n)
			return
		}
		streamed(answer...)(w, r, n)
	}))
	t.Cleanup(server.Close)
	return server
}

// What an endpoint gave it gets back, when a run is recorded and replayed too.
func TestRun_WhatAnEndpointGaveGoesBack(t *testing.T) {
	t.Parallel()
	for name := range stricts(0) {
		t.Run(name, func(t *testing.T) {
			c := newTaped(t)
			for n := range 2 {
				s := stricts(n)[name]
				got := c.record(s.serve(t), "--api="+s.api, "p")
				if got.status != 0 || !strings.Contains(got.out, `"final_output":"hello"`) {
					t.Errorf("run %d ends with %d\n%s%s", n, got.status, got.out, got.err)
				}
				again := c.run("p")
				_, gotRest, _ := strings.Cut(got.out, "\n") // the first line names the endpoint
				if _, rest, _ := strings.Cut(again.out, "\n"); rest != gotRest {
					t.Errorf("replayed\n%s%s, want\n%s", again.out, again.err, got.out)
				}
			}
		})
	}
}
