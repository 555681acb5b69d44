package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/semaphore"

	"github.com/openagent-ci/openagent/internal/model/wire"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/clip"
)

const (
	// maxRequest bounds the body of a request that a served script reads.
	maxRequest = 64 << 20
	// headerTimeout bounds the wait for the headers of a request.
	headerTimeout = 30 * time.Second
	// notJSON is what a request gets whose body is none.
	notJSON = "the body of the request is no JSON object"
	// manyValues is what one gets that is made of more than maxValues values.
	manyValues = "the body of the request has more than a million values"
	// serveGrace is the time for answers on their way when a server ends.
	serveGrace = 500 * time.Millisecond
)

// Listen opens a port of 127.0.0.1 and has h answer there until stop is called,
// also when ctx has ended. origin is its address, without a path.
func Listen(ctx context.Context, h http.Handler) (origin string, stop func() error, err error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("open a port: %w", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, h) }()
	return "http://" + l.Addr().String(), func() error {
		cancel()
		return <-ended
	}, nil
}

// Serve has h answer on l until ctx ends, which is no error. Connections that
// wait for a delay or a hang to pass are broken off then. It closes l.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{
		Handler:           local(l.Addr(), withinBounds(h, semaphore.NewWeighted(sharedBody))),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(limit(ctx, l, maxConnections)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), serveGrace)
	defer cancel()
	if server.Shutdown(grace) != nil {
		// Whoever is still there had its time.
		_ = server.Close()
	}
	<-ended
	return nil
}

// local hands on the requests that name a loopback host and the port of the
// server, and that no page of another host makes. A page in a browser reaches
// loopback too: by a name of its own that was made to lead there (DNS rebinding),
// or by a form or a fetch whose answer it cannot read but which takes a turn.
func local(at net.Addr, next http.Handler) http.Handler {
	_, port, _ := net.SplitHostPort(at.String())
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		host, asked, err := net.SplitHostPort(req.Host)
		if err != nil || asked != port || !IsLoopback(strings.ToLower(host)) {
			send(w, serverError(nil, http.StatusForbidden, "the Host header names another server; ask localhost or 127.0.0.1, port "+port))
			return
		}
		if ofOtherPage(req.Header) {
			send(w, serverError(nil, http.StatusForbidden, "a page of another host asks; only pages of this machine may"))
			return
		}
		next.ServeHTTP(w, req)
	})
}

// ofOtherPage reports whether a browser says that a page which is not of this machine
// makes a request: by Origin, with each POST, or else by Sec-Fetch-Site.
func ofOtherPage(h http.Header) bool {
	origins := h.Values("Origin")
	for _, origin := range origins {
		if u, err := url.Parse(origin); err != nil || !IsLoopback(strings.ToLower(u.Hostname())) {
			return true
		}
	}
	return len(origins) == 0 && h.Get("Sec-Fetch-Site") == "cross-site"
}

// ServeHTTP answers a request with the next turn, as a stream if it asks for
// one. What fails a RoundTrip is a 400 here, and so is a body that is no JSON object,
// not whole, or has a member of another kind than the API has, which takes no turn.
func (s *Script) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	req.Body = http.MaxBytesReader(w, req.Body, maxRequest)
	over, other := route(req)
	got := Served{Method: req.Method, Path: req.URL.Path}
	a, err := s.serve(req, over, other, &got)
	if gone := a.late.wait(req.Context()); gone != nil {
		err = gone
	}
	if err != nil {
		s.refuse(err)
		a = refusal(over, err)
	}
	if s.Log != nil {
		got.answered(a, err)
		s.Log(got)
	}
	if a.status == 0 {
		panic(http.ErrAbortHandler)
	}
	send(w, a)
}

// serve returns the answer to a request over an API, other to one for something else, and
// notes what it got.
func (s *Script) serve(req *http.Request, over *wire.Wire, other answer, got *Served) (a answer, err error) {
	if over == nil {
		return other, discard(req)
	}
	got.Wire = over.Name
	body, err := readBody(req)
	switch {
	case err != nil:
		return answer{}, err
	case packed(req) != "":
		return got.refuse(over, http.StatusUnsupportedMediaType, "the body of the request is compressed by "+clip.Short(packed(req), 40)+": send it plain"), nil
	case !isObject(body):
		return got.refuse(over, http.StatusBadRequest, notJSON), nil
	case tooMany(body):
		return got.refuse(over, http.StatusRequestEntityTooLarge, manyValues), nil
	}
	request, broken := over.Parse(req.URL, body)
	if broken == nil {
		broken = request.Check()
	}
	if s.Log != nil {
		got.note(&request, broken)
	}
	if broken != nil {
		return got.refuse(over, http.StatusBadRequest, broken.Error()), nil
	}
	got.Side = true // unless it takes a turn
	a, got.Turn, err = s.answer(inquiry{asked: request, body: body})
	return a, err
}

// packed returns how the body of a request is compressed, "" for one that is not.
func packed(req *http.Request) string {
	how := req.Header.Get("Content-Encoding")
	if strings.EqualFold(how, "identity") {
		return ""
	}
	return how
}

// readBody reads the body of a request. One whose length says that it is too large is
// read as far as may be and not held: a client that still sends reads no refusal.
func readBody(req *http.Request) ([]byte, error) {
	if req.ContentLength > maxRequest {
		return nil, discard(req)
	}
	var body bytes.Buffer
	// The first bytes may have to wait until there is room for all.
	_, err := body.ReadFrom(io.LimitReader(req.Body, bytes.MinRead))
	if rest := int(req.ContentLength) - body.Len(); err == nil {
		body.Grow(max(0, rest) + bytes.MinRead) // ReadFrom wants so much to be left
		_, err = body.ReadFrom(req.Body)
	}
	return body.Bytes(), bodyError(req, err)
}

// discard reads the body of a request that nobody needs.
func discard(req *http.Request) error {
	_, err := io.Copy(io.Discard, req.Body)
	return bodyError(req, err)
}

// bodyError returns the error of reading a body, a *brokenBody where what came is no
// whole one.
func bodyError(req *http.Request, err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF): // the client may still read
		return &brokenBody{err}
	case err == nil, errors.As(err, &large), errors.Is(err, os.ErrDeadlineExceeded), req.Context().Err() != nil:
		return err
	}
	return &brokenBody{err}
}

// brokenBody is the error of a body that ends early, or whose chunks are none.
type brokenBody struct{ cause error }

func (b *brokenBody) Error() string {
	return "the body of the request is not whole: " + b.cause.Error()
}

// isObject reports whether a body is a JSON object, in UTF-8.
func isObject(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{")) && json.Valid(body) && utf8.Valid(body)
}

// tooMany reports whether valid JSON has more than maxValues values: what stands in
// front of them is counted, but for what is in strings.
func tooMany(body []byte) bool {
	if len(body) <= maxValues {
		return false
	}
	n, text := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			text = !text
		case text && c == '\\':
			i++
		case !text && (c == ',' || c == ':' || c == '[' || c == '{'):
			n++
		}
	}
	return n > maxValues
}

// send writes an answer.
func send(w http.ResponseWriter, a answer) {
	for key, values := range a.header {
		w.Header()[key] = values
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // a client that left is told nothing
	if a.cut {
		_ = http.NewResponseController(w).Flush()
		// The connection is broken off, which is what the client must notice.
		panic(http.ErrAbortHandler)
	}
}

// Refuse answers a request with an error in words of its API. It reads the body first: a
// client that still sends reads no answer.
func Refuse(w http.ResponseWriter, req *http.Request, status int, message string) {
	req.Body = http.MaxBytesReader(w, req.Body, maxRequest)
	_ = discard(req)
	over, _, _ := wire.Find(req.URL.Path, req.Header)
	send(w, serverError(over, status, message))
}

// refusal returns the answer to a request that no turn answers, a zero one to a
// request that was given up, by its client or with the server.
func refusal(over *wire.Wire, err error) answer {
	var failure *chat.Failure
	var large *http.MaxBytesError
	var broken *brokenBody
	switch {
	case errors.As(err, &failure):
		return serverError(over, http.StatusBadRequest, failure.Message)
	case errors.As(err, &broken):
		return serverError(over, http.StatusBadRequest, broken.Error())
	case errors.As(err, &large):
		return serverError(over, http.StatusRequestEntityTooLarge, large.Error())
	case errors.Is(err, os.ErrDeadlineExceeded):
		return serverError(over, http.StatusRequestTimeout, "the body of the request did not come")
	}
	return answer{}
}
