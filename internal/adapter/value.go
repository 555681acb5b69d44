package adapter

import (
	"github.com/openagent-ci/openagent/internal/adapter/raw"
	"github.com/openagent-ci/openagent/schema"
)

// value and object are those of a source's line.
type (
	value  = raw.Value
	object = raw.Object
)

// optional returns a member that is null where n is nil.
func optional[T any](n *T) schema.Optional[T] {
	if n == nil {
		return schema.Null[T]()
	}
	return schema.Some(*n)
}

// The statuses of calls; nobody writes to these.
var success, failure = new("success"), new("error")

// statusOf is the status of a call that ran to its end, or else did not.
func statusOf(ran bool) *string {
	if ran {
		return success
	}
	return failure
}

// sum adds counts, nil where one of them is not known.
func sum(counts ...*int64) *int64 {
	var total int64
	for _, n := range counts {
		if n == nil {
			return nil
		}
		total += *n
	}
	return &total
}
