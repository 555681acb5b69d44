package toolcall

import (
	"encoding/json"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// normalEnd reports whether a reply ended because the model was done. Every
// other reason, and none, may have cut it anywhere.
func normalEnd(finishReason string) bool {
	return finishReason == "stop" || finishReason == "tool_calls"
}

// Native checks the arguments of a call that came by the API's own way. It
// applies the same checks to them as to calls in text, but repairs nothing: they
// are one whole JSON object, or nothing was meant to be given, or they are
// refused. What is returned is the object to use, and for a refused call the
// sentence that says why.
func Native(arguments, finishReason string) (use json.RawMessage, status Status, problem string) {
	arguments = strings.Trim(arguments, " \t\r\n")
	end, f := ValueEnd(arguments, 0, 1)
	switch {
	case arguments == "" && !normalEnd(finishReason):
		return nil, Incomplete, "the reply ended before the arguments began"
	case arguments == "" || arguments == "null":
		return json.RawMessage("{}"), Complete, ""
	case f == jsontext.FaultEnd:
		return nil, Incomplete, "the arguments end in the middle of a value"
	case f == jsontext.FaultDepth:
		return nil, Malformed, "the arguments are nested deeper than 256 levels"
	case f != jsontext.FaultNone:
		return nil, Malformed, "the arguments are not JSON: unexpected text behind " + encoded(near(arguments, end))
	case end < len(arguments):
		return nil, Malformed, "the arguments hold more than one JSON value"
	case arguments[0] != '{':
		return nil, Malformed, "the arguments are " + kindOf(arguments) + ", not an object"
	}
	return json.RawMessage(arguments), Complete, ""
}

func encoded(s string) string { return string(jsontext.MustMarshal(s)) }

// kindOf names the kind of a JSON value.
func kindOf(value string) string {
	switch value[0] {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a text"
	case '[':
		return "a list"
	case '{':
		return "an object"
	}
	return "a number"
}
