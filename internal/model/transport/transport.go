// Package transport carries requests to a model over the network, or to a script
// that answers from memory.
//
// Whatever a transport itself refuses is a *chat.Failure in the error chain;
// any other error is the connection's own.
package transport

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// Options bound every exchange of a client. The zero value has no timeout and
// the default cap.
type Options struct {
	// Timeout is the longest wait for the response headers, and for each
	// further piece of the body; 0 means none. A long answer that keeps
	// coming is not cut by it.
	Timeout time.Duration
	// MaxBody is the most bytes read of one response, 0 for 16 MiB.
	MaxBody int64
	// Secret tells that requests carry a secret, whichever header or parameter
	// it is in.
	Secret bool
	// Record, if set, puts a recorder around the network.
	Record func(next http.RoundTripper) http.RoundTripper
}

const defaultMaxBody = 16 << 20

// maxRedirects bounds a chain of redirects within one origin.
const maxRedirects = 5

// Client returns a client that sends over next within the bounds of o. It
// keeps no cookies and follows a redirect only to the same origin with the
// same method; any other redirect is returned as the response it is.
func Client(next http.RoundTripper, o Options) *http.Client {
	if o.MaxBody <= 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.Record != nil {
		next = o.Record(next)
	}
	return &http.Client{
		Transport:     &bounded{next: next, timeout: o.Timeout, maxBody: o.MaxBody},
		CheckRedirect: sameOrigin,
	}
}

// Network returns a client for real endpoints. Proxies are taken from the
// environment. A request that carries a key is refused over plain http unless
// it goes to this machine.
func Network(o Options) *http.Client {
	return Client(guarded{secret: o.Secret, next: network()}, o)
}

func network() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          4,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// sameOrigin stops at a redirect that would send the conversation elsewhere
// or turn the request into another one: a POST answered by 301 becomes a GET.
func sameOrigin(req *http.Request, via []*http.Request) error {
	first := via[0]
	same := req.Method == first.Method && req.URL.Scheme == first.URL.Scheme &&
		strings.EqualFold(req.URL.Host, first.URL.Host)
	if !same || len(via) > maxRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

// guarded refuses to send a key in the clear.
type guarded struct {
	next   http.RoundTripper
	secret bool // also without a header of authorization
}

func (g guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	host := req.URL.Hostname()
	if req.URL.Scheme == "http" && (g.secret || hasKey(req)) && !IsLoopback(host) {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, &chat.Failure{
			Kind:    chat.FailClient,
			Message: fmt.Sprintf("a key is not sent over plain http to %s: use https, or no key", host),
		}
	}
	return g.next.RoundTrip(req)
}

// hasKey reports whether a request has a key where one of the APIs wants it.
func hasKey(req *http.Request) bool {
	for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key"} {
		if req.Header.Get(name) != "" {
			return true
		}
	}
	return req.URL.Query().Has("key")
}

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// Response returns an answer to req whose body ends with err, or well if that
// is nil.
func Response(req *http.Request, status int, header http.Header, body []byte, err error) *http.Response {
	var all io.Reader = bytes.NewReader(body)
	if err != nil {
		all = io.MultiReader(all, failing{err})
	}
	return &http.Response{
		Status:        fmt.Sprintf("%d %s", status, http.StatusText(status)),
		StatusCode:    status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        header,
		ContentLength: -1,
		Request:       req,
		Body:          io.NopCloser(all),
	}
}

// failing is the rest of a body that cannot be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
