package schema

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Encode returns e as one line of the stream, its LF included: members in the
// order of the contract, HTML characters as they are, and everything escaped
// that a job log could act on. A payload that is missing or does not encode as
// an object is an error.
func Encode(e Event) ([]byte, error) {
	if e.Data == nil {
		return nil, errors.New("encode event: no data")
	}
	data, err := jsontext.Marshal(e.Data)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.Type, err)
	}
	if data[0] != '{' {
		return nil, fmt.Errorf("encode event %s: data is %T, want an object", e.Type, e.Data)
	}
	e.Data = json.RawMessage(data)
	return append(jsontext.Inert(jsontext.MustMarshal(e)), '\n'), nil
}
