package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// TimingsVersion is the value of schema in all timings of scenarios.
const TimingsVersion = "openagent.timings.v1"

// MaxTiming bounds the time of a scenario, in milliseconds: 31 years.
const MaxTiming = 1_000_000_000_000

// Timings says how long scenarios take, by which they are shared out among
// machines.
type Timings struct {
	// Schema is TimingsVersion; Encode fills it in.
	Schema string `json:"schema"`
	// Scenarios are milliseconds by the id of the scenario.
	Scenarios map[string]int64 `json:"scenarios"`
}

// Encode returns the timings as an indented JSON document with a final LF, in the
// order of the ids.
func (t Timings) Encode() ([]byte, error) {
	t.Schema = TimingsVersion
	if t.Scenarios == nil {
		t.Scenarios = map[string]int64{}
	}
	return indented(t)
}

// DecodeTimings reads timings as Encode writes them. It refuses those that are not
// whole, and times that are none. Unknown members pass.
func DecodeTimings(text []byte) (t Timings, err error) {
	object, err := decodeDocument(text, TimingsVersion)
	if err != nil {
		return t, err
	}
	if err := only(object, "", []string{"schema", "scenarios"}); err != nil {
		return t, err
	}
	times, ok := object["scenarios"].(map[string]any)
	if !ok {
		return t, errors.New("scenarios is no object")
	}
	t = Timings{Schema: TimingsVersion, Scenarios: make(map[string]int64, len(times))}
	for _, id := range slices.Sorted(maps.Keys(times)) {
		number, _ := times[id].(json.Number)
		ms, err := number.Int64()
		if err != nil || ms < 0 || ms > MaxTiming {
			return Timings{}, fmt.Errorf("the time of %s is %s, want whole milliseconds from 0 to %d", excerpt(id), jsontext.MustMarshal(times[id]), int64(MaxTiming))
		}
		t.Scenarios[id] = ms
	}
	return t, nil
}
