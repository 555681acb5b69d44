package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What adapts a request to a gateway goes with it, and what of it is secret is
// told nowhere.
func TestRun_HeadersQueryAndEdits(t *testing.T) {
	c := newTaped(t)
	t.Setenv("GATEWAY_VALUE", "sk-test-from-variable")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got := []string{r.Header.Get("Api-Key"), r.Header.Get("X-Trace"), r.Header.Get("X-Feature"), r.URL.RawQuery}
		want := []string{"sk-test-literal-value", "sk-test-from-variable", "on", "api-version=2024-10-21"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("request (-want +got):\n%s", diff)
		}
		if bytes.Contains(body, []byte("stream_options")) || !bytes.Contains(body, []byte(`"user":"ci"`)) || !bytes.Contains(body, []byte(`"role":"developer"`)) {
			t.Errorf("body is %s, want it edited", body)
		}
		streamed(`{"choices":[{"delta":{"content":"sk-test-literal-value, sk-test-from-variable, on"},"finish_reason":"stop"}]}`, done)(w, r, 1)
	}))
	defer server.Close()
	flags := []string{"--header=api-key=sk-test-literal-value", "--header=X-Trace=env:GATEWAY_VALUE", "--header=X-Feature=on",
		"--query=api-version=2024-10-21", "--request-set=/stream_options=null", `--request-set=/user="ci"`, `--request-set=/messages/0/role="developer"`}
	got := c.record(server, append(flags, "p")...)
	if got.status != 0 || !strings.Contains(got.out, `"final_output":"[redacted], [redacted], on"`) {
		t.Errorf("run = %d\n%s%s", got.status, got.out, got.err)
	}
	for where, text := range map[string]string{"stream": got.out, "stderr": got.err, "cassette": c.text()} {
		if strings.Contains(text, "sk-test-") {
			t.Errorf("%s shows a secret:\n%s", where, text)
		}
	}
	// A replay needs what is matched alone.
	again := c.run(append(flags[3:], "p")...)
	if again.status != 0 {
		t.Errorf("replay = %d\n%s%s", again.status, again.out, again.err)
	}
}
