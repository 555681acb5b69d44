package validate

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/schema"
)

// checkSchema tries the rules of the schema stage on the event that is first
// of its run or not.
func checkSchema(r *report, c *contract, e *event, version string, first bool) {
	payload, known := c.payloads[e.typ]
	checkMembers(r, e, version, c.version, known)
	checkExtras(r, e)
	checkEnvelope(r, c.envelope, e, first)
	if known && e.data != nil {
		checkPayload(r, payload, e.data, append(make([]byte, 0, 128), "/data"...))
	}
}

// checkEnvelope tries schema/envelope and schema/number on the members of a line. Those with a
// rule of their own are checked there, and data by its type.
func checkEnvelope(r *report, n *node, e *event, first bool) {
	checkRequired(r, schemaEnvelope, n, e.members, nil)
	for _, name := range n.order {
		v, ok := e.members[name]
		if !ok || name == "schema_version" || name == "type" || name == "ts" {
			continue
		}
		member := n.Properties[name]
		switch {
		case !member.holds(v):
			r.add(schemaEnvelope, 0, name, kind(v), strings.Join(member.Type, " or "))
			continue
		case name == "sequence" && first: // stream/sequence-start speaks
		case member.Minimum != nil && below(v, *member.Minimum):
			r.add(schemaEnvelope, 0, name, describe(v), fmt.Sprintf("at least %d", *member.Minimum))
		}
		checkNumber(r, member, v, name)
	}
}

// checkPayload tries schema/data and schema/number on a value and everything in
// it that the contract knows: types, and members that must be there. Bounds of
// texts and lists have rules of their own, which are closer than the schema can
// be.
func checkPayload(r *report, n *node, v any, pointer []byte) {
	if !n.holds(v) {
		r.add(schemaData, 0, memberName(string(pointer)), kind(v), strings.Join(n.Type, " or "))
		return
	}
	switch v := v.(type) {
	case map[string]any:
		checkRequired(r, schemaData, n, v, pointer)
		for kind, m := range n.members(v, pointer) {
			checkPayload(r, kind, m.value, m.pointer)
		}
	case []any:
		for i, item := range v {
			if n.Items != nil {
				checkPayload(r, n.Items, item, strconv.AppendInt(append(pointer, '/'), int64(i), 10))
			}
		}
	case json.Number, hugeNumber:
		checkNumber(r, n, v, memberName(string(pointer)))
	}
}

// checkRequired reports the declared keys that an object lacks, as one finding.
func checkRequired(r *report, id string, n *node, object map[string]any, pointer []byte) {
	if lacking := missing(n, object); lacking != nil {
		names := strings.Join(lacking, ", ")
		r.addMessage(id, 0, memberName(string(pointer))+" lacks "+names, "no "+names, names)
	}
}

// missing returns the declared keys that a value lacks, in declared order.
func missing(n *node, object map[string]any) []string {
	var names []string
	for _, name := range n.Required {
		if _, ok := object[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// checkNumber tries schema/number on the member called name, and the range of
// one that need not be an integer.
func checkNumber(r *report, n *node, v any, name string) {
	text, isNumber := numberText(v)
	switch {
	case !isNumber:
	case n.Type.has("integer"):
		checkInteger(r, v, text, name)
	case n.Minimum != nil && below(v, *n.Minimum):
		r.add(schemaData, 0, name, text, fmt.Sprintf("at least %d", *n.Minimum))
	case !decimal(v):
		r.add(schemaNumber, 0, name, text,
			fmt.Sprintf("a number within 2^53 of at most %d decimals, without an exponent", schema.MaxDecimals))
	}
}

// checkInteger tries schema/number on a member that is an integer.
func checkInteger(r *report, v any, text, name string) {
	_, isWild := v.(hugeNumber)
	_, plain, ok := whole(v)
	switch {
	case isWild, ok && !plain:
		r.add(schemaNumber, 0, name, text, "an integer written with digits alone")
	case !ok:
		r.add(schemaNumber, 0, name, text, "an integer within 2^53")
	}
}

// fraction reports whether v has digits other than 0 behind its point.
func fraction(v any) bool {
	text, _ := v.(json.Number)
	_, behind, _ := strings.Cut(string(text), ".")
	return strings.Trim(behind, "0") != ""
}
