package validate

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/schema"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// checkSchema tries the rules of the schema stage on the event that is first
// of its run or not.
func checkSchema(r *report, c *contract, e *event, version string, first bool) {
	payload, known := c.payloads[e.typ]
	checkMembers(r, e, version, known)
	checkExtras(r, e)
	if !c.envelope.fitsEnvelope(e.members) {
		for _, f := range mismatches(c.compiled().envelope, e.tamed(e.plainEnvelope(first))) {
			r.mismatch(schemaEnvelope, c.envelope, e.members, "", f)
		}
		checkNumbers(r, c.envelope, e.members, "")
	}
	if !known || e.data == nil {
		return
	}
	if !payload.fits(e.data) {
		for _, f := range mismatches(c.compiled().payloads[e.typ], e.tamed(e.data)) {
			r.mismatch(schemaData, payload, e.data, "/data", f)
		}
		checkNumbers(r, payload, e.data, "/data")
	}
}

// plainEnvelope returns the envelope for the library: what rules with an id of
// their own judge is replaced by values that match.
func (e *event) plainEnvelope(first bool) map[string]any {
	plain := maps.Clone(e.members)
	replace := func(name string, value any) {
		if _, ok := plain[name]; ok {
			plain[name] = value
		}
	}
	replace("schema_version", schema.Version)
	replace("type", string(schema.TypeRunStarted))
	replace("ts", "2026-03-03T20:11:12.000Z")
	if e.data != nil {
		plain["data"] = map[string]any{}
	}
	if n, _, ok := whole(plain["sequence"]); ok && first && n < 1 {
		replace("sequence", json.Number("1")) // stream/sequence-start speaks
	}
	return plain
}

// mismatch is one leaf of what the schema library has to say.
type mismatch struct {
	pointer string // JSON pointer into the value that was judged
	keyword string
}

// tamed returns members of the event without its wild numbers.
func (e *event) tamed(members map[string]any) any {
	if e.wild {
		return tame(members)
	}
	return members
}

// mismatches judges v by s, in a fixed order. It recovers from panics of the
// library: what cannot be judged does not match.
func mismatches(s *jsonschema.Schema, v any) (found []mismatch) {
	defer func() {
		if recover() != nil {
			found = []mismatch{{keyword: "panic"}}
		}
	}()
	err := s.Validate(v)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []mismatch{{keyword: "error"}}
	}
	found = appendLeaves(nil, invalid)
	slices.SortFunc(found, func(a, b mismatch) int {
		return cmp.Or(strings.Compare(a.pointer, b.pointer), strings.Compare(a.keyword, b.keyword))
	})
	return slices.Compact(found)
}

// appendLeaves adds the innermost causes: those around them only say where the
// library came from.
func appendLeaves(found []mismatch, e *jsonschema.ValidationError) []mismatch {
	if len(e.Causes) == 0 {
		return append(found, mismatch{e.InstanceLocation, path.Base(e.KeywordLocation)})
	}
	for _, cause := range e.Causes {
		found = appendLeaves(found, cause)
	}
	return found
}

// elsewhere holds keywords that rules of their own judge, more closely than the
// schema can: bounds of texts and lists, ranges of numbers, further members.
var elsewhere = map[string]bool{
	"maxLength": true, "minLength": true, "maxItems": true, "pattern": true, "maximum": true,
	"additionalProperties": true,
}

// mismatch reports f of the value in, which stands at prefix in the line.
func (r *report) mismatch(id string, n *node, in any, prefix string, f mismatch) {
	if elsewhere[f.keyword] || id == schemaData && f.keyword == "minimum" {
		return
	}
	got, _ := lookUp(in, f.pointer)
	if _, isWild := got.(wild); isWild && f.keyword == "minimum" {
		return // the library saw 0; schema/number speaks
	}
	at := n.at(f.pointer)
	what := memberName(prefix + f.pointer)
	switch {
	case f.keyword == "required":
		names := strings.Join(missing(at, got), ", ")
		r.addMessage(id, 0, what+" lacks "+names, "no "+names, names)
	case f.keyword == "type":
		r.add(id, 0, what, kind(got), strings.Join(at.Type, " or "))
	case f.keyword == "minimum":
		r.add(id, 0, what, describe(got), "at least "+strconv.Itoa(*at.Minimum))
	default:
		r.addMessage(id, 0, what+" does not match the schema", kind(got), "a match of "+f.keyword)
	}
}

// missing returns the declared keys that a value lacks, in declared order.
func missing(n *node, in any) []string {
	object, _ := in.(map[string]any)
	var names []string
	for _, name := range n.Required {
		if _, ok := object[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// checkNumbers tries schema/number on every integer member of v. What fits has
// nothing to be found.
func checkNumbers(r *report, n *node, v any, pointer string) {
	n.walk(v, []byte(pointer), func(n *node, v any, pointer []byte) {
		text, isNumber := numberText(v)
		if !isNumber || !n.Type.has("integer") {
			return
		}
		_, isWild := v.(wild)
		_, plain, ok := whole(v)
		switch {
		case isWild, ok && !plain:
			r.add(schemaNumber, 0, memberName(string(pointer)), text, "an integer written with digits alone")
		case !ok && !fraction(v):
			r.add(schemaNumber, 0, memberName(string(pointer)), text, "an integer within 2^53")
		}
	})
}

// fraction reports whether v has digits other than 0 behind its point.
func fraction(v any) bool {
	text, _ := v.(json.Number)
	_, behind, _ := strings.Cut(string(text), ".")
	return strings.Trim(behind, "0") != ""
}
