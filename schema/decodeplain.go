package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// decodePlain is Decode for a line as nearly every line is: the seven members of
// the envelope, the type before the data, no member twice, and of the contract's
// members none with a value of another type. It reports false for any other,
// which the decoder of the standard library reads then.
func decodePlain(line []byte) (Event, bool) {
	if !utf8.Valid(line) {
		return Event{}, false
	}
	e := new(Event)
	list := [...]member{
		{"schema_version", &e.SchemaVersion, always}, {"sequence", &e.Sequence, always}, {"ts", &e.TS, always},
		{"run_id", &e.RunID, always}, {"step", &e.Step, always}, {"type", &e.Type, always}, {"data", e, always},
	}
	r := &jsontext.Reader[[]byte]{Src: line, Room: MaxDepth}
	r.Blanks()
	seen, ok := readMembers(r, list[:])
	r.Blanks()
	return *e, ok && seen == 1<<len(list)-1 && r.Pos == len(line)
}

// readMembers reads an object into what the members of list point to, and returns
// which it has, one bit for each. Other members are read over.
func readMembers(r *jsontext.Reader[[]byte], list []member) (seen uint32, ok bool) {
	for name := range r.Members() {
		i := slices.IndexFunc(list, func(m member) bool { return m.name == string(name) })
		switch {
		case i < 0 && contractName(name):
			if !onlyContractNames(r) {
				return 0, false
			}
		case i < 0 || seen&(1<<i) != 0 || !readMember(r, list[i].value):
			return 0, false
		default:
			seen |= 1 << i
		}
	}
	return seen, r.Fault == jsontext.FaultNone
}

// readMember reads a value into the member that to points to; the data of the
// Event that it points to.
func readMember(r *jsontext.Reader[[]byte], to any) bool {
	switch to := to.(type) {
	case *Event:
		to.Data = NewPayload(to.Type)
		var room [maxMembers]member
		list := membersOf(to.Data, room[:0])
		_, ok := readMembers(r, list)
		return ok && len(list) > 0
	case *Type:
		raw, ok := readText(r)
		*to = types[string(raw)]
		return ok && *to != ""
	case *string:
		raw, ok := readText(r)
		if *to = Version; string(raw) != Version {
			*to = string(raw)
		}
		return ok
	case *int64:
		return readInteger(r, to)
	case *bool:
		return readBool(r, to)
	case **string:
		return readOrNull(r, to, func(s *string) bool { return readMember(r, s) })
	case **int64:
		return readOrNull(r, to, func(n *int64) bool { return readInteger(r, n) })
	case **bool:
		return readOrNull(r, to, func(b *bool) bool { return readBool(r, b) })
	case *Optional[string]:
		to.set = true
		return readMember(r, &to.value)
	case *Optional[int64]:
		to.set = true
		return readMember(r, &to.value)
	}
	at := r.Pos
	return onlyContractNames(r) && json.Unmarshal(r.Src[at:r.Pos], to) == nil
}

// readOrNull reads null, or with read into a new value.
func readOrNull[T any](r *jsontext.Reader[[]byte], to **T, read func(*T) bool) bool {
	if r.Peek() == 'n' {
		*to = nil
		return r.Skip()
	}
	*to = new(T)
	return read(*to)
}

// readText reads a string.
func readText(r *jsontext.Reader[[]byte]) ([]byte, bool) {
	at := r.Pos
	if r.Peek() != '"' || !r.Skip() {
		return nil, false
	}
	return jsontext.Unquote(r.Src[at:r.Pos]), true
}

func readInteger(r *jsontext.Reader[[]byte], to *int64) bool {
	at := r.Pos
	if !r.Skip() {
		return false
	}
	n, err := strconv.ParseInt(string(r.Src[at:r.Pos]), 10, 64)
	*to = n
	return err == nil
}

func readBool(r *jsontext.Reader[[]byte], to *bool) bool {
	*to = r.Peek() == 't'
	return (*to || r.Peek() == 'f') && r.Skip()
}

// types are those of the contract by their names.
var types = func() map[string]Type {
	known := map[string]Type{}
	for _, t := range Types() {
		known[string(t)] = t
	}
	return known
}()
