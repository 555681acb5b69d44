package adapter

import "net/http"

// kindOf is the kind of a failed request by its status, as our own agent calls
// it; nil for a status that says nothing.
func kindOf(status *int64) *string {
	if status == nil {
		return nil
	}
	switch s := *status; {
	case s == http.StatusUnauthorized, s == http.StatusForbidden:
		return new("unauthorized")
	case s == http.StatusPaymentRequired:
		return new("quota")
	case s == http.StatusRequestTimeout:
		return new("timeout")
	case s == http.StatusRequestEntityTooLarge:
		return new("payload_too_large")
	case s == http.StatusTooManyRequests:
		return new("rate_limit")
	case s >= 400 && s < 500:
		return new("client")
	case s >= 500 && s < 600:
		return new("server")
	}
	return nil
}
