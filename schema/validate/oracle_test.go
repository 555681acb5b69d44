package validate_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// oracle is the published schema as a whole, compiled as any user would.
func oracle(t testing.TB) *jsonschema.Schema {
	t.Helper()
	return compiled(t, schema.Version)
}

// compiled is a schema of that name.
func compiled(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	text, err := schema.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	const url = "urn:openagent:run_event:v1"
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat = true
	if err := compiler.AddResource(url, bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	whole, err := compiler.Compile(url)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

var streamFile = flag.String("stream", "", "`file` of a stream for BenchmarkLibrary")

// BenchmarkLibrary is a yardstick: the lines of a stream judged by the published
// schema alone, as a program would that has only a library for such.
func BenchmarkLibrary(b *testing.B) {
	name := cmp.Or(*streamFile, "../../golden/valid/run.jsonl")
	whole := oracle(b)
	for b.Loop() {
		file, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		lines := bufio.NewScanner(file)
		for lines.Scan() {
			dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
			dec.UseNumber()
			var v any
			err := dec.Decode(&v)
			if err == nil {
				err = whole.Validate(v)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		_ = file.Close()
	}
}

// beside are the rules of a line that code checks beside the schema: a line
// that breaks one of these alone may match the schema.
func beside(f validate.Finding) bool {
	switch f.Rule {
	case "size/truncation", "size/truncation-unknown", "schema/number", "size/string", "size/preview":
		return true
	}
	return !strings.HasPrefix(f.Rule, "schema/")
}

// agree holds our judgment of a line against the oracle's: what the schema
// refuses we refuse, and what we refuse for the schema's sake it refuses.
func agree(t *testing.T, whole *jsonschema.Schema, line []byte) {
	t.Helper()
	var refused, bySchema bool
	for _, f := range validate.NewStream(validate.Options{}).Line(line) {
		if strings.HasPrefix(f.Rule, "line/") && f.Severity == validate.SeverityError {
			return // the oracle sees parsed values only
		}
		refused = refused || f.Severity == validate.SeverityError
		bySchema = bySchema || !beside(f)
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%.300s: no line finding, and %v", line, err)
	}
	err := whole.Validate(v)
	if err != nil && !refused {
		t.Errorf("%.300s: no finding, and the schema says %#v", line, err)
	}
	if err == nil && bySchema {
		t.Errorf("%.300s: refused for the schema's sake, and the schema accepts it", line)
	}
}

func TestStream_AgreesWithTheWholeSchema(t *testing.T) {
	whole := oracle(t)
	var lines [][]byte
	for _, v := range golden.Vectors() {
		for line := range bytes.Lines(v.Stream) {
			// The oracle spells out what a large exponent stands for.
			if len(line) < 1<<17 && !bytes.Contains(line, []byte("e10000000")) {
				agree(t, whole, line)
				lines = append(lines, line)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		agree(t, whole, mutate(r, lines[r.IntN(len(lines))]))
	}
}

// The same lines are valid by the types schema and by the published one.
func TestTypesSchema_SameLines(t *testing.T) {
	t.Parallel()
	whole, union := oracle(t), compiled(t, schema.TypesName)
	n := 10_000
	switch {
	case os.Getenv("OPENAGENT_TEST_LONG") != "":
		n *= 10
	case testing.Short():
		n /= 5
	}
	r := rand.New(rand.NewPCG(5, 6))
	lines := expressible()
	short := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return len(line) > 1<<10 })
	valid := 0
	for i := range n + len(lines) {
		var line []byte
		if i < len(lines) {
			line = []byte(lines[i])
		} else {
			line = mutate(r, []byte(short[i%len(short)]))
		}
		v, err := jsontext.Decode(line)
		if err != nil {
			t.Fatal(err)
		}
		a, b := whole.Validate(v), union.Validate(v)
		if (a == nil) != (b == nil) {
			t.Fatalf("%.500s: the published schema says %v, the types schema %v", line, a, b)
		}
		if a == nil {
			valid++
		}
	}
	if valid*20 < n || valid*4 > 3*n {
		t.Errorf("%d of %d lines are valid, want many of both", valid, n)
	}
}

// pieces are put in the place of values and names.
var pieces = []string{
	`null`, `true`, `0`, `-1`, `1.0`, `1.5`, `9007199254740993`, `""`, `"x"`, `[]`, `["x"]`, `[1]`, `{}`, `{"x":1}`,
	`{"path":"p"}`, `{"name":"n","version":2}`, `[{"path":null}]`, `[{"field":"f","original_bytes":-1}]`,
	`0.5`, `-0.5`, `0.0000001`, `-0`, `9007199254740994.5`, `{"cost_usd":0.25,"reasoning_tokens":null}`, `{"cost_usd":-0.000001}`,
	`{"cost_usd":0.1234567,"reasoning_tokens":1.5}`, `{"cost_usd":-0}`, `{"cost_usd":"1"}`, `{"cost_usd":9007199254740994}`,
	`{"format":"f","mapping":"m/1","time":"mixed"}`, `{"format":"f","mapping":"m/1"}`, `{"terminal":"observed"}`,
	`{"terminal":"observed","unmapped":{"a/b":1,"*":2}}`, `{"terminal":"observed","unmapped":{"a~b":1.5}}`,
	`{"terminal":"observed","unmapped":{"a":null}}`, `{"terminal":"observed","unmapped":[]}`, `{"terminal":"observed","unmapped":` + counts(65) + `}`,
	`{"terminal":"observed","unmapped":{"` + strings.Repeat("a", 257) + `":1}}`,
	`[{"name":"s","tools":1,"status":"connected"}]`, `[{"name":"s","tools":"1","status":null}]`, `[{"name":"s"}]`,
	`{"level":"full","landlock_abi":null,"seccomp":true,"network":"on","user":null,"missing":[]}`,
	`{"level":"full","landlock_abi":"6","seccomp":true,"network":"on","user":null,"missing":[null]}`,
	`"` + strings.Repeat("a", 300) + `"`, `"run_finished"`, `"2026-02-30T00:00:00Z"`,
}

// counts returns an object of n names.
func counts(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"n%d":1`, i)
	}
	return "{" + b.String()[1:] + "}"
}

// mutate replaces one value of a line's envelope or payload, or its name.
func mutate(r *rand.Rand, line []byte) []byte {
	var event map[string]json.RawMessage
	if json.Unmarshal(line, &event) != nil {
		return line
	}
	target := event
	var data map[string]json.RawMessage
	if json.Unmarshal(event["data"], &data) == nil && len(data) > 0 && r.IntN(4) > 0 {
		target = data
	}
	names := slices.Sorted(maps.Keys(target))
	if len(names) == 0 {
		return line
	}
	name := names[r.IntN(len(names))]
	switch r.IntN(5) {
	case 0:
		delete(target, name)
	case 1:
		target["x_"+name] = target[name]
		delete(target, name)
	default:
		target[name] = json.RawMessage(pieces[r.IntN(len(pieces))])
	}
	if data != nil && event["data"] != nil {
		event["data"], _ = json.Marshal(data)
	}
	out, err := json.Marshal(event)
	if err != nil {
		return line
	}
	return append(out, '\n')
}

var exponent = regexp.MustCompile(`[0-9][eE]`)

func FuzzLine_AgreesWithTheWholeSchema(f *testing.F) {
	for _, v := range golden.Vectors() {
		if len(v.Stream) < 1<<13 {
			for line := range bytes.Lines(v.Stream) {
				f.Add(line)
			}
		}
	}
	whole := oracle(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		if exponent.Match(line) {
			return // the oracle spells out what a large exponent stands for
		}
		agree(t, whole, append(bytes.TrimRight(line, "\n"), '\n'))
	})
}
