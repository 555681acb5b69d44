package harness

import (
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/trace"
)

// agentVariables are what the built-in agent reads of its environment, beside
// what its commands get: where it runs, how it reaches an endpoint, whose
// certificates it trusts, and the trace that it is part of.
var agentVariables = []string{
	"CI", "GITHUB_ACTIONS", "RUNNER_TEMP", "XDG_STATE_HOME",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "TZ",
	trace.ParentVariable, trace.StateVariable,
}

// builtinEnv returns the environment of the built-in agent under a harness: of
// environ what it needs and the variables named in extra. Anything else could
// only leak.
func builtinEnv(environ, extra []string) []string {
	return process.Chosen(environ, func(name string) bool {
		return process.PassedOn(name) || slices.Contains(agentVariables, strings.ToUpper(name)) || slices.Contains(extra, name)
	})
}
