package report

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// everyRule is an execution that breaks each rule once, at awkward places and
// in awkward words.
func everyRule() *runner.Execution {
	e := finished()
	e.FindingCounts = map[string]int{}
	for i, r := range validate.Rules() {
		e.Findings = append(e.Findings, validate.Finding{
			Line: i, Column: i, Rule: r.ID, Severity: r.Severity, Message: "got \x00\x1b[2J<x> [here](evil), want {0} & \xff",
		})
		e.FindingCounts[r.ID] = 1
	}
	e.FindingCounts["line/json"] = 5
	e.Errors = 1
	return e
}

// sarif returns the log as the schema and a reader see it.
func sarif(t *testing.T, files ...CheckFile) (any, sarifLog) {
	t.Helper()
	text := check(t, "sarif", files...)
	var tree any
	var log sarifLog
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatalf("sarif is no JSON: %v\n%s", err, text)
	}
	if err := json.Unmarshal([]byte(text), &log); err != nil {
		t.Fatal(err)
	}
	return tree, log
}

// sarifVariable names the Go file that holds the official schema of SARIF as a
// constant; internal/devtools has the module.
const sarifVariable = "OPENAGENT_TEST_SARIF"

// sarifSchemas are the schemas of SARIF by name: the part of it that is written
// here, put down by hand, and the official one where there is a file of it.
func sarifSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	part, err := os.ReadFile(filepath.Join("testdata", "sarif-subset.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"our part": string(part)}
	if path := os.Getenv(sarifVariable); path != "" {
		texts["official"] = constant(t, path, "schema")
	} else {
		t.Logf("%s names no file with the official schema, so it is left out; .ci/run sets it", sarifVariable)
	}
	schemas := map[string]*jsonschema.Schema{}
	for name, text := range texts {
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat = true
		if err := compiler.AddResource("urn:sarif", strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if schemas[name], err = compiler.Compile("urn:sarif"); err != nil {
			t.Fatal(err)
		}
	}
	return schemas
}

// constant returns the value of a string constant in a Go file.
func constant(t *testing.T, path, name string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var value string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Names[0].Name == name {
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
				value, err = strconv.Unquote(literal.Value)
			}
		}
		return true
	})
	if err != nil || len(value) < 1000 {
		t.Fatalf("%s: constant %s has %d bytes, %v, want a schema", path, name, len(value), err)
	}
	return value
}

func TestWriteCheck_SARIFMatchesItsSchemas(t *testing.T) {
	for path, s := range sarifSchemas(t) {
		for name, files := range map[string][]CheckFile{
			"no file": nil, "clean": {NewCheckFile("a.jsonl", finished())},
			"every rule": {NewCheckFile("ünder [a] b%zz:x.jsonl", everyRule()), NewCheckFile("/abs/\xff.jsonl", everyRule())},
		} {
			tree, _ := sarif(t, files...)
			if err := s.Validate(tree); err != nil {
				t.Errorf("%s: sarif of %s: %#v", path, name, err)
			}
		}
		tree, _ := sarif(t)
		tree.(map[string]any)["more"] = true
		if s.Validate(tree) == nil {
			t.Errorf("%s lets a member pass that SARIF does not have", path)
		}
	}
}

func TestWriteCheck_SARIFRulesAndPlaces(t *testing.T) {
	_, log := sarif(t, NewCheckFile("a b.jsonl", everyRule()))
	run := log.Runs[0]
	rules := validate.Rules()
	if len(run.Tool.Driver.Rules) != len(rules) || len(run.Results) != len(rules) {
		t.Fatalf("sarif has %d rules and %d results, want %d of each", len(run.Tool.Driver.Rules), len(run.Results), len(rules))
	}
	for i, result := range run.Results {
		rule := run.Tool.Driver.Rules[result.RuleIndex]
		if rule.ID != result.RuleID || rule.ID != rules[i].ID {
			t.Errorf("result %d is of %s, its index leads to %s, want %s", i, result.RuleID, rule.ID, rules[i].ID)
		}
		if rule.Help.Text == "." || result.Level != rule.Default.Level {
			t.Errorf("%s: help %q, level %s, want help and %s", rule.ID, rule.Help.Text, result.Level, rule.Default.Level)
		}
		// Line 0 is the stream as a whole.
		want := sarifPhysical{Artifact: sarifArtifact{"a%20b.jsonl"}, Region: sarifRegion{max(i, 1)}}
		if diff := cmp.Diff(want, result.Locations[0].Physical); diff != "" {
			t.Errorf("place of %s (-want +got):\n%s", rule.ID, diff)
		}
	}
}

func TestWriteCheck_SARIFTextsAreInert(t *testing.T) {
	_, log := sarif(t, NewCheckFile("a", everyRule()))
	if got, want := log.Runs[0].Results[0].Message.Text, "got <x> [here] (evil), want {0} & \ufffd"; got != want {
		t.Errorf("message is %q, want %q", got, want)
	}
}

func TestWriteCheck_SARIFCountsWhatItLeavesOut(t *testing.T) {
	_, log := sarif(t, NewCheckFile("a.jsonl", broken()), NewCheckFile("b.jsonl", finished()))
	want := []sarifInvocation{{true, []sarifNote{{"note", sarifText{"a.jsonl: 4 findings not shown"}}}}}
	if diff := cmp.Diff(want, log.Runs[0].Invocations); diff != "" {
		t.Errorf("invocations (-want +got):\n%s", diff)
	}
}

func TestFileURI(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.jsonl": "a/b.jsonl", "/a b/c#d?e": "file:///a%20b/c%23d%3Fe", "x:y.jsonl": "./x:y.jsonl", "100%.jsonl": "100%25.jsonl",
	} {
		if got := fileURI(path); got != want && filepath.Separator == '/' {
			t.Errorf("fileURI(%q) = %q, want %q", path, got, want)
		}
	}
}
