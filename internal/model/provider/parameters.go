package provider

import (
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

// members returns the parameters as members of a request to an API, each with a
// comma behind it.
func (p Parameters) members(api API) string {
	var b strings.Builder
	for _, one := range p.all() {
		if one.value == "" {
			continue
		}
		pointer := one.chat
		if api == APIResponses {
			pointer = one.responses
		}
		name, inner, nested := strings.Cut(pointer[1:], "/")
		value := one.value
		if nested {
			value = `{"` + inner + `":` + value + `}`
		}
		b.WriteString(`"` + name + `":` + value + `,`)
	}
	return b.String()
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
