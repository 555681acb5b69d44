package provider_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// refusing answers each request with a status, headers and a body.
func refusing(status int, body string, headers ...string) http.RoundTripper {
	return roundTripper(func(*http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(headers); i += 2 {
			h.Set(headers[i], headers[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}, nil
	})
}

// waitsOf returns the waits of a request that never gets an answer.
func waitsOf(t *testing.T, c provider.Config, seed string) (waits []time.Duration, f *chat.Failure) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		req := user("hi")
		req.Seed = seed
		req.OnRetry = func(r chat.Retry) { waits = append(waits, r.Backoff) }
		start := time.Now()
		_, err := provider.New(c).Complete(t.Context(), req)
		f = failureOf(t, err)
		var sum time.Duration
		for _, w := range waits {
			sum += w
		}
		if waited := time.Since(start); waited != sum {
			t.Errorf("waited %s, told %s", waited, sum)
		}
	})
	return waits, f
}

func TestComplete_Waits(t *testing.T) {
	with := func(status int, headers ...string) provider.Config {
		return provider.Config{Model: "m", HTTP: &http.Client{Transport: refusing(status, "", headers...)}}
	}
	ms := func(all ...int) (waits []time.Duration) {
		for _, n := range all {
			waits = append(waits, time.Duration(n)*time.Millisecond)
		}
		return waits
	}
	less := with(503)
	less.Attempts, less.RetryFor = 20, 20*time.Second
	fewer := with(503)
	fewer.Attempts = 2
	for name, tt := range map[string]struct {
		config provider.Config
		want   []time.Duration
	}{
		"as a rule":                     {with(503), ms(500, 1000, 2000, 4000, 8000)},
		"two attempts":                  {fewer, ms(500)},
		"no more than twenty seconds":   {less, ms(500, 1000, 2000, 4000, 8000)},
		"milliseconds before seconds":   {with(429, "Retry-After-Ms", "1250", "Retry-After", "7"), ms(1250, 1250, 1250, 1250, 1250)},
		"a wait that fits but once":     {with(429, "Retry-After", "40"), ms(40000)},
		"a minute at most, and it fits": {with(429, "Retry-After", "3600"), ms(60000)},
		"told that it is in vain":       {with(503, "X-Should-Retry", "false"), nil},
		"told what is so anyway":        {with(503, "X-Should-Retry", "true", "Retry-After-Ms", "x"), ms(500, 1000, 2000, 4000, 8000)},
		"never for a bad request":       {with(400, "X-Should-Retry", "true", "Retry-After", "1"), nil},
		"not implemented":               {with(501), nil},
		"nothing left to pay with":      {with(402), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, f := waitsOf(t, tt.config, "")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
			attempts := tt.config.Attempts
			if attempts == 0 {
				attempts = provider.DefaultAttempts
			}
			timeWasUp := tt.want != nil && len(tt.want) < attempts-1
			if mentioned := strings.Contains(f.Message, "the waits may take no longer than"); mentioned != timeWasUp {
				t.Errorf("message is %q after %d waits", f.Message, len(tt.want))
			}
			if f.Retryable != (tt.want != nil) {
				t.Errorf("retryable is %t", f.Retryable)
			}
		})
	}
}

// An endpoint that asks for more than is waited is quoted with its own figure.
func TestComplete_LongRetryAfter(t *testing.T) {
	for header, want := range map[string]string{
		"3600":                          "too many requests; the endpoint asks for a wait of 1h0m0s, and the waits may take no longer than 5s",
		"Sat, 01 Jan 2000 02:00:00 GMT": "too many requests; the endpoint asks for a wait of 2h0m0s, and the waits may take no longer than 5s",
		"7":                             "too many requests; another attempt would have to wait for 7s, and the waits may take no longer than 5s",
	} {
		_, f := waitsOf(t, provider.Config{Model: "m", RetryFor: 5 * time.Second, HTTP: &http.Client{Transport: refusing(429, "", "Retry-After", header)}}, "")
		if f.Message != want {
			t.Errorf("Retry-After %s: message is %q, want %q", header, f.Message, want)
		}
	}
}

// A status 200 does not make an answer. A page of a proxy is shown and not asked for again.
func TestComplete_NoAnswer(t *testing.T) {
	const no = "the answer is no chat completion stream; check the base URL and the proxy: "
	page := "<!DOCTYPE html>\n<html><head><title>Sign in &amp; go\n on</title><style>b{}</style><script>let a = '<b>'</script></head><body><!-- no --><h1>Company  proxy</h1>Your session ended."
	words := `"Sign in & go on": Company proxy Your session ended.`
	for name, tt := range map[string]struct {
		media, body, message string
		kind                 chat.FailureKind
		retryable            bool
	}{
		"a page":              {"text/html; charset=utf-8", page, no + "text/html " + words, chat.FailIncomplete, false},
		"a page, called JSON": {"application/json", "\ufeff\r\n" + page, no + "application/json " + words, chat.FailIncomplete, false},
		"a page, as a stream": {"text/event-stream", page, no + "text/event-stream " + words, chat.FailIncomplete, false},
		"a page, half":        {"", "<html><script>" + strings.Repeat("x", 1<<17), no + "no content type:", chat.FailIncomplete, false},
		"plain text":          {"text/plain", "Please sign in.", no + "text/plain: Please sign in.", chat.FailIncomplete, false},
		"other JSON":          {"application/json", `{"status":"up"}`, `the answer ended without a finish reason: application/json: {"status":"up"}`, chat.FailIncomplete, true},
		"comments alone":      {"text/event-stream", ": wait\n\n", "the answer is no chat completion stream", chat.FailIncomplete, true},
		"MiniMax, JSON": {"text/event-stream", `{"choices":null,"base_resp":{"status_code":1004,"status_msg":"login fail"}}`,
			"the key was not accepted: login fail (1004)", chat.FailUnauthorized, false},
		"MiniMax, after text": {"text/event-stream", `data: {"choices":[{"delta":{"content":"a"}}],"base_resp":{"status_code":0}}` + "\n\n" +
			`data: {"choices":[{"finish_reason":"stop"}],"base_resp":{"status_code":1027,"status_msg":"sensitive"}}` + "\n\n",
			"the provider refused to answer: sensitive (1027)", chat.FailRefused, false},
		"MiniMax, another number": {"application/json", `{"base_resp":{"status_code":1013,"status_msg":"unknown"}}`,
			"the answer is an error of the provider: unknown (1013)", chat.FailServer, true},
	} {
		t.Run(name, func(t *testing.T) {
			waits, f := waitsOf(t, provider.Config{Model: "m", HTTP: &http.Client{Transport: refusing(200, tt.body, "Content-Type", tt.media)}}, "")
			if f.Message != tt.message || f.Kind != tt.kind || f.Retryable != tt.retryable || (len(waits) > 0) != tt.retryable {
				t.Errorf("failure is %s, retryable %t, %d retries, %q, want %s, %t, %q", f.Kind, f.Retryable, len(waits), f.Message, tt.kind, tt.retryable, tt.message)
			}
		})
	}
}

// Runs that failed together come again apart, each as before.
func TestComplete_Jitter(t *testing.T) {
	config := provider.Config{Model: "m", Jitter: true, HTTP: &http.Client{Transport: refusing(500, "")}}
	seen := map[time.Duration]bool{}
	for n := range 50 {
		seed := fmt.Sprintf("run-%d/1", n)
		got, _ := waitsOf(t, config, seed)
		again, _ := waitsOf(t, config, seed)
		if diff := cmp.Diff(got, again); diff != "" || len(got) != 5 {
			t.Errorf("%s: waits %v, then (-first +second):\n%s", seed, got, diff)
		}
		for i, wait := range got {
			nominal := 500 * time.Millisecond << i
			if wait < nominal*3/4 || wait > nominal*5/4 {
				t.Errorf("%s: wait %d is %s, want %s give or take a quarter", seed, i+1, wait, nominal)
			}
		}
		seen[got[0]] = true
	}
	if len(seen) < 25 {
		t.Errorf("fifty runs first wait %d times of their own, want most", len(seen))
	}
}

// What an endpoint says of its refusal reaches people, and decides what it is.
func TestComplete_TheEndpointsOwnWords(t *testing.T) {
	long := strings.Repeat("ü", 300)
	for name, tt := range map[string]struct {
		status        int
		body          string
		kind          chat.FailureKind
		message, code string
	}{
		"OpenAI": {400, `{"error":{"message":"Unsupported value:\n 'x'.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`,
			chat.FailClient, "bad request: Unsupported value: 'x'. (unsupported_value, invalid_request_error)", "unsupported_value"},
		"too long": {400, `{"error":{"message":"It has 9 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`,
			chat.FailPayloadTooLarge, "the conversation is too long for the model: It has 9 tokens. (context_length_exceeded, invalid_request_error)", "context_length_exceeded"},
		"no quota": {429, `{"error":{"message":"Check your plan.","type":"insufficient_quota","code":"insufficient_quota"}}`,
			chat.FailQuota, "no quota is left for this key: Check your plan. (insufficient_quota)", "insufficient_quota"},
		"no model": {404, `{"error":{"message":"No x.","type":"invalid_request_error","code":"model_not_found"}}`,
			chat.FailClient, "no such model: check the model's name: No x. (model_not_found, invalid_request_error)", "model_not_found"},
		"a limit called so with a status that is final": {403, `{"error":{"code":"rate_limit_exceeded"}}`,
			chat.FailUnauthorized, "the key may not be used for this: (rate_limit_exceeded)", "rate_limit_exceeded"},
		"Gemini": {400, `[{"error":{"code":400,"message":"Please use a valid role.","status":"INVALID_ARGUMENT"}}]`,
			chat.FailClient, "bad request: Please use a valid role. (INVALID_ARGUMENT)", "INVALID_ARGUMENT"},
		"DeepSeek":      {402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`, chat.FailQuota, "no quota is left for this key: Insufficient Balance (invalid_request_error, unknown_error)", "invalid_request_error"},
		"OpenRouter":    {400, `{"error":{"message":"x is not a valid model ID","code":400}}`, chat.FailClient, "bad request: x is not a valid model ID", ""},
		"Mistral":       {422, `{"object":"error","message":"no","type":"invalid_request","code":null}`, chat.FailClient, "unprocessable entity: no (invalid_request)", ""},
		"FastAPI":       {404, `{"detail":"Not Found"}`, chat.FailClient, "no such model or address: check the model's name and the base URL: Not Found", ""},
		"a text":        {400, `{"error":"model 'x' not found"}`, chat.FailClient, "bad request: model 'x' not found", ""},
		"HTML":          {400, `<html>`, chat.FailClient, "bad request", ""},
		"nothing":       {400, ``, chat.FailClient, "bad request", ""},
		"another shape": {400, `{"error":{"message":{"a":1},"code":{"b":2},"type":[]}}`, chat.FailClient, `bad request: {"error":{"message":{"a":1},"code":{"b":2},"type":[]}}`, ""},
		"a list":        {422, `{"detail":[{"loc":["body","model"],"msg":"field required"}]}`, chat.FailClient, `unprocessable entity: {"detail":[{"loc":["body","model"],"msg":"field required"}]}`, ""},
		"plain":         {400, "upstream\nsays no", chat.FailClient, "bad request: upstream says no", ""},
		"a mark first":  {400, "\ufeff" + `{"error":{"message":"no"}}`, chat.FailClient, "bad request: no", ""},
		"a gateway":     {400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"no signature"}}}`, chat.FailClient, "bad request: Provider returned error: no signature", ""},
		"cut":           {400, `{"error":{"message":"` + long, chat.FailClient, "bad request: " + (`{"error":{"message":"` + long)[:379] + "...", ""},
		"much":          {400, `{"error":{"message":"` + long + `","code":"` + long + `"}}`, chat.FailClient, "bad request: " + long[:400] + "... (" + long[:128] + "...)", long[:128] + "..."},
		"a secret":      {400, `{"error":{"message":"` + strings.Repeat("x", 195) + `hidden-value","code":"hidden-value"}}`, chat.FailClient, "bad request: " + strings.Repeat("x", 195) + "[reda... ([redacted])", "[redacted]"},
		"no key":        {401, `{"error":{"message":"who?"}}`, chat.FailUnauthorized, "no key was given: set OPENAI_API_KEY or --api-key-file: who?", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := provider.New(provider.Config{Model: "m", Attempts: 1, KeySource: "OPENAI_API_KEY", HTTP: &http.Client{Transport: refusing(tt.status, tt.body, "X-Secret", "header")},
				Redactor: redact.New([]string{"hidden-value"})})
			_, err := c.Complete(t.Context(), user("hi"))
			got := failureOf(t, err)
			want := &chat.Failure{Kind: tt.kind, Status: tt.status, Message: tt.message, Code: tt.code,
				Body: strings.ReplaceAll(tt.body, "hidden-value", redact.Mask)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("failure (-want +got):\n%s", diff)
			}
		})
	}
}

func TestComplete_WhereTheKeyCameFrom(t *testing.T) {
	c := provider.New(provider.Config{Model: "m", Key: "sk-test-k", KeySource: "--api-key-file f", HTTP: &http.Client{Transport: refusing(401, `{"error":{"message":"bad sk-test-k"}}`)}})
	_, err := c.Complete(t.Context(), user("hi"))
	if f := failureOf(t, err); f.Message != "the key from --api-key-file f was not accepted: bad ***" {
		t.Errorf("message is %q", f.Message)
	}
}

// The body of a refusal is passed on in part, whatever its size.
func TestComplete_BodyIsBounded(t *testing.T) {
	c := provider.New(provider.Config{Model: "m", HTTP: &http.Client{Transport: refusing(400, strings.Repeat("ü", 1<<20))}})
	_, err := c.Complete(t.Context(), user("hi"))
	if f := failureOf(t, err); f.Body != strings.Repeat("ü", 2048) {
		t.Errorf("body has %d bytes, want its first 4096", len(f.Body))
	}
}
