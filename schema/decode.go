package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Decode reads one line of the stream. Data of the event is a pointer to the
// payload struct of its type; it is nil when the type is unknown or the
// payload does not have the types of the contract. Names are matched exactly,
// unknown ones are ignored. An error means that the envelope cannot be read.
//
// Decode checks nothing else; package validate does.
func Decode(line []byte) (Event, error) {
	line, err := exactNames(line)
	if err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	var m envelope
	if err := json.Unmarshal(line, &m); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	if name := m.missing(); name != "" {
		return Event{}, fmt.Errorf("decode event: no %s", name)
	}
	e := Event{
		SchemaVersion: *m.SchemaVersion, Sequence: *m.Sequence, TS: *m.TS,
		RunID: *m.RunID, Step: *m.Step, Type: *m.Type,
	}
	if bytes.HasPrefix(m.Data, []byte("{")) {
		e.Data = decodePayload(e.Type, m.Data)
	}
	return e, nil
}

// decodePayload returns data as the payload struct of t, nil when a member of
// the contract has another type. What other producers print under a name that
// is free for them is no fault, whatever our own print there.
func decodePayload(t Type, data []byte) any {
	payload := NewPayload(t)
	if payload == nil || json.Unmarshal(data, payload) == nil {
		return payload
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return nil
	}
	for name, value := range members {
		if alone, err := json.Marshal(map[string]json.RawMessage{name: value}); strings.HasPrefix(name, "x_") &&
			(err != nil || json.Unmarshal(alone, NewPayload(t)) != nil) {
			delete(members, name)
		}
	}
	rest, err := json.Marshal(members)
	payload = NewPayload(t)
	if err != nil || json.Unmarshal(rest, payload) != nil {
		return nil
	}
	return payload
}

// envelope has the members of a line, nil when missing or null.
type envelope struct {
	SchemaVersion *string         `json:"schema_version"`
	Sequence      *int64          `json:"sequence"`
	TS            *string         `json:"ts"`
	RunID         *string         `json:"run_id"`
	Step          *int64          `json:"step"`
	Type          *Type           `json:"type"`
	Data          json.RawMessage `json:"data"`
}

// missing names the first member before data that is not there.
func (m *envelope) missing() string {
	for _, member := range []struct {
		name string
		ok   bool
	}{
		{"schema_version", m.SchemaVersion != nil}, {"sequence", m.Sequence != nil}, {"ts", m.TS != nil},
		{"run_id", m.RunID != nil}, {"step", m.Step != nil}, {"type", m.Type != nil},
	} {
		if !member.ok {
			return member.name
		}
	}
	return ""
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

// exactNames returns line without the members whose name is not written as
// names of the contract are; nearly every line has none of these and comes back
// as it is. encoding/json takes "OK" for "ok", and the later of both wins: a
// payload is open, so such a key is lawful and must not speak for the declared
// one.
func exactNames(line []byte) ([]byte, error) {
	if onlyContractNames(&jsontext.Reader[[]byte]{Src: line, Room: MaxDepth}) {
		return line, nil
	}
	var object map[string]any
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&object); err != nil {
		return nil, err
	}
	return json.Marshal(lowerCase(object))
}

// onlyContractNames reads a value over and reports whether every name in it
// could be one of the contract. Of what is no JSON, who decodes it says why.
func onlyContractNames(r *jsontext.Reader[[]byte]) bool {
	switch r.Peek() {
	case '{':
		for name := range r.Members() {
			if !contractName(name) || !onlyContractNames(r) {
				return false
			}
		}
	case '[':
		for range r.Items() {
			if !onlyContractNames(r) {
				return false
			}
		}
	default:
		r.Skip()
	}
	return r.Fault == jsontext.FaultNone
}

// freeNames is the member whose value has names of its own, which no field of a
// struct stands for.
const freeNames = "unmapped"

// lowerCase drops, at every depth but in freeNames, members whose name has a byte
// that no name of the contract has, so that the rest matches exactly or not at all.
func lowerCase(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			switch {
			case name == freeNames:
			case contractName([]byte(name)):
				v[name] = lowerCase(member)
			default:
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

func contractName(name []byte) bool {
	for _, c := range name {
		if c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
