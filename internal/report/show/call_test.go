package show

import (
	"fmt"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/schema"
)

// gathered returns how long it takes to gather a call of a stream with n calls.
func gathered(t *testing.T, n int) time.Duration {
	t.Helper()
	start := time.Now()
	s := callsOfStream{part: Part{Step: 1}}
	for i := range n {
		id := fmt.Sprintf("call_%d", i)
		s.add(&schema.Event{Step: int64(1 + i%2), Data: &schema.ToolCallDetected{ToolCallID: &id}})
		s.add(&schema.Event{Step: int64(1 + i%2), Data: &schema.ToolExecStarted{ToolCallID: &id}})
	}
	elapsed := time.Since(start)
	if len(s.calls) != n/2 || len(s.ids) != n {
		t.Fatalf("%d calls of %d known ones, want %d of %d", len(s.calls), len(s.ids), n/2, n)
	}
	return elapsed
}

// To gather the calls of a long stream takes about as long as to remember their ids,
// not the square of that.
func TestCallsOfStream_Many(t *testing.T) {
	const n = 32000
	remembered := func() time.Duration {
		start := time.Now()
		ids := map[string]*fullCall{}
		for i := range n {
			ids[fmt.Sprintf("call_%d", i)] = &fullCall{}
		}
		return time.Since(start)
	}
	elapsed, bare := gathered(t, n), remembered()
	for range 4 { // the least of several, since a machine is busy at times
		elapsed, bare = min(elapsed, gathered(t, n)), min(bare, remembered())
	}
	if ratio := float64(elapsed) / float64(bare); ratio > 30 {
		t.Errorf("%d calls took %v, their ids %v, %.0f times as long, want a few times", n, elapsed, bare, ratio)
	}
}
