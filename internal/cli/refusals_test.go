package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// refusal answers once with a body that shows secrets, and then as next does.
func refusal(status int, body string, next fakeEndpoint) fakeEndpoint {
	return afterwards(func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After-Ms", "7")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}, next)
}

// What an endpoint says of a refusal is in the stream, in the job's log and in
// the cassette, without a secret; and the cassette says the same again.
func TestRun_WhatARefusalSays(t *testing.T) {
	const hidden = "sk-test-abcdefgh-0123"
	c := newTaped(t)
	ask := func(serve fakeEndpoint) outcome {
		n := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n++
			serve(w, r, n)
		}))
		defer server.Close()
		return c.record(server, "--redact="+hidden, "p")
	}
	const said = `You used ` + hidden + `, API_KEY=abcdefghijkl.`
	recorded := ask(refusal(503, `{"error":{"message":"`+said+` See req_0123456789."},"request_id":"req_0123456789"}`, streamed(hello, done)))
	again := c.run("--redact="+hidden, "p")
	_, first, _ := strings.Cut(recorded.out, "\n") // the first line names the endpoint
	if _, second, _ := strings.Cut(again.out, "\n"); second != first || !strings.Contains(first, `"backoff_ms":7`) {
		t.Errorf("replayed\n%s, want\n%s", second, first)
	}
	if text := c.text(); !strings.Contains(text, "You used [redacted]") || strings.Contains(text, "req_0123456789") {
		t.Errorf("the cassette is\n%s, want what was said, without the id of the request", text)
	}

	got := ask(refusal(429, `{"error":{"message":"`+said+`","type":"insufficient_quota","code":"insufficient_quota"},"more":"text"}`, nil))
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	var end struct {
		Data struct {
			Error string
			Code  string `json:"error_code"`
		}
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &end); err != nil {
		t.Fatal(err)
	}
	const want = "provider quota (status 429): no quota is left for this key: You used [redacted], API_KEY=[redacted] (insufficient_quota)"
	if end.Data.Error != want || end.Data.Code != "insufficient_quota" {
		t.Errorf("error is %q, code %q, want %q", end.Data.Error, end.Data.Code, want)
	}
	if !strings.Contains(got.err, `\"more\":\"text\"`) {
		t.Errorf("stderr is %s, want what the endpoint wrote", got.err)
	}
	for where, text := range map[string]string{"stream": recorded.out + got.out, "stderr": recorded.err + got.err, "cassette": c.text()} {
		if strings.Contains(text, hidden) || strings.Contains(text, "abcdefghijkl") {
			t.Errorf("%s shows a secret:\n%s", where, text)
		}
	}
}
