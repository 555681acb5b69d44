package provider_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// attempt asks for one reply, without a second attempt.
func attempt(t *testing.T, api provider.API, rt http.RoundTripper) (chat.Reply, error) {
	t.Helper()
	return provider.New(provider.Config{
		API: api, BaseURL: "https://model.invalid/v1", Model: "m", Key: key, Attempts: 1,
		HTTP: transport.Client(rt, transport.Options{}),
	}).Complete(t.Context(), user("hi"))
}

// answers is an endpoint that gives the same successful answer to all.
func answers(body string) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
	})
}

// A text counts as whole only where the endpoint says that the model was done.
func TestComplete_FinishReasons(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		for said, want := range map[string]string{
			"stop": "stop", "STOP": "stop", "end_turn": "stop", "stop_sequence": "stop", "eos": "stop", "EOS_token": "stop",
			"complete": "stop", "completed": "stop",
			"length": "length", "max_tokens": "length", "MAX_TOKENS": "length", "model_length": "length",
		} {
			got, err := attempt(t, api, script(t, fmt.Sprintf(`[{text: part, finish_reason: %s}]`, said)))
			if err != nil || got.Text != "part" || got.FinishReason != want {
				t.Errorf("%s: reply is %+v, %v, want the text with %s", said, got, err, want)
			}
		}
		const early, refused = "the provider ended the answer early", "the provider refused to answer"
		for said, want := range map[string]chat.Failure{
			"error":                        {Kind: chat.FailIncomplete, Retryable: true, Message: early},
			"abort":                        {Kind: chat.FailIncomplete, Retryable: true, Message: early},
			"insufficient_system_resource": {Kind: chat.FailIncomplete, Retryable: true, Message: early},
			"SAFETY":                       {Kind: chat.FailRefused, Message: refused},
			"sensitive":                    {Kind: chat.FailRefused, Message: refused},
			"of-its-own-" + key:            {Kind: chat.FailIncomplete, Retryable: true, Message: early},
		} {
			reply, err := attempt(t, api, script(t, fmt.Sprintf(`[{text: part, finish_reason: %s}]`, said)))
			f := failureOf(t, err)
			want.Message += ": finish reason " + strings.ReplaceAll(said, key, "***")
			if f.Kind != want.Kind || f.Retryable != want.Retryable || f.Message != want.Message || reply.Text != "part" {
				t.Errorf("%s: %+v with text %q, want %+v with the text", said, f, reply.Text, want)
			}
		}
	})
}

// Calls are checked one by one for being whole, whatever ended the reply.
func TestComplete_UnknownFinishReasonAfterCalls(t *testing.T) {
	got, err := attempt(t, provider.APIChat, script(t, `[{tool_calls: [{tool: list_files}], finish_reason: tool_use}]`))
	if err != nil || len(got.Calls) != 1 || got.FinishReason != "tool_use" {
		t.Errorf("Complete() = %+v, %v, want the call and its finish reason", got, err)
	}
}

func TestComplete_ErrorInAChoice(t *testing.T) {
	const text = `data: {"choices":[{"delta":{"content":"half"}}]}` + "\n\n"
	_, err := attempt(t, provider.APIChat, answers(text+
		`data: {"choices":[{"delta":{},"finish_reason":"error","error":{"code":502,"message":"the model is gone"}}]}`+"\n\n"))
	f := failureOf(t, err)
	if f.Kind != chat.FailServer || f.Status != http.StatusBadGateway || !f.Retryable || f.Message != "bad gateway: the model is gone" {
		t.Errorf("failure is %+v, want the endpoint's words about status 502", f)
	}
	reply, err := attempt(t, provider.APIChat, answers(text+`data: {"choices":[{"index":1,"error":{"message":"no"}},{"error":null,"finish_reason":"stop"}]}`+"\n\n"))
	if err != nil || reply.Text != "half" {
		t.Errorf("an error of another choice: reply is %+v, %v, want the text", reply, err)
	}
}

// What the model says in place of an answer reaches people: whole where it came
// in pieces, once where it came twice, secrets out, and no longer than other
// words of an endpoint.
func TestComplete_RefusalInTheModelsWords(t *testing.T) {
	long := strings.Repeat("no ", 100)
	chunk := func(refusal string) string {
		return `data: {"choices":[{"delta":{"refusal":"` + refusal + `"}}]}` + "\n\n"
	}
	const (
		end   = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
		whole = `{"type":"message","content":[{"type":"refusal","refusal":"I cannot."}]}`
	)
	part := func(refusal string) string {
		return `data: {"type":"response.refusal.delta","delta":"` + refusal + `"}` + "\n\n"
	}
	completed := func(output string) string {
		return `data: {"type":"response.completed","response":{"status":"completed","output":[` + output + `]}}` + "\n\n"
	}
	for _, tt := range []struct {
		api        provider.API
		body, want string
	}{
		{provider.APIChat, chunk("I ") + chunk("can\\ud83d") + chunk("\\ude00not.") + end, "I can😀not."},
		{provider.APIChat, chunk("I cannot.") + `data: {"choices":[{"message":{"refusal":"I cannot."},"finish_reason":"stop"}]}` + "\n\n", "I cannot."},
		{provider.APIChat, `data: {"choices":[{"message":{"refusal":"I cannot."},"finish_reason":"content_filter"}]}` + "\n\n", "I cannot."},
		{provider.APIChat, chunk("not with "+key[:9]) + chunk(key[9:]) + end, "not with ***"},
		{provider.APIChat, chunk(long) + end, long[:200] + "..."},
		{provider.APIResponses, part("I ") + part("cannot.") + completed(whole), "I cannot."},
		{provider.APIResponses, completed(whole), "I cannot."},
	} {
		_, err := attempt(t, tt.api, answers(tt.body))
		f := failureOf(t, err)
		if want := "the provider refused to answer: " + tt.want; f.Kind != chat.FailRefused || f.Retryable || f.Message != want {
			t.Errorf("%s, %.60s: failure is %+v, want %q", tt.api, tt.body, f, want)
		}
	}
}
