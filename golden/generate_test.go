package golden_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/golden"
)

var update = flag.Bool("update", false, "rewrite the kit from the tables of this test")

// tolerated are the rules whose findings are warnings: their vectors are
// broken in the strict mode and tolerated otherwise.
var tolerated = []string{
	"line/no-newline", "line/over-64k", "size/truncation-unknown", "flow/finish-without-start",
	"flow/unfinished-tool", "flow/start-without-decision", "flow/step-backwards",
}

// kit returns the vectors of all tables.
func kit() (all []golden.Vector) {
	valid := slices.Concat(validVectors, valid2Vectors, typeVectors(), reasonVectors())
	slices.SortFunc(valid, func(a, b vector) int { return strings.Compare(a.name, b.name) })
	for _, v := range slices.Concat(valid, warningVectors) {
		all = append(all, v.vector("valid/", true, true))
	}
	for _, v := range slices.Concat(lineVectors, lineOrderVectors, schemaVectors, sizeVectors, streamVectors, flowVectors, revision2Vectors) {
		warning := !slices.ContainsFunc(v.want, func(w golden.Expect) bool { return !slices.Contains(tolerated, w.Rule) })
		all = append(all, v.vector("invalid/", warning, false))
		if warning {
			v.name += "-tolerated"
			v.why += "; a warning, which is no error unless the reader is strict"
			lenient := v.vector("invalid/", false, true)
			lenient.File = all[len(all)-1].File
			all = append(all, lenient)
		}
	}
	return all
}

func (v vector) vector(dir string, strict, valid bool) golden.Vector {
	if v.want == nil {
		v.want = []golden.Expect{}
	}
	return golden.Vector{
		Name: v.name, Why: v.why, File: dir + v.name + ".jsonl",
		Valid: valid, Strict: strict, Findings: v.want, Stream: []byte(v.stream),
	}
}

// index returns the text of vectors.json, one vector per line.
func index(t *testing.T, vectors []golden.Vector) []byte {
	t.Helper()
	var b bytes.Buffer
	for i, v := range vectors {
		b.WriteString(map[bool]string{true: "[\n", false: ",\n"}[i == 0])
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		b.Write(bytes.TrimSpace(line.Bytes()))
	}
	b.WriteString("\n]\n")
	return b.Bytes()
}

// write puts the kit into the package's folder, and nothing else.
func write(t *testing.T, vectors []golden.Vector) {
	t.Helper()
	for _, dir := range []string{"valid", "invalid"} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range vectors {
		if err := os.WriteFile(filepath.FromSlash(v.File), v.Stream, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("vectors.json", index(t, vectors), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestKit_IsWhatTheTablesSay(t *testing.T) {
	want := kit()
	if *update {
		write(t, want)
		return
	}
	got := golden.Vectors()
	if len(got) != len(want) {
		t.Fatalf("Vectors: %d vectors, want %d; run go test ./golden -run Kit -update", len(got), len(want))
	}
	for i := range want {
		if !bytes.Equal(got[i].Stream, want[i].Stream) {
			t.Errorf("%s differs from its table", want[i].File)
		}
		got[i].Stream, want[i].Stream = nil, nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("vectors.json (-want +got):\n%s", diff)
	}
}
