package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/provider"
)

// endpointFlags say how an endpoint is asked, besides its address.
type endpointFlags struct {
	attempts integer
	retryFor span
}

func newEndpointFlags() endpointFlags {
	return endpointFlags{
		attempts: integer{value: provider.DefaultAttempts, least: 1}, retryFor: span(provider.DefaultRetryFor),
	}
}

func (f *endpointFlags) register(fs *pflag.FlagSet) {
	fs.Var(&f.attempts, "provider-attempts", "maximum number of attempts at one request")
	fs.Var(&f.retryFor, "provider-retry-for", "time limit for the waits between the attempts at one request, added up")
}

// client returns the client for an endpoint, or for what stands in for one;
// what all have in common is added to c.
func (r *agentRun) client(c provider.Config) *provider.Client {
	c.Attempts, c.RetryFor = int(r.flags.asking.attempts.value), r.flags.asking.retryFor.duration()
	c.Mask = r.redactor.String
	return provider.New(c)
}

// keySource names where the key came from. An agent that was handed the key by
// the harness knows only where the harness may have it from.
func (r *agentRun) keySource() string {
	switch file := r.flags.keyFile; {
	case file == "":
		return keyVariable
	case strings.HasPrefix(file, "/dev/fd/"):
		return keyVariable + " or --api-key-file"
	default:
		return "--api-key-file " + file
	}
}
