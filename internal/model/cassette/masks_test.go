package cassette

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// The key of a program is known from its requests alone, and may be told anywhere.
func TestRecorder_KeysOfRequests(t *testing.T) {
	const key = "sk-test-only-in-the-request"
	for name, carry := range map[string]func(*http.Request){
		"bearer":    func(req *http.Request) { req.Header.Set("Authorization", "Bearer "+key) },
		"basic":     func(req *http.Request) { req.SetBasicAuth("user", key) },
		"anthropic": func(req *http.Request) { req.Header.Set("X-Api-Key", key) },
		"gemini":    func(req *http.Request) { req.Header.Set("X-Goog-Api-Key", key) },
		"parameter": func(req *http.Request) { req.URL.RawQuery = "alt=sse&key=" + key },
		"cookie":    func(req *http.Request) { req.Header.Set("Cookie", "a=b; session="+key) },
	} {
		for _, status := range []int{http.StatusOK, http.StatusUnauthorized} {
			r, path := recorder(t)
			req := request(t, `{"messages":[{"role":"user","content":"my key is `+key+`"}]}`)
			carry(req)
			says := func() io.ReadCloser {
				return io.NopCloser(strings.NewReader(`{"error":{"message":"no such key: ` + key + `"}}`))
			}
			resp, err := r.Tape(&answers{status: []int{status}, body: says}).RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			told, err := io.ReadAll(resp.Body)
			if err != nil || !strings.Contains(string(told), key) {
				t.Errorf("%s, %d: the client reads %q, %v, want the key", name, status, told, err)
			}
			resp.Body.Close()
			got, err := os.ReadFile(path)
			if err != nil || strings.Contains(string(got), key) || strings.Count(string(got), "[redacted]") < 2 {
				t.Errorf("%s, %d: the cassette is %s, %v, want no key", name, status, got, err)
			}
		}
	}
}

// What was masked in the recorded request is masked in the repeated one, and in what
// is said of their difference.
func TestCassette_KeysOfRequests(t *testing.T) {
	const key = "sk-test-only-in-the-request"
	ask := func(key, text string) *http.Request {
		req := request(t, `{"messages":[{"role":"user","content":"`+text+key+`"}]}`)
		req.Header.Set("X-Api-Key", key)
		return req
	}
	r, _ := recorder(t)
	resp, err := r.Tape(&answers{status: []int{200}}).RoundTrip(ask(key, "mine is "))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if _, err := r.Close(true); err != nil {
		t.Fatal(err)
	}
	if _, err := loaded(t, r.path).RoundTrip(ask("sk-test-another-one", "mine is ")); err != nil {
		t.Errorf("the same request with another key: %v", err)
	}
	c := loaded(t, r.path)
	if _, err := c.RoundTrip(ask("sk-test-another-one", "yours is ")); err == nil {
		t.Error("another request was answered")
	}
	if d := c.Difference(); d == "" || strings.Contains(d, "sk-test") {
		t.Errorf("Difference() = %q, want one without a key", d)
	}
}

// A request can name the key of the endpoint, or of a server that it shall ask, in its
// body. What a conversation calls a password is no key: a file's content has to come
// back as it was.
func TestRecorder_KeysInBodies(t *testing.T) {
	const key = "sk-test-only-in-the-body"
	const form, parts = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"
	for _, tt := range []struct {
		kind, body string
		masked     bool
	}{
		{form, "model=m&api_key=" + key + "&broken=%", true},
		{form, "password=sk%2Dtest-only-in-the-body", true},
		{form, "text=" + key, false},
		{form, "auth.token=" + key, true},
		{form, "auth%5Bapi_key%5D=" + key, true},
		{form, "token.note=" + key, false},
		{parts, "--b\r\nContent-Disposition: form-data; name=\"api-key\"\r\n\r\n" + key + "\r\n--b--\r\n", true},
		{parts, "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + key + "\r\n--b", true},
		{parts, "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n" + key + "\r\n--b--\r\n", false},
		{"", `{"api_key":"` + key + `"}`, true},
		{"", `{"apiKey": "` + key + `"}`, true},
		{"", `{"tools":[{"type":"mcp","authorization":"` + key + `"}]}`, true},
		{"", `{"tools":[{"type":"mcp","headers":{"Authorization":"Bearer ` + key + `"}}]}`, true},
		{"", `{"tools":[{"type":"mcp","headers":{"X-Api-Key":"` + key + `"}}]}`, true},
		{"", `{"mcp_servers":[{"authorization_token":"` + key + `"}]}`, true},
		{"", `{"prompt_cache_key":"` + key + `"}`, false},
		{"", `{"messages":[{"content":[{"input":{"password":"` + key + `"}}]}]}`, false},
		{"", `{"input":[{"token":"` + key + `"}]}`, false},
		{"", `{"contents":[{"parts":[{"functionCall":{"args":{"secret":"` + key + `"}}}]}]}`, false},
		{"", `{"tools":[{"parameters":{"properties":{"token":{"type":"string","description":"` + key + `"}}}}]}`, false},
	} {
		r, path := recorder(t)
		says := func() io.ReadCloser { return io.NopCloser(strings.NewReader(`{"text":"it is ` + key + `"}`)) }
		req := request(t, tt.body)
		req.Header.Set("Content-Type", tt.kind)
		resp, err := r.Tape(&answers{status: []int{200}, body: says}).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		got, err := os.ReadFile(path)
		if want := map[bool]int{false: 2}[tt.masked]; err != nil || strings.Count(string(got), key) != want {
			t.Errorf("%s: the cassette is %s, %v, want the key in it %d times", tt.body, got, err, want)
		}
	}
}

// The words of a refusal can name the host that was asked.
func TestRecorder_HostInRefusals(t *testing.T) {
	for host, want := range map[string]string{
		"llm.corp.test":      "no key at https://[redacted]/v1, ask [redacted]",
		"llm.corp.test:8443": "no key at https://[redacted]/v1, ask [redacted]",
		"ask":                "no key at https://ask/v1, ask ask",
	} {
		r, path := recorder(t)
		req := request(t, "{}")
		req.URL.Host = host
		name, _, _ := strings.Cut(host, ":")
		says := func() io.ReadCloser {
			return io.NopCloser(strings.NewReader(`{"message":"no key at https://` + host + `/v1, ask ` + name + `"}`))
		}
		resp, err := r.Tape(&answers{status: []int{401}, body: says}).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if got, err := os.ReadFile(path); err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: the cassette is %s, %v, want %q in it", host, got, err, want)
		}
	}
}
