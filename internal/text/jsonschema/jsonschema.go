// Package jsonschema compiles the JSON Schemas of answers, tools, documents and events,
// checks values, and describes faults in words a model can act on.
//
// The library validates, in the drafts that it supports, with formats, references within
// the schema alone and patterns as RE2 has them. This package bounds what the schemas
// and values of strangers cost.
package jsonschema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/nearest"
)

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct {
	compiled   *jsonschema.Schema
	doc        any // what is compiled
	text       string
	warnings   []string
	trusted    bool
	subschemas int
	widest     int // the parts of the largest subschema, or of the program of a pattern

	mu   sync.Mutex // held while a value is checked, unless the schema is trusted
	left int        // bytes that the errors of the check may still take
}

// Warnings names what in the schema is not asserted: unknown keywords and formats, at
// most 20.
func (s *Schema) Warnings() []string { return s.warnings }

// Text returns the schema as it was written.
func (s *Schema) Text() string { return s.text }

const (
	// MaxSchema bounds the text of a schema, in bytes.
	MaxSchema     = 1 << 20
	maxSubschemas = 2000 // compiling takes the square of it
	maxWarnings   = 20
	maxDepth      = 256 // of values and schemas
	// home and base are the addresses of a schema that has none.
	home, base = "https://schema.invalid/", home + "schema.json"
)

// The known keywords, by what they hold: no schema, schemas, or schemas by name.
const (
	plain   = " $schema $id $anchor $dynamicAnchor $dynamicRef $vocabulary $comment $ref title description default examples deprecated readOnly writeOnly contentEncoding contentMediaType type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern format maxItems minItems uniqueItems minContains maxContains maxProperties minProperties required dependentRequired "
	schemas = " allOf anyOf oneOf not if then else items prefixItems additionalItems contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties contentSchema "
	named   = " properties patternProperties $defs definitions dependencies dependentSchemas "
)

// Compile compiles a schema. The error names line and column, or the JSON pointer, of
// what is wrong.
func Compile(schema string) (*Schema, error) {
	if len(schema) > MaxSchema {
		return nil, fmt.Errorf("the schema has %d bytes, want at most %d", len(schema), MaxSchema)
	}
	doc, err := parse(schema)
	if err != nil {
		return nil, fmt.Errorf("got %w, want one JSON value", err)
	}
	s := &Schema{text: schema, doc: doc}
	if s.walk(doc, "", schemas); s.subschemas > maxSubschemas {
		return nil, fmt.Errorf("the schema has more than %d subschemas", maxSubschemas)
	}
	return s.compile()
}

// MustCompile is Compile for a schema of this program, whose checks are not bounded.
func MustCompile(schema string) *Schema {
	s, err := Compile(schema)
	if err != nil {
		panic(err)
	}
	s.trusted = true
	return s
}

// compile compiles by the library, which reads nothing but the schema.
func (s *Schema) compile() (compiled *Schema, err error) {
	library := jsonschema.NewCompiler()
	library.AssertFormat = true
	library.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("%s is outside of the schema: only references within it are followed, no file and no address", quoted(strings.TrimPrefix(url, home)))
	}
	library.Decoders["base64"], library.MediaTypes["application/json"] = nil, nil // would read any number
	library.RegisterExtension("steps", nil, counter{Schema: s})
	defer recovered(&err)
	if err = library.AddResource(base, bytes.NewReader(jsontext.MustMarshal(s.doc))); err == nil {
		s.compiled, err = library.Compile(base)
	}
	var refused *jsonschema.SchemaError
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return s, nil
	case errors.As(err, &invalid):
		leaf := slices.MinFunc(leaves(invalid), func(a, b *jsonschema.ValidationError) int {
			return strings.Compare(a.InstanceLocation+a.KeywordLocation, b.InstanceLocation+b.KeywordLocation)
		})
		message := clip.Short(leaf.Message, 200)
		if strings.HasSuffix(leaf.Message, "'regex'") {
			message += " of RE2, which has no look-ahead, look-behind and back-reference"
		}
		return nil, fmt.Errorf("%s: %s", cmp.Or(clip.Short(unescaped(leaf.InstanceLocation), 200), "the schema"), message)
	case errors.As(err, &refused):
		return nil, errors.New(clip.Short(strings.TrimPrefix(strings.ReplaceAll(refused.Err.Error(), base, ""), "jsonschema: "), 300))
	}
	return nil, err
}

// walk counts what can be subschemas: references lead to any part of the document. Of
// the parts that are, it rewrites patterns and warns of what is not asserted.
func (s *Schema) walk(v any, path, holds string) {
	list, _ := v.([]any)
	in, isObject := v.(map[string]any)
	if _, isBool := v.(bool); isBool || isObject {
		s.subschemas++
	}
	for i := range list {
		s.walk(list[i], clip.Short(path, 200)+"/"+strconv.Itoa(i), holds)
	}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		at := clip.Short(path, 200) + "/" + jsontext.Pointer.Replace(name)
		text, isText := in[name].(string)
		if members, _ := in[name].(map[string]any); name == "patternProperties" {
			for pattern := range members {
				s.measure(pattern)
			}
		} else if name == "pattern" {
			s.measure(text)
		} else if list, is := in[name].([]any); name == "enum" && holds == schemas && is && len(list) == 0 {
			s.warn(at, "an empty list asserts nothing")
		}
		word, within := " "+name+" ", plain
		switch {
		case holds == named:
			within = schemas
		case holds == plain:
		case strings.Contains(named, word):
			within = named
		case strings.Contains(schemas, word):
			within = schemas
		case !strings.Contains(plain, word):
			s.warn(at, "the keyword "+quoted(name)+" is not known and asserts nothing"+nearest.Hint(name, strings.Fields(plain+schemas+named)))
		case name == "format" && isText && jsonschema.Formats[text] == nil:
			s.warn(at, "the format "+quoted(text)+" is not known and not checked"+nearest.Hint(text, slices.Sorted(maps.Keys(jsonschema.Formats))))
		case name == "pattern" && isText:
			in[name] = escapes().ReplaceAllStringFunc(text, rewrite)
		}
		s.walk(in[name], at, within)
	}
}

// measure takes the size of the program of a pattern.
func (s *Schema) measure(pattern string) {
	if re, err := syntax.Parse(pattern, syntax.Perl); err == nil {
		program, _ := syntax.Compile(re.Simplify())
		s.widest = max(s.widest, len(program.Inst))
	}
}

func (s *Schema) warn(path, problem string) {
	if len(s.warnings) < maxWarnings {
		s.warnings = append(s.warnings, clip.Short(path, 200)+": "+problem)
	}
}

// escapes matches what a backslash begins in a pattern.
var escapes = lazyregexp.New(`\\u[0-9a-fA-F]{4}|\\.`)

// rewrite returns an escape of ECMAScript as RE2 writes it.
func rewrite(escape string) string {
	if len(escape) == 6 {
		return `\x{` + escape[2:] + "}"
	}
	return escape
}

// Check returns why the schema does not accept the JSON text of a value, at most
// eight faults, and none when it does. A text that is no JSON value, or that has a name
// twice in one object, is not accepted.
func (s *Schema) Check(text string) []Fault {
	v, err := parse(text)
	if err != nil {
		return []Fault{{Got: err.Error(), Want: "one JSON value"}}
	}
	invalid, err := s.validate(v, len(text))
	switch {
	case err != nil:
		return []Fault{{Got: shown(v), Want: "a value that can be checked by this schema in reasonable time"}}
	case invalid != nil:
		return first(s.faults(invalid, v))
	}
	return nil
}

// fenced matches a text in a code fence.
var fenced = lazyregexp.New("^(?:```+|~~~+)[^\n]*\n(?:((?s:.*))\n)? *(?:```+|~~~+)$")

// Read returns the JSON value that a final text is, as it is written, with one code
// fence round it taken off; or why the schema does not accept it.
func (s *Schema) Read(final string) (value string, faults []Fault) {
	value = strings.TrimSpace(final)
	if in := fenced().FindStringSubmatch(value); in != nil {
		value = strings.TrimSpace(in[1])
	}
	if faults := s.Check(value); faults != nil {
		return "", faults
	}
	return value, nil
}

// Node is a compiled schema or subschema.
type Node = jsonschema.Schema

// Node returns the root.
func (s *Schema) Node() *Node { return s.compiled }

// Broken validates a value by a schema of this program. It returns the keywords that
// refuse parts of the value, by the JSON pointers of these parts.
func (s *Schema) Broken(v any) map[string][]string {
	invalid, err := s.validate(v, 0)
	switch {
	case err != nil:
		panic(err)
	case invalid == nil:
		return nil
	}
	broken := map[string][]string{}
	for _, e := range leaves(invalid) {
		at := unescaped(e.InstanceLocation)
		broken[at] = append(broken[at], path.Base(e.KeywordLocation))
	}
	return broken
}

// leaves returns the errors that no others explain.
func leaves(e *jsonschema.ValidationError) (all []*jsonschema.ValidationError) {
	if len(e.Causes) == 0 {
		return append(all, e)
	}
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// What checking one value may cost: the library has no bound of its own, and a
// schema of some kilobytes can ask for more steps than there are atoms.
const (
	// maxProduct bounds the bytes of a value times the parts of the largest subschema
	// or of the program of a pattern: what one step can cost.
	maxProduct = 1 << 28
	// maxMemory bounds about how many bytes the errors of a check take.
	maxMemory = 1 << 27
)

var errSlow = jsonschema.InfiniteLoopError("too many steps") // which the library recovers

// validate checks a value of that many bytes by the library.
func (s *Schema) validate(v any, size int) (invalid *jsonschema.ValidationError, err error) {
	if !s.trusted {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.left = maxMemory; size*s.widest > maxProduct {
			return nil, errSlow
		}
	}
	defer recovered(&err)
	if err = s.compiled.Validate(v); errors.As(err, &invalid) {
		return invalid, nil
	}
	return nil, err
}

// recovered makes an error of a panic of the library.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the schema library fails: %.200s", fmt.Sprint(r))
	}
}

// counter counts the steps of checks by a schema. It is an extension of the library,
// which calls it after the keywords of each subschema.
type counter struct {
	*Schema
	parts int // of the subschema
}

// Compile returns the counter of the subschema m.
func (c counter) Compile(_ jsonschema.CompilerContext, m map[string]any) (jsonschema.ExtSchema, error) {
	for _, v := range m {
		c.parts += 1 + size(v)
	}
	c.widest = max(c.widest, c.parts)
	return c, nil
}

// Validate ends a check that takes too long by a panic.
func (c counter) Validate(at jsonschema.ValidationContext, v any) error {
	if c.trusted {
		return nil
	}
	e := at.Error("", "") // each error has the whole way to it
	steps := 1 + c.parts + size(v)
	if text, ok := v.(string); ok {
		steps += len(text) * c.widest / 1024
	}
	if c.left -= steps * (256 + len(e.KeywordLocation) + len(e.InstanceLocation)); c.left < 0 {
		panic(errSlow)
	}
	return nil
}

// size returns how many items or members a value has.
func size(v any) int {
	list, _ := v.([]any)
	object, _ := v.(map[string]any)
	return len(list) + len(object)
}

// parse reads the only JSON value of a text, strictly: UTF-8, no name twice in one
// object, no half of a surrogate pair, no number that is costly to compute.
func parse(src string) (any, error) {
	fail := func(at int, problem string) (any, error) {
		if at < len(src) {
			line, column := jsontext.Position(src, at)
			problem += fmt.Sprintf(" at line %d, column %d", line, column)
		}
		return nil, errors.New(problem)
	}
	if !utf8.ValidString(src) { // ToValidUTF8 returns the same up to the first byte that is not
		return fail(strings.IndexByte(strings.ToValidUTF8(src, "\xff"), '\xff'), "bytes that are not UTF-8")
	}
	notes := &jsontext.Notes{}
	r := &jsontext.Reader[string]{Src: src, Room: maxDepth, Notes: notes}
	switch whole := r.Whole(); {
	case strings.TrimSpace(src) == "":
		return fail(len(src), "nothing")
	case r.Fault == jsontext.FaultDepth:
		return fail(r.Pos, fmt.Sprintf("values nested deeper than %d", maxDepth))
	case r.Fault == jsontext.FaultEnd:
		return fail(len(src), "JSON that ends too soon")
	case r.Fault == jsontext.FaultSyntax:
		return fail(r.Pos, "no JSON but "+quoted(src[r.Pos:]))
	case !whole:
		return fail(r.Pos, quoted(src[r.Pos:])+" behind the JSON value")
	case notes.Repeated > 0:
		return fail(notes.Repeated, "a name that stands twice in one object")
	case notes.Surrogate > 0:
		return fail(notes.Surrogate, "half of a surrogate pair")
	case notes.Costly > 0:
		return fail(notes.Costly, "a number of more than 1000 characters or with an exponent of more than three digits")
	}
	return jsontext.Decode([]byte(src))
}

// Fault is why a schema does not accept a value.
type Fault struct {
	// Path is the JSON pointer of the part that is wrong, empty for the whole.
	Path      string
	Got, Want string
}

// String returns the fault in one line.
func (f Fault) String() string {
	return fmt.Sprintf("%s: got %s, want %s", cmp.Or(clip.Short(f.Path, 200), "the whole value"), f.Got, f.Want)
}

// Words returns faults as a list, one line each.
func Words(faults []Fault) string {
	var b strings.Builder
	for _, f := range faults {
		b.WriteString("- " + f.String() + "\n")
	}
	if len(faults) == maxFaults {
		b.WriteString("There may be more.\n")
	}
	return b.String()
}

// wants are the words for what keywords ask for; %s is what they have in the schema.
var wants = map[string]string{
	"type": "%s", "const": "%s", "enum": "one of %s", "pattern": "a string that matches %s", "format": "a string in the format %s",
	"multipleOf": "a multiple of %s", "minimum": "a number at least %s", "maximum": "a number at most %s",
	"exclusiveMinimum": "a number more than %s", "exclusiveMaximum": "a number less than %s",
	"minLength": "a length of at least %s", "maxLength": "a length of at most %s", "minItems": "a length of at least %s", "maxItems": "a length of at most %s",
}

// typeWords are the types in the words of faults.
var typeWords = strings.NewReplacer(`"null"`, "null", `"boolean"`, "true or false", `"integer"`, "a whole number", `"number"`, "a number",
	`"string"`, "a string", `"array"`, "a list", `"object"`, "an object")

// maxFaults bounds the faults that are reported at once.
const maxFaults = 8

// first returns the first faults in the order of their paths.
func first(all []Fault) []Fault {
	slices.SortFunc(all, func(a, b Fault) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Got, b.Got), strings.Compare(a.Want, b.Want))
	})
	all = slices.Compact(all)
	return all[:min(len(all), maxFaults)]
}

// faults returns what e and its causes have against the value root.
func (s *Schema) faults(e *jsonschema.ValidationError, root any) (all []Fault) {
	if len(e.Causes) == 0 {
		return s.leaf(e, root)
	}
	var alternatives [][]Fault
	for _, cause := range e.Causes {
		found := s.faults(cause, root)
		all, alternatives = append(all, found...), append(alternatives, first(found))
	}
	if keyword := path.Base(e.KeywordLocation); e.Message != "" && (keyword == "anyOf" || keyword == "oneOf") {
		return closest(alternatives)
	}
	return all
}

// leaf returns what a keyword of the schema has against a part of the value.
func (s *Schema) leaf(e *jsonschema.ValidationError, root any) (all []Fault) {
	_, location, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	at, location := unescaped(e.InstanceLocation), unescaped(location)
	of, keyword := path.Split(location)
	v, given := find(root, at), find(s.doc, location)
	got, want := shown(v), wants[keyword]
	if e.Message == "not allowed" { // by the schema false, which has no keyword
		return []Fault{{at, got, "nothing here"}}
	}
	switch keyword {
	case "required":
		in, _ := v.(map[string]any)
		names, _ := given.([]any)
		for _, name := range names {
			if _, ok := in[fmt.Sprint(name)]; !ok {
				all = append(all, Fault{at, got + " without " + written(name), "a member " + written(name)})
			}
		}
	case "additionalProperties":
		properties, _ := find(s.doc, of+"properties").(map[string]any)
		want = "none but " + clip.Short(strings.Join(slices.Sorted(maps.Keys(properties)), ", "), maxWritten)
		names := strings.TrimSuffix(strings.TrimPrefix(e.Message, "additionalProperties '"), "' not allowed")
		for _, name := range strings.Split(names, "', '") {
			all = append(all, Fault{at + "/" + jsontext.Pointer.Replace(name), `a member "` + clip.Short(name, maxShown) + `"`, want})
		}
	}
	switch text, isText := v.(string); {
	case all != nil:
		return all
	case want == "" || strings.Contains(location, "/propertyNames/"):
		want = "a value that fits " + quoted(location) + " of the schema: " + clip.Short(e.Message, 200)
	case keyword == "type":
		want = typeWords.Replace(written(given))
	default:
		want = fmt.Sprintf(want, written(given))
		if isText && strings.HasSuffix(keyword, "Length") {
			got += fmt.Sprintf(" of length %d", utf8.RuneCountInString(text))
		}
	}
	return []Fault{{at, got, want}}
}

// written returns a value of the schema in words.
func written(v any) string {
	switch v := v.(type) {
	case string:
		return quoted(v)
	case []any:
		var words []string
		for _, item := range v {
			words = append(words, written(item))
		}
		return clip.Short(strings.Join(words, ", "), maxWritten)
	}
	return strings.TrimPrefix(shown(v), "the number ")
}

// closest returns why no alternative accepts a value: what all of them want when that is
// one fault each of the same part, else the faults of the one that goes deepest into the
// value, of several the one with the fewest.
func closest(alternatives [][]Fault) []Fault {
	depth := func(faults []Fault) int { return strings.Count(faults[len(faults)-1].Path, "/") }
	slices.SortStableFunc(alternatives, func(a, b []Fault) int {
		return cmp.Or(cmp.Compare(depth(b), depth(a)), cmp.Compare(len(a), len(b)))
	})
	best := alternatives[0]
	var wants []string
	for _, faults := range alternatives {
		if len(faults) == 1 && faults[0].Path == best[0].Path {
			wants = append(wants, faults[0].Want)
		}
	}
	if len(wants) < len(alternatives) {
		return best
	}
	return []Fault{{best[0].Path, best[0].Got, clip.Short(strings.Join(slices.Compact(wants), ", or "), maxWritten)}}
}

// find returns the value at a JSON pointer within v, nil for none.
func find(v any, pointer string) any {
	for _, part := range strings.Split(pointer, "/")[1:] {
		in, _ := v.(map[string]any)
		list, isList := v.([]any)
		if i, err := strconv.Atoi(part); isList && err == nil && i >= 0 && i < len(list) {
			v = list[i]
		} else {
			v = in[jsontext.PointerName.Replace(part)]
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
		return fmt.Sprintf("a list of length %d", len(v))
	case map[string]any:
		return "an object"
	case json.Number:
		return "the number " + clip.Short(string(v), maxShown)
	}
	return string(jsontext.MustMarshal(v))
}

const (
	maxShown   = 80  // bytes of a value in words
	maxWritten = 500 // bytes of a list in words
)

// quoted returns a text in quotes, cut where it is long.
func quoted(s string) string { return strconv.Quote(clip.Short(s, maxShown)) }

// unescaped returns a location of the library as a JSON pointer.
func unescaped(location string) string {
	pointer, _ := url.PathUnescape(location) // which it has escaped
	return pointer
}
