package jsonschema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// wants are the words for what keywords ask for; %s is what they have in the schema.
var wants = map[string]string{
	"type": "%s", "const": "%s", "enum": "one of %s", "pattern": "a string that matches %s", "format": "a string in the format %s",
	"multipleOf": "a multiple of %s", "minimum": "a number at least %s", "maximum": "a number at most %s",
	"exclusiveMinimum": "a number more than %s", "exclusiveMaximum": "a number less than %s",
	"minLength": "at least %s characters", "maxLength": "at most %s characters", "minItems": "at least %s items", "maxItems": "at most %s items",
	"minProperties": "at least %s members", "maxProperties": "at most %s members",
}

// typeWords are the types in the words of faults.
var typeWords = strings.NewReplacer(`"null"`, "null", `"boolean"`, "true or false", `"integer"`, "a whole number", `"number"`, "a number",
	`"string"`, "a string", `"array"`, "a list", `"object"`, "an object")

// first returns the first faults in the order of their paths.
func first(all []Fault) []Fault {
	slices.SortFunc(all, func(a, b Fault) int { return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Want, b.Want)) })
	all = slices.Compact(all)
	return all[:min(len(all), maxFaults)]
}

// faults returns what e and its causes have against the value root.
func (s *Schema) faults(e *jsonschema.ValidationError, root any) (all []Fault) {
	keyword := path.Base(e.KeywordLocation)
	if len(e.Causes) == 0 || keyword == "minContains" {
		return s.leaf(e, root)
	}
	if e.Message != "" && (keyword == "anyOf" || keyword == "oneOf") {
		var alternatives [][]Fault
		for _, cause := range e.Causes {
			alternatives = append(alternatives, first(s.faults(cause, root)))
		}
		at := unescaped(e.InstanceLocation)
		return none(alternatives, at, shown(find(root, at)))
	}
	for _, cause := range e.Causes {
		all = append(all, s.faults(cause, root)...)
	}
	return all
}

// leaf returns what a keyword of the schema has against a part of the value.
func (s *Schema) leaf(e *jsonschema.ValidationError, root any) []Fault {
	at := unescaped(e.InstanceLocation)
	_, location, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	location = unescaped(location)
	keyword, v, given := path.Base(location), find(root, at), find(s.doc, location)
	got, want := shown(v), wants[keyword]
	names := strings.Contains(strings.ReplaceAll(e.KeywordLocation, "/properties/propertyNames", ""), "/propertyNames")
	switch text, isText := v.(string); {
	case e.Message == "not allowed":
		want = "nothing here"
	case keyword == "required":
		return missing(at, v, given)
	case keyword == "additionalProperties":
		return surplus(at, v, find(s.doc, strings.TrimSuffix(location, "/"+keyword)))
	case want == "":
		want = "a value that fits " + quoted(location) + " of the schema: " + clip.Short(e.Message, 200)
	default:
		if want = fmt.Sprintf(want, written(given)); keyword == "type" {
			want = typeWords.Replace(want)
		}
		if given == json.Number("1") {
			want = strings.TrimSuffix(want, "s")
		}
		if isText && strings.HasSuffix(keyword, "Length") && !names {
			got += fmt.Sprintf(" with %d characters", utf8.RuneCountInString(text))
		}
	}
	if names {
		got, want = "a member "+quoted(jsontext.PointerName.Replace(path.Base(at))), "a name that is "+want
	}
	return []Fault{{at, got, want}}
}

// missing returns the members of a list that an object lacks.
func missing(at string, v, required any) (all []Fault) {
	in, _ := v.(map[string]any)
	names, _ := required.([]any)
	for _, n := range names {
		name, _ := n.(string)
		if _, ok := in[name]; !ok && len(all) < maxFaults {
			all = append(all, Fault{at, shown(v) + " without " + quoted(name), "a member " + quoted(name)})
		}
	}
	return all
}

// surplus returns the members that an object has and a schema does not name.
func surplus(at string, v, schema any) (all []Fault) {
	in, _ := v.(map[string]any)
	of, _ := schema.(map[string]any)
	properties, _ := of["properties"].(map[string]any)
	patterns, _ := of["patternProperties"].(map[string]any)
	names, want, like := slices.Sorted(maps.Keys(properties)), "none", `[^\d\D]` // which nothing matches
	for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
		names, like = append(names, "names like "+pattern), like+"|(?:"+pattern+")"
	}
	if names != nil {
		want = "none but " + listed(names, quoted)
	}
	named, err := regexp.Compile(like)
	if err != nil { // all patterns together are too large
		return []Fault{{at, shown(v), want}}
	}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if _, ok := properties[name]; !ok && !named.MatchString(name) && len(all) < maxFaults {
			all = append(all, Fault{at + "/" + jsontext.Pointer.Replace(name), "a member " + quoted(name), want})
		}
	}
	return all
}

// listed returns values in a row, of many the first.
func listed[V any](values []V, word func(V) string) string {
	const shown = 12
	var words []string
	for _, v := range values[:min(len(values), shown)] {
		words = append(words, word(v))
	}
	if more := len(values) - shown; more > 0 {
		words = append(words, fmt.Sprintf("or %d others", more))
	}
	return strings.Join(words, ", ")
}

// written returns a value of the schema in words.
func written(v any) string {
	switch v := v.(type) {
	case string:
		return quoted(v)
	case []any:
		return listed(v, written)
	}
	return strings.TrimPrefix(shown(v), "the number ")
}

// none returns why no alternative accepts the value at a path: what all of them want
// when that is one fault each, else the faults of the one that goes deepest into the
// value, of several the one with the fewest.
func none(alternatives [][]Fault, at, got string) []Fault {
	var together []string
	best, depth, alike := 0, -1, true
	for i, faults := range alternatives {
		deepest := 0
		for _, one := range faults {
			deepest = max(deepest, strings.Count(one.Path, "/"))
		}
		if deepest > depth || deepest == depth && len(faults) < len(alternatives[best]) {
			best, depth = i, deepest
		}
		if alike = alike && len(faults) == 1 && faults[0].Path == at && faults[0].Got == got; alike {
			together = append(together, faults[0].Want)
		}
	}
	if alike {
		together = slices.Compact(together)
		return []Fault{{at, got, strings.Join(together[:min(len(together), 6)], ", or ")}}
	}
	all := slices.Clone(alternatives[best])
	for i := range all {
		all[i].Want += fmt.Sprintf(" (by alternative %d of %d, the closest)", best+1, len(alternatives))
	}
	return all
}

// parts returns the names that a JSON pointer is made of.
func parts(pointer string) []string {
	all := strings.Split(pointer, "/")[1:]
	for i := range all {
		all[i] = jsontext.PointerName.Replace(all[i])
	}
	return all
}

// find returns the value at a JSON pointer within v, nil for none.
func find(v any, pointer string) any {
	for _, part := range parts(pointer) {
		switch in := v.(type) {
		case map[string]any:
			v = in[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// shown describes a value.
func shown(v any) string {
	switch v := v.(type) {
	case string:
		return "the string " + quoted(v)
	case []any:
		if len(v) == 1 {
			return "a list of 1 item"
		}
		return fmt.Sprintf("a list of %d items", len(v))
	case map[string]any:
		if len(v) == 0 {
			return "an empty object"
		}
		return "an object"
	case json.Number:
		return "the number " + clip.Short(string(v), maxShown)
	case nil:
		return "null"
	}
	return fmt.Sprint(v)
}

// maxShown bounds the characters of a value in words.
const maxShown = 80

// quoted returns a text in quotes, cut where it is long.
func quoted(s string) string { return strconv.Quote(clip.Short(s, maxShown)) }
