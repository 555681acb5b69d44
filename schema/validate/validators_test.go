package validate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// validator judges lines by the published schema: it is a command that prints
// true or false per line, in the folder where .ci/validators has put it.
type validator struct {
	name string
	argv []string
	// needs is a file of the folder without which it is not there.
	needs string
	// from is what .ci/validators gets it by.
	from string
}

var validators = []validator{
	{"ajv", []string{"node", "js/ajv.mjs"}, "js/node_modules/ajv", "npm and node"},
	{"hyperjump", []string{"node", "js/hyperjump.mjs"}, "js/node_modules/@hyperjump/json-schema", "npm and node"},
	{"sourcemeta", []string{"sh", "js/sourcemeta.sh"}, "js/node_modules/@sourcemeta/jsonschema", "npm and node"},
	{"jsonschema", []string{"py/venv/bin/python", "py/python.py", "jsonschema"}, "py/venv/bin/pip", "python3 with venv"},
	{"fastjsonschema", []string{"py/venv/bin/python", "py/python.py", "fastjsonschema"}, "py/venv/bin/pip", "python3 with venv"},
	{"networknt", []string{"java", "-cp", "java/jars/*", "java/Networknt.java"}, "java/jars", "mvn and a JDK"},
	{"santhosh v6", []string{"santhosh6/santhosh6"}, "santhosh6/santhosh6", "Go"},
}

// check returns what the validator prints of the lines.
func (v validator) check(folder, schema, lines string) ([]string, error) {
	cmd := exec.Command(v.argv[0], slices.Concat(v.argv[1:], []string{schema, lines})...)
	if cmd.Dir = folder; strings.Contains(v.argv[0], "/") {
		cmd.Path = filepath.Join(folder, v.argv[0])
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, &stderr)
	}
	return strings.Fields(string(out)), err
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
// judgment of every line that JSON Schema can speak of as santhosh v5 does.
func TestPublished_ValidatorsAgree(t *testing.T) {
	lines := expressible()
	want := judgments(t, lines)
	refused := len(want) - count(want, "true")
	if refused < 50 || refused > len(lines)-50 {
		t.Fatalf("the schema refuses %d of %d lines, want many of both", refused, len(lines))
	}
	checkValidatorsDoc(t, len(lines), refused)
	folder := os.Getenv("OPENAGENT_TEST_VALIDATORS")
	if folder == "" {
		t.Skip("OPENAGENT_TEST_VALIDATORS names no folder of .ci/validators")
	}
	schemaFile, linesFile := validatorInput(t, lines)
	for _, v := range validators {
		t.Run(v.name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(folder, v.needs)); err != nil {
				missing := fmt.Sprintf("%s is not there: .ci/validators FOLDER gets it, with %s: %v", v.name, v.from, err)
				if os.Getenv("OPENAGENT_TEST_LONG") != "" {
					t.Fatal(missing)
				}
				t.Skip(missing)
			}
			got, err := v.check(folder, schemaFile, linesFile)
			if err != nil || len(got) != len(want) {
				t.Fatalf("%s: %v, %d judgments of %d lines", v.name, err, len(got), len(want))
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

// lockedValidators finds, in the files that lock them, the validators and their
// versions.
var lockedValidators = []struct{ file, pattern string }{
	{"go.mod", `(santhosh-tekuri/jsonschema/v5) (\S+)`},
	{"internal/devtools/go.mod", `(santhosh-tekuri/jsonschema/v6) (\S+)`},
	{"internal/devtools/validators/js/package.json", `"(ajv|@hyperjump/json-schema)": "(\S+)"`},
	{"internal/devtools/validators/js/package.json", `"@(sourcemeta)/jsonschema": "(\S+)"`},
	{"internal/devtools/validators/py/requirements.in", `(?m)^((?:fast)?jsonschema)==(\S+)`},
	{"internal/devtools/validators/java/pom.xml", `(networknt)</groupId>\s*<artifactId>json-schema-validator</artifactId>\s*<version>(.+)</version>`},
}

// checkValidatorsDoc compares docs/schema-versions.md with what is locked, and with
// the number of lines and of those that are refused.
func checkValidatorsDoc(t *testing.T, lines, refused int) {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	doc := read("docs/schema-versions.md")
	wants := []string{fmt.Sprintf("each of the %d different lines of the [vectors]", lines), fmt.Sprintf("%d of which it refuses", refused)}
	for _, locked := range lockedValidators {
		found := regexp.MustCompile(locked.pattern).FindAllStringSubmatch(read(locked.file), -1)
		if found == nil {
			t.Errorf("%s locks nothing like %s", locked.file, locked.pattern)
		}
		for _, match := range found {
			wants = append(wants, "| "+match[1]+" "+match[2]+" (")
		}
	}
	for _, want := range wants {
		if !strings.Contains(doc, want) {
			t.Errorf("docs/schema-versions.md does not say %q", want)
		}
	}
}

// judgments returns what santhosh v5 says of the lines.
func judgments(t *testing.T, lines []string) (list []string) {
	t.Helper()
	whole := oracle(t)
	for _, line := range lines {
		var v any
		dec := json.NewDecoder(strings.NewReader(line))
		dec.UseNumber()
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprint(whole.Validate(v) == nil))
	}
	return list
}

// count returns how often a text is in a list.
func count(list []string, text string) (n int) {
	for _, s := range list {
		if s == text {
			n++
		}
	}
	return n
}

// validatorInput writes the published schema and the lines into files.
func validatorInput(t *testing.T, lines []string) (schemaFile, linesFile string) {
	t.Helper()
	text, err := schema.Load(schema.Version)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	schemaFile, linesFile = filepath.Join(dir, "schema.json"), filepath.Join(dir, "lines.jsonl")
	for name, text := range map[string]string{schemaFile: string(text), linesFile: strings.Join(lines, "\n") + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return schemaFile, linesFile
}
