package validate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// validators judge lines by the published schema: each prints true or false
// per line. They run in the folder where .ci/validators has put them.
var validators = []struct {
	name string
	argv func(schema, lines string) []string
	// needs is a file of the folder without which it is not there.
	needs string
}{
	{"ajv", script("node", "ajv.mjs"), "node_modules/ajv"},
	{"hyperjump", script("node", "hyperjump.mjs"), "node_modules/@hyperjump/json-schema"},
	{"jsonschema", script("python/bin/python", "python.py", "jsonschema"), "python"},
	{"fastjsonschema", script("python/bin/python", "python.py", "fastjsonschema"), "python"},
	{"networknt", script("java", "-cp", "jars/*", "Networknt.java"), "jars"},
	{"santhosh v6", script("./santhosh6"), "santhosh6"},
	{"sourcemeta", sourcemeta, "node_modules/@sourcemeta/jsonschema"},
}

// script returns what makes the command line of one of testdata/validators.
func script(argv ...string) func(schema, lines string) []string {
	return func(schema, lines string) []string {
		list := []string{argv[0]}
		for _, arg := range argv[1:] {
			if file, err := filepath.Abs(filepath.Join("testdata/validators", arg)); err == nil && filepath.Ext(arg) != "" {
				arg = file
			}
			list = append(list, arg)
		}
		return append(list, schema, lines)
	}
}

// sourcemeta is a program that wants a file per line.
func sourcemeta(schema, lines string) []string {
	const each = `mkdir "$2.d" && split -l 1 -a 4 -d --additional-suffix .json "$2" "$2.d/" || exit
node_modules/.bin/jsonschema validate --format-assertion --continue --verbose "$1" "$2.d/" 2>&1 |
	sed -n 's/^ok: .*/true/p; s/^fail: .*/false/p'`
	return []string{"sh", "-c", each, "sh", schema, lines}
}

// expressible returns each different line of the vectors that JSON Schema can
// speak of: one JSON object with numbers that every parser holds alike.
func expressible() (lines []string) {
	seen := map[string]bool{}
	for _, v := range golden.Vectors() {
		for line := range bytes.Lines(v.Stream) {
			text := strings.TrimSuffix(string(line), "\n")
			if seen[text] || strings.Contains(text, "e10000000") {
				continue
			}
			seen[text] = true
			if !slices.ContainsFunc(validate.NewStream(validate.Options{}).Line(line), unspeakable) {
				lines = append(lines, text)
			}
		}
	}
	return lines
}

// unspeakable reports a finding of a line that JSON Schema never sees as it is.
func unspeakable(f validate.Finding) bool {
	rule, _ := validate.RuleByID(f.Rule)
	return rule.Stage == validate.StageLine && rule.Severity == validate.SeverityError || f.Rule == "schema/number"
}

// Whoever reads the published schema with another validator comes to the same
// judgement of every line that JSON Schema can speak of.
func TestPublished_ValidatorsAgree(t *testing.T) {
	whole := oracle(t)
	lines := expressible()
	var want []string
	refused := 0
	for _, line := range lines {
		var v any
		dec := json.NewDecoder(strings.NewReader(line))
		dec.UseNumber()
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		valid := whole.Validate(v) == nil
		if want = append(want, fmt.Sprint(valid)); !valid {
			refused++
		}
	}
	if refused < 50 || refused > len(lines)-50 {
		t.Fatalf("the schema refuses %d of %d lines, want many of both", refused, len(lines))
	}
	folder := os.Getenv("OPENAGENT_TEST_VALIDATORS")
	if folder == "" {
		t.Skip("OPENAGENT_TEST_VALIDATORS names no folder of .ci/validators")
	}
	text, err := schema.Load(schema.Version)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	schemaFile, linesFile := filepath.Join(dir, "schema.json"), filepath.Join(dir, "lines.jsonl")
	for name, text := range map[string]string{schemaFile: string(text), linesFile: strings.Join(lines, "\n") + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range validators {
		t.Run(v.name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(folder, v.needs)); err != nil || runtime.GOOS == "windows" {
				t.Skipf("%s is not there: %v", v.name, err)
			}
			argv := v.argv(schemaFile, linesFile)
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Dir = folder
			if strings.Contains(argv[0], "/") {
				cmd.Path = filepath.Join(folder, argv[0])
			}
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			got := strings.Fields(string(out))
			if err != nil || len(got) != len(want) {
				t.Fatalf("%s: %v, %d judgements of %d lines: %s", v.name, err, len(got), len(want), &stderr)
			}
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("%s says %s, want %s of %.300s", v.name, got[i], want[i], lines[i])
				}
			}
			t.Logf("%s agrees on %d lines, %d of them refused", v.name, len(lines), refused)
		})
	}
}
