package provider_test

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// once asks an endpoint on loopback, without retries.
func once(t *testing.T, base, key string) (chat.Reply, error) {
	t.Helper()
	return provider.New(provider.Config{
		BaseURL: base, Model: "m", Key: key, Attempts: 1, HTTP: transport.Network(transport.Options{}),
	}).Complete(t.Context(), user("hi"))
}

func TestNetwork_RedirectToAnotherOriginIsAFailure(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		t.Errorf("%s came to another origin, with authorization %q", req.URL, req.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		home := httptest.NewServer(http.RedirectHandler(elsewhere.URL, status))
		_, err := once(t, home.URL, key)
		f := failureOf(t, err)
		if f.Kind != chat.FailClient || f.Status != status || f.Retryable {
			t.Errorf("status %d: failure is %+v, want kind client, not retryable", status, f)
		}
		if strings.Contains(f.Message, elsewhere.URL) {
			t.Errorf("status %d: message is %q, want no address that the endpoint chose", status, f.Message)
		}
		home.Close()
	}
}

func TestNetwork_EndlessAnswerIsCut(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		piece := []byte(": " + strings.Repeat("x", 1<<16) + "\n")
		for {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	_, err := once(t, server.URL, "")
	if f := failureOf(t, err); f.Kind != chat.FailPayloadTooLarge || f.Retryable {
		t.Errorf("failure is %+v, want kind payload_too_large, not retryable", f)
	}
}

func TestNetwork_CertificatesAndTLS(t *testing.T) {
	t.Setenv("SSL_CERT_FILE", "")
	answer := script(t, "[{text: a}]")
	secure, plain := httptest.NewUnstartedServer(answer), httptest.NewServer(answer)
	// It would complain to stderr about the client that does not trust it.
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	defer plain.Close()
	for base, want := range map[string]string{
		secure.URL: "the server's certificate could not be verified: if its authority is your own, name its file by the variable SSL_CERT_FILE",
		strings.Replace(plain.URL, "http:", "https:", 1): "the server speaks plain http, not https",
	} {
		_, err := once(t, base, key)
		if f := failureOf(t, err); f.Kind != chat.FailConnection || f.Message != want {
			t.Errorf("failure is %v, want kind connection, %q", f, want)
		}
	}
}

func TestComplete_WithoutAKey(t *testing.T) {
	var header http.Header
	s := script(t, "[{text: a}]")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		header = req.Header.Clone()
		s.ServeHTTP(w, req)
	}))
	defer server.Close()
	if _, err := once(t, server.URL, ""); err != nil {
		t.Fatal(err)
	}
	if got, ok := header["Authorization"]; ok {
		t.Errorf("authorization is %q, want none", got)
	}
}

func TestComplete_TextThatIsNotUTF8(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		var body []byte
		s := script(t, "[{text: a}]")
		c := clientOf(api, roundTripper(func(req *http.Request) (*http.Response, error) {
			body, _ = io.ReadAll(req.Body)
			req.Body = http.NoBody
			return s.RoundTrip(req)
		}))
		req := user("a\xffb\x00\u2028")
		req.Messages = append(req.Messages, &chat.Message{Role: chat.RoleTool, ToolCallID: "\xfe", Content: "\xc3("})
		if _, err := c.Complete(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if !json.Valid(body) || !utf8.Valid(body) {
			t.Errorf("body is %q, want valid JSON in UTF-8", body)
		}
	})
}
