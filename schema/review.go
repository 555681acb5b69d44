package schema

import (
	"encoding/json"
	"errors"
)

// ReviewVersion is the name of the schema of a review.
const ReviewVersion = "openagent.review.v1"

// Review is a review of a change, as a model answers it.
type Review struct {
	Summary  string          `json:"summary"`
	Comments []ReviewComment `json:"comments"`
}

// ReviewComment is about a line as it is after the change. Severity is error, warning or
// note.
type ReviewComment struct {
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Severity string `json:"severity"`
	Body     string `json:"body"`
}

// DecodeReview reads the final text of a run as a review; it may be in a code fence. The
// error names the first member that does not match the published schema.
func DecodeReview(final string) (r Review, err error) {
	value, faults := documents[ReviewVersion]().Read(final)
	if faults != nil {
		return r, errors.New(faults[0].String())
	}
	in := struct {
		Comments []struct {
			ReviewComment
			Line float64 `json:"line"` // 2.0 is a whole number, too
		} `json:"comments"`
		*Review
	}{Review: &r}
	err = json.Unmarshal([]byte(value), &in)
	r.Comments = make([]ReviewComment, len(in.Comments))
	for i, c := range in.Comments {
		c.ReviewComment.Line = int(c.Line)
		r.Comments[i] = c.ReviewComment
	}
	return r, err
}
