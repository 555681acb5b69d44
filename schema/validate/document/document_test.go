package document_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate/document"
)

func manifests(t *testing.T) map[string][]byte {
	t.Helper()
	text, n, status, cost := "x", int64(3), 1, schema.USD(0.0125)
	sum := strings.Repeat("0a", 32)
	full := schema.Manifest{
		Versions: schema.ManifestVersions{
			Tool:     schema.Agent{Name: "openagent", Version: "1.0.0"},
			Contract: schema.ManifestContract{Version: schema.Version, Revision: schema.Revision, Digest: schema.Digest()},
			Agent:    &schema.Agent{Name: "a", Version: "1"},
		},
		RunID: "r1", Command: []string{"agent", "--json"}, Verdict: "violation", Reason: "1 finding",
		ExitReason: &text, ExitStatus: &status, Signal: &text,
		Started: time.Unix(1, 0), Ended: time.Unix(2, 5), DurationMS: 1000,
		Counts: schema.ManifestCounts{Events: 7, Steps: 1, ToolCalls: 1, FindingsByRule: map[string]int{"line/json": 1}},
		Usage:  &schema.Usage{InputTokens: &n, CostUSD: schema.Some(cost), ReasoningTokens: schema.Some(n)}, CostUSD: &cost,
		ParentRunID: &text, Source: &schema.ManifestSource{Format: "codex", Mapping: "codex/1", Bytes: &n, SHA256: &sum, AgentVersion: &text, Decisions: "inferred"},
		Sandbox: &schema.SandboxStatus{Level: "full", LandlockABI: &n, Seccomp: true, Network: "off", User: &text, Missing: []string{"memory"}},
		Model:   &text, Provider: &text, PolicyDigest: &sum, PromptSHA256: &sum,
		Git:     &schema.ManifestGit{Commit: sum[:40], Dirty: true},
		Job:     &schema.ManifestJob{RunID: "12", Job: "agent", Attempt: "1", Matrix: "os=linux"},
		LeftOut: []schema.ManifestLeftOut{{Path: ".env", Why: "may hold keys"}},
		Files:   []schema.ManifestFile{{Path: "events.jsonl", Bytes: 10, SHA256: sum}},
	}
	least := schema.Manifest{Versions: full.Versions, Verdict: "crash", Source: &schema.ManifestSource{Decisions: "observed"}}
	least.Versions.Agent = nil
	texts := map[string][]byte{}
	for name, m := range map[string]schema.Manifest{"full": full, "least": least} {
		b, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = b
	}
	return texts
}

func TestManifest_AcceptsWhatIsEncoded(t *testing.T) {
	for name, text := range manifests(t) {
		if err := document.Manifest(text); err != nil {
			t.Errorf("Manifest(%s) = %v, want none", name, err)
		}
	}
}

// Every member is declared: without it, or with a list in its place, the
// manifest does not match. One that is not declared is a later revision's.
func TestManifest_RefusesEachMemberMissingOrMistyped(t *testing.T) {
	full := manifests(t)["full"]
	var members map[string]any
	if err := json.Unmarshal(full, &members); err != nil {
		t.Fatal(err)
	}
	for _, part := range []any{members, members["source"], members["sandbox"]} {
		object := part.(map[string]any)
		for name, value := range object {
			for what, edit := range map[string]func(){
				"missing":  func() { delete(object, name) },
				"mistyped": func() { object[name] = []any{1} },
			} {
				edit()
				text, err := json.Marshal(members)
				if err != nil {
					t.Fatal(err)
				}
				if err := document.Manifest(text); err == nil {
					t.Errorf("Manifest with %s %s = nil, want an error", what, name)
				}
				object[name] = value
			}
		}
	}
	// The schema library would write the exponent out.
	huge := bytes.Replace(full, []byte(`"commit": "`), []byte(`"commit": 1e9999999, "x": "`), 1)
	if err := document.Manifest(huge); err == nil || !strings.Contains(err.Error(), `"/git/commit"`) {
		t.Errorf("Manifest with a huge number = %v, want an error about the commit", err)
	}
	later := full
	for _, member := range []string{`"schema": `, `"commit": `, `"path": `, `"tool": `, `"events": `} {
		later = bytes.ReplaceAll(later, []byte(member), []byte(`"later": 1e9999999, `+member))
	}
	if err := document.Manifest(later); err != nil {
		t.Errorf("Manifest with further members = %v, want none", err)
	}
	if err := document.Manifest(bytes.TrimSuffix(full, []byte("}\n"))); err == nil {
		t.Error("Manifest of a torn file = nil, want an error")
	}
}

func TestTestResults_NamesWhatIsWrong(t *testing.T) {
	text, err := schema.TestResults{Scenarios: []schema.TestScenario{{Status: "pass"}}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := document.TestResults(text); err != nil {
		t.Errorf("TestResults = %v, want nil", err)
	}
	broken := bytes.Replace(text, []byte(`"pass"`), []byte(`"passed"`), 1)
	if err := document.TestResults(broken); err == nil || !strings.Contains(err.Error(), `"/scenarios/0/status"`) {
		t.Errorf("TestResults of another status = %v, want its pointer", err)
	}
	if err := document.TestResults([]byte("{")); err == nil {
		t.Error("TestResults of half a document = nil, want an error")
	}
}
