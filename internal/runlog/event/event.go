// Package event defines what the agent reports while it runs: a payload type for
// each kind, the clock, and the sinks.
package event

import "time"

// Event is one thing that happened in a run.
type Event struct {
	// Time is when it happened, in UTC.
	Time time.Time
	// RunID is the run's id, empty only in a failure before the run began.
	RunID string
	// Step is 0 before the first model turn, then the number of the turn.
	Step int
	Data Payload
}

// Sink takes the events of a run in order of occurrence. An error means that
// the event was not delivered and ends the run.
type Sink interface {
	Emit(Event) error
}
