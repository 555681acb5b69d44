package schema

import "encoding/json"

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
	if err := CheckDocument(TimingsVersion, text); err != nil {
		return t, err
	}
	var members map[string]json.RawMessage // by their exact names
	if err := json.Unmarshal(text, &members); err != nil {
		return t, err
	}
	t.Schema = TimingsVersion
	return t, json.Unmarshal(members["scenarios"], &t.Scenarios)
}
