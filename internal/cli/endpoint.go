package cli

import (
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/provider"
	"github.com/openagent-ci/openagent/internal/session"
)

// endpointFlags say how an endpoint is asked, besides its address.
type endpointFlags struct {
	attempts integer
	retryFor span
	header   pairs
	query    pairs
	edits    edits
}

func newEndpointFlags() endpointFlags {
	return endpointFlags{
		attempts: integer{value: provider.DefaultAttempts, least: 1}, retryFor: span(provider.DefaultRetryFor),
	}
}

func (f *endpointFlags) register(fs *pflag.FlagSet) {
	fs.Var(&f.attempts, "provider-attempts", "maximum number of attempts at one request")
	fs.Var(&f.retryFor, "provider-retry-for", "time limit for the waits between the attempts at one request, added up")
	fs.Var(&f.header, "header", "header of each request, NAME=VALUE or NAME=env:VARIABLE; may be given several times")
	fs.Var(&f.query, "query", "parameter of each request's address, written alike")
	fs.Var(&f.edits, "request-set", "JSON that takes the place of what is at a JSON pointer in each request's body; null removes it")
}

// resolve reads the variables that headers and parameters come from.
func (f *endpointFlags) resolve(getenv func(string) string) error {
	if err := f.header.resolve("header", getenv); err != nil {
		return err
	}
	return f.query.resolve("query", getenv)
}

// endpoint returns how an endpoint is asked.
func (f *endpointFlags) endpoint() session.Endpoint {
	return session.Endpoint{
		Attempts: f.attempts.value, RetryFor: f.retryFor.duration(),
		Header: f.header.plain(), Query: f.query.plain(), Edits: provider.Edits(f.edits),
	}
}
