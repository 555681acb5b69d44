package validate

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/schema"
)

// event is one line as the rules after the line stage see it: the members of
// its envelope and of data that the contract names.
type event struct {
	members map[string]any
	data    map[string]any // nil when data is no object

	// extra is the first member that the envelope does not know; extras
	// counts all of them.
	extra  string
	extras int

	facts
	// usable reports that sequence, step, run_id and type can be read, so
	// that the event takes part in the rules about the stream.
	usable bool
}

// facts are what the rules about the stream need of an event, but for those of
// its data that only a finding asks for.
type facts struct {
	typ      schema.Type
	sequence int64
	step     int64
	runID    string
	at       time.Time
	timed    bool   // ts is a timestamp, and at what it says
	callID   []byte // nil when data names no call
	decision string // allow, deny, or neither
	total    int64  // of calls as run_finished counts them, -1 for no count
}

// envelopeNames are the members of every line.
var envelopeNames = map[string]bool{"schema_version": true, "sequence": true, "ts": true, "run_id": true, "step": true, "type": true, "data": true}

// readEvent decodes what the rules need of a line that holds one object.
func readEvent(line []byte) *event {
	e := &event{}
	e.members, _ = decode(line).(map[string]any)
	r := newReader(line)
	for name := range r.Members() {
		if !envelopeNames[string(name)] {
			if e.extras == 0 {
				e.extra = string(name)
			}
			e.extras++
			delete(e.members, string(name))
		}
		r.Skip()
	}
	e.data, _ = e.members["data"].(map[string]any)
	e.readEnvelope()
	return e
}

// decode decodes a value that was read to its end before.
func decode(text []byte) any {
	v, err := jsontext.Decode(text)
	if err != nil {
		panic(err)
	}
	return v
}

// readEnvelope takes the members that later rules need; what cannot be read
// stays zero and makes the event unusable.
func (e *event) readEnvelope() {
	typ, isType := e.members["type"].(string)
	runID, isID := e.members["run_id"].(string)
	var isSequence, isStep bool
	e.typ, e.runID = schema.Type(typ), runID
	e.sequence, _, isSequence = whole(e.members["sequence"])
	e.step, _, isStep = whole(e.members["step"])
	ts, _ := e.members["ts"].(string)
	e.at, e.timed = parseTimestamp(ts)
	e.usable = isType && isID && isSequence && isStep
	if id, ok := e.data["tool_call_id"].(string); ok {
		e.callID = []byte(id)
	}
	if e.typ == schema.TypeToolDecision {
		e.decision, _ = e.data["decision"].(string)
	}
	e.total = -1
	if n, _, ok := whole(e.data["tool_calls"]); ok && e.typ == schema.TypeRunFinished {
		e.total = n
	}
}

// parseTimestamp reads ts. Package time refuses days, hours and leap seconds
// that do not exist, and accepts forms that the contract does not: other zones,
// a comma, any number of digits behind it, and an hour of one digit, with which
// the fraction does not begin where it should.
func parseTimestamp(ts string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, ts)
	if err != nil {
		return time.Time{}, false
	}
	fraction, isUTC := strings.CutSuffix(ts[min(len("2006-01-02T15:04:05"), len(ts)):], "Z")
	return t, isUTC && (fraction == "" || fraction[0] == '.' && len(fraction) <= len(".999999999"))
}

// checkVersion tries the rule about the version. The one asked for need not be
// published.
func checkVersion(r *report, e *event, version, published string) {
	if got, ok := e.members["schema_version"]; ok && got != version {
		r.add(schemaVersion, 0, "schema_version", describe(got), quote(version))
	} else if ok && version != published {
		r.add(schemaVersion, 0, "schema_version", quote(version), "a published version: "+published)
	}
}

// checkExtras reports members that the envelope does not have.
func checkExtras(r *report, e *event) {
	if e.extras == 0 {
		return
	}
	got := quote(e.extra)
	if e.extras > 1 {
		got += fmt.Sprintf(" and %d more", e.extras-1)
	}
	r.addMessage(schemaEnvelope, 0, "the envelope holds "+got+", want its seven members only", got, "the seven members only")
}

// describe returns a value for a message: texts quoted, numbers and booleans
// as they are, else the kind. A long number is cut.
func describe(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case bool:
		return fmt.Sprint(v)
	case json.Number:
		if len(v) > maxQuoted/2 {
			v = v[:maxQuoted/2] + "..."
		}
		return string(v)
	}
	return kind(v)
}
