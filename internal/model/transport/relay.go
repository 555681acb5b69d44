package transport

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"

	"github.com/openagent-ci/openagent/internal/model/wire"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// Relay returns a handler that sends each request on to the same path of upstream
// over next, and hands back what comes as it comes. Where no answer came, or one
// broke off, it breaks the connection off: that is what a client of upstream would
// notice. What a transport itself refuses is a 400 in words of the API. lost is
// told of the former, and may be nil.
//
// Answers are asked for without compression, so that what is recorded of them can
// be read; one that is gzip or brotli all the same is handed back without.
func Relay(upstream *url.URL, next http.RoundTripper, lost func(error)) http.Handler {
	proxy := &httputil.ReverseProxy{
		Transport:     patient{next},
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = upstream.Scheme, upstream.Host, ""
			r.Out.Header.Set("Accept-Encoding", "identity")
			// A WebSocket is no exchange; the client falls back to one.
			r.Out.Header.Del("Connection")
			r.Out.Header.Del("Upgrade")
			if r.Out.Body != nil {
				r.Out.Body = http.MaxBytesReader(nil, r.Out.Body, maxRequest)
			}
		},
		ErrorHandler: func(w http.ResponseWriter, req *http.Request, err error) {
			over, _, _ := wire.Find(req.URL.Path, req.Header)
			var large *http.MaxBytesError
			var refused *chat.Failure
			switch {
			case errors.As(err, &large):
			case errors.As(err, &refused) && !refused.Retryable:
			default:
				if lost != nil && refused == nil && req.Context().Err() == nil {
					lost(err)
				}
				panic(http.ErrAbortHandler)
			}
			send(w, refusal(over, err))
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { proxy.ServeHTTP(prompt{w}, req) })
}

// prompt sends the headers of an answer before there is a body.
type prompt struct{ http.ResponseWriter }

func (p prompt) WriteHeader(status int) {
	p.ResponseWriter.WriteHeader(status)
	_ = http.NewResponseController(p.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController find what it flushes.
func (p prompt) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// patient is a transport for the requests of a server. That a client went before
// the headers of an answer came it notes as a wait that was too long.
type patient struct{ next http.RoundTripper }

// RoundTrip ends the exchange with its request, for the reason that is known.
func (p patient) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(req.Context()))
	waits := context.AfterFunc(req.Context(), func() { cancel(ErrIdle) })
	resp, err := p.next.RoundTrip(req.WithContext(ctx))
	waits()
	if err != nil {
		cancel(nil)
		return nil, err
	}
	left := context.AfterFunc(req.Context(), func() { cancel(context.Canceled) })
	resp.Body = &endingBody{resp.Body, func() { left(); cancel(nil) }}
	return resp, nil
}

// endingBody is a body that calls end when it was closed.
type endingBody struct {
	io.ReadCloser
	end func()
}

func (b *endingBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

// Upstream returns a transport to real endpoints that changes nothing: it follows
// no redirect and bounds no answer, but for what Network refuses too.
func Upstream() http.RoundTripper { return plain{guarded{next: network()}} }
