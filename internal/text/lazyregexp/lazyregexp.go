// Package lazyregexp compiles regular expressions at their first use.
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
