package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/key"
	"github.com/openagent-ci/openagent/internal/provider"
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

// secrets returns what of the headers and parameters is secret.
func (f *endpointFlags) secrets() []string { return append(f.header.secrets(), f.query.secrets()...) }

// handed returns what the harness hands to its agent by no argument.
func (f *endpointFlags) handed() []string {
	return append(f.header.handed("header"), f.query.handed("query")...)
}

// client returns the client for an endpoint, or for what stands in for one;
// what all have in common is added to c.
func (r *agentRun) client(c provider.Config) *provider.Client {
	c.Attempts, c.RetryFor = int(r.flags.asking.attempts.value), r.flags.asking.retryFor.duration()
	c.Mask, c.Edits, c.Query = r.redactor.String, r.flags.asking.edits, r.flags.asking.query.sent()
	return provider.New(c)
}

// keySource names where the key came from. An agent that was handed the key by
// the harness knows only where the harness may have it from.
func (r *agentRun) keySource() string {
	switch file := r.flags.keyFile; {
	case file == "":
		return key.Variable
	case strings.HasPrefix(file, "/dev/fd/"):
		return key.Variable + " or --api-key-file"
	default:
		return "--api-key-file " + file
	}
}
