package jsonschema_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/jsonschema"
)

func compile(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.Compile(text)
	if err != nil {
		t.Fatalf("Compile(%s) = %v", text, err)
	}
	return s
}

const review = `{
  "type": "object", "required": ["verdict", "findings"], "additionalProperties": false,
  "properties": {
    "verdict": {"enum": ["approve", "reject"]},
    "findings": {"type": "array", "maxItems": 2, "items": {"type": "object", "required": ["line"], "properties": {"line": {"type": "integer", "minimum": 1}, "text": {"type": "string", "minLength": 1}}}}
  }
}`

// What is said of a value names the part, what is there and what is wanted.
func TestCheck_Words(t *testing.T) {
	for _, tt := range []struct{ schema, value, want string }{
		{review, `{"verdict":"approve","findings":[]}`, ""},
		{review, `[]`, "- the whole value: got a list of length 0, want an object\n"},
		{review, `{"verdict":"maybe","findings":[{"line":"12"},{"line":0,"text":""}]}`,
			"- /findings/0/line: got the string \"12\", want a whole number\n" +
				"- /findings/1/line: got the number 0, want a number at least 1\n" +
				"- /findings/1/text: got the string \"\" of length 0, want a length of at least 1\n" +
				"- /verdict: got the string \"maybe\", want one of \"approve\", \"reject\"\n"},
		{review, `{"verdict":"approve","findings":[{},{},{"line":1}],"a/b~":1}`,
			"- /a~1b~0: got a member \"a/b~\", want none but findings, verdict\n" +
				"- /findings: got a list of length 3, want a length of at most 2\n" +
				"- /findings/0: got an object without \"line\", want a member \"line\"\n" +
				"- /findings/1: got an object without \"line\", want a member \"line\"\n"},
		{`{"required":["a"],"properties":{"a":true}}`, `{}`, "- the whole value: got an object without \"a\", want a member \"a\"\n"},
		{`{"additionalProperties":false,"properties":{"a":true},"patternProperties":{"^x":true}}`, `{"a/b~":1,"x1":2}`, "- /a~1b~0: got a member \"a/b~\", want none but a\n"},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `3`, "- the whole value: got the number 3, want a string, or null\n"},
		{`{"oneOf":[{"properties":{"k":{"const":"a"},"n":{"type":"integer"}}},{"properties":{"k":{"const":"b"},"n":{"properties":{"m":{"type":"string"}}}}}]}`, `{"k":"b","n":{"m":1}}`,
			"- /n/m: got the number 1, want a string\n"},
		{`{"oneOf":[{"type":"integer"},{"minimum":2}]}`, `3`, "- the whole value: got the number 3, want a value that fits \"/oneOf\" of the schema: valid against schemas at indexes 0 and 1\n"},
		{`{"not":{"type":"null"}}`, `null`, "- the whole value: got null, want a value that fits \"/not\" of the schema: not failed\n"},
		{`{"uniqueItems":true}`, `[1,{"a":[1.0,"x"],"b":2},{"b":2e0,"a":[1,"\u0078"]}]`, "- the whole value: got a list of length 3, want a value that fits \"/uniqueItems\" of the schema: items at index 1 and 2 are equal\n"},
		{`{"propertyNames":{"maxLength":2}}`, `{"abc":1}`, "- /abc: got the number 1, want a value that fits \"/propertyNames/maxLength\" of the schema: length must be <= 2, but got 3\n"},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, "- the whole value: got an object, want a value that fits \"/dependentRequired/a/0\" of the schema: property 'b' is required, if 'a' property exists\n"},
		{`{"items":{"format":"date"}}`, `["2024-02-30"]`, "- /0: got the string \"2024-02-30\", want a string in the format \"date\"\n"},
		{`{"contains":{"type":"null"}}`, `[1]`, "- /0: got the number 1, want null\n"},
		{`{"properties":{"a/b c":{"const":[1,{}]}}}`, `{"a/b c":2}`, "- /a~1b c: got the number 2, want 1, an object\n"},
		{`{"$ref":"#/$defs/100%25","$defs":{"100%":{"multipleOf":3,"maximum":5}}}`, `10`, "- the whole value: got the number 10, want a multiple of 3\n- the whole value: got the number 10, want a number at most 5\n"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]},"contentEncoding":"base64"}`, `"%"`, ""},
		{`{"properties":{"":{"required":["a"]}}}`, `{"":{},"a":1}`, "- the whole value: got an object, want a value that fits \"/properties//required\" of the schema: missing properties: 'a'\n"},
		{`{"properties":{"additionalProperties":false}}`, `{"additionalProperties":1}`, "- /additionalProperties: got the number 1, want nothing here\n"},
		{`{"$schema":"http://json-schema.org/draft-06/schema#","exclusiveMinimum":2}`, `2`, "- the whole value: got the number 2, want a number more than 2\n"},
		{`false`, `1`, "- the whole value: got the number 1, want nothing here\n"},
		{`{"pattern":"^\\u00e9$"}`, `"é"`, ""},
		{`{"pattern":"^\\d+$"}`, `"x"`, "- the whole value: got the string \"x\", want a string that matches \"^\\\\d+$\"\n"},
	} {
		got := jsonschema.Words(compile(t, tt.schema).Check(tt.value))
		if got != tt.want {
			t.Errorf("Check(%s) by %s says (-want +got):\n%s", tt.value, tt.schema, cmp.Diff(tt.want, got))
		}
	}
}

// Texts that are nearly JSON are told from a value, each with its place.
func TestRead_IsStrict(t *testing.T) {
	s := compile(t, `{"type":"object"}`)
	for text, want := range map[string]string{
		`{"a":1}`: "", " \n{\"a\":1}\n": "", "```json\n{\"a\":1}\n```": "", "```\n{}\n```\n": "", "~~~~ json\n{}\n~~~~": "", "```{}\n```": "got nothing",
		"":                               "got nothing",
		"  ":                             "got nothing",
		"Here it is: {}":                 `no JSON but "Here it is: {}" at line 1, column 1`,
		"{}\nThat is all.":               `"That is all." behind the JSON value at line 2, column 1`,
		"```json\n{}\n```\nDone.":        "no JSON but",
		"```json\n{}\n```\n```\n{}\n```": `behind the JSON value`,
		"{'a':1}":                        `no JSON but "'a':1}" at line 1, column 2`,
		"{\"a\":1,}":                     `no JSON but "}" at line 1, column 8`,
		`{"a":1`:                         "JSON that ends too soon",
		`{"a":1}{"a":2}`:                 "behind the JSON value",
		`{"a":1,"\u0061":2}`:             "a name that stands twice in one object at line 1, column 8",
		"{\"\ufffd\":\"\xff\"}":          "bytes that are not UTF-8 at line 1, column 7",
		"{\"a\":\"\xff\"}":               "bytes that are not UTF-8 at line 1, column 7",
		`{"a":"\ud800"}`:                 "half of a surrogate pair",
		`{"a":NaN}`:                      "no JSON but",
		"\ufeff{}":                       "no JSON but",
		strings.Repeat(`{"a":`, 300):     "nested deeper than 256",
		"// x\n{}":                       "no JSON but",
		"<think>no</think>{\"a\":1}":     "no JSON but",
		`"{\"a\":1}"`:                    "want an object",
	} {
		value, faults := s.Read(text)
		got := jsonschema.Words(faults)
		if want == "" && (faults != nil || !strings.HasPrefix(value, "{") || !strings.HasSuffix(value, "}")) {
			t.Errorf("Read(%q) = %q, %s, want the value", text, value, got)
		}
		if want != "" && (value != "" || !strings.Contains(got, want)) {
			t.Errorf("Read(%q) = %q, %q, want %q", text, value, got, want)
		}
	}
}

func TestCompile_NamesThePlace(t *testing.T) {
	for schema, want := range map[string]string{
		"{\n  \"properties\": {\"a\": {\"pattern\": \"^(?!x)\"}}}": `/properties/a/pattern: '^(?!x)' is not valid 'regex' of RE2, which has no look-ahead`,
		`{"pattern":"(?=a)"}`:                          "no look-ahead",
		`{"patternProperties":{"(a)\\1":{}}}`:          "/patternProperties/(a)\\1: '(a)",
		`{"type":"strng"}`:                             `/type: value must be one of "array", "boolean"`,
		`{"minLength":-1}`:                             "/minLength: must be >= 0",
		`{"minLength":1.5}`:                            "/minLength: expected integer, but got number",
		`{"required":"a"}`:                             "/required: expected array, but got string",
		`{"items":[{}]}`:                               "/items: expected object or boolean, but got array",
		`{"properties":{"a":1}}`:                       `/properties/a: expected object or boolean, but got number`,
		`{"$ref":"#/$defs/x"}`:                         "#/$defs/x not found",
		`{"$ref":"#x"}`:                                "#x not found",
		`{"$ref":"other.json"}`:                        `"other.json" is outside of the schema`,
		`{"$ref":"https://example.invalid/s.json#/a"}`: "is outside of the schema",
		`{"$ref":"file:///etc/passwd"}`:                "is outside of the schema",
		`{"$ref":"#"}`:                                 "infinite loop #",
		`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`: "infinite loop #",
		`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"not":{"$ref":"#"}}}}`:              "infinite loop #",
		`[]`:                      "the schema: expected object or boolean, but got array",
		"{\n\"type\":\"a\"":       "got JSON that ends too soon, want one JSON value",
		`{"a":1,"a":2}`:           "a name that stands twice in one object at line 1, column 8",
		`{"minimum":1e999999999}`: "an exponent of more than three digits at line 1, column 14",
		``:                        "got nothing",
		`{"title":"` + strings.Repeat("x", jsonschema.MaxSchema) + `"}`:            "want at most 1048576",
		`{"$ref":"#/x","x":{"allOf":[` + strings.Repeat(`true,`, 2000) + `true]}}`: "more than 2000 subschemas",
		`{"anyOf":[` + strings.Repeat(`{},`, 5000) + `{}]}`:                        "more than 2000 subschemas",
	} {
		if s, err := jsonschema.Compile(schema); s != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Compile(%.80s) = %v, %v, want an error with %q", schema, s, err, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	s := compile(t, `{"minLenght":1,"properties":{"a":{"format":"datetime","x-y":1,"$recursiveRef":"#"}},"$schema":"http://json-schema.org/draft-07/schema","unevaluatedItems":false}`)
	want := []string{
		`/minLenght: the keyword "minLenght" is not known and asserts nothing; did you mean "minLength"?`,
		`"$recursiveRef" is not known`, `/properties/a/format: the format "datetime" is not known and not checked`,
		`the keyword "x-y" is not known`,
	}
	got := s.Warnings()
	if len(got) != len(want) {
		t.Fatalf("Warnings() = %q, want %d", got, len(want))
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("Warnings()[%d] = %q, want %q", i, got[i], want[i])
		}
	}
	if got := compile(t, `{"items":{"enum":[]},"default":{"enum":[]}}`).Warnings(); len(got) != 1 || got[0] != "/items/enum: an empty list asserts nothing" {
		t.Errorf("Warnings() = %q, want one of the empty list", got)
	}
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, `,"k%d":1`, i)
	}
	if got := compile(t, "{"+many.String()[1:]+"}").Warnings(); len(got) != 20 {
		t.Errorf("%d warnings of a thousand unknown keywords, want 20", len(got))
	}
}

// A schema that describes itself, and values as deep as they may be.
func TestCheck_Recursion(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"next":{"$ref":"#"},"n":{"type":"integer"}},"additionalProperties":false}`)
	for depth, want := range map[int]bool{1: true, 255: true, 256: false} {
		good := strings.Repeat(`{"next":`, depth) + "{}" + strings.Repeat("}", depth)
		if got := s.Check(good) == nil; got != want {
			t.Errorf("Check of %d levels accepts: %t, want %t", depth+1, got, want)
		}
	}
	bad := strings.Repeat(`{"next":`, 100) + `{"n":"x"}` + strings.Repeat("}", 100)
	if got := s.Check(bad); len(got) != 1 || !strings.HasSuffix(got[0].Path, "/next/n") || len(got[0].String()) > 400 {
		t.Errorf("Check of a wrong leaf = %v, want it named and bounded", got)
	}
}

// What strangers write costs a bounded time, whatever it is.
func TestCheck_HostileIsBounded(t *testing.T) {
	doubling := `{"$ref":"#/$defs/a0","$defs":{`
	for i := range 60 {
		doubling += fmt.Sprintf(`"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	doubling += `"a60":true}}`
	var chain strings.Builder
	chain.WriteString(`{"$ref":"#/$defs/a0","$defs":{`)
	const links = 1900
	for i := range links {
		fmt.Fprintf(&chain, `"a%d":{"$ref":"#/$defs/a%d"},`, i, i+1)
	}
	fmt.Fprintf(&chain, `"a%d":true}}`, links)
	for name, c := range map[string]struct {
		schema, value string
		want          string
	}{
		"doubling references": {doubling, `1`, "reasonable time"},
		"doubling by depth":   {`{"properties":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, strings.Repeat(`{"a":`, 60) + "1" + strings.Repeat("}", 60), "reasonable time"},
		"a long chain":        {chain.String(), `1`, ""},
		"a huge exponent":     {`{"type":"integer"}`, `[3e1000000000]`, "exponent of more than three digits at line 1, column 4"},
		"an endless exponent": {`{"minimum":1}`, `1e` + strings.Repeat("9", 100_000), "exponent of more than three digits"},
		"many digits":         {`{"multipleOf":7}`, strings.Repeat("7", 1<<20), "a number of more than 1000 characters"},
		"a pattern elsewhere": {`{"items":{"$ref":"#/x"},"x":{"pattern":"` + strings.Repeat("(a|b)*", 2000) + `$"}}`, `["` + strings.Repeat("ab", 400_000) + `"]`, "reasonable time"},
		"a long pattern":      {`{"items":{"pattern":"` + strings.Repeat("(a|b)*", 2000) + `$"}}`, `["` + strings.Repeat("ab", 400_000) + `"]`, "reasonable time"},
		"a pattern of names":  {`{"patternProperties":{"` + strings.Repeat("(a|b)*", 2000) + `$":true}}`, `{"` + strings.Repeat("ab", 400_000) + `":1}`, "reasonable time"},
		"many alternatives":   {`{"items":{"anyOf":[` + strings.Repeat(`{"type":"string"},`, 1900) + `false]}}`, `[` + strings.Repeat("1,", 5000) + `1]`, "reasonable time"},
		"a long name":         {`{"additionalProperties":{"items":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"` + strings.Repeat("n", 1<<19) + `":[` + strings.Repeat("1,", 200_000) + `1]}`, "reasonable time"},
		"a long text":         {`{"items":{"anyOf":[{"const":"a"},{"enum":["b","c"]},{"pattern":"^(a|b)*c$"},{"format":"uri"}]}}`, `[` + strings.Repeat(`"`+strings.Repeat("ab", 1000)+`",`, 2000) + `1]`, "or a string in the format \"uri\""},
		"equal lists":         {`{"uniqueItems":true}`, `[` + strings.Repeat("[],", 300_000) + `[]]`, "are equal"},
	} {
		t.Run(name, func(t *testing.T) {
			started := time.Now()
			got := jsonschema.Words(compile(t, c.schema).Check(c.value))
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("says %.300q, want %q", got, c.want)
			}
			if took := time.Since(started); took > 20*time.Second {
				t.Errorf("takes %v", took)
			}
		})
	}
}

func TestCheck_ManyFaultsAreBounded(t *testing.T) {
	s := compile(t, `{"items":{"type":"string"}}`)
	value := "[" + strings.Repeat("1,", 1000) + strings.Repeat("9", 900) + "]"
	words := jsonschema.Words(s.Check(value))
	if strings.Count(words, "\n- ") != 7 || !strings.HasSuffix(words, "There may be more.\n") {
		t.Errorf("Words = %q, want eight faults and that there may be more", words)
	}
	long := strings.Repeat(`é`, 100_000)
	for _, faults := range [][]jsonschema.Fault{
		compile(t, `{"const":"`+long+`"}`).Check(`"` + long + `x"`),
		compile(t, `{"additionalProperties":{"type":"null"}}`).Check(`{"` + long + `":` + strings.Repeat("9", 900) + `}`),
		compile(t, `{"required":["`+long+`"]}`).Check(`{}`),
		compile(t, `{"additionalProperties":false,"properties":{"`+long+`":{}}}`).Check(`{"` + long + `y":1}`),
	} {
		if got := jsonschema.Words(faults); len(faults) != 1 || len(got) > 2000 {
			t.Errorf("%d faults in %d bytes, want one in at most 2000: %.200s", len(faults), len(got), got)
		}
	}
}

// Whatever the schema and the text are: the words are the same twice, and bounded.
func FuzzCheck(f *testing.F) {
	for _, v := range []string{`{"verdict":"maybe","findings":[{}]}`, `{"a":{"a":1}}`, `1e99`, `"a"`} {
		f.Add(review, v)
		f.Add(`{"properties":{"a":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"unevaluatedProperties":false}`, v)
		f.Add(`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"enum":[1,"a"]}],"additionalItems":false,"if":false}`, v)
	}
	f.Fuzz(func(t *testing.T, schema, v string) {
		s, err := jsonschema.Compile(schema)
		if err != nil {
			if len(err.Error()) > 2000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			return
		}
		words := jsonschema.Words(s.Check(v))
		if again := jsonschema.Words(s.Check(v)); again != words || len(words) > 20_000 {
			t.Errorf("Check returns %d bytes %s, then %s", len(words), words, again)
		}
	})
}
