package job

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/model/transport"
)

const forkWorkflow = `on: pull_request
permissions:
  contents: read
env:
  SAVE: |
    printf '%s' "$OUTPUTS" >"$STORE/$NAME.json"
jobs:
  recorded:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2
      - id: test
        uses: ./
        with:
          binary: bin/openagent
          mode: test
          args: |
            --recorded

            --models "m 1"
      - if: always()
        env: {NAME: recorded, OUTPUTS: '${{ toJSON(steps.test.outputs) }}'}
        run: eval "$SAVE"
  live:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2
      - id: test
        uses: ./
        with:
          binary: bin/openagent
          mode: test
          args: --live
      - if: always()
        env: {NAME: live, OUTPUTS: '${{ toJSON(steps.test.outputs) }}'}
        run: eval "$SAVE"
`

// In the pull request of a stranger's fork, scenarios are answered by their cassettes:
// one passes, one with another prompt misses. Real models are asked nothing.
func TestAction_ForkTestsRecordedScenarios(t *testing.T) {
	act, dir := needAct(t), t.TempDir()
	repo, store := filepath.Join(dir, "repo"), filepath.Join(dir, "store")
	if err := os.Mkdir(store, 0o755); err != nil {
		t.Fatal(err)
	}
	buildProgram(t, repo)
	const scenario = "agent openagent 'Who wrote it?'\nstream-has stdout run_finished '/final_output*=Ada'\n"
	for name, text := range map[string]string{
		"action.yml": readRoot(t, "action.yml"), ".github/workflows/fork.yml": forkWorkflow, installScript: readRoot(t, installScript),
		"scenarios/good.txtar": scenario, "scenarios/other.txtar": scenario,
		"event.json": `{"pull_request": {"head": {"repo": {"full_name": "eve/r"}}, "user": {"login": "eve"}, "author_association": "NONE"}, "sender": {"login": "eve", "type": "User"}}`,
	} {
		write(t, filepath.Join(repo, filepath.FromSlash(name)), text, 0o755)
	}
	model, err := transport.LoadScript("turns", []byte("- text: Ada wrote it.\n- text: Ada wrote it.\n"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(model)
	defer server.Close()
	record := exec.Command(filepath.Join(repo, "bin", "openagent"), "test", "--live", "--record", "--models", "m 1", "scenarios")
	record.Dir = repo
	record.Env = append(os.Environ(), "OPENAGENT_BASE_URL="+server.URL+"/v1", "GITHUB_ACTIONS=")
	if out, err := record.CombinedOutput(); err != nil {
		t.Fatalf("record: %v\n%s", err, out)
	}
	write(t, filepath.Join(repo, "scenarios", "other.txtar"), strings.Replace(scenario, "Who", "When and who", 1), 0o644)
	commit(t, repo)
	inGit(t, repo, "remote", "add", "origin", "https://github.com/"+jobRepository)
	log, err := runAct(t, act, dir, repo, os.Getenv("PATH"), append(offline(t, dir), "--actor", "eve", "--eventpath", filepath.Join(repo, "event.json"), "--env", "STORE="+store, "pull_request"))
	if err == nil {
		t.Error("act succeeded, want one scenario to fail")
	}
	p := played{store: store, log: log}
	if got := p.outputs(t, "recorded"); got["verdict"] != "failure" || got["error"] != "1 of 2 scripts failed" {
		t.Errorf("mode test with --recorded: verdict %q, error %q, want that one of two failed; the log:\n%s", got["verdict"], got["error"], log)
	}
	if got := p.outputs(t, "live"); got["verdict"] != "refused" || !strings.Contains(got["error"], "--live in input args asks a real model, and this is the job of a fork") {
		t.Errorf("mode test with --live: verdict %q, error %q, want a refusal", got["verdict"], got["error"])
	}
	for _, name := range p.artifacts(t, "") {
		text := p.read(t, filepath.Join("artifacts", name, evidence.JUnitFile))
		if !strings.Contains(text, "record it again: openagent test --live --record --models &#39;m 1&#39; scenarios/other.txtar") {
			t.Errorf("junit.xml of %s does not show how to record again:\n%s", name, text)
		}
	}
}
