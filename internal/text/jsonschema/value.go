package jsonschema

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// maxDepth bounds how deep values and schemas are nested.
const maxDepth = 256

// broken is why a text is no JSON value, and where.
type broken struct {
	at      int
	problem string
}

// words describes what is wrong with the text src.
func (b *broken) words(src string) string {
	if b.at >= len(src) {
		return b.problem
	}
	line, column := Position(src, b.at)
	return fmt.Sprintf("%s at line %d, column %d", b.problem, line, column)
}

// Position returns line and column of an offset, counted from 1 in characters.
func Position(src string, at int) (line, column int) {
	before := src[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

// parse reads the only JSON value of a text, strictly: UTF-8, no name twice in one
// object, no half of a surrogate pair, no number that is costly to compute.
func parse(src string) (any, *broken) {
	if !utf8.ValidString(src) {
		clean := strings.ToValidUTF8(src, "\xff") // the same up to the first byte that is not
		return nil, &broken{strings.IndexByte(clean, '\xff'), "bytes that are not UTF-8"}
	}
	notes := &jsontext.Notes{}
	r := &jsontext.Reader[string]{Src: src, Room: maxDepth, Notes: notes}
	switch whole := r.Whole(); {
	case strings.TrimSpace(src) == "":
		return nil, &broken{len(src), "nothing"}
	case r.Fault == jsontext.FaultDepth:
		return nil, &broken{r.Pos, fmt.Sprintf("values nested deeper than %d", maxDepth)}
	case r.Fault == jsontext.FaultEnd:
		return nil, &broken{len(src), "JSON that ends too soon"}
	case r.Fault == jsontext.FaultSyntax:
		return nil, &broken{r.Pos, "no JSON but " + quoted(src[r.Pos:])}
	case !whole:
		return nil, &broken{r.Pos, quoted(src[r.Pos:]) + " behind the JSON value"}
	case notes.Repeated > 0:
		return nil, &broken{notes.Repeated, "a name that stands twice in one object"}
	case notes.Surrogate > 0:
		return nil, &broken{notes.Surrogate, "half of a surrogate pair"}
	case notes.Costly > 0:
		return nil, &broken{notes.Costly, "a number of more than 1000 characters or with an exponent of more than three digits"}
	}
	v, err := jsontext.Decode([]byte(src))
	if err != nil {
		return nil, &broken{len(src), err.Error()}
	}
	return v, nil
}
