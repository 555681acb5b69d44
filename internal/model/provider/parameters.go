package provider

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Parameters say how a model is to answer. The zero value leaves it to the
// endpoint.
type Parameters struct {
	// Effort is how much a model that reasons is to do so.
	Effort string
	// Temperature is the text of a JSON number, empty for none: 0 is a temperature.
	Temperature string
	// MaxOutput bounds the tokens of each reply, 0 for no bound.
	MaxOutput int64
}

// Efforts are the words for how much a model is to reason.
func Efforts() []string { return []string{"none", "minimal", "low", "medium", "high", "xhigh"} }

// parameter is one of them on the wire.
type parameter struct {
	flag  string
	value string // JSON, empty where it is not given
	// chat and responses are where each API has it, as JSON pointers. Alias is
	// an older name that endpoints refuse beside the other.
	chat, responses, alias string
}

func (p Parameters) all() []parameter {
	effort, most := "", ""
	if p.Effort != "" {
		effort = string(jsontext.MustMarshal(p.Effort))
	}
	if p.MaxOutput > 0 {
		most = strconv.FormatInt(p.MaxOutput, 10)
	}
	return []parameter{
		{"reasoning-effort", effort, "/reasoning_effort", "/reasoning/effort", ""},
		{"temperature", p.Temperature, "/temperature", "/temperature", ""},
		{"max-output-tokens", most, "/max_completion_tokens", "/max_output_tokens", "/max_tokens"},
	}
}

// edits returns the parameters as edits of a request to an API.
func (p Parameters) edits(api API) (edits Edits) {
	for _, one := range p.all() {
		pointer := one.chat
		if api == APIResponses {
			pointer = one.responses
		}
		if one.value != "" {
			edits = append(edits, Edit{pointer, json.RawMessage(one.value)})
		}
	}
	return edits
}

// Contradicted returns the flag of the first parameter that an edit would change
// again, and the pointer of that edit; nothing where none does. The names of both
// APIs count: which one is asked may be known later.
func (p Parameters) Contradicted(edits Edits) (flag, pointer string) {
	for _, one := range p.all() {
		for _, e := range edits {
			if one.value != "" && (overlap(e.pointer, one.chat) || overlap(e.pointer, one.responses) || overlap(e.pointer, one.alias)) {
				return one.flag, e.pointer
			}
		}
	}
	return "", ""
}

// overlap reports whether one of two pointers is the other or leads into it.
func overlap(a, b string) bool {
	return b != "" && (strings.HasPrefix(a+"/", b+"/") || strings.HasPrefix(b+"/", a+"/"))
}
