// Package hint attaches a fix to an error, which is printed on a line of its own.
package hint

import "errors"

// hinted is an error whose way out is known.
type hinted struct {
	error
	hint string
}

func (h *hinted) Unwrap() error { return h.error }

// With returns err with a way out: one sentence that says what to do, with the
// command or flag for it. The text of the error stays as it is.
func With(err error, text string) error { return &hinted{err, text} }

// Of returns the way out of err, empty where none is known. Of errors that wrap
// each other the outermost hint counts.
func Of(err error) string {
	if h := (*hinted)(nil); errors.As(err, &h) {
		return h.hint
	}
	return ""
}
