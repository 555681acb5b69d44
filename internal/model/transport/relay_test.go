package transport

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// relayTo returns a server in front of upstream, which is asked over next, and what
// it was told of lost answers.
func relayTo(t *testing.T, upstream string, next http.RoundTripper) (server *httptest.Server, lost chan error) {
	t.Helper()
	at, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	lost = make(chan error, 100)
	server = httptest.NewServer(Relay(at, next, func(err error) { lost <- err }))
	t.Cleanup(server.Close)
	return server, lost
}

// The endpoint gets what the client sent, but for its own name and the wish for an
// answer that is not compressed; the client gets what the endpoint said.
func TestRelay_ChangesNothing(t *testing.T) {
	upstream := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		w.Header().Set("X-Own", "a")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, req.Method, " ", req.Host, " ", req.URL.RequestURI(), " ", req.Header.Get("X-Api-Key"), " ",
			req.Header["Accept-Encoding"], req.Header["Upgrade"], req.Header["X-Forwarded-For"], " ", string(body))
	}))
	defer upstream.Close()
	relay, _ := relayTo(t, upstream.URL+"/v1", upstream.Client().Transport)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, relay.URL+"/v1/messages?beta=true&x=%20", strings.NewReader("{ 1 }"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", "sk-test-1")
	req.Header.Set("Accept-Encoding", "gzip, br")
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "websocket")
	resp, body, err := ask(t, http.DefaultTransport, req)
	want := "POST " + strings.TrimPrefix(upstream.URL, "https://") + " /v1/messages?beta=true&x=%20 sk-test-1 [identity] [] [] { 1 }"
	if err != nil || resp.StatusCode != http.StatusTeapot || resp.Header.Get("X-Own") != "a" || body != want {
		t.Errorf("answer is %v %v %q, %v, want 418 with %q", resp.StatusCode, resp.Header, body, err, want)
	}
}

// A piece is handed on before the next one comes.
func TestRelay_HandsOnEachPiece(t *testing.T) {
	seen := make(chan bool)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 3 {
			fmt.Fprint(w, "data: {}\n\n")
			_ = http.NewResponseController(w).Flush()
			<-seen
		}
	}))
	defer upstream.Close()
	relay, _ := relayTo(t, upstream.URL, Upstream())
	resp, err := http.Post(relay.URL+"/v1/responses", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	piece := make([]byte, len("data: {}\n\n"))
	for range 3 {
		if _, err := io.ReadFull(resp.Body, piece); err != nil {
			t.Fatal(err)
		}
		seen <- true
	}
	if rest, err := io.ReadAll(resp.Body); len(rest) > 0 || err != nil {
		t.Errorf("behind the last piece is %q, %v, want the end", rest, err)
	}
}

// An answer that breaks off does so for the client too, at the same byte.
func TestRelay_CutsWhereItWasCut(t *testing.T) {
	const answer = "data: {\"a\":1}\n\ndata: [DONE]\n\n"
	cut := 0
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, answer[:cut])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer upstream.Close()
	relay, _ := relayTo(t, upstream.URL, Upstream())
	for ; cut <= len(answer); cut++ {
		resp, body, err := ask(t, redirectTo{relay.URL}, requestTo(t, "/chat/completions", "{}"))
		if err == nil || body != answer[:cut] || resp.StatusCode != 200 {
			t.Fatalf("cut at %d: answer is %q, %v, want the same cut", cut, body, err)
		}
	}
}

// What no endpoint answers nobody answers, but a refusal of the transport's own.
func TestRelay_AnswersNothingInPlaceOfAnEndpoint(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	relay, lost := relayTo(t, gone.URL, Upstream())
	_, err := http.DefaultTransport.RoundTrip(requestAt(t, relay.URL+"/v1/messages", "{}"))
	if !errors.Is(err, io.EOF) {
		t.Errorf("answer of nobody ends with %v, want a connection that breaks off", err)
	}
	if err := <-lost; !strings.Contains(err.Error(), "refused") {
		t.Errorf("lost is told %v, want that the connection was refused", err)
	}
	for _, tt := range []struct {
		failure chat.Failure
		status  int
	}{{chat.Failure{Kind: chat.FailCassette, Message: "no such request"}, 400}, {chat.Failure{Kind: chat.FailConnection, Retryable: true}, 0}} {
		relay, lost := relayTo(t, gone.URL, failed{&tt.failure})
		req := requestAt(t, relay.URL+"/v1/responses", "{}")
		if tt.status != 0 {
			if resp, body, _ := ask(t, http.DefaultTransport, req); resp.StatusCode != tt.status || !strings.Contains(body, tt.failure.Message) {
				t.Errorf("%v: answer is %d %s, want %d", tt.failure, resp.StatusCode, body, tt.status)
			}
		} else if _, err := http.DefaultTransport.RoundTrip(req); !errors.Is(err, io.EOF) {
			t.Errorf("%v: answer ends with %v, want a connection that breaks off", tt.failure, err)
		}
		if len(lost) > 0 {
			t.Errorf("%v: lost is told %v, want nothing", tt.failure, <-lost)
		}
	}
	relay, _ = relayTo(t, "http://model.invalid", Upstream())
	req := requestAt(t, relay.URL+"/v1/messages", "{}")
	req.Header.Set("X-Api-Key", "sk-test-1")
	if resp, body, err := ask(t, http.DefaultTransport, req); err != nil || resp.StatusCode != 400 || !strings.Contains(body, "plain http") {
		t.Errorf("a key over plain http: answer is %v %s, %v, want 400", resp, body, err)
	}
}

type failed struct{ err error }

func (f failed) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

func requestAt(t *testing.T, address, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// A client that gives up ends the exchange: before an answer as a wait that was too
// long, else as one that was left.
func TestRelay_ClientLeaves(t *testing.T) {
	for _, answers := range []bool{false, true} {
		ended, begun := make(chan error, 1), make(chan bool, 1)
		upstream := roundTrip(func(req *http.Request) (*http.Response, error) {
			if !answers {
				_, _ = io.Copy(io.Discard, req.Body)
				begun <- true
				<-req.Context().Done()
				ended <- context.Cause(req.Context())
				return nil, req.Context().Err()
			}
			_, _ = io.Copy(io.Discard, req.Body)
			in, out := io.Pipe()
			go func() {
				fmt.Fprint(out, "data: {}\n\n")
				begun <- true
				<-req.Context().Done()
				ended <- context.Cause(req.Context())
				out.CloseWithError(req.Context().Err())
			}()
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: in, ContentLength: -1, Request: req}, nil
		})
		relay, _ := relayTo(t, "http://model.invalid", upstream)
		ctx, leave := context.WithCancel(t.Context())
		go func() { <-begun; leave() }()
		resp, err := http.DefaultTransport.RoundTrip(requestAt(t, relay.URL+"/v1/responses", "{}").WithContext(ctx))
		if err == nil {
			resp.Body.Close()
		}
		if cause := <-ended; errors.Is(cause, ErrIdle) == answers {
			t.Errorf("answers %v: the exchange ended with %v", answers, cause)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// An answer that is compressed although nobody asked for that is handed back plain,
// piece by piece, and cut where it was cut.
func TestRelay_Unpacks(t *testing.T) {
	for encoding, pack := range map[string]func(io.Writer) packer{
		"gzip": func(w io.Writer) packer { return gzip.NewWriter(w) },
		"GZIP": func(w io.Writer) packer { return gzip.NewWriter(w) },
		"br":   func(w io.Writer) packer { return brotli.NewWriter(w) },
	} {
		t.Run(encoding, func(t *testing.T) { relayUnpacks(t, encoding, pack) })
	}
}

// packer compresses what is written to it.
type packer interface {
	io.WriteCloser
	Flush() error
}

func relayUnpacks(t *testing.T, encoding string, pack func(io.Writer) packer) {
	cut := false
	seen := make(chan bool)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", encoding)
		packed := pack(w)
		fmt.Fprint(packed, "data: {}\n\n")
		_ = packed.Flush()
		_ = http.NewResponseController(w).Flush()
		<-seen
		if cut {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(packed, "data: [DONE]\n\n")
		_ = packed.Close()
	}))
	defer upstream.Close()
	relay, _ := relayTo(t, upstream.URL, Upstream())
	for _, cut = range []bool{false, true} {
		req := requestAt(t, relay.URL+"/v1/messages", "{}")
		req.Header.Set("Accept-Encoding", "gzip, br") // by hand, so that our client leaves it
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		var first bytes.Buffer
		if _, err := io.CopyN(&first, resp.Body, int64(len("data: {}\n\n"))); err != nil {
			t.Fatal(err)
		}
		seen <- true
		rest, err := io.ReadAll(resp.Body)
		if want := map[bool]string{false: "data: [DONE]\n\n"}[cut]; string(rest) != want || (err != nil) != cut || resp.Header.Get("Content-Encoding") != "" {
			t.Errorf("cut %v: rest is %q, %v, %v, want %q", cut, rest, err, resp.Header, want)
		}
		resp.Body.Close()
	}
}

// A request that is too large is refused.
func TestRelay_RequestsAreBounded(t *testing.T) {
	relay, _ := relayTo(t, "http://model.invalid", roundTrip(func(req *http.Request) (*http.Response, error) {
		_, err := io.Copy(io.Discard, req.Body)
		return nil, err
	}))
	w := httptest.NewRecorder()
	relay.Config.Handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/messages", io.LimitReader(zeros{}, maxRequest+1)))
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("answer is %d %s, want 413", w.Code, w.Body)
	}
}
