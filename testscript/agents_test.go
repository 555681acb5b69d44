package testscript_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	script "github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
	"github.com/openagent-ci/openagent/testscript"
)

// TestAgents runs a script for each way in which an agent misbehaves. $AGENT
// starts this binary as such an agent, see roles.
func TestAgents(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := script.Params{
		Dir: filepath.Join("testdata", "agents"), RequireUniqueNames: true,
		Cmds: map[string]func(*script.TestScript, bool, []string){"ci": ci, "evidence": evidence, "size": size, "secretless": secretless},
		Setup: func(env *script.Env) error {
			env.Setenv("AGENT", self)
			env.Setenv("SECRET", secret)
			return nil
		},
	}
	testscript.Setup(&p)
	script.Run(t, p)
}

// ci is ci STATUS ARG...: openagent ci with these arguments leaves its evidence
// in e and exits with the status.
func ci(ts *script.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: ci STATUS ARG...")
	}
	err := ts.Exec("openagent", append([]string{"ci", "--out", "e"}, args[1:]...)...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("openagent ci exits with %d, want %s", got, args[0])
	}
}

// size is size FILE MIN MAX: the file has so many bytes.
func size(ts *script.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: size FILE MIN MAX")
	}
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	least, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	most, err := strconv.ParseInt(args[2], 10, 64)
	ts.Check(err)
	if n := info.Size(); n < least || n > most {
		ts.Fatalf("%s has %d bytes, want %d to %d", args[0], n, least, most)
	}
}

// evidence is evidence VERDICT [LINE:RULE]...: the evidence in e is whole, its
// files say the same, and it holds exactly these findings in this order.
func evidence(ts *script.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: evidence VERDICT [LINE:RULE]...")
	}
	verdict, want := args[0], args[1:]
	dir := ts.MkAbs("e")
	m := manifest(ts, dir)
	if m.Verdict != verdict || m.Reason == "" {
		ts.Fatalf("manifest.json: verdict %s (%s), want %s with a reason", m.Verdict, m.Reason, verdict)
	}
	got, counts := findings(ts, dir), map[string]int{}
	for _, f := range got {
		_, rule, _ := strings.Cut(f, ":")
		counts[rule]++
	}
	if !slices.Equal(got, want) {
		ts.Fatalf("findings.json: %q, want %q", got, want)
	}
	if diff := cmp.Diff(counts, m.Counts.FindingsByRule); diff != "" {
		ts.Fatalf("manifest.json counts other findings than findings.json lists (-want +got):\n%s", diff)
	}
	reports(ts, dir, verdict, len(want))
}

// manifest reads the manifest and holds it to what lies in the folder.
func manifest(ts *script.TestScript, dir string) schema.Manifest {
	var m schema.Manifest
	decode(ts, filepath.Join(dir, "manifest.json"), &m)
	listed := []string{"manifest.json"}
	for _, f := range m.Files {
		listed = append(listed, f.Path)
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
		ts.Check(err)
		if sum := sha256.Sum256(data); int64(len(data)) != f.Bytes || hex.EncodeToString(sum[:]) != f.SHA256 {
			ts.Fatalf("%s has %d bytes and another digest than manifest.json says, which has %d bytes", f.Path, len(data), f.Bytes)
		}
	}
	for _, name := range []string{"events.jsonl", "stderr.log", "findings.json", "junit.xml", "results.sarif", "summary.md", "final_output.md"} {
		if !slices.Contains(listed, name) {
			ts.Fatalf("%s is missing", name)
		}
	}
	ts.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err == nil && !d.IsDir() && !slices.Contains(listed, filepath.ToSlash(name)) {
			ts.Fatalf("manifest.json does not list %s", name)
		}
		return err
	}))
	if info, err := os.Stat(filepath.Join(dir, "artifacts")); err != nil || !info.IsDir() {
		ts.Fatalf("artifacts is no folder: %v", err)
	}
	return m
}

// findings returns what findings.json lists, as LINE:RULE.
func findings(ts *script.TestScript, dir string) []string {
	var check struct {
		Files []struct{ Findings []validate.Finding }
	}
	decode(ts, filepath.Join(dir, "findings.json"), &check)
	list := []string{}
	for _, file := range check.Files {
		for _, f := range file.Findings {
			list = append(list, fmt.Sprintf("%d:%s", f.Line, f.Rule))
		}
	}
	return list
}

// reports holds the reports of the run to its verdict.
func reports(ts *script.TestScript, dir, verdict string, findings int) {
	var sarif struct {
		Runs []struct{ Results []any }
	}
	decode(ts, filepath.Join(dir, "results.sarif"), &sarif)
	if len(sarif.Runs) != 1 || len(sarif.Runs[0].Results) != findings {
		ts.Fatalf("results.sarif has other results than %d findings: %v", findings, sarif)
	}
	var junit struct {
		Failures []struct{} `xml:"testsuite>testcase>failure"`
	}
	data, err := os.ReadFile(filepath.Join(dir, "junit.xml"))
	ts.Check(err)
	ts.Check(xml.Unmarshal(data, &junit))
	if failures := len(junit.Failures); (failures > 0) != (verdict != "success") {
		ts.Fatalf("junit.xml has %d failures, the verdict is %s", failures, verdict)
	}
	data, err = os.ReadFile(filepath.Join(dir, "summary.md"))
	ts.Check(err)
	sign := "❌"
	if verdict == "success" {
		sign = "✅"
	}
	if head := "## " + sign + " openagent: " + verdict; !strings.HasPrefix(string(data), head) {
		ts.Fatalf("summary.md begins with %.60q, want %q", data, head)
	}
}

func decode(ts *script.TestScript, path string, into any) {
	data, err := os.ReadFile(path)
	ts.Check(err)
	if err := json.Unmarshal(data, into); err != nil {
		ts.Fatalf("%s: %v", filepath.Base(path), err)
	}
}
