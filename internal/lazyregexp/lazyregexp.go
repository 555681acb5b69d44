// Package lazyregexp has regular expressions that are compiled at their first use:
// the program has some forty and a command needs a few, so compiling all of
// them would be a tenth of every start.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns what compiles expr at its first call and panics when that is no
// regular expression.
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
