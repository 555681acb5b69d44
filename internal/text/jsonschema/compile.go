package jsonschema

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/nearest"
)

const (
	maxSubschemas = 2000 // compiling takes the square of it
	maxPattern    = 16 << 10
	maxWarnings   = 20
	// home and base are the addresses of a schema that has none.
	home, base = "https://schema.invalid/", home + "schema.json"
)

// drafts are the supported drafts by $schema.
var drafts = map[string]string{"https://json-schema.org/draft/2020-12/schema": "2020-12", "http://json-schema.org/draft-07/schema": "07"}

// keywords are the known keywords of a draft, empty for both, by what they hold: no
// schema, schemas, or schemas by name.
var keywords = []struct{ draft, holds, names string }{
	{"", "", "$schema $id $comment $ref title description default examples readOnly writeOnly contentEncoding contentMediaType type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern format maxItems minItems uniqueItems maxProperties minProperties required"},
	{"", "schemas", "allOf anyOf oneOf not if then else items contains additionalProperties propertyNames"},
	{"", "named", "properties patternProperties definitions dependencies"},
	{"07", "schemas", "additionalItems"},
	{"2020-12", "", "$anchor $dynamicAnchor $dynamicRef $vocabulary deprecated dependentRequired minContains maxContains"},
	{"2020-12", "schemas", "prefixItems unevaluatedItems unevaluatedProperties contentSchema"},
	{"2020-12", "named", "$defs dependentSchemas"},
}

// compiler compiles one schema.
type compiler struct {
	*Schema
	draft      string
	holds      map[string]string // by keyword
	subschemas int
	err        error // the first
}

// Compile compiles a schema. The error names line and column, or the JSON pointer, of
// what is wrong.
func Compile(schema string) (*Schema, error) {
	c := &compiler{Schema: &Schema{text: schema}, draft: "2020-12", holds: map[string]string{}}
	if len(schema) > MaxSchema {
		return nil, fmt.Errorf("the schema has %d bytes, want at most %d", len(schema), MaxSchema)
	}
	doc, wrong := parse(schema)
	if wrong != nil {
		return nil, fmt.Errorf("got %s, want one JSON value", wrong.words(schema))
	}
	if root, ok := doc.(map[string]any); ok && root["$schema"] != nil {
		named, _ := root["$schema"].(string)
		if c.draft, ok = drafts[strings.TrimSuffix(named, "#")]; !ok {
			return nil, fmt.Errorf("/$schema: got %s, want https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema#", shown(root["$schema"]))
		}
	}
	for _, row := range keywords {
		for name := range strings.FieldsSeq(row.names) {
			if row.draft == "" || row.draft == c.draft {
				c.holds[name] = row.holds
			}
		}
	}
	c.doc = doc
	c.count(doc, "")
	if c.walk(doc, ""); c.err != nil {
		return nil, c.err
	}
	if err := c.compile(); err != nil {
		return nil, err
	}
	return c.Schema, nil
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
func (s *Schema) compile() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the schema cannot be read: %.200s", fmt.Sprint(r))
		}
	}()
	lib := jsonschema.NewCompiler()
	lib.AssertFormat = true
	lib.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("%s is outside of the schema: only references within it are followed, no file and no address", quoted(strings.TrimPrefix(url, home)))
	}
	lib.Decoders["base64"], lib.MediaTypes["application/json"] = nil, nil // would read any number
	lib.RegisterExtension("steps", nil, counter{Schema: s})
	if err := lib.AddResource(base, bytes.NewReader(jsontext.MustMarshal(s.doc))); err != nil {
		return err
	}
	s.compiled, err = lib.Compile(base)
	var refused *jsonschema.SchemaError
	var invalid *jsonschema.ValidationError
	switch {
	case errors.As(err, &invalid):
		for len(invalid.Causes) > 0 {
			invalid = slices.MinFunc(invalid.Causes, func(a, b *jsonschema.ValidationError) int {
				return strings.Compare(a.InstanceLocation+a.KeywordLocation, b.InstanceLocation+b.KeywordLocation)
			})
		}
		return fmt.Errorf("%s: %s", cmp.Or(unescaped(invalid.InstanceLocation), "the schema"), clip.Short(invalid.Message, 200))
	case errors.As(err, new(jsonschema.InfiniteLoopError)):
		return errors.New("the schema refers to itself without going into the value, so validation would never end")
	case errors.As(err, &refused):
		return errors.New(clip.Short(strings.TrimPrefix(strings.ReplaceAll(refused.Err.Error(), base, ""), "jsonschema: "), 300))
	}
	return err
}

// unescaped returns a location of the library as a JSON pointer.
func unescaped(location string) string {
	pointer, err := url.PathUnescape(location)
	if err != nil {
		return location
	}
	return pointer
}

// fail records a problem; the first counts.
func (c *compiler) fail(path, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: %w", cmp.Or(clip.Short(path, 200), "the schema"), fmt.Errorf(format, args...))
	}
}

// warn records a word that is not known, and which of the known may be meant.
func warn[V any](c *compiler, path, problem, word string, known map[string]V) {
	if len(c.warnings) < maxWarnings {
		c.warnings = append(c.warnings, clip.Short(path, 200)+": "+problem+nearest.Hint(word, slices.Sorted(maps.Keys(known))))
	}
}

// count counts the subschemas that a value may be, to which references can lead.
func (c *compiler) count(v any, path string) {
	switch v := v.(type) {
	case []any:
		for i := range v {
			c.count(v[i], path)
		}
		return
	case map[string]any:
		for name := range v {
			c.count(v[name], path)
		}
	case bool:
	default:
		return
	}
	if c.subschemas++; c.subschemas > maxSubschemas {
		c.fail(path, "the schema has more than %d subschemas", maxSubschemas)
	}
}

// walk checks the schema v before the library sees it, and rewrites its patterns.
func (c *compiler) walk(v any, path string) {
	in, _ := v.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(in)) {
		at := path + "/" + jsontext.Pointer.Replace(name)
		holds, known := c.holds[name]
		list, isList := in[name].([]any)
		text, _ := in[name].(string)
		switch {
		case c.err != nil:
			return
		case !known:
			warn(c, at, "the keyword "+quoted(name)+" is not known in draft "+c.draft+" and asserts nothing", name, c.holds)
		case holds == "named":
			c.walkNamed(in[name], at)
		case holds == "schemas" && isList:
			for i := range list {
				c.walk(list[i], at+"/"+strconv.Itoa(i))
			}
		case holds == "schemas":
			c.walk(in[name], at)
		case name == "pattern" && text != "":
			in[name] = c.pattern(at, text)
		case name == "format" && jsonschema.Formats[text] == nil:
			warn(c, at, "the format "+quoted(text)+" is not known and not checked", text, jsonschema.Formats)
		}
	}
}

// walkNamed walks the schemas that an object has by name.
func (c *compiler) walkNamed(v any, path string) {
	named, _ := v.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(named)) {
		sub, at := named[name], path+"/"+jsontext.Pointer.Replace(name)
		if c.walk(sub, at); strings.HasSuffix(path, "/patternProperties") {
			delete(named, name)
			named[c.pattern(at, name)] = sub
		}
	}
}

// escapes matches what a backslash begins in a pattern.
var escapes = lazyregexp.New(`\\u[0-9a-fA-F]{4}|\\.`)

// pattern returns a pattern with the escapes of ECMAScript as RE2 writes them.
func (c *compiler) pattern(path, pattern string) string {
	written := escapes().ReplaceAllStringFunc(pattern, func(escape string) string {
		if len(escape) == 6 {
			return `\x{` + escape[2:] + "}"
		}
		return escape
	})
	_, err := regexp.Compile(written)
	switch {
	case len(pattern) > maxPattern:
		c.fail(path, "the pattern has %d bytes, want at most %d", len(pattern), maxPattern)
	case err != nil:
		c.fail(path, "the pattern %s is not one that RE2 reads, which has no look-ahead, look-behind and back-reference: %s", quoted(pattern), clip.Short(err.Error(), 200))
	}
	return written
}
