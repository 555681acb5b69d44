package transport

import (
	"maps"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/model/wire"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// expectation is what a turn demands of the last message of its request.
type expectation struct {
	// substring counts when subset is nil.
	substring string
	subset    map[string]any
	// want shows the expectation in failures.
	want string
}

func expectNode(n *yaml.Node) (*expectation, error) {
	if isScalar(n, "!!str") {
		return &expectation{substring: n.Value, want: strconv.Quote(n.Value)}, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, refuse(n, "want a string or a mapping of message members, got %s", kindOf(n))
	}
	want, err := jsonOf(n)
	if err != nil {
		return nil, err
	}
	e := &expectation{want: want}
	v, err := jsontext.Decode([]byte(want))
	e.subset, _ = v.(map[string]any)
	return e, err
}

// check returns what the last message of a request is, if that is not
// what was expected, else "". Of a message it shows the members asked for.
func (e *expectation) check(request wire.Request, err error) (got string) {
	if err != nil {
		return err.Error()
	}
	message, err := request.Last()
	if err != nil {
		return err.Error()
	}
	if e.subset != nil {
		if contains(e.subset, message) {
			return ""
		}
		maps.DeleteFunc(message, func(key string, _ any) bool { return !has(e.subset, key) })
		return string(jsontext.MustMarshal(message))
	}
	text := wire.Text(message["content"])
	if strings.Contains(text, e.substring) {
		return ""
	}
	return strconv.Quote(text)
}

func has(m map[string]any, key string) bool {
	_, ok := m[key]
	return ok
}

// contains reports whether want is part of got: each member of an object, each
// item of a list of the same length. Where got is text that holds JSON and
// want is no text, the JSON is compared.
func contains(want, got any) bool {
	if text, ok := got.(string); ok {
		if w, same := want.(string); same {
			return w == text
		}
		v, err := jsontext.Decode([]byte(text))
		return err == nil && contains(want, v)
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		for key, value := range w {
			ok = ok && has(g, key) && contains(value, g[key])
		}
		return ok
	case []any:
		g, ok := got.([]any)
		ok = ok && len(g) == len(w)
		for i := 0; ok && i < len(w); i++ {
			ok = contains(w[i], g[i])
		}
		return ok
	}
	return want == got
}
