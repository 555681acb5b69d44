package job

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// env returns a getenv over pairs of name and value.
func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

func TestInJob(t *testing.T) {
	for value, want := range map[string]bool{"true": true, "": false, "false": false} {
		if got := InJob(env("GITHUB_ACTIONS", value)); got != want {
			t.Errorf("InJob with GITHUB_ACTIONS=%q = %v, want %v", value, got, want)
		}
	}
}

func TestInputs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(path, []byte(`{"a":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := Inputs(env("GITHUB_EVENT_NAME", "push", "GITHUB_ACTOR", "ann", "GITHUB_REPOSITORY", repo,
		"GITHUB_EVENT_PATH", path, "OPENAGENT_ALLOW_USERS", "a, b\nc", "OPENAGENT_ALLOW_BOTS", "x[bot]"), "api-key")
	if err != nil {
		t.Fatalf("Inputs: %v", err)
	}
	want := Trigger{Event: "push", Actor: "ann", Repository: repo, Payload: []byte(`{"a":1}`), Key: "api-key",
		AllowUsers: []string{"a", "b", "c"}, AllowBots: []string{"x[bot]"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Inputs (-want +got):\n%s", diff)
	}
}

func TestInputs_EventFile(t *testing.T) {
	if got, err := Inputs(env(), ""); err != nil || got.Payload != nil {
		t.Errorf("Inputs without a payload = %+v, %v, want none and no error", got, err)
	}
	missing := filepath.Join(t.TempDir(), "none")
	for _, path := range []string{missing, filepath.Dir(missing)} {
		if _, err := Inputs(env("GITHUB_EVENT_PATH", path), ""); err == nil || !strings.Contains(err.Error(), "read event") {
			t.Errorf("Inputs with the event file %s = %v, want an error", path, err)
		}
	}
}

func TestEvidenceParent(t *testing.T) {
	want := filepath.Join("tmp", "openagent", "evidence")
	if got := EvidenceParent(env("RUNNER_TEMP", "tmp")); got != want {
		t.Errorf("EvidenceParent = %q, want %q", got, want)
	}
	if got := EvidenceParent(env()); got != "" {
		t.Errorf("EvidenceParent without RUNNER_TEMP = %q, want none", got)
	}
}
