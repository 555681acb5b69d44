package provider

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// statusTable holds what an HTTP status says of a request, in our words. Those
// of the endpoint follow them, masked.
func statusTable() map[int]chat.Failure {
	return map[int]chat.Failure{
		http.StatusUnauthorized:            {Kind: chat.FailUnauthorized, Message: "the key was not accepted"},
		http.StatusPaymentRequired:         {Kind: chat.FailQuota, Message: "no quota is left for this key"},
		http.StatusForbidden:               {Kind: chat.FailUnauthorized, Message: "the key may not be used for this"},
		http.StatusNotFound:                {Kind: chat.FailClient, Message: "no such model or address: check the model's name and the base URL"},
		http.StatusRequestTimeout:          {Kind: chat.FailTimeout, Retryable: true, Message: "the provider timed out"},
		http.StatusConflict:                {Kind: chat.FailClient, Retryable: true, Message: "conflict"},
		http.StatusRequestEntityTooLarge:   {Kind: chat.FailPayloadTooLarge, Message: "the request is too large"},
		http.StatusTooManyRequests:         {Kind: chat.FailRateLimit, Retryable: true, Message: "too many requests"},
		http.StatusNotImplemented:          {Kind: chat.FailServer, Message: "not implemented: check the base URL"},
		http.StatusHTTPVersionNotSupported: {Kind: chat.FailServer, Message: "http version not supported"},
	}
}

// statusFailure returns what an answer of that status means.
func statusFailure(code int) *chat.Failure {
	f, ok := statusTable()[code]
	switch {
	case ok:
	case code >= 500:
		f = chat.Failure{Kind: chat.FailServer, Retryable: true, Message: statusText(code)}
	case code >= 300 && code < 400:
		f = chat.Failure{Kind: chat.FailClient, Message: "redirected: give the final address as the base URL"}
	default:
		f = chat.Failure{Kind: chat.FailClient, Message: statusText(code)}
	}
	f.Status = code
	return &f
}

func statusText(code int) string {
	return cmp.Or(strings.ToLower(http.StatusText(code)), fmt.Sprintf("status %d", code))
}

// connectionFailure classes what went wrong on the way. A transport that knows
// better says so by a *chat.Failure in the chain.
func connectionFailure(err error) *chat.Failure {
	var failure *chat.Failure
	if errors.As(err, &failure) {
		f := *failure
		return &f
	}
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return &chat.Failure{Kind: chat.FailTimeout, Retryable: true, Message: "the connection timed out"}
	}
	return &chat.Failure{Kind: chat.FailConnection, Retryable: true, Message: connectionText(err)}
}

// connectionText explains an error without repeating what came over the
// connection: the texts of net/http quote malformed responses.
func connectionText(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Sprintf("host %s was not found", dns.Name)
	case errors.As(err, &dns):
		return fmt.Sprintf("host %s could not be looked up", dns.Name)
	case errors.As(err, &op) && op.Op == "dial" && op.Addr != nil:
		return fmt.Sprintf("dial %s: %v", op.Addr, op.Err)
	case errors.As(err, &certificate):
		if name := os.Getenv("SSL_CERT_FILE"); name != "" {
			return fmt.Sprintf("the server's certificate could not be verified with SSL_CERT_FILE, which is %q: it must be a file of certificates in PEM form, with the server's authority", name)
		}
		return "the server's certificate could not be verified: if its authority is your own, name its file by the variable SSL_CERT_FILE"
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record):
		return "the server speaks plain http, not https"
	case errors.Is(err, io.EOF):
		return "the connection was closed without an answer"
	}
	return "the connection was lost"
}
