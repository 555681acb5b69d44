package jsonschema_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	peer "github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/openagent-ci/openagent/internal/text/jsonschema"
)

// schemas are what the keywords of both drafts can say; values what they judge.
var (
	schemas = []string{
		`true`, `false`, `{}`, `{"type":"string"}`, `{"type":["integer","null"]}`, `{"type":"number"}`, `{"type":"array"}`, `{"type":"object"}`, `{"type":"boolean"}`,
		`{"enum":[1,"a",null,[1],{"a":1}]}`, `{"const":{"a":[1,2.0],"b":null}}`, `{"const":1.0}`, `{"const":"a"}`, `{"const":false}`, `{"const":0}`,
		`{"minimum":1,"maximum":2}`, `{"exclusiveMinimum":1,"exclusiveMaximum":2.5}`, `{"multipleOf":0.01}`, `{"multipleOf":2}`, `{"multipleOf":1.5}`, `{"multipleOf":10}`, `{"minimum":-1.5}`,
		`{"minLength":1,"maxLength":2}`, `{"pattern":"^a+$"}`, `{"pattern":"b$"}`,
		`{"items":{"type":"integer"}}`, `{"minItems":1,"maxItems":2}`, `{"uniqueItems":true}`, `{"contains":{"type":"integer"}}`, `{"contains":false}`, `{"items":false}`,
		`{"properties":{"a":{"type":"integer"},"b":false}}`, `{"patternProperties":{"^a":{"type":"integer"},"b$":{"type":"string"}}}`,
		`{"additionalProperties":false,"properties":{"a":true},"patternProperties":{"^b":{}}}`, `{"additionalProperties":{"type":"integer"}}`,
		`{"propertyNames":{"maxLength":1}}`, `{"required":["a","b"]}`, `{"minProperties":1,"maxProperties":1}`,
		`{"allOf":[{"type":"object"},{"required":["a"]}]}`, `{"anyOf":[{"type":"string"},{"minimum":2}]}`, `{"oneOf":[{"type":"integer"},{"minimum":2}]}`, `{"not":{"type":"integer"}}`,
		`{"if":{"type":"integer"},"then":{"minimum":2},"else":{"type":"string"}}`, `{"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"required":["b"]}}`, `{"then":false,"else":false}`, `{"if":false}`,
		`{"definitions":{"a":{"type":"integer"}},"items":{"$ref":"#/definitions/a"}}`, `{"properties":{"a":{"$ref":"#"}},"type":"object"}`, `{"$id":"http://x.invalid/root.json","definitions":{"a":{"$id":"a.json","type":"integer"}},"items":{"$ref":"a.json"}}`,
		`{"$id":"urn:x:y","items":{"$ref":"urn:x:y#/definitions/t~1u"},"definitions":{"t/u":{"type":"null"}}}`,
	}
	schemas2020 = []string{
		`{"prefixItems":[{"type":"integer"},{"type":"string"}],"items":false}`, `{"prefixItems":[{"type":"integer"}],"items":{"type":"string"}}`, `{"prefixItems":[true]}`,
		`{"contains":{"type":"integer"},"minContains":0,"maxContains":1}`, `{"contains":{"type":"integer"},"minContains":2}`, `{"minContains":2}`,
		`{"dependentRequired":{"a":["b"]}}`, `{"dependentSchemas":{"a":{"required":["b"]},"b":false}}`,
		`{"unevaluatedProperties":false,"properties":{"a":{}}}`, `{"unevaluatedProperties":false,"anyOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`,
		`{"unevaluatedProperties":{"type":"integer"},"allOf":[{"properties":{"b":{}}}]}`, `{"unevaluatedProperties":false,"if":{"required":["a"],"properties":{"a":{}}},"then":{"properties":{"b":{}}},"else":{"properties":{"c":{}}}}`,
		`{"unevaluatedProperties":false,"$ref":"#/$defs/a","$defs":{"a":{"properties":{"a":{}}}}}`, `{"unevaluatedProperties":false,"not":{"not":{"properties":{"a":{}}}}}`, `{"allOf":[{"properties":{"a":{}}},{"unevaluatedProperties":false}]}`,
		`{"unevaluatedItems":false,"prefixItems":[{}]}`, `{"unevaluatedItems":false,"contains":{"type":"integer"}}`, `{"unevaluatedItems":{"type":"string"},"anyOf":[{"prefixItems":[{"const":1}]},{"prefixItems":[{},{"const":2}]}]}`,
		`{"unevaluatedProperties":false,"patternProperties":{"^a":{}},"dependentSchemas":{"a":{"properties":{"b":{}}}}}`, `{"unevaluatedProperties":false,"additionalProperties":{"type":"integer"}}`,
		`{"$defs":{"a":{"$anchor":"x","type":"integer"}},"items":{"$ref":"#x"}}`, `{"$ref":"#/$defs/a","maximum":1,"$defs":{"a":{"type":"integer"}}}`,
		`{"$id":"http://x.invalid/tree","$dynamicAnchor":"node","type":"object","properties":{"a":{"$dynamicRef":"#node"}}}`,
		`{"$id":"http://x.invalid/strict","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false,"$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node","type":"object","properties":{"a":{"$dynamicRef":"#node"}}}}}`,
	}
	schemas07 = []string{
		`{"items":[{"type":"integer"},{"type":"string"}],"additionalItems":false}`, `{"items":[{"type":"integer"}],"additionalItems":{"type":"string"}}`, `{"additionalItems":false}`,
		`{"dependencies":{"a":["b"],"b":{"minProperties":3}}}`, `{"$ref":"#/definitions/a","maximum":1,"definitions":{"a":{"type":"integer"}}}`,
		`{"definitions":{"a":{"$id":"#x","type":"integer"}},"items":{"$ref":"#x"}}`,
	}
	values = []string{
		`null`, `true`, `false`, `0`, `-0`, `1`, `1.0`, `1.5`, `2`, `2.5`, `-1`, `-2`, `0.01`, `0.07`, `1e2`, `1E-2`, `10`, `15e-1`, `3`, `9007199254740993`, `0.1`,
		`""`, `"a"`, `"aa"`, `"aaa"`, `"é"`, `"éé"`, `"\ud83d\ude00\ud83d\ude00"`, `"b"`, `"1"`,
		`[]`, `[1]`, `[1,2]`, `[1,1.0]`, `[1,"a"]`, `["a"]`, `["a",1]`, `[1,"a",null]`, `[null]`, `[[1],[1.0]]`, `[{"a":1,"b":2},{"b":2,"a":1}]`, `[false,0]`, `["1",1]`, `[1,2,"x"]`, `[2,2]`,
		`{}`, `{"a":1}`, `{"a":"x"}`, `{"b":"x"}`, `{"a":1,"b":2}`, `{"a":1,"b":"x"}`, `{"a":1,"b":2,"c":3}`, `{"c":1}`, `{"ab":1}`, `{"ab":"x"}`, `{"a":[1,2],"b":null}`, `{"b":null,"a":[1.0,2]}`, `{"a":{}}`, `{"a":{"a":{}}}`, `{"a":{"a":1}}`, `{"a":{"c":1}}`, `{"ba":1}`,
	}
)

const header07, header2020 = `"$schema":"http://json-schema.org/draft-07/schema#"`, `"$schema":"https://json-schema.org/draft/2020-12/schema"`

// headed returns a schema with a member before the others.
func headed(schema, header string) string {
	switch {
	case schema[0] != '{':
		return schema
	case schema == "{}":
		return "{" + header + "}"
	}
	return "{" + header + "," + schema[1:]
}

// oracle compiles a schema by the library.
func oracle(schema string) (*peer.Schema, error) {
	c := peer.NewCompiler()
	c.AssertFormat = true
	if err := c.AddResource("urn:test:schema", strings.NewReader(schema)); err != nil {
		return nil, err
	}
	return c.Compile("urn:test:schema")
}

func accepts(t *testing.T, s *peer.Schema, text string) bool {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return s.Validate(v) == nil
}

// Each schema judges each value as the library does, in both drafts.
func TestCheck_AgreesWithLibrary(t *testing.T) {
	compared := 0
	for _, draft := range []struct {
		header string
		own    []string
	}{{header07, schemas07}, {header2020, schemas2020}} {
		for _, text := range append(append([]string{}, schemas...), draft.own...) {
			text = headed(text, draft.header)
			theirs, err := oracle(text)
			if err != nil {
				t.Fatalf("the library refuses %s: %v", text, err)
			}
			ours := compile(t, text)
			for _, v := range values {
				compared++
				if got, want := ours.Check(v), accepts(t, theirs, v); (got == nil) != want {
					t.Errorf("%s judges %s: accepted %t (%s), the library says %t", text, v, got == nil, jsonschema.Words(got), want)
				}
			}
		}
	}
	if compared < 7000 {
		t.Errorf("%d judgements compared, want all", compared)
	}
}

func TestFormats_AgreeWithLibrary(t *testing.T) {
	texts := []string{
		"", "a", " ", "2024-02-29", "2023-02-29", "2024-2-9", "2024-02-29T23:59:59Z", "2024-02-29t23:59:59.5z", "2024-02-29 23:59:59Z", "2024-02-29T23:59:60Z", "2016-12-31T22:59:60Z", "2024-02-29T24:00:00Z", "2024-02-29T23:59:59+24:00",
		"2024-02-29T23:59:59,5Z", "2024-02-29T12:00:00", "12:00:00Z", "12:00:00", "12:00:00+01:00", "23:59:60Z", "22:59:60-01:00", "1:00:00Z", "12:00:00.Z",
		"P1D", "PT1H", "P1W", "P1Y2M", "P1YT", "PT", "P", "P1W2D", "P1M2D", "P2D1Y",
		"a@b", "a.b@c.d", "a@", "@b", "a b@c", "\"a b\"@c", "a@[127.0.0.1]", "a@[IPv6:::1]", ".a@b", "a..b@c", "a@b_c",
		"x.invalid", "-a", "a-", "a..b", strings.Repeat("a", 64), strings.Repeat("a", 63), strings.Repeat("a.", 127) + "a", "a_b",
		"127.0.0.1", "127.0.0.01", "256.0.0.1", "1.2.3", "::1", "::ffff:1.2.3.4", "1::2::3", "12345::", "fe80::1%eth0",
		"http://x.invalid/a?b#c", "//x.invalid", "/a", "a b", "http://x/%zz", "urn:x:y", "\\\\x", "http://[::1]:80/",
		"/a~0/b~1", "/a~", "a/b", "/", "0#", "1/a", "01/a", "-1/a", "0",
		"2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638g",
		"/a/{b}", "/a/{b", "/a}", "{?a,b*}", "(a", "a+",
	}
	for _, format := range []string{"date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "json-pointer", "relative-json-pointer", "regex"} {
		schema := `{"format":"` + format + `"}`
		theirs, err := oracle(schema)
		if err != nil {
			t.Fatal(err)
		}
		ours := compile(t, schema)
		for _, text := range texts {
			v, _ := json.Marshal(text)
			if got, want := ours.Check(string(v)) == nil, accepts(t, theirs, string(v)); got != want {
				t.Errorf("format %s of %q: accepted %t, the library says %t", format, text, got, want)
			}
		}
	}
}

// Of addresses the library accepts more than RFC 3986 and 6570 do.
func TestFormats_OfAddresses(t *testing.T) {
	for format, texts := range map[string]struct{ good, bad []string }{
		"uri":           {[]string{"http://x.invalid/a?b#c", "urn:x:y", "http://[::1]:80/", "mailto:a@b"}, []string{"", "/a", "//x.invalid", "http://x/%zz", "http://x/a b", "http://x/{a}", "::1", "\\\\x"}},
		"uri-reference": {[]string{"", "/a", "//x.invalid/b", "a?b", "#c", "urn:x:y"}, []string{"a b", "\\\\x", "http://x/%zz", "{a}"}},
		"uri-template":  {[]string{"", "/a/{b}", "{?a,b*}", "http://x/{a:3}{#b}", "%41", "a'b", "{a.b}"}, []string{"/a/{b", "/a}", "{", "{a b}", "a b", "{a:0}", "\"", "{a..b}", "a\x7fb", "%zz"}},
	} {
		s := compile(t, `{"format":"`+format+`"}`)
		for want, list := range map[bool][]string{true: texts.good, false: texts.bad} {
			for _, text := range list {
				v, _ := json.Marshal(text)
				if got := s.Check(string(v)) == nil; got != want {
					t.Errorf("format %s of %q: accepted %t, want %t", format, text, got, want)
				}
			}
		}
	}
}

// maker makes schemas and values that meet often.
type maker struct{ *rand.Rand }

func (m maker) pick(all ...string) string { return all[m.IntN(len(all))] }

// value returns a value of at most that depth.
func (m maker) value(depth int) string {
	if depth == 0 || m.IntN(2) == 0 {
		return m.pick("null", "true", "false", "0", "1", "2", "-1", "1.0", "1.5", "2.50", `""`, `"a"`, `"ab"`, `"b"`, `"é"`)
	}
	var parts []string
	for i := range m.IntN(4) {
		parts = append(parts, m.value(depth-1))
		if m.IntN(8) == 0 {
			parts[i] = parts[0]
		}
	}
	if m.IntN(2) == 0 {
		return "[" + strings.Join(parts, ",") + "]"
	}
	for i, name := range []string{"a", "b", "ab"}[:min(3, len(parts))] {
		parts[i] = `"` + name + `":` + parts[i]
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// schema returns a schema of at most that depth and of both drafts, or of the newer
// one.
func (m maker) schema(depth int, newer bool) string {
	if depth == 0 {
		return m.pick("true", "false", "{}", `{"type":"integer"}`, `{"type":"string"}`, `{"const":1}`, `{"minimum":1}`, `{"required":["a"]}`, `{"$ref":"#/definitions/d"}`)
	}
	sub := func() string { return m.schema(depth-1, newer) }
	list := func() string { return "[" + sub() + "," + sub() + "]" }
	named := func() string { return `{"a":` + sub() + `,"b":` + sub() + "}" }
	keywords := []func() string{
		func() string {
			return `"type":` + m.pick(`"object"`, `"array"`, `"string"`, `["number","null"]`, `["object","array"]`)
		},
		func() string { return `"enum":[` + m.value(2) + `,"other"]` }, func() string { return `"const":` + m.value(2) },
		func() string { return `"allOf":` + list() }, func() string { return `"anyOf":` + list() }, func() string { return `"oneOf":` + list() }, func() string { return `"not":` + sub() },
		func() string { return `"if":` + sub() }, func() string { return `"then":` + sub() }, func() string { return `"else":` + sub() },
		func() string {
			return m.pick(`"minimum":1`, `"maximum":1.5`, `"exclusiveMinimum":0`, `"exclusiveMaximum":2.5`, `"multipleOf":0.5`)
		},
		func() string { return m.pick(`"minLength":1`, `"maxLength":1`, `"pattern":"^a"`) },
		func() string { return `"items":` + sub() }, func() string { return `"contains":` + sub() },
		func() string {
			return m.pick(`"minItems":1`, `"maxItems":2`, `"uniqueItems":true`, `"minProperties":1`, `"maxProperties":2`)
		},
		func() string { return `"properties":` + named() }, func() string { return `"patternProperties":{"^a":` + sub() + `,"b$":` + sub() + "}" },
		func() string { return `"additionalProperties":` + sub() }, func() string { return `"propertyNames":` + sub() }, func() string { return `"required":["a"]` },
	}
	if newer {
		keywords = append(keywords,
			func() string { return `"prefixItems":` + list() }, func() string { return `"dependentSchemas":` + named() }, func() string { return `"dependentRequired":{"a":["b"]}` },
			func() string { return m.pick(`"minContains":0`, `"maxContains":1`) },
			func() string { return `"unevaluatedProperties":` + m.pick("false", sub()) }, func() string { return `"unevaluatedItems":` + m.pick("false", sub()) },
		)
	}
	var members []string
	for _, i := range m.Perm(len(keywords))[:1+m.IntN(4)] {
		members = append(members, keywords[i]())
	}
	return "{" + strings.Join(members, ",") + "}"
}

// Schemas and values by chance are judged as the library does.
func TestCheck_AgreesWithLibraryOnRandomSchemas(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("OPENAGENT_TEST_SEED"), 10, 64); err == nil {
		seed = given
	}
	t.Logf("OPENAGENT_TEST_SEED=%d", seed)
	m, rounds := maker{rand.New(rand.NewPCG(seed, 0))}, 500
	if os.Getenv("OPENAGENT_TEST_LONG") != "" {
		rounds *= 40
	}
	accepted, refused := 0, 0
	for range rounds {
		newer := m.IntN(3) > 0
		header := header07
		if newer {
			header = header2020
		}
		text := headed(m.schema(3, newer), header+`,"definitions":{"d":`+m.pick("true", `{"type":"integer"}`, `{"properties":{"a":{"type":"integer"}}}`)+"}")
		theirs, err := oracle(text)
		if err != nil {
			t.Fatalf("the library refuses %s: %v", text, err)
		}
		ours, err := jsonschema.Compile(text)
		if err != nil {
			t.Fatalf("Compile(%s) = %v, and the library has it", text, err)
		}
		for range 10 {
			v := m.value(3)
			got, want := ours.Check(v), accepts(t, theirs, v)
			if (got == nil) != want {
				t.Fatalf("%s judges %s: accepted %t (%s), the library says %t", text, v, got == nil, jsonschema.Words(got), want)
			}
			if want {
				accepted++
			} else {
				refused++
			}
		}
	}
	if accepted < rounds || refused < rounds {
		t.Errorf("%d values accepted, %d refused, want many of both", accepted, refused)
	}
}

// Whatever the schema and the text are: judging says the same twice, what a schema
// accepts its opposite refuses, and no words are endless.
func FuzzJudge(f *testing.F) {
	for i, s := range append(append(append([]string{}, schemas...), schemas2020...), schemas07...) {
		f.Add(s, values[i%len(values)])
	}
	f.Fuzz(func(t *testing.T, schema, v string) {
		s, err := jsonschema.Compile(schema)
		if err != nil {
			if len(err.Error()) > 2000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			return
		}
		faults := s.Check(v)
		words := jsonschema.Words(faults)
		if again := jsonschema.Words(s.Check(v)); again != words || len(words) > 20_000 {
			t.Errorf("Check says %d bytes %s, then %s", len(words), words, again)
		}
		// A reference counts from the top, and what takes too long is refused by both.
		if strings.Contains(schema, "$") || strings.Contains(words, "reasonable time") || !json.Valid([]byte(v)) || strings.Contains(words, "want one JSON value") {
			return
		}
		opposite, err := jsonschema.Compile(`{"not":` + schema + "}")
		if err != nil {
			return // one level deeper than may be
		}
		if refused := opposite.Check(v) != nil; refused != (faults == nil) {
			t.Errorf("%s accepts %s: %t, and its opposite refuses it: %t", schema, v, faults == nil, refused)
		}
	})
}
