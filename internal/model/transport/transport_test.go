package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

func post(t *testing.T, c *http.Client, address, key string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := c.Do(req)
	if err == nil {
		t.Cleanup(func() { _ = resp.Body.Close() })
	}
	return resp, err
}

func TestNetwork_Redirects(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a request came to another origin")
	}))
	defer elsewhere.Close()
	var loops atomic.Int32
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/away":
			http.Redirect(w, req, elsewhere.URL, http.StatusTemporaryRedirect)
		case "/moved":
			http.Redirect(w, req, "/here", http.StatusMovedPermanently)
		case "/again":
			http.Redirect(w, req, "/here", http.StatusTemporaryRedirect)
		case "/loop":
			loops.Add(1)
			http.Redirect(w, req, "/loop", http.StatusTemporaryRedirect)
		}
	}))
	defer home.Close()
	for path, want := range map[string]int{
		"/here": 200, "/again": 200, "/away": 307, "/moved": 301, "/loop": 307,
	} {
		resp, err := post(t, Network(Options{}), home.URL+path, "sk-test-1")
		if err != nil || resp.StatusCode != want {
			t.Errorf("%s: answer is %v, %v, want status %d", path, resp, err, want)
		}
	}
	if n := loops.Load(); n != maxRedirects+1 {
		t.Errorf("a loop was followed for %d requests, want %d", n, maxRedirects+1)
	}
}

func TestSameOrigin_SchemeAndPort(t *testing.T) {
	first := request(t, "{}")
	for address, ok := range map[string]bool{
		"http://model.invalid/other":     true,
		"http://MODEL.invalid/other":     true,
		"https://model.invalid/other":    false,
		"http://model.invalid:81/other":  false,
		"http://model.invalid.x.example": false,
	} {
		next, err := http.NewRequest(http.MethodPost, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := sameOrigin(next, []*http.Request{first}); (err == nil) != ok {
			t.Errorf("sameOrigin(%s) is %v, want allowed %t", address, err, ok)
		}
	}
}

func TestNetwork_KeepsNoCookies(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if len(req.Cookies()) > 0 {
			t.Errorf("request has cookies %v, want none", req.Cookies())
		}
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
	}))
	defer server.Close()
	c := Network(Options{})
	for range 2 {
		if _, err := post(t, c, server.URL, ""); err != nil {
			t.Fatal(err)
		}
	}
}

// reached is a transport that only reports that a request came through.
type reached struct{}

func (reached) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody, Request: req}, nil
}

func TestGuarded_KeyOverPlainHTTP(t *testing.T) {
	tests := []struct {
		address, key string
		passes       bool
	}{
		{"http://model.example/v1", "sk-test-1", false},
		{"http://10.0.0.1/v1", "sk-test-1", false},
		{"http://127.0.0.1.example/v1", "sk-test-1", false},
		{"http://model.example/v1", "", true},
		{"https://model.example/v1", "sk-test-1", true},
		{"http://127.0.0.2:8080/v1", "sk-test-1", true},
		{"http://[::1]:8080/v1", "sk-test-1", true},
		{"http://localhost:8080/v1", "sk-test-1", true},
	}
	for _, tt := range tests {
		_, err := post(t, Client(guarded{next: reached{}}, Options{}), tt.address, tt.key)
		if (err == nil) != tt.passes {
			t.Errorf("%s with key %q: error is %v, want it to pass %t", tt.address, tt.key, err, tt.passes)
		}
		var f *chat.Failure
		if err != nil && (!errors.As(err, &f) || f.Retryable || strings.Contains(f.Message, "sk-test")) {
			t.Errorf("%s: error is %v, want a final failure without the key", tt.address, err)
		}
	}
}

// paced is a transport whose headers and each byte of the body come after a
// pause, as long as the request lives.
type paced struct {
	header, piece time.Duration
	body          string
}

func (p paced) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := pause(req.Context(), p.header); err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	go func() {
		for i := range p.body {
			if err := pause(req.Context(), p.piece); err != nil {
				w.CloseWithError(err)
				return
			}
			_, _ = w.Write([]byte(p.body[i : i+1]))
		}
		_ = w.Close()
	}()
	return &http.Response{StatusCode: http.StatusOK, Body: r, Request: req}, nil
}

func pause(ctx context.Context, d time.Duration) error {
	return (&fault{delay: d}).wait(ctx)
}

func TestClient_Timeout(t *testing.T) {
	tests := []struct {
		name    string
		next    paced
		timeout time.Duration
		after   time.Duration
	}{
		{"headers in time, body longer in all", paced{8 * time.Second, 8 * time.Second, "12345"}, 10 * time.Second, 0},
		{"headers late", paced{11 * time.Second, 0, "1"}, 10 * time.Second, 10 * time.Second},
		{"body late", paced{time.Second, 11 * time.Second, "1"}, 10 * time.Second, 11 * time.Second},
		{"no timeout", paced{time.Hour, time.Hour, "1"}, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				resp, err := post(t, Client(tt.next, Options{Timeout: tt.timeout}), "http://model.example", "")
				var body []byte
				if err == nil {
					body, err = io.ReadAll(resp.Body)
				}
				if tt.after == 0 {
					if err != nil || string(body) != tt.next.body {
						t.Errorf("answer is %q, %v, want the whole body", body, err)
					}
					return
				}
				var f *chat.Failure
				if !errors.As(err, &f) || f.Kind != chat.FailTimeout || !f.Retryable || f.Message != "no answer for 10s" {
					t.Errorf("error is %v, want a failure of kind timeout", err)
				}
				if waited := time.Since(start); waited != tt.after {
					t.Errorf("waited %s, want %s", waited, tt.after)
				}
			})
		})
	}
}

func TestClient_ASlowReaderIsNoTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resp, err := post(t, Client(paced{0, time.Second, "123"}, Options{Timeout: 2 * time.Second}), "http://model.example", "")
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
				t.Errorf("Read() after a long pause: %v", err)
			}
			time.Sleep(time.Minute)
		}
	})
}

func TestClient_CallerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		req := request(t, "{}").WithContext(ctx)
		_, err := Client(paced{header: time.Hour}, Options{Timeout: time.Minute}).Do(req)
		var f *chat.Failure
		if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &f) {
			t.Errorf("Do() error is %v, want the caller's deadline", err)
		}
	})
}

// sized answers with so many bytes.
type sized int

func (s sized) RoundTrip(req *http.Request) (*http.Response, error) {
	body := io.NopCloser(bytes.NewReader(make([]byte, s)))
	return &http.Response{StatusCode: http.StatusOK, Body: body, Request: req}, nil
}

func TestClient_BodyCap(t *testing.T) {
	for _, tt := range []struct {
		size  sized
		max   int64
		whole bool
	}{
		{100, 100, true}, {101, 100, false}, {100000, 100, false}, {defaultMaxBody, 0, true}, {defaultMaxBody + 1, 0, false},
	} {
		resp, err := post(t, Client(tt.size, Options{MaxBody: tt.max}), "http://model.example", "")
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		if tt.whole {
			if err != nil || n != int64(tt.size) {
				t.Errorf("%d bytes under a cap of %d: read %d, %v, want all", tt.size, tt.max, n, err)
			}
			continue
		}
		var f *chat.Failure
		if !errors.As(err, &f) || f.Kind != chat.FailPayloadTooLarge || f.Retryable || n >= int64(tt.size) {
			t.Errorf("%d bytes under a cap of %d: read %d, %v, want payload_too_large", tt.size, tt.max, n, err)
		}
		if again, err := resp.Body.Read(make([]byte, 10)); again != 0 || err == nil {
			t.Errorf("Read() after the cap = %d, %v, want the error again", again, err)
		}
	}
}
