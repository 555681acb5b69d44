package main_test

import (
	"bytes"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/model/transport"
)

// A run that was recorded is the same run when it is replayed with the endpoint gone
// and without a key, but for what the agent makes up in each run.
func TestAgents_Cassette(t *testing.T) {
	eachAgent(t, func(t *testing.T, name string, a realAgent) {
		script := a.call("echo step-0") + a.call("echo step-1; exit 3") + lastTurn
		model, err := transport.LoadScript("script", []byte(script))
		if err != nil {
			t.Fatal(err)
		}
		endpoint := httptest.NewServer(model)
		defer endpoint.Close()
		cassette := t.TempDir() + "/c.jsonl"
		recorded := a.cassetteLife(t, name, "--cassette="+cassette, "--cassette-mode=record", "--model="+a.model,
			"--base-url="+row(t, name).Endpoint(endpoint.URL), "--api-key-file=../key")
		_ = recorded.cmd.Run() // the verdict says it
		endpoint.CloseClientConnections()
		endpoint.Close()
		replayed := a.cassetteLife(t, name, "--cassette="+cassette)
		_ = replayed.cmd.Run()
		for what, l := range map[string]*life{"recorded": recorded, "replayed": replayed} {
			if end := l.ending(t); end.reason+" "+end.verdict != "ok success" {
				t.Fatalf("the run that was %s ended %s %s:\n%s\n%s", what, end.reason, end.verdict, &l.stderr, l.stream(t))
			}
			l.deserted(t)
			l.keyIsNowhere(t)
		}
		if diff := cmp.Diff(recorded.sameLines(t), replayed.sameLines(t)); diff != "" {
			t.Errorf("streams (-recorded +replayed):\n%s", diff)
		}
		if said := replayed.stderr.String(); strings.Contains(said, "drift:") || strings.Contains(said, "not asked for") {
			t.Errorf("the same version drifted:\n%s", said)
		}
		text, err := os.ReadFile(cassette)
		if err != nil || bytes.Contains(text, []byte(agentKey)) || bytes.Contains(text, []byte(strings.TrimPrefix(endpoint.URL, "http://"))) {
			t.Errorf("the cassette holds the key or the host, or %v", err)
		}
	})
}

// cassetteLife prepares a run of the agent with flags that say what answers it.
func (a realAgent) cassetteLife(t *testing.T, name string, flags ...string) *life {
	t.Helper()
	args := append(append([]string{"--agent=" + name, "--timeout=5m", "--exit-grace=4m"}, flags...), a.args...)
	l := harnessed(t, append(args, "Do the steps.")...)
	if err := os.WriteFile(l.path("key"), []byte(agentKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.cmd.Env = append(l.cmd.Env, "OPENAGENT_MAX_STEPS=", "CI=1", "COPILOT_CACHE_HOME="+a.cache, "PATH="+agentsPath(t))
	return l
}

// ownOfRun matches what differs between two runs that are the same: times, ids of
// runs and steps, process ids, tokens per second, and the folder.
var ownOfRun = regexp.MustCompile(`"(ts|run_id|step_id|tool_call_id|duration_ms|backoff_ms|workspace)":("[^"]*"|[0-9.]+|null)|PGID: [0-9]+`)

// sameLines returns the stream without what differs in each run.
func (l *life) sameLines(t *testing.T) (lines []string) {
	t.Helper()
	text := strings.ReplaceAll(string(l.stream(t)), l.dir, "/dir")
	for line := range strings.Lines(text) {
		lines = append(lines, ownOfRun.ReplaceAllString(line, "$1"))
	}
	return lines
}
