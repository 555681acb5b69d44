package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

const key = "sk-test-0123456789"

func script(t testing.TB, turns string) *transport.Script {
	t.Helper()
	s, err := transport.LoadScript("s.yaml", []byte(turns))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func client(rt http.RoundTripper) *provider.Client { return clientOf(provider.APIChat, rt) }

func clientOf(api provider.API, rt http.RoundTripper) *provider.Client {
	return provider.New(provider.Config{
		API:     api,
		BaseURL: "https://model.invalid/v1",
		Model:   "m",
		Key:     key,
		HTTP:    transport.Client(rt, transport.Options{Timeout: time.Minute}),
	})
}

// eachAPI runs a test with a client of each API.
func eachAPI(t *testing.T, test func(t *testing.T, api provider.API)) {
	t.Helper()
	for _, api := range []provider.API{provider.APIChat, provider.APIResponses} {
		t.Run(string(api), func(t *testing.T) { test(t, api) })
	}
}

func user(text string) chat.Request {
	return chat.Request{Messages: []*chat.Message{{Role: chat.RoleUser, Content: text}}}
}

func count(n int64) *int64 { return &n }

const whole = `
- text: Let me look at it, carefully and at some length.
  tool_calls:
    - {tool: read_file, arguments: {path: "a/b.txt", lines: [1, 2], note: "größer als < & >"}}
    - {tool: list_files}
  usage: {input_tokens: 10, output_tokens: 5, cached_input_tokens: 2}
`

func wholeReply() chat.Reply {
	return chat.Reply{
		Text: "Let me look at it, carefully and at some length.",
		Calls: []chat.ToolCall{
			{ID: "call_1_0", Name: "read_file",
				Arguments: `{"path":"a/b.txt","lines":[1,2],"note":"größer als < & >"}`},
			{ID: "call_1_1", Name: "list_files", Arguments: "{}"},
		},
		FinishReason: "tool_calls",
		Usage:        chat.Usage{Input: count(10), Output: count(5), Total: count(15), CachedInput: count(2)},
	}
}

func TestComplete_WholeReply(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		s := script(t, whole)
		var deltas []string
		req := user("hi")
		req.OnDelta = func(d string) { deltas = append(deltas, d) }
		got, err := clientOf(api, s).Complete(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wholeReply(), got); diff != "" {
			t.Errorf("Complete() (-want +got):\n%s", diff)
		}
		if len(deltas) < 2 || strings.Join(deltas, "") != got.Text {
			t.Errorf("deltas are %q, want several that make up the text", deltas)
		}
	})
}

// offering returns a request that offers tools: a served script calls no others.
func offering(r chat.Request, tools ...string) chat.Request {
	for _, name := range tools {
		r.Tools = append(r.Tools, chat.ToolSpec{Name: name, Parameters: json.RawMessage(`{}`)})
	}
	return r
}

// lateEnd is a body whose end comes a while after its last event.
type lateEnd struct {
	io.Reader
	ctx   context.Context
	after time.Duration
	ended bool
}

func (l *lateEnd) Read(p []byte) (int, error) {
	if n, err := l.Reader.Read(p); err == nil {
		return n, nil
	}
	select {
	case <-l.ctx.Done():
		return 0, l.ctx.Err()
	case <-time.After(l.after):
		l.ended = true
		return 0, io.EOF
	}
}

func (l *lateEnd) Close() error { return nil }

// A connection is used again only if the body was read to its end, for which
// an endpoint that never ends it must not be waited for.
func TestComplete_ReadsToTheEndForTheNextRequest(t *testing.T) {
	for after, ended := range map[time.Duration]bool{50 * time.Millisecond: true, time.Hour: false} {
		synctest.Test(t, func(t *testing.T) {
			var body *lateEnd
			c := client(roundTripper(func(req *http.Request) (*http.Response, error) {
				body = &lateEnd{Reader: strings.NewReader(streamed), ctx: req.Context(), after: after}
				return &http.Response{StatusCode: http.StatusOK, Body: body, Request: req}, nil
			}))
			start := time.Now()
			got, err := c.Complete(t.Context(), user("hi"))
			if err != nil || got.Text != "done" {
				t.Errorf("Complete() = %+v, %v, want the reply", got, err)
			}
			if waited := time.Since(start); body.ended != ended || waited > 100*time.Millisecond {
				t.Errorf("end after %s: read to it %t, waited %s, want %t, at most 100ms", after, body.ended, waited, ended)
			}
		})
	}
}

// failures are one turn each, which is repeated for each attempt.
var failures = []struct {
	name      string
	turn      string
	kind      chat.FailureKind
	status    int
	retryable bool
	message   string
}{
	{"bad request", "{fault: {status: 400}}", chat.FailClient, 400, false, "bad request: scripted fault (script)"},
	{"unauthorized", "{fault: {status: 401}}", chat.FailUnauthorized, 401, false, "the key was not accepted: scripted fault (script)"},
	{"forbidden", "{fault: {status: 403}}", chat.FailUnauthorized, 403, false, ""},
	{"not found", "{fault: {status: 404}}", chat.FailClient, 404, false, ""},
	{"request timeout", "{fault: {status: 408}}", chat.FailTimeout, 408, true, ""},
	{"conflict", "{fault: {status: 409}}", chat.FailClient, 409, true, ""},
	{"too large", "{fault: {status: 413}}", chat.FailPayloadTooLarge, 413, false, ""},
	{"unknown client status", "{fault: {status: 499}}", chat.FailClient, 499, false, "status 499: scripted fault (script)"},
	{"rate limit", "{fault: {status: 429}}", chat.FailRateLimit, 429, true, ""},
	{"server", "{fault: {status: 500}}", chat.FailServer, 500, true, "internal server error: scripted fault (script)"},
	{"not implemented", "{fault: {status: 501}}", chat.FailServer, 501, false, ""},
	{"bad gateway, HTML", `{fault: {status: 502, body: "<html>no</html>"}}`, chat.FailServer, 502, true, "bad gateway"},
	{"unavailable, no body", `{fault: {status: 503, body: ""}}`, chat.FailServer, 503, true, ""},
	{"http version", "{fault: {status: 505}}", chat.FailServer, 505, false, ""},
	{"redirect without address", "{fault: {status: 302}}", chat.FailClient, 302, false, ""},
	{"HTML", `{fault: {body: "<html><body>hello</body></html>"}}`, chat.FailIncomplete, 0, false,
		"the answer is no chat completion stream; check the base URL and the proxy: text/html: hello"},
	{"no body", `{fault: {body: ""}}`, chat.FailIncomplete, 0, true, "the answer is no chat completion stream"},
	{"empty object", `{fault: {body: "{}"}}`, chat.FailIncomplete, 0, true,
		"the answer ended without a finish reason: application/json: {}"},
	{"empty object streamed", `{fault: {body: "data: {}\n\ndata: [DONE]\n\n"}}`, chat.FailIncomplete, 0, true, ""},
	{"no JSON", `{fault: {body: "data: {\"choices\n\n"}}`, chat.FailParse, 0, true, ""},
	{"JSON body that is cut", `{fault: {body: "{\"choices\":"}}`, chat.FailParse, 0, true, ""},
	{"no finish reason", `{text: some, finish_reason: ""}`, chat.FailIncomplete, 0, true,
		"the answer ended without a finish reason"},
	{"empty text", `{text: ""}`, chat.FailIncomplete, 0, true, "the answer is empty"},
	{"cut", "{text: some text that is cut, fault: {cut_after_bytes: 400}}", chat.FailIncomplete, 0, true,
		"the answer was cut off"},
	{"cut at once", "{text: some, fault: {cut_after_bytes: 0}}", chat.FailIncomplete, 0, true, ""},
	{"content filter", "{text: som, finish_reason: content_filter}", chat.FailRefused, 0, false, ""},
	{"error in the stream", `{fault: {body: "data: {\"error\":{\"message\":\"x\",\"code\":429}}\n\n"}}`,
		chat.FailRateLimit, 429, true, ""},
	{"error with a code of the endpoint's own", `{fault: {body: "data: {\"error\":{\"code\":12}}\n\n"}}`,
		chat.FailServer, 0, true, "the answer is an error of the provider"},
	{"error as text", `{fault: {body: "data: {\"error\":\"model crashed\"}\n\n"}}`, chat.FailServer, 0, true, ""},
	{"hang", "{fault: {hang: true}}", chat.FailTimeout, 0, true, "no answer for 1m0s"},
}

func TestComplete_Failures(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		for _, tt := range failures {
			t.Run(tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := script(t, strings.Repeat("- "+tt.turn+"\n", 6))
					message := tt.message
					if api == provider.APIResponses {
						message = strings.ReplaceAll(message, "chat completion", "response")
					}
					retries := 0
					req := user("hi")
					req.OnRetry = func(chat.Retry) { retries++ }
					_, err := clientOf(api, s).Complete(t.Context(), req)
					f := failureOf(t, err)
					if f.Kind != tt.kind || f.Status != tt.status || f.Retryable != tt.retryable {
						t.Errorf("failure is %s, status %d, retryable %t, want %s, %d, %t",
							f.Kind, f.Status, f.Retryable, tt.kind, tt.status, tt.retryable)
					}
					if f.Message != message && message != "" {
						t.Errorf("message is %q, want %q", f.Message, message)
					}
					if want := map[bool]int{true: 5}[tt.retryable]; retries != want {
						t.Errorf("%d retries, want %d", retries, want)
					}
				})
			})
		}
	})
}

func failureOf(t *testing.T, err error) *chat.Failure {
	t.Helper()
	var f *chat.Failure
	if !errors.As(err, &f) {
		t.Fatalf("Complete() error is %v, want a *chat.Failure", err)
	}
	return f
}

func TestComplete_RetriesUntilAReplyComes(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		cut := map[provider.API]string{provider.APIChat: "500", provider.APIResponses: "1000"}[api]
		synctest.Test(t, func(t *testing.T) {
			s := script(t, `
- {text: half an answer to be cut here, fault: {cut_after_bytes: `+cut+`}}
- {fault: {status: 429, retry_after: 7}}
- {text: the answer}
`)
			var seen []string
			req := user("hi")
			req.OnDelta = func(d string) { seen = append(seen, d) }
			var retries []chat.Retry
			req.OnRetry = func(r chat.Retry) { retries = append(retries, r); seen = append(seen, "RETRY") }
			start := time.Now()
			got, err := clientOf(api, s).Complete(t.Context(), req)
			if err != nil || got.Text != "the answer" {
				t.Fatalf("Complete() = %q, %v, want the text of the last attempt", got.Text, err)
			}
			if waited := time.Since(start); waited != 7500*time.Millisecond {
				t.Errorf("waited %s, want 500ms and 7s", waited)
			}
			if len(retries) != 2 || retries[0].Attempt != 1 || retries[1].Attempt != 2 || retries[1].MaxAttempts != 6 ||
				retries[0].Backoff != 500*time.Millisecond || retries[1].Backoff != 7*time.Second {
				t.Errorf("retries are %+v, want attempts 1 and 2 of 6 with 500ms and 7s", retries)
			}
			if text := strings.Join(seen, "|"); !strings.HasSuffix(text, "RETRY|RETRY|the answer") {
				t.Errorf("deltas and retries are %q, want the text of each attempt apart", text)
			}
		})
	})
}

func TestComplete_FailureComesWithWhatArrived(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		const text = "half an answer to be cut here, of many words, and more than one piece of text"
		cut := map[provider.API]string{provider.APIChat: "500", provider.APIResponses: "1000"}[api]
		c := provider.New(provider.Config{API: api, Model: "m", Attempts: 1, HTTP: &http.Client{
			Transport: script(t, `- {text: "`+text+`", fault: {cut_after_bytes: `+cut+`}}`),
		}})
		got, err := c.Complete(t.Context(), user("hi"))
		if failureOf(t, err); got.Text == "" || got.Text == text || !strings.HasPrefix(text, got.Text) {
			t.Errorf("Complete() = %q, want what came before the cut", got.Text)
		}
	})
}

func TestComplete_BackoffDoublesUpToItsBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := provider.New(provider.Config{
			Model: "m", Attempts: 8, RetryFor: time.Hour,
			HTTP: &http.Client{Transport: script(t, strings.Repeat("- fault: {status: 500}\n", 8))},
		})
		var waits []string
		req := user("hi")
		req.OnRetry = func(r chat.Retry) { waits = append(waits, r.Backoff.String()) }
		_, err := c.Complete(t.Context(), req)
		failureOf(t, err)
		want := []string{"500ms", "1s", "2s", "4s", "8s", "16s", "16s"}
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Errorf("waits (-want +got):\n%s", diff)
		}
	})
}

func TestComplete_RetryAfter(t *testing.T) {
	// The clock of a bubble starts at midnight of 1 January 2000.
	for header, want := range map[string]time.Duration{
		"3":                             3 * time.Second,
		"1.5":                           1500 * time.Millisecond,
		"0":                             0,
		"600":                           time.Minute,
		"1e300":                         500 * time.Millisecond,
		"Sat, 01 Jan 2000 00:00:09 GMT": 9 * time.Second,
		"Fri, 31 Dec 1999 00:00:00 GMT": 0,
		"Sun, 02 Jan 2000 00:00:00 GMT": time.Minute,
		"soon":                          500 * time.Millisecond,
		"-4":                            500 * time.Millisecond,
		"NaN":                           500 * time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := script(t, `[{fault: {status: 503, retry_after: "`+header+`"}}, {text: ok}]`)
			var backoff time.Duration = -1
			req := user("hi")
			req.OnRetry = func(r chat.Retry) { backoff = r.Backoff }
			start := time.Now()
			_, err := client(s).Complete(t.Context(), req)
			if waited := time.Since(start); err != nil || backoff != want || waited != want {
				t.Errorf("Retry-After %q: told %s, waited %s, error %v, want %s", header, backoff, waited, err, want)
			}
		})
	}
}

// toolResult is a request whose last message is the result of a tool.
func toolResult() chat.Request {
	req := user("hi")
	req.Messages = append(req.Messages,
		&chat.Message{Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{{ID: "c", Name: "x", Arguments: "{}"}}},
		&chat.Message{Role: chat.RoleTool, ToolCallID: "c", Content: "done"})
	return req
}

func TestComplete_EmptyTextAfterATool(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		got, err := clientOf(api, script(t, `[{text: ""}]`)).Complete(t.Context(), toolResult())
		if err != nil || got.FinishReason != "stop" || got.Text != "" {
			t.Errorf("Complete() = %+v, %v, want an empty reply", got, err)
		}
	})
}

// Only a chat completion says that it holds calls besides holding them.
func TestComplete_AnnouncedCallsThatAreMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(t, strings.Repeat("- {text: \"\", finish_reason: tool_calls}\n", 6))
		_, err := client(s).Complete(t.Context(), toolResult())
		if f := failureOf(t, err); f.Kind != chat.FailIncomplete {
			t.Errorf("failure is %v, want kind incomplete", f)
		}
	})
}

func TestComplete_Refusal(t *testing.T) {
	for api, body := range map[provider.API]string{
		provider.APIChat: `data: {"choices":[{"delta":{"refusal":"no"},"finish_reason":"stop"}]}`,
		provider.APIResponses: `data: {"type":"response.refusal.delta","delta":"no"}` + "\n\n" +
			`data: {"type":"response.completed","response":{"status":"completed","output":[]}}`,
	} {
		answer := roundTripper(func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body + "\n\n")), Request: req}, nil
		})
		_, err := clientOf(api, answer).Complete(t.Context(), user("hi"))
		if f := failureOf(t, err); f.Kind != chat.FailRefused || f.Retryable {
			t.Errorf("%s: failure is %+v, want kind refused, not retryable", api, f)
		}
	}
}

func TestComplete_LengthKeepsTheText(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		for _, text := range []string{"cut", ""} {
			got, err := clientOf(api, script(t, `[{text: "`+text+`", finish_reason: length}]`)).Complete(t.Context(), user("hi"))
			if err != nil || got.FinishReason != "length" || got.Text != text {
				t.Errorf("Complete() = %+v, %v, want %q and finish reason length", got, err, text)
			}
		}
	})
}

func TestComplete_FinishReasonThenCutIsAReply(t *testing.T) {
	s := script(t, `
- fault:
    cut_after_bytes: 84
    body: |
      data: {"choices":[{"delta":{"content":"all of it"},"finish_reason":"stop"}]}

      data: {"choices":[],"usage":{}}

`)
	got, err := client(s).Complete(t.Context(), user("hi"))
	if err != nil || got.Text != "all of it" {
		t.Errorf("Complete() = %+v, %v, want the reply", got, err)
	}
}

func TestComplete_ScriptFailureIsFinal(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		for turns, want := range map[string]string{
			`[{text: a, expect: bye}]`:                         `s.yaml:1: turn 1: want last message with "bye", got "hi there"`,
			`[{fault: {status: 500}}]`:                         `script s.yaml: request 2 came, want at most 1 (no turn is left)`,
			"- text: a\n  expect: {role: tool, content: done}": `s.yaml:1: turn 1: want last message with {"role":"tool","content":"done"}, got {"content":"hi there","role":"user"}`,
		} {
			synctest.Test(t, func(t *testing.T) {
				_, err := clientOf(api, script(t, turns)).Complete(t.Context(), user("hi there"))
				f := failureOf(t, err)
				if f.Kind != chat.FailScript || f.Retryable || f.Message != want {
					t.Errorf("script %s: failure is %s, retryable %t, %q, want script, false, %q",
						turns, f.Kind, f.Retryable, f.Message, want)
				}
			})
		}
	})
}

func TestComplete_ContextEnds(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		for _, turns := range []string{
			"[{fault: {hang: true}}]",
			"[{text: late, fault: {delay: 1h}}]",
			`[{fault: {status: 503, retry_after: 40}}, {text: late}]`,
		} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				start := time.Now()
				_, err := clientOf(api, script(t, turns)).Complete(ctx, user("hi"))
				if err != context.DeadlineExceeded || time.Since(start) != 10*time.Second {
					t.Errorf("%s: Complete() error is %v after %s, want the deadline's after 10s", turns, err, time.Since(start))
				}
			})
		}
	})
}

func TestComplete_NoSecretsInMessages(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		echo := roundTripper(func(req *http.Request) (*http.Response, error) {
			return nil, &chat.Failure{Kind: chat.FailClient, Message: "bad\nheader " + req.Header.Get("Authorization")}
		})
		_, err := clientOf(api, echo).Complete(t.Context(), user("hi"))
		if f := failureOf(t, err); f.Message != "bad header Bearer ***" {
			t.Errorf("message is %q, want one line without the key", f.Message)
		}
		for _, status := range []string{"400", "401", "418", "500"} {
			synctest.Test(t, func(t *testing.T) {
				turn := "- fault: {status: " + status + `, body: '{"error":{"message":"it is ` + key + `","code":"` + key + `"},"more":"` + key + `"}'}` + "\n"
				_, err := clientOf(api, script(t, strings.Repeat(turn, 6))).Complete(t.Context(), user("hi"))
				f := failureOf(t, err)
				if text := f.Error() + f.Code + f.Body; strings.Contains(text, key) || strings.Count(text, "***") < 4 {
					t.Errorf("status %s: failure is %q, want it without the key", status, text)
				}
			})
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
