package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// tireless asks for n calls in every reply, none like the one before, and
// reports usage if there is one.
func tireless(n int, usage string) fakeEndpoint {
	const read = `{"index":%d,"id":"%d-%d","function":{"name":"read_file","arguments":"{\"path\":\"a.txt\",\"max_lines\":%d}"}}`
	return func(w http.ResponseWriter, r *http.Request, request int) {
		data := []string{}
		for i := range n {
			data = append(data, piece(fmt.Sprintf(read, i, request, i, request*n+i+1)))
		}
		data = append(data, called)
		if usage != "" {
			data = append(data, `{"choices":[],"usage":`+usage+`}`)
		}
		streamed(append(data, done)...)(w, r, request)
	}
}

// A limit stops the run exactly there: the endpoint counts the requests, the
// stream the calls.
func TestRun_LimitsAsTheEndpointSeesThem(t *testing.T) {
	t.Parallel()
	const fifteen = `{"prompt_tokens":10,"completion_tokens":5}`
	allow := func(n int) []string { return slices.Repeat([]string{"allow read_file"}, n) }
	ended := func(reason string, requests int) []string {
		return []string{"finished " + reason, fmt.Sprintf("status 1 after %d requests", requests)}
	}
	for name, tt := range map[string]struct {
		serve fakeEndpoint
		flags string
		want  []string
	}{
		"one step":                 {tireless(1, ""), "--max-steps 1", slices.Concat(allow(1), ended("max_steps", 1))},
		"three steps":              {tireless(2, ""), "--max-steps 3", slices.Concat(allow(6), ended("max_steps", 3))},
		"thirty steps unless told": {tireless(1, ""), "", slices.Concat(allow(30), ended("max_steps", 30))},
		"retries are no steps": {
			func(w http.ResponseWriter, r *http.Request, n int) {
				if n%2 == 1 {
					answering(500)(w, r, n)
					return
				}
				tireless(1, "")(w, r, n)
			}, "--max-steps 2",
			slices.Concat(
				[]string{"retry 1/3 server 500 500ms"}, allow(1), []string{"retry 1/3 server 500 500ms"}, allow(1), ended("max_steps", 4)),
		},
		"calls, one a step":      {tireless(1, ""), "--max-tool-calls 2", slices.Concat(allow(2), []string{"deny read_file"}, ended("budget_exceeded", 3))},
		"calls, several a step":  {tireless(2, ""), "--max-tool-calls 3", slices.Concat(allow(3), []string{"deny read_file"}, ended("budget_exceeded", 2))},
		"calls without steps":    {tireless(2, ""), "--max-tool-calls 70 --max-steps 0", slices.Concat(allow(70), []string{"deny read_file"}, ended("budget_exceeded", 36))},
		"tokens, to the last":    {tireless(1, fifteen), "--max-tokens 45 --max-steps 3", slices.Concat(allow(3), ended("max_steps", 3))},
		"tokens, one too many":   {tireless(1, fifteen), "--max-tokens 44 --max-steps 3", slices.Concat(allow(2), ended("budget_exceeded", 3))},
		"tokens that are untold": {tireless(1, ""), "--max-tokens 1", ended("budget_exceeded", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, runAgainst(t, tt.serve, strings.Fields(tt.flags)...)); diff != "" {
				t.Errorf("run %s (-want +got):\n%s", tt.flags, diff)
			}
		})
	}
}

// inputFiles makes the files that flags name, and returns a function that fills
// their paths in for @name.
func inputFiles(t *testing.T) func(string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"prompt": "do", "script": "- text: done\n", "policy": "version: 1\ndefault: allow\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(arg string) string { return strings.ReplaceAll(arg, "@", dir+string(filepath.Separator)) }
}

// What run.json says of a run is what it was started with and what it told.
func TestRun_RecordOfItsConfiguration(t *testing.T) {
	at := inputFiles(t)
	state, secret := t.TempDir(), "sk-test-abcdefgh"
	status, out, errs := runLine("", "run", "--output", "json", "--script", at("@script"), "--policy", at("@policy"), "--state-dir", state,
		"--run-id", "r1", "--redact", secret, "--max-steps", "7", "--workspace", filepath.Dir(at("@prompt")), "do it")
	if status != StatusOK {
		t.Fatalf("run = %d: %s%s", status, out, errs)
	}
	folder := filepath.Join(state, "runs", "r1")
	text, err := os.ReadFile(filepath.Join(folder, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema, Ended     string
		RunID             string            `json:"run_id"`
		CLI               map[string]string `json:"cli"`
		Paths             map[string]string `json:"paths"`
		PolicySHA256      string            `json:"policy_sha256"`
		PromptSHA256      string            `json:"prompt_sha256"`
		ConfigFingerprint string            `json:"config_fingerprint"`
		Outcome           record.Outcome    `json:"outcome"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("run.json: %v\n%s", err, text)
	}
	(&program{}).runCommand().Flags().VisitAll(func(f *pflag.Flag) {
		if _, ok := got.CLI[f.Name]; !ok && f.Name != "output" && f.Name != "help" {
			t.Errorf("run.json lacks --%s", f.Name)
		}
	})
	if got.CLI["output_mode"] != "json" || got.CLI["max-steps"] != "7" || got.CLI["redact"] != redact.Mask || strings.Contains(string(text), secret) {
		t.Errorf("run.json tells of the flags %v, want them without secrets", got.CLI)
	}
	if want := map[string]string{"workspace": filepath.Dir(at("@prompt")), "run": folder}; !cmp.Equal(want, got.Paths) {
		t.Errorf("paths are %v, want %v", got.Paths, want)
	}
	if got.Schema != record.Schema || got.RunID != "r1" || got.Ended == "" || got.PromptSHA256 != record.Digest([]byte("do it")) ||
		got.PolicySHA256 != record.Digest([]byte("version: 1\ndefault: allow\n")) {
		t.Errorf("run.json is\n%s\nwant schema, id, end and digests", text)
	}
	if !strings.Contains(out, `"config_fingerprint":"`+got.ConfigFingerprint+`"`) || len(got.ConfigFingerprint) != 64 {
		t.Errorf("config_fingerprint is %q, want the one that run_started tells", got.ConfigFingerprint)
	}
	if o := got.Outcome; !o.OK || o.ExitReason != "ok" || o.Steps != 1 || o.Error != nil {
		t.Errorf("outcome is %+v, want ok after a step", o)
	}
}
