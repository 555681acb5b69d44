// Package golden holds the conformance kit of the event contract: streams with the
// findings a reader must report, and the comparison of two streams. It depends on no
// validator, so it can test any.
package golden

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"testing"
)

//go:embed README.md vectors.json valid invalid runs
var files embed.FS

// Vector is one stream and the findings that a reader must report for it.
type Vector struct {
	Name string `json:"name"`
	// Why says in one sentence in which respect it differs from its
	// neighbours.
	Why string `json:"why"`
	// File is the path below the kit; several vectors may share one.
	File string `json:"file"`
	// Valid reports that no finding is an error.
	Valid bool `json:"valid"`
	// Strict asks for warnings to be errors.
	Strict bool `json:"strict"`
	// Findings are in the order of reports: by line, those of the stream as
	// a whole last.
	Findings []Expect `json:"findings"`

	// Stream holds the bytes of File.
	Stream []byte `json:"-"`
}

// Expect is a finding that a reader must report: the id of a rule (see package
// validate), and the number of the line that breaks it, 0 for the stream as a
// whole.
type Expect struct {
	Rule string `json:"rule"`
	Line int    `json:"line"`
}

// String returns the expectation as line:rule.
func (e Expect) String() string { return fmt.Sprintf("%d:%s", e.Line, e.Rule) }

// Files returns the kit as other languages use it: vectors.json, the files that
// it names, and below runs whole runs as scripts of openagent test.
func Files() fs.FS { return files }

// Vectors returns every vector of the kit with its stream, in the order of
// vectors.json.
func Vectors() []Vector {
	index, err := files.ReadFile("vectors.json")
	if err != nil {
		panic(err) // the kit is part of the program
	}
	var vectors []Vector
	if err := json.Unmarshal(index, &vectors); err != nil {
		panic(err)
	}
	for i := range vectors {
		if vectors[i].Stream, err = files.ReadFile(vectors[i].File); err != nil {
			panic(err)
		}
	}
	return vectors
}

// Conform tests a validator with every vector, each in a subtest when t is a
// *testing.T. check returns the findings of a stream in any order; strict says
// that warnings count as errors. A vector whose findings are not exactly the
// expected ones fails the test.
func Conform(t testing.TB, check func(stream []byte, strict bool) []Expect) {
	t.Helper()
	for _, v := range Vectors() {
		hold := func(t testing.TB) {
			t.Helper()
			if got := check(v.Stream, v.Strict); !same(got, v.Findings) {
				t.Errorf("%s: findings are %v, want %v: %s", v.File, got, v.Findings, v.Why)
			}
		}
		if parent, ok := t.(*testing.T); ok {
			parent.Run(v.Name, func(t *testing.T) { hold(t) })
			continue
		}
		hold(t)
	}
}

// same compares findings as sets with repetitions.
func same(a, b []Expect) bool {
	order := func(x, y Expect) int {
		if x.Line != y.Line {
			return x.Line - y.Line
		}
		return slices.Compare([]byte(x.Rule), []byte(y.Rule))
	}
	return slices.Equal(slices.SortedFunc(slices.Values(a), order), slices.SortedFunc(slices.Values(b), order))
}
