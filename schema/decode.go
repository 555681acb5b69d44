package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Decode reads one line of the stream. Data of the event is a pointer to the
// payload struct of its type; it is nil when the type is unknown or the
// payload does not have the types of the contract. Names are matched exactly,
// unknown ones are ignored. An error means that the envelope cannot be read.
//
// Decode judges nothing else; package validate does.
func Decode(line []byte) (Event, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	var e Event
	for _, m := range []struct {
		name string
		to   any
	}{
		{"schema_version", &e.SchemaVersion}, {"sequence", &e.Sequence}, {"ts", &e.TS},
		{"run_id", &e.RunID}, {"step", &e.Step}, {"type", &e.Type},
	} {
		if err := json.Unmarshal(members[m.name], m.to); err != nil {
			return Event{}, fmt.Errorf("decode event: %s: %w", m.name, err)
		}
	}
	e.Data = decodePayload(e.Type, members["data"])
	return e, nil
}

// NewPayload returns a pointer to a zero payload struct of t, nil for a type
// that the contract does not know.
func NewPayload(t Type) any {
	switch t {
	case TypeRunStarted:
		return new(RunStarted)
	case TypeStepStarted:
		return new(StepStarted)
	case TypeToolCallDetected:
		return new(ToolCallDetected)
	case TypeToolDecision:
		return new(ToolDecision)
	case TypeToolExecStarted:
		return new(ToolExecStarted)
	case TypeToolExecFinished:
		return new(ToolExecFinished)
	case TypeToolRetry:
		return new(ToolRetry)
	case TypeStepBlocked:
		return new(StepBlocked)
	case TypeProviderRetry:
		return new(ProviderRetry)
	case TypeProviderError:
		return new(ProviderError)
	case TypeRunFinished:
		return new(RunFinished)
	}
	return nil
}

// decodePayload returns the payload of a line, nil when it does not fit.
// encoding/json takes "OK" for "ok", and the later of both wins: a payload is
// open, so such a key is lawful and must not speak for the declared one.
func decodePayload(t Type, raw json.RawMessage) any {
	payload := NewPayload(t)
	var members map[string]any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if payload == nil || dec.Decode(&members) != nil || members == nil {
		return nil
	}
	exact, err := json.Marshal(lowerCase(members))
	if err != nil || json.Unmarshal(exact, payload) != nil {
		return nil
	}
	return payload
}

// lowerCase drops, at every depth, members whose name has a byte that no name
// of the contract has, so that the rest matches exactly or not at all.
func lowerCase(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if contractName(name) {
				v[name] = lowerCase(member)
			} else {
				delete(v, name)
			}
		}
	case []any:
		for i := range v {
			v[i] = lowerCase(v[i])
		}
	}
	return v
}

func contractName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
