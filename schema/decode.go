package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Decode reads one line of the stream. Data of the event is a pointer to the
// payload struct of its type; it is nil when the type is unknown or the
// payload does not have the types of the contract. Names are matched exactly,
// unknown ones are ignored. An error means that the envelope cannot be read.
//
// Decode judges nothing else; package validate does.
func Decode(line []byte) (Event, error) {
	e, data, err := decodeEnvelope(line)
	if err == nil {
		e.Data, err = decodePayload(e.Type, data)
	}
	if err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	return e, nil
}

// decodeEnvelope reads all members but data, which it returns as it stands in
// the line, nil when there is none.
func decodeEnvelope(line []byte) (e Event, data []byte, err error) {
	members := [...]struct {
		name  string
		value any
		given bool
	}{
		{name: "schema_version", value: &e.SchemaVersion}, {name: "sequence", value: &e.Sequence}, {name: "ts", value: &e.TS},
		{name: "run_id", value: &e.RunID}, {name: "step", value: &e.Step}, {name: "type", value: (*string)(&e.Type)},
	}
	err = eachMember(line, func(name, value []byte) error {
		for i := range members {
			if m := &members[i]; m.name == string(name) {
				m.given = string(value) != "null"
				return decodeValue(value, m.value)
			}
		}
		if string(name) == "data" {
			value, data = data, value // the last one counts, and is judged later
		}
		if value != nil && !json.Valid(value) {
			return fmt.Errorf("the value of %q is no JSON", name)
		}
		return nil
	})
	for _, m := range members {
		if err == nil && !m.given {
			err = errors.New("no " + m.name)
		}
	}
	return e, data, err
}

// decodePayload returns the payload struct of a type, nil when there is none or
// data does not fit it. An error means that data is no JSON.
func decodePayload(t Type, data []byte) (any, error) {
	payload := NewPayload(t)
	if payload == nil || !bytes.HasPrefix(data, []byte("{")) {
		if data != nil && !json.Valid(data) {
			return nil, errors.New("data is no JSON")
		}
		return nil, nil
	}
	data, err := exactNames(data)
	if err == nil {
		err = json.Unmarshal(data, payload)
	}
	var misfit *json.UnmarshalTypeError
	switch {
	case err == nil:
		return payload, nil
	case errors.As(err, &misfit):
		return nil, nil
	}
	return nil, err
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

// exactNames returns an object without the members whose name is not written as
// names of the contract are; nearly every one has none of these and comes back
// as it is. encoding/json takes "OK" for "ok", and the later of both wins: a
// payload is open, so such a key is lawful and must not speak for the declared
// one.
func exactNames(text []byte) ([]byte, error) {
	if onlyContractNames(text) {
		return text, nil
	}
	var object map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&object); err != nil {
		return nil, err
	}
	return json.Marshal(lowerCase(object))
}

// onlyContractNames tells whether every name in a JSON object could be one of
// the contract. It looks at each string that a colon follows.
func onlyContractNames(line []byte) bool {
	for {
		from := bytes.IndexByte(line, '"')
		if from < 0 {
			return true
		}
		end := from + 1
		for end < len(line) && line[end] != '"' {
			if line[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(line) {
			return false // no JSON; who decodes it says why
		}
		text := line[from+1 : end]
		line = line[end+1:]
		if next := bytes.TrimLeft(line, " \t\r\n"); bytes.HasPrefix(next, []byte{':'}) && !contractName(text) {
			return false
		}
	}
}

// lowerCase drops, at every depth, members whose name has a byte that no name
// of the contract has, so that the rest matches exactly or not at all.
func lowerCase(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if contractName([]byte(name)) {
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

func contractName(name []byte) bool {
	for _, c := range name {
		if c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
