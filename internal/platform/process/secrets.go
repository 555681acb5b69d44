package process

import (
	"fmt"
	"slices"

	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Secrets returns the values that no sink may show: the keys, what the user
// named, and what the environment holds, each once. Secrets from elsewhere are
// further keys.
func (p Env) Secrets(named []string, keys ...string) []string {
	var list []string
	for _, s := range slices.Concat(keys, named, redact.Environment(p.Environ())) {
		if s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// WarnOfRoot warns that root, as which commands run too, can read this process's
// memory, where there is a secret in it.
func (p *Process) WarnOfRoot(secrets []string) {
	if p.Superuser && slices.ContainsFunc(secrets, func(s string) bool { return len(s) >= redact.MinSecretBytes }) {
		p.Logger().Warn("commands run as root, which can read the key and the tokens of the job in this process's memory",
			"hint", "run as another user; in a container job by options: --user 1001")
	}
}

// WarnOfShort warns of values of --redact that are too short to be masked.
func (p *Process) WarnOfShort(secrets []string) {
	if slices.ContainsFunc(secrets, func(s string) bool { return len(s) < redact.MinSecretBytes }) {
		p.Logger().Warn(fmt.Sprintf("a value of --redact is not masked: it has fewer than %d bytes", redact.MinSecretBytes))
	}
}
