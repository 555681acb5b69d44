package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

func ptr[T any](v T) *T { return &v }

// truncated is an execution whose final output was cut after "whole".
func truncated() *runner.Execution {
	return &runner.Execution{
		Command: []string{"agent", "--key=" + secret}, Verdict: runner.VerdictSuccess, Reason: "ok is true",
		Started: time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC), Ended: time.Date(2026, 3, 3, 20, 11, 14, 5e8, time.UTC),
		ExitStatus: ptr(0), Events: 9, Steps: 2, ToolCalls: 3, Executed: 2, Denied: 1, Failed: 1, RunID: "r1",
		FindingCounts: map[string]int{"run/secret": 1},
		RunStarted: &schema.RunStarted{
			Agent: &schema.Agent{Name: "a", Version: strings.Repeat("v", 300)}, Model: schema.Some("m"), Provider: schema.Null[string](),
		},
		RunFinished: &schema.RunFinished{
			ExitReason: "ok", OK: true, FinalOutput: "whole", Truncated: ptr(true),
			FinalOutputArtifact: schema.Some("final_output.md"), Usage: schema.Some(schema.Usage{InputTokens: ptr(int64(7))}),
		},
	}
}

func closeFolder(t *testing.T, f *Folder, e *runner.Execution, c Closing) Contents {
	t.Helper()
	got, err := f.Close(t.Context(), e, c)
	if err != nil {
		t.Fatalf("Close: %v", err)
	}
	return got
}

func manifest(t *testing.T, f *Folder) schema.Manifest {
	t.Helper()
	var m schema.Manifest
	if err := json.Unmarshal([]byte(read(t, f, ManifestFile)), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestClose_Manifest(t *testing.T) {
	f := open(t)
	f.Line(runner.Line{Raw: []byte("{}\n")})
	closeFolder(t, f, truncated(), Closing{
		Artifacts: tree(t, map[string]string{"r1/x": "1", ".env": "2"}),
		Manifest:  schema.Manifest{Versions: schema.ManifestVersions{Tool: schema.Agent{Name: "openagent", Version: "1"}}, PolicyDigest: ptr("ab")},
		Files: []File{{Name: FindingsFile, Write: func(w io.Writer, _ Contents) error {
			_, err := io.WriteString(w, "[]")
			return err
		}}},
	})
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	want := schema.Manifest{
		Schema: schema.ManifestVersion,
		Versions: schema.ManifestVersions{
			Tool:     schema.Agent{Name: "openagent", Version: "1"},
			Contract: schema.ManifestContract{Version: schema.Version, Revision: schema.Revision, Digest: schema.Digest()},
			Agent:    &schema.Agent{Name: "a", Version: strings.Repeat("v", 256)},
		},
		RunID: "r1", Command: []string{"agent", "--key=[redacted]"}, Verdict: "success", Reason: "ok is true",
		ExitReason: ptr("ok"), ExitStatus: ptr(0), Started: truncated().Started, Ended: truncated().Ended, DurationMS: 2500,
		Counts: schema.ManifestCounts{Events: 9, Steps: 2, ToolCalls: 3, Detected: 3, Executed: 2, Denied: 1, Failed: 1, FindingsByRule: map[string]int{"run/secret": 1}},
		Usage:  &schema.Usage{InputTokens: ptr(int64(7))}, Model: ptr("m"), PolicyDigest: ptr("ab"), EvidenceComplete: true, Lost: []string{},
		LeftOut: []schema.ManifestLeftOut{{Path: ".env", Why: "name that stands for a secret"}},
		Files: []schema.ManifestFile{
			{Path: "artifacts/r1/x", Bytes: 1, SHA256: "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"},
			{Path: "events.jsonl", Bytes: 3, SHA256: "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356"},
			{Path: "final_output.md", Bytes: 5, SHA256: "5d5766cf2d78701614200418ee1450690d9af12c84d52545e4802f001ad53099"},
			{Path: "findings.json", Bytes: 2, SHA256: "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"},
			{Path: "stderr.log", Bytes: 0, SHA256: empty},
		},
	}
	if diff := cmp.Diff(want, manifest(t, f)); diff != "" {
		t.Errorf("manifest (-want +got):\n%s", diff)
	}
}

// published holds documents against the published schema of manifests.
func published(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := schema.Load(schema.ManifestVersion)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	if err := c.AddResource("urn:manifest", bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("urn:manifest")
}

func TestClose_ManifestIsValid(t *testing.T) {
	want := published(t)
	tool := schema.Manifest{Versions: schema.ManifestVersions{Tool: schema.Agent{Name: "openagent", Version: "1"}}}
	for name, e := range map[string]*runner.Execution{
		"finished": truncated(), "not started": {Verdict: runner.VerdictPreRunError, StartError: "x"},
		"killed":    {Verdict: runner.VerdictCrash, Signal: "SIGKILL", RunStarted: &schema.RunStarted{}},
		"converted": {Verdict: runner.VerdictCrash, Source: &runner.Source{Agent: "codex", Mapping: "codex/1"}},
		"told by members out of their bounds": {
			Verdict: runner.VerdictViolation, RunStarted: &schema.RunStarted{SandboxStatus: &schema.SandboxStatus{}},
			RunFinished: &schema.RunFinished{Usage: schema.Some(schema.Usage{CostUSD: schema.Some(schema.USD(-1))})},
		},
	} {
		f := open(t)
		closeFolder(t, f, e, Closing{Manifest: tool, Artifacts: tree(t, map[string]string{"a": "", "b.pem": ""})})
		var got any
		if err := json.Unmarshal([]byte(read(t, f, ManifestFile)), &got); err != nil {
			t.Fatal(err)
		}
		if err := want.Validate(got); err != nil {
			t.Errorf("manifest of a run that was %s: %#v", name, err)
		}
	}
}

// What the stream says of the run beyond its end, and what it was made of.
func TestClose_ManifestOfAConvertedRun(t *testing.T) {
	f, err := Open(Options{Dir: filepath.Join(t.TempDir(), "e"), Source: true})
	if err != nil {
		t.Fatal(err)
	}
	f.Source(runner.Line{Raw: []byte("{}\n")})
	e, long := truncated(), strings.Repeat("r", 300)
	e.Source = &runner.Source{Agent: "codex", Mapping: "codex/1", Inferred: true, Final: "whole"}
	e.RunStarted.ParentRunID = schema.Some(long)
	e.RunStarted.SandboxStatus = &schema.SandboxStatus{Level: "full", Network: "off", Missing: []string{"memory"}}
	e.RunFinished.Usage = schema.Some(schema.Usage{CostUSD: schema.Some(schema.USD(0.25))})
	closeFolder(t, f, e, Closing{})
	got, want := manifest(t, f), schema.Manifest{
		CostUSD: ptr(schema.USD(0.25)), ParentRunID: ptr(long[:256]),
		Sandbox: &schema.SandboxStatus{Level: "full", Network: "off", Missing: []string{"memory"}},
		Source: &schema.ManifestSource{
			Format: "codex", Mapping: "codex/1", Bytes: ptr(int64(3)), AgentVersion: ptr(strings.Repeat("v", 256)), Decisions: "inferred",
			SHA256: ptr("ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356"),
		},
	}
	got = schema.Manifest{CostUSD: got.CostUSD, ParentRunID: got.ParentRunID, Sandbox: got.Sandbox, Source: got.Source}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("manifest (-want +got):\n%s", diff)
	}
	if v, _ := e.RunStarted.ParentRunID.Get(); v != long {
		t.Errorf("after Close the execution's parent is %q, want it as it was", v)
	}
}

// Without a copy in the folder nothing is known of its size, and a version that
// nobody told is none.
func TestClose_ManifestOfASourceThatIsGone(t *testing.T) {
	f := open(t)
	e := truncated()
	e.RunStarted.Agent.Version = "unknown"
	e.Source = &runner.Source{Agent: "codex", Mapping: "codex/1"}
	closeFolder(t, f, e, Closing{})
	if got, want := manifest(t, f).Source, (&schema.ManifestSource{Format: "codex", Mapping: "codex/1", Decisions: "observed"}); !cmp.Equal(got, want) {
		t.Errorf("source = %+v, want %+v", got, want)
	}
}

func TestClose_AgentDidNotStart(t *testing.T) {
	f := open(t)
	e := &runner.Execution{Verdict: runner.VerdictPreRunError, Signal: "SIGKILL", StartError: "no such file"}
	closeFolder(t, f, e, Closing{Artifacts: filepath.Join(t.TempDir(), "none")})
	m := manifest(t, f)
	if m.ExitReason != nil || m.ExitStatus != nil || *m.Signal != "SIGKILL" || m.Usage != nil || len(m.Files) != 3 {
		t.Errorf("manifest = %+v, want a signal, three files and nothing of a run", m)
	}
	if got := read(t, f, FinalOutputFile); got != "" {
		t.Errorf("%s = %q, want it empty", FinalOutputFile, got)
	}
}

func TestClose_GoesOnAfterAnError(t *testing.T) {
	f := open(t)
	note := func(w io.Writer, _ Contents) error { _, err := io.WriteString(w, "x"); return err }
	_, err := f.Close(t.Context(), truncated(), Closing{
		Files: []File{
			{Name: "a", Write: func(io.Writer, Contents) error { return errors.New("boom") }},
			{Name: "b", Write: note},
			{Name: "no/such/c", Write: note},
		},
	})
	for _, want := range []string{"write a: boom", "write no/such/c"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Close = %v, want it to tell of %q", err, want)
		}
	}
	if m := manifest(t, f); m.EvidenceComplete || !strings.Contains(strings.Join(m.Lost, "\n"), "write a: boom") {
		t.Errorf("after errors the manifest has evidence_complete %v, lost %q", m.EvidenceComplete, m.Lost)
	}
	if got := read(t, f, "b"); got != "x" || len(manifest(t, f).Files) != 5 {
		t.Errorf("after errors the folder lacks files: b = %q, manifest lists %v", got, manifest(t, f).Files)
	}
}

func TestClose_ManifestIsLast(t *testing.T) {
	f := open(t)
	closeFolder(t, f, truncated(), Closing{Files: []File{{Name: "a", Write: func(io.Writer, Contents) error {
		if _, err := os.Stat(filepath.Join(f.Path(), ManifestFile)); err == nil {
			t.Error("the manifest is there before the last file")
		}
		return nil
	}}}})
	entries, err := os.ReadDir(f.Path())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{"a", ArtifactsDir, EventsFile, FinalOutputFile, ManifestFile, StderrFile}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
}

func TestClose_FilesAreMasked(t *testing.T) {
	f := open(t)
	write := func(s string) func(io.Writer, Contents) error {
		return func(w io.Writer, _ Contents) error { _, err := io.WriteString(w, s); return err }
	}
	closeFolder(t, f, truncated(), Closing{Files: []File{
		{Name: "x.json", Write: write(`{"TOKEN=":"` + secret + ` TOKEN=abc\""}`)},
		{Name: "x.md", Write: write("`" + secret + "` TOKEN=abc")},
	}})
	if got, want := read(t, f, "x.json"), `{"TOKEN=":"[redacted] TOKEN=[redacted]\""}`; got != want {
		t.Errorf("x.json = %s, want %s", got, want)
	}
	if got, want := read(t, f, "x.md"), "`[redacted]` TOKEN=[redacted]"; got != want {
		t.Errorf("x.md = %s, want %s", got, want)
	}
}

func TestClose_FinalOutput(t *testing.T) {
	file := map[string]string{"r1/final_output.md": "whole and the rest", "r1/other.md": "something else", "x.md": "whole, outside"}
	tests := []struct {
		name   string
		change func(*runner.Execution)
		want   string
	}{
		{"cut", func(*runner.Execution) {}, "whole and the rest"},
		{"not cut", func(e *runner.Execution) { e.RunFinished.Truncated = ptr(false) }, "whole"},
		{"does not say", func(e *runner.Execution) { e.RunFinished.Truncated = nil }, "whole"},
		{"names no file", func(e *runner.Execution) { e.RunFinished.FinalOutputArtifact = schema.Null[string]() }, "whole"},
		{"missing file", func(e *runner.Execution) { e.RunFinished.FinalOutputArtifact = schema.Some("no.md") }, "whole"},
		{"other text", func(e *runner.Execution) { e.RunFinished.FinalOutputArtifact = schema.Some("other.md") }, "whole"},
		{"path out", func(e *runner.Execution) { e.RunFinished.FinalOutputArtifact = schema.Some("../x.md") }, "whole"},
		{"absolute path", func(e *runner.Execution) { e.RunFinished.FinalOutputArtifact = schema.Some("/r1/final_output.md") }, "whole"},
		{"run id out", func(e *runner.Execution) {
			e.RunID, e.RunFinished.FinalOutputArtifact = "r1/..", schema.Some("x.md")
		}, "whole"},
		{"run id up", func(e *runner.Execution) {
			e.RunID, e.RunFinished.FinalOutputArtifact = "..", schema.Some("events.jsonl")
		}, "whole"},
		{"no terminal", func(e *runner.Execution) { e.RunFinished = nil }, ""},
		{"secret", func(e *runner.Execution) {
			e.RunFinished.Truncated, e.RunFinished.FinalOutput = nil, "key "+secret
		}, "key [redacted]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := open(t)
			// What an escape from the artifacts would reach.
			f.Line(runner.Line{Raw: []byte("whole, but the stream")})
			e := truncated()
			tt.change(e)
			got := closeFolder(t, f, e, Closing{Artifacts: tree(t, file)})
			if got.FinalOutput != tt.want || read(t, f, FinalOutputFile) != tt.want {
				t.Errorf("final output = %q, file %q, want %q", got.FinalOutput, read(t, f, FinalOutputFile), tt.want)
			}
		})
	}
}

func TestClose_FilesSeeContents(t *testing.T) {
	f := open(t)
	got := closeFolder(t, f, truncated(), Closing{
		Artifacts: tree(t, map[string]string{"r1/final_output.md": "whole text", "a.pem": ""}),
		Files: []File{{Name: "seen", Write: func(w io.Writer, c Contents) error {
			_, err := fmt.Fprint(w, c.FinalOutput, len(c.LeftOut))
			return err
		}}},
	})
	if seen := read(t, f, "seen"); seen != "whole text1" || len(got.LeftOut) != 1 {
		t.Errorf("file saw %q, Close returned %+v, want the final output and one left out", seen, got)
	}
}
