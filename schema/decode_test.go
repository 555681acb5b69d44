package schema

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// decodeWhole is Decode by encoding/json alone.
func decodeWhole(line []byte) (Event, bool) {
	if !json.Valid(line) {
		return Event{}, false
	}
	line, err := exactNames(line)
	var m struct {
		SchemaVersion *string         `json:"schema_version"`
		Sequence      *int64          `json:"sequence"`
		TS            *string         `json:"ts"`
		RunID         *string         `json:"run_id"`
		Step          *int64          `json:"step"`
		Type          *Type           `json:"type"`
		Data          json.RawMessage `json:"data"`
	}
	if err != nil || json.Unmarshal(line, &m) != nil ||
		m.SchemaVersion == nil || m.Sequence == nil || m.TS == nil || m.RunID == nil || m.Step == nil || m.Type == nil {
		return Event{}, false
	}
	e := Event{*m.SchemaVersion, *m.Sequence, *m.TS, *m.RunID, *m.Step, *m.Type, nil}
	payload := NewPayload(e.Type)
	if bytes.HasPrefix(m.Data, []byte("{")) && payload != nil && json.Unmarshal(m.Data, payload) == nil {
		e.Data = payload
	}
	return e, true
}

func FuzzDecode_AgreesWithEncodingJSON(f *testing.F) {
	const head, id = `{"schema_version":"v","sequence":1,"ts":"t",`, `"run_id":"r","step":0,"type":"tool_exec_started",`
	for _, line := range []string{
		head + id + `"data":{"tool_call_id":"c","tool":null}}`,
		" {\"data\" : {\"tool\": \"a\", \"x\": [1, {\"b\": \"]}\\\"\"}]},\t" + id + "\r\n" + head[1:len(head)-1] + " } \n",
		head + `"run_id":"\u0072 \u2028\ud800","step":-0,"type":"none","data":[1,2]}`, "\xff" + head,
		head + id + `"data":{},"Data":1,"x":{"a":[]}}`, head + id + `"data":{],"data":{}}`, head + id + `"data":{}} {}`, head + id + `"X":1,"data":{"X":1}}0`,
		head + id + `"data":{},}`, head + id + `"data"}`, head + id + `"data":}`, head + id + `"data":tru}`, head + id + `"data":{"tool":1}}`,
		head + id + `"x":01,"data":{}}`, head + id + `"x":+1,"data":{}}`, head + id + `"x":"` + "\t" + `","data":{}}`, head + id + `"step":1.0}`,
		head + id + `"step":01}`, head + id + `"step":"1"}`, head + id + `"step":null}`, head + id + `"step":9223372036854775808}`, head + id + `"step":1_0}`,
		head + id + `"ts":1,"data":{}}`, head + id + `"ts":"` + "\xff\x7f" + `","data":{}}`, head + id + `"ts":"` + "\t" + `","data":{}}`, head + id + `"ts":"a"b","data":{}}`,
		`{}`, `{ } `, `{}}`, `{,}`, `{1:2}`, `{"a" "b"}`, `{"a":1 2}`, `{"a":"\`, `null`, `[]`, ``,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		got, err := Decode(line)
		want, ok := decodeWhole(line)
		if ok != (err == nil) || !reflect.DeepEqual(got, want) {
			t.Errorf("Decode(%q) = %+v, %v, want %+v, readable %t", line, got, err, want, ok)
		}
	})
}
