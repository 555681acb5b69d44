package flags

import (
	"regexp"

	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Selection holds the flags of commands that go through many things, several at
// once: which of them, and how many.
type Selection struct {
	Run  string
	Jobs int
}

// Pattern returns what the names of the selected ones match.
func (s Selection) Pattern() (*regexp.Regexp, error) {
	if s.Jobs < 1 {
		return nil, usagef("--jobs is %d: want a whole number from 1", s.Jobs)
	}
	pattern, err := regexp.Compile(s.Run)
	if err != nil {
		return nil, usagef("--run is %q: %v", redact.Shown(s.Run), err)
	}
	return pattern, nil
}

// Nothing returns the error of a pattern that selects none of what there is.
func (s Selection) Nothing(of string) error {
	return usagef("--run is %q: no %s has a name that matches", redact.Shown(s.Run), of)
}
