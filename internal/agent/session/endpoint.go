package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/model/provider"
)

// address returns the base URL that is asked.
func (e Endpoint) address() string { return cmp.Or(e.BaseURL, provider.DefaultBaseURL) }

// Secrets returns the headers and parameters that are secrets, and of one that
// names a scheme of authorization also what follows it.
func (e Endpoint) Secrets() (all []string) {
	for _, p := range slices.Concat(e.Header, e.Query) {
		if p.Secret {
			all = append(all, p.Value)
			if _, rest, ok := strings.Cut(p.Value, " "); ok {
				all = append(all, rest)
			}
		}
	}
	return all
}

// The kinds of lines by which headers and parameters are handed over.
const headerLine, queryLine = "header", "query"

// Handover returns the headers and parameters as the further lines of a
// key.Handover: a harness gives them to its agent by no argument.
func (e Endpoint) Handover() (lines []string) {
	for _, p := range e.Header {
		lines = append(lines, handoverLine(headerLine, p))
	}
	for _, p := range e.Query {
		lines = append(lines, handoverLine(queryLine, p))
	}
	return lines
}

func handoverLine(kind string, p provider.Pair) string {
	return fmt.Sprintf("%s %t %s=%s", kind, p.Secret, p.Name, p.Value)
}

// withHandover returns e with the headers and parameters of the lines.
func (e Endpoint) withHandover(lines []string) Endpoint {
	for _, line := range lines {
		words := strings.SplitN(line, " ", 3)
		if len(words) < 3 {
			continue
		}
		name, value, _ := strings.Cut(words[2], "=")
		p := provider.Pair{Name: name, Value: value, Secret: words[1] == "true"}
		if words[0] == queryLine {
			e.Query = append(slices.Clip(e.Query), p)
		} else {
			e.Header = append(slices.Clip(e.Header), p)
		}
	}
	return e
}

// namesAndValues returns what counts of the pairs in a fingerprint: of a secret
// its name.
func namesAndValues(pairs []provider.Pair) []string {
	all := []string{} // null would be another fingerprint
	for _, p := range pairs {
		if p.Secret {
			all = append(all, p.Name)
		} else {
			all = append(all, p.Name+"="+p.Value)
		}
	}
	return all
}
