package transport

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

// unpackers read what was compressed, by the name that Content-Encoding has for it.
// Each may read on when it is made.
var unpackers = map[string]func(io.Reader) (io.Reader, error){
	"gzip":   unzip,
	"x-gzip": unzip,
	"br":     func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
}

func unzip(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }

// plain is a transport whose answers are not compressed in a way that unpackers has.
type plain struct{ next http.RoundTripper }

func (p plain) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := p.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	unpack := unpackers[strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding")))]
	if unpack == nil {
		return resp, nil
	}
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	resp.ContentLength, resp.Uncompressed = -1, true
	resp.Body = &unpacked{body: resp.Body, unpack: unpack}
	return resp, nil
}

// unpacked reads what was compressed.
type unpacked struct {
	body   io.ReadCloser
	unpack func(io.Reader) (io.Reader, error)
	plain  io.Reader // nil before the first read
}

// Read reads the header of the format first, which may take as long as any piece.
func (u *unpacked) Read(p []byte) (int, error) {
	if u.plain == nil {
		plain, err := u.unpack(u.body)
		if err != nil {
			return 0, err
		}
		u.plain = plain
	}
	return u.plain.Read(p)
}

func (u *unpacked) Close() error { return u.body.Close() }

// Unpack returns the body of a request as it was before it was compressed.
func Unpack(h http.Header, body []byte) ([]byte, error) {
	how := strings.ToLower(strings.TrimSpace(h.Get("Content-Encoding")))
	if how == "" || how == "identity" {
		return body, nil
	}
	unpack := unpackers[how]
	if unpack == nil {
		return nil, fmt.Errorf("a request was compressed by %s", clip.Short(how, 40))
	}
	plain, err := unpack(bytes.NewReader(body))
	if err == nil {
		body, err = io.ReadAll(io.LimitReader(plain, maxRequest))
	}
	if err != nil {
		return nil, fmt.Errorf("a request could not be read: %w", err)
	}
	return body, nil
}
