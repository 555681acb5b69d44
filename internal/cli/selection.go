package cli

import (
	"regexp"

	"github.com/openagent-ci/openagent/internal/value"
)

// selection holds the flags of commands that go through many things, several at
// once: which of them, and how many.
type selection struct {
	run  string
	jobs int
}

// pattern returns what the names of the selected ones match.
func (s selection) pattern() (*regexp.Regexp, error) {
	if s.jobs < 1 {
		return nil, usage("--jobs is %d: want a whole number from 1", s.jobs)
	}
	pattern, err := regexp.Compile(s.run)
	if err != nil {
		return nil, usage("--run is %q: %v", value.Shown(s.run), err)
	}
	return pattern, nil
}

// nothing returns the error of a pattern that selects none of what there is.
func (s selection) nothing(of string) error {
	return usage("--run is %q: no %s has a name that matches", value.Shown(s.run), of)
}
