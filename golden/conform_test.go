package golden_test

import (
	"bytes"
	"io/fs"
	"slices"
	"testing"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/schema/validate"
)

// ours is the validator of this module in the form of the kit.
func ours(stream []byte, strict bool) []golden.Expect {
	var found []golden.Expect
	for _, f := range check(stream, strict) {
		found = append(found, golden.Expect{Rule: f.Rule, Line: f.Line})
	}
	return found
}

func check(stream []byte, strict bool) []validate.Finding {
	s := validate.NewStream(validate.Options{Strict: strict})
	var findings []validate.Finding
	for line := range bytes.Lines(stream) {
		findings = append(findings, s.Line(line)...)
	}
	return append(findings, s.Close()...)
}

func TestConform_OurValidator(t *testing.T) { golden.Conform(t, ours) }

func TestVectors_ValidMeansNoError(t *testing.T) {
	for _, v := range golden.Vectors() {
		valid := !slices.ContainsFunc(check(v.Stream, v.Strict), func(f validate.Finding) bool {
			return f.Severity == validate.SeverityError
		})
		if valid != v.Valid {
			t.Errorf("%s: valid is %t, want %t", v.Name, valid, v.Valid)
		}
	}
}

// readable are the rules that reading a stream can find.
func readable() (ids []string) {
	for _, r := range validate.Rules() {
		if r.Stage != validate.StageProcess {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func TestVectors_EveryRuleIsBrokenTwice(t *testing.T) {
	broken := map[string]int{}
	for _, v := range golden.Vectors() {
		if v.Strict && len(v.Findings) > 0 {
			broken[v.Findings[0].Rule]++
		} else if !v.Valid {
			broken[v.Findings[0].Rule]++
		}
	}
	for _, id := range readable() {
		if broken[id] < 2 {
			t.Errorf("%s is the first finding of %d vectors, want at least 2", id, broken[id])
		}
		delete(broken, id)
	}
	if len(broken) > 0 {
		t.Errorf("vectors name rules that do not exist: %v", broken)
	}
}

// A validator without one of the rules must not pass.
func TestConform_NoticesEachRuleDropped(t *testing.T) {
	findings := map[string][]golden.Expect{}
	for _, v := range golden.Vectors() {
		findings[v.Name] = ours(v.Stream, v.Strict)
	}
	for _, id := range readable() {
		noticed := &recorder{}
		vectors := golden.Vectors()
		golden.Conform(noticed, func([]byte, bool) []golden.Expect {
			got := findings[vectors[0].Name]
			vectors = vectors[1:]
			return slices.DeleteFunc(slices.Clone(got), func(e golden.Expect) bool { return e.Rule == id })
		})
		if noticed.errors < 2 {
			t.Errorf("Conform without %s: %d vectors notice, want at least 2", id, noticed.errors)
		}
	}
}

func TestConform_PassesWhatConforms(t *testing.T) {
	noticed := &recorder{}
	golden.Conform(noticed, ours)
	if noticed.errors > 0 {
		t.Errorf("Conform: %d errors, want none", noticed.errors)
	}
}

// recorder counts errors in the place of a test.
type recorder struct {
	testing.TB
	errors int
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.errors++ }

func TestFiles_HoldTheIndexAndItsStreams(t *testing.T) {
	for _, v := range golden.Vectors() {
		b, err := fs.ReadFile(golden.Files(), v.File)
		if err != nil || !bytes.Equal(b, v.Stream) {
			t.Errorf("Files: %s: %v, want the stream of %s", v.File, err, v.Name)
		}
	}
	names, err := fs.Glob(golden.Files(), "*valid/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !slices.ContainsFunc(golden.Vectors(), func(v golden.Vector) bool { return v.File == name }) {
			t.Errorf("%s belongs to no vector", name)
		}
	}
}

func TestVectors_AreDocumented(t *testing.T) {
	seen, why := map[string]bool{}, map[string]string{}
	for _, v := range golden.Vectors() {
		if seen[v.Name] || v.Why == "" {
			t.Errorf("vector %q: seen before is %t, why is %q, want a new name and a reason", v.Name, seen[v.Name], v.Why)
		}
		if other, ok := why[v.Why]; ok {
			t.Errorf("vectors %s and %s differ in nothing that is told: %s", other, v.Name, v.Why)
		}
		seen[v.Name], why[v.Why] = true, v.Name
	}
}
