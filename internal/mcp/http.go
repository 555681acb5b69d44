package mcp

import (
	"context"
	"net/http"
)

// carrier adds a server's headers to each request, and bounds the farewell.
type carrier struct {
	next    http.RoundTripper
	headers []Setting
}

func (c *carrier) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if req.Method == http.MethodDelete {
		bounded, cancel := context.WithTimeout(ctx, closeTime)
		defer cancel() // the answer to a farewell has nothing to read
		ctx = bounded
	}
	req = req.Clone(ctx)
	for _, h := range c.headers {
		req.Header.Set(h.Name, h.Value)
	}
	return c.next.RoundTrip(req)
}
