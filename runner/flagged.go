package runner

import (
	"slices"

	"github.com/openagent-ci/openagent/schema/validate"
)

// Flagged are the lines of a stream that have findings, each list in their order and
// with the first Config.MaxFlagged of them.
type Flagged struct {
	// Errors have a finding of severity error, Others only lesser ones.
	Errors, Others []int
	// Total counts all such lines, those above the limit too.
	Total int
}

// flags gathers the lines with findings, one line after another.
type flags struct {
	max            int
	errors, others []int
	left           int // lines that are in neither
	last           int // the last of them
}

// add notes the line of a finding about the stream.
func (l *flags) add(f validate.Finding) {
	list := &l.others
	if f.Severity == validate.SeverityError {
		list = &l.errors
	}
	n := len(*list)
	switch {
	case f.Line == 0, n > 0 && (*list)[n-1] == f.Line:
	case n < l.max:
		*list = append(*list, f.Line)
	case f.Line != l.last:
		l.left, l.last = l.left+1, f.Line
	}
}

// lines returns the lines that were noted. What the end of a stream shows of earlier
// lines came behind all others.
func (l *flags) lines() Flagged {
	slices.Sort(l.errors)
	slices.Sort(l.others)
	l.errors, l.others = slices.Compact(l.errors), slices.Compact(l.others)
	l.others = slices.DeleteFunc(l.others, func(n int) bool {
		_, is := slices.BinarySearch(l.errors, n)
		return is
	})
	return Flagged{Errors: l.errors, Others: l.others, Total: len(l.errors) + len(l.others) + l.left}
}
