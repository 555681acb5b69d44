package provider_test

import (
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

type object = map[string]any

// randomTurn is a turn of a script; a fault of some kind is in every third.
func randomTurn(r *rand.Rand) object {
	if r.IntN(3) == 0 {
		faults := []object{
			{"status": 400 + r.IntN(200), "body": []string{"", "{}", "<html>", "no"}[r.IntN(4)]},
			{"status": 429, "retry_after": r.IntN(9)}, {"body": "<html>"}, {"body": "{}"}, {"body": "data: {\"a\"\n\n"},
			{"body": `{"error":{"code":"rate_limit_exceeded"}}`}, {"body": "data: {\"error\":{\"code\":503}}\n\n"},
		}
		return object{"fault": faults[r.IntN(len(faults))]}
	}
	turn := object{"text": randomText(r)}
	for i := range r.IntN(4) {
		calls, _ := turn["tool_calls"].([]object)
		arguments := []any{object{"path": randomText(r), "n": i}, object{}, "no JSON", randomText(r)}[r.IntN(4)]
		turn["tool_calls"] = append(calls, object{"tool": []string{"read_file", "größe"}[r.IntN(2)], "arguments": arguments})
	}
	if r.IntN(2) == 0 {
		turn["usage"] = object{"input_tokens": r.IntN(1e6), "output_tokens": r.IntN(99), "cached_input_tokens": r.IntN(9)}
	}
	if r.IntN(4) == 0 {
		turn["finish_reason"] = []string{"length", "content_filter", "", "MAX_TOKENS", "SAFETY"}[r.IntN(5)]
	}
	if r.IntN(6) == 0 {
		turn["fault"] = object{"cut_after_bytes": r.IntN(100)}
	}
	return turn
}

func randomText(r *rand.Rand) string {
	letters := []string{"a", "b ", "\n", "ü", "<", "\"", "\\", "\u2028", "🙂", "data: ", "\t", "\r"}
	var b strings.Builder
	for range r.IntN(120) {
		b.WriteString(letters[r.IntN(len(letters))])
	}
	return b.String()
}

// got is what a caller sees of one request.
type got struct {
	Reply   chat.Reply
	Failure string
	Final   bool
}

func askOnce(t *testing.T, c *provider.Client) got {
	t.Helper()
	reply, err := c.Complete(t.Context(), offering(user("hi"), "read_file", "größe"))
	if err == nil {
		return got{Reply: reply}
	}
	var f *chat.Failure
	if !errors.As(err, &f) {
		t.Fatalf("Complete() error is %v, want a *chat.Failure", err)
	}
	// Where an answer is cut in two, the APIs have sent different parts of it.
	return got{Failure: strings.ReplaceAll(f.Error(), "chat completion", "response"), Final: !f.Retryable}
}

// unstreamed asks for whole replies in place of streams.
func unstreamed(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		out, err := http.NewRequestWithContext(req.Context(), req.Method, req.URL.String(),
			strings.NewReader(strings.Replace(string(body), `"stream":true,`, "", 1)))
		if err != nil {
			return nil, err
		}
		return next.RoundTrip(out)
	})
}

// The same turn is the same reply or failure over either API, from memory and
// over a socket, streamed and whole.
func TestComplete_SameOverEveryWay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	replies := 0
	const turns = 200
	for range turns {
		turn, err := json.Marshal([]object{randomTurn(r)})
		if err != nil {
			t.Fatal(err)
		}
		var want got
		for i, api := range []provider.API{provider.APIChat, provider.APIResponses} {
			server := httptest.NewServer(script(t, string(turn)))
			plain := httptest.NewServer(script(t, string(turn)))
			for base, rt := range map[string]http.RoundTripper{
				"http://script.invalid/v1": script(t, string(turn)), server.URL + "/v1": server.Client().Transport,
				plain.URL + "/v1": unstreamed(plain.Client().Transport),
			} {
				c := provider.New(provider.Config{
					API: api, BaseURL: base, Model: "m", Attempts: 1, HTTP: transport.Client(rt, transport.Options{}),
				})
				have := askOnce(t, c)
				if i == 0 && want.Failure == "" && want.Reply.FinishReason == "" {
					want = have
				}
				if diff := cmp.Diff(want, have); diff != "" {
					t.Errorf("turn %s over %s at %s (-want +got):\n%s", turn, api, base, diff)
				}
			}
			server.Close()
			plain.Close()
		}
		if want.Failure == "" {
			replies++
		}
	}
	if replies < turns/4 || replies > turns*3/4 {
		t.Errorf("%d of %d turns are replies, want many of both kinds", replies, turns)
	}
}
