package validate

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

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
var envelopeNames = map[string]string{
	"schema_version": "schema_version", "sequence": "sequence", "ts": "ts", "run_id": "run_id", "step": "step", "type": "type", "data": "data",
}

// readEvent builds what the rules need of a line that holds one object.
func readEvent(line []byte, interned names) *event {
	e := &event{members: map[string]any{}}
	r := newReader(line)
	for name := range r.Members() {
		if name, ok := envelopeNames[string(name)]; ok {
			e.members[name] = build(r, interned)
			continue
		}
		if e.extras == 0 {
			e.extra = string(name)
		}
		e.extras++
		r.Skip()
	}
	e.data, _ = e.members["data"].(map[string]any)
	e.readEnvelope()
	return e
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

// checkMembers tries the rules about single members of the envelope that have
// an id of their own. The version asked for need not be published; the type of the
// event is known to the contract or not.
func checkMembers(r *report, e *event, version, published string, known bool) {
	if got, ok := e.members["schema_version"]; ok && got != version {
		r.add(schemaVersion, 0, "schema_version", describe(got), quote(version))
	} else if ok && version != published {
		r.add(schemaVersion, 0, "schema_version", quote(version), "a published version: "+published)
	}
	if got, ok := e.members["type"]; ok && !known {
		r.add(schemaType, 0, "type", describe(got), "a type of the contract")
	}
	if got, ok := e.members["ts"]; ok && !e.timed {
		r.add(schemaTimestamp, 0, "ts", describe(got), "a UTC time like 2026-03-03T20:11:12.000Z")
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
// as they are, else the kind.
func describe(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case bool:
		return fmt.Sprint(v)
	}
	if text, ok := numberText(v); ok {
		return text
	}
	return kind(v)
}

// numberText returns the text of a number for a message; a long one is cut.
func numberText(v any) (string, bool) {
	var text string
	switch v := v.(type) {
	case json.Number:
		text = string(v)
	case hugeNumber:
		text = string(v)
	default:
		return "", false
	}
	if len(text) > maxQuoted/2 {
		text = text[:maxQuoted/2] + "..."
	}
	return text, true
}
