package evidence_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// lines returns a stream with one step that ends like that.
func lines(end string) string {
	var b strings.Builder
	for i, rest := range []string{
		`"step":0,"type":"run_started","data":{}`,
		`"step":1,"type":"step_started","data":{"step_id":"s1","step_index":1,"allowed_tools":[],"enforcement_mode":"none"}`,
		`"step":1,"type":"run_finished","data":` + end,
	} {
		fmt.Fprintf(&b, `{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-01-01T00:00:00Z","run_id":"r",%s}`+"\n", i+1, rest)
	}
	return b.String()
}

// Ends of streams.
const (
	good   = `{"exit_reason":"ok","ok":true,"final_output":"","error":null}`
	failed = `{"exit_reason":"max_steps","ok":false,"final_output":"","error":"too many"}`
	costly = `{"exit_reason":"ok","ok":true,"final_output":"","error":null,"usage":{"input_tokens":4,"output_tokens":5,"total_tokens":9,"cached_input_tokens":null,"cost_usd":0.5}}`
	late   = `{"exit_reason":"timeout","ok":false,"final_output":"","error":"too late"}`
)

// started returns the stream with what its agent says of itself.
func started(stream string) string {
	return strings.Replace(stream, `"type":"run_started","data":{}`, `"type":"run_started","data":{"agent":{"name":"acme","version":"1"},"model":"m"}`, 1)
}

// save leaves the evidence of a stream in a folder, as a harness does, and returns
// it.
func save(t *testing.T, stream string, cfg runner.Config) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	f, err := evidence.Open(evidence.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Handler = f
	e, err := runner.Scan(t.Context(), strings.NewReader(stream), cfg)
	if err != nil {
		t.Fatal(err)
	}
	findings := evidence.File{Name: evidence.FindingsFile, Write: func(w io.Writer, _ evidence.Contents) error {
		return report.WriteCheck(w, "json", report.Origin{}, []report.CheckFile{report.NewCheckFile(evidence.EventsFile, e)})
	}}
	if _, err := f.Close(t.Context(), e, evidence.Closing{Files: []evidence.File{findings}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// contradictions reads the evidence in dir, whose digests must fit.
func contradictions(t *testing.T, dir string) string {
	t.Helper()
	s, err := evidence.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if changed := s.Changed(); len(changed) > 0 {
		t.Fatalf("Changed = %q, want nothing", changed)
	}
	f, err := s.Open(evidence.EventsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	again, err := runner.Scan(t.Context(), f, evidence.ScanAgain(nil))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(s.Contradictions(again), "\n")
}

// alter changes a file of the evidence, with its digest where it has one.
func alter(t *testing.T, dir, name, from, to string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), from, to, 1)
	if changed == string(text) {
		t.Fatalf("%s holds no %q", name, from)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if name != evidence.ManifestFile {
		sign(t, dir, name, changed)
	}
}

// sign writes size and digest of a file into the manifest.
func sign(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, evidence.ManifestFile)
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(old, &m); err != nil {
		t.Fatal(err)
	}
	for _, file := range m["files"].([]any) {
		if file := file.(map[string]any); file["path"] == name {
			sum := sha256.Sum256([]byte(text))
			file["bytes"], file["sha256"] = len(text), hex.EncodeToString(sum[:])
		}
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What a harness leaves does not contradict itself, whatever the stream was and
// however it was held to its rules.
func TestContradictions_None(t *testing.T) {
	for name, tt := range map[string]struct {
		stream string
		cfg    runner.Config
	}{
		"success": {stream: lines(good)}, "all told": {stream: started(lines(costly))}, "rounded": {stream: lines(strings.Replace(costly, "0.5", "0.12345678901", 1))},
		"masked":   {stream: strings.Replace(started(lines(good)), `"model":"m"`, `"model":"sk-proj-`+strings.Repeat("a1B2", 12)+`"`, 1)},
		"two runs": {stream: started(lines(costly)) + strings.ReplaceAll(lines(failed), `"run_id":"r"`, `"run_id":"s"`)}, "failure": {stream: lines(failed)}, "timeout": {stream: lines(late)},
		"torn": {stream: lines(good)[:500]}, "empty": {}, "no JSON": {stream: "no\n" + lines(good)},
		"strict":      {lines(good) + "\n", runner.Config{Stream: validate.Options{Strict: true}}},
		"many":        {stream: strings.Repeat("{}\n", 1000)},
		"long line":   {lines(good), runner.Config{Stream: validate.Options{MaxLine: 150}}},
		"one byte":    {lines(good), runner.Config{Stream: validate.Options{MaxLine: len(strings.Split(lines(good), "\n")[2]) - 1}}},
		"long stream": {lines(good), runner.Config{MaxStream: 300}},
		"secret":      {strings.Replace(lines(good), `"final_output":""`, `"final_output":"`+strings.Repeat("a", 4088)+`12345678"`, 1), runner.Config{Secrets: []string{"12345678"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := contradictions(t, save(t, tt.stream, tt.cfg)); got != "" {
				t.Errorf("Contradictions =\n%s\nwant none", got)
			}
		})
	}
}

// Evidence that was altered together with its digests contradicts itself.
func TestContradictions_Altered(t *testing.T) {
	for name, tt := range map[string]struct {
		stream         string
		file, from, to string
		want           string
	}{
		"torn stream":                  {lines(good), "events.jsonl", `l}}` + "\n", "", `manifest.json: the verdict is "success", that of the stream is violation: `},
		"lost line":                    {lines(good), "events.jsonl", lines(good)[:strings.Index(lines(good), "\n")+1], "", "findings.json: 0 errors, the stream has "},
		"failed":                       {lines(good), "events.jsonl", good, failed, `manifest.json: the verdict is "success", that of the stream is failure: the run failed: max_steps: too many`},
		"late":                         {lines(good), "events.jsonl", good, late, `manifest.json: the verdict is "success", that of the stream is timeout: `},
		"not failed":                   {lines(good), "manifest.json", `"success"`, `"failure"`, `manifest.json: the verdict is "failure", that of the stream is success: `},
		"no crash":                     {lines(good), "manifest.json", `"success"`, `"crash"`, `manifest.json: the verdict is "crash", `},
		"crash of none":                {"", "manifest.json", `"violation"`, `"crash"`, `manifest.json: the verdict is "crash", the findings have 1 error`},
		"not before":                   {lines(good), "manifest.json", `"success"`, `"pre_run_error"`, `manifest.json: the verdict is "pre_run_error", `},
		"no violation":                 {lines(good), "manifest.json", `"success"`, `"violation"`, `manifest.json: the verdict is "violation", `},
		"unknown":                      {lines(good), "manifest.json", `"success"`, `"great"`, `manifest.json: the verdict is "great", `},
		"none":                         {lines(good), "manifest.json", `"success"`, `""`, `manifest.json: the verdict is "", `},
		"events":                       {lines(good), "manifest.json", `"events": 3`, `"events": 4`, "manifest.json: 4 events, the stream has 3"},
		"steps":                        {lines(good), "manifest.json", `"steps": 1`, `"steps": 0`, "manifest.json: 0 steps, the stream has 1"},
		"calls":                        {lines(good), "manifest.json", `"tool_calls": 0`, `"tool_calls": 9`, "manifest.json: 9 tool calls, the stream has 0"},
		"no error":                     {"{}\n" + lines(good), "findings.json", `"severity": "error"`, `"severity": "info"`, "findings.json: 0 errors, the stream has 1"},
		"lowered":                      {"{}\n" + lines(good), "findings.json", `"severity": "error"`, `"severity": "warning"`, `findings.json: "schema/envelope" is an error, and is called less`},
		"no finding":                   {"{}\n" + lines(good), "manifest.json", `"violation"`, `"success"`, `manifest.json: the verdict is "success", the findings have 1 error`},
		"count":                        {"{}\n" + lines(good), "findings.json", `"rule": "`, `"rule": "a`, `findings.json: 1 findings of "a`},
		"count of none":                {lines(good), "manifest.json", `"findings_by_rule": {}`, `"findings_by_rule": {"run/golden": 1}`, `findings.json: 0 findings of "run/golden", the manifest has 1`},
		"called valid":                 {"{}\n" + lines(good), "findings.json", `"valid": false`, `"valid": true`, "findings.json: the stream is called valid beside 1 error"},
		"findings torn":                {lines(good), "findings.json", "[", "", "findings.json: cannot be read: "},
		"run id":                       {lines(good), "manifest.json", `"run_id": "r"`, `"run_id": "s"`, `manifest.json: run_id is "s", the stream has "r"`},
		"exit reason":                  {lines(good), "manifest.json", `"exit_reason": "ok"`, `"exit_reason": "timeout"`, `manifest.json: exit_reason is "timeout", the stream has "ok"`},
		"usage":                        {lines(costly), "manifest.json", `"total_tokens": 9`, `"total_tokens": 1`, `manifest.json: usage is {`},
		"no usage":                     {lines(good), "manifest.json", `"usage": null`, `"usage": {"total_tokens":1}`, `, the stream has null`},
		"cost":                         {lines(costly), "manifest.json", "\n  \"cost_usd\": 0.5", "\n  \"cost_usd\": 5", `manifest.json: cost_usd is 5, the stream has 0.5`},
		"agent":                        {started(lines(good)), "manifest.json", `"name": "acme"`, `"name": "evil"`, `manifest.json: agent is {"name":"evil","version":"1"}, the stream has {"name":"acme","version":"1"}`},
		"agent version":                {started(lines(good)), "manifest.json", `"version": "1"`, `"version": "2"`, `manifest.json: agent is {"name":"acme","version":"2"}, `},
		"model":                        {started(lines(good)), "manifest.json", `"model": "m"`, `"model": "n"`, `manifest.json: model is "n", the stream has "m"`},
		"provider":                     {lines(good), "manifest.json", `"provider": null`, `"provider": "p"`, `manifest.json: provider is "p", the stream has null`},
		"parent":                       {lines(good), "manifest.json", `"parent_run_id": null`, `"parent_run_id": "p"`, `manifest.json: parent_run_id is "p", the stream has null`},
		"status":                       {lines(good), "manifest.json", `"exit_status": null`, `"exit_status": 1`, `manifest.json: the verdict is "success", and the exit status is 1`},
		"status of none":               {lines(failed), "manifest.json", `"exit_status": null`, `"exit_status": 0`, `manifest.json: the verdict is "failure", and the exit status is 0`},
		"signal":                       {lines(good), "manifest.json", `"signal": null`, `"signal": "SIGKILL"`, `manifest.json: the verdict is "success", and the signal "SIGKILL" ended the agent`},
		"findings empty":               {lines(good), "findings.json", `"files"`, `"file"`, "findings.json: cannot be read: they are of 0 streams, want 1"},
		"findings twice":               {lines(good), "findings.json", `"files": [`, `"files": [{"valid": true},`, "findings.json: cannot be read: they are of 2 streams, want 1"},
		"findings of another version":  {lines(good), "findings.json", `check.v1"`, `check.v2"`, `findings.json: cannot be read: schema is "openagent.check.v2", want "openagent.check.v1"`},
		"findings with a member twice": {lines(good), "findings.json", `"valid": true`, `"valid": false, "valid": true`, "findings.json: cannot be read: a member stands twice in an object"},
		"findings and more":            {lines(good), "findings.json", "{", "{} {", "findings.json: cannot be read: "},
		"events of findings":           {lines(good), "findings.json", `"events": 3`, `"events": 4`, "findings.json: 4 events, the manifest has 3"},
		"time":                         {lines(good), "manifest.json", `"duration_ms": `, `"duration_ms": -1`, "manifest.json: the run ended before it began"},
		"end":                          {lines(good), "manifest.json", `"ended": "2`, `"ended": "1`, "manifest.json: the run ended before it began"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := save(t, tt.stream, runner.Config{})
			alter(t, dir, tt.file, tt.from, tt.to)
			if got := contradictions(t, dir); !strings.Contains(got, tt.want) {
				t.Errorf("Contradictions =\n%s\nwant %q", got, tt.want)
			}
		})
	}
}

// A deadline or a signal of the harness leaves any stream behind.
func TestContradictions_EndedByTheHarness(t *testing.T) {
	for _, stream := range []string{lines(good), lines(failed)} {
		for _, verdict := range []runner.Verdict{runner.VerdictTimeout, runner.VerdictCancelled} {
			dir := save(t, stream, runner.Config{})
			text, err := os.ReadFile(filepath.Join(dir, evidence.ManifestFile))
			if err != nil {
				t.Fatal(err)
			}
			was := "success"
			if !strings.Contains(string(text), `"success"`) {
				was = "failure"
			}
			alter(t, dir, evidence.ManifestFile, `"`+was+`"`, `"`+string(verdict)+`"`)
			if got := contradictions(t, dir); got != "" {
				t.Errorf("Contradictions of %s =\n%s\nwant none", verdict, got)
			}
		}
	}
}

// A manifest that leaves a fact open, as one of an older version may, contradicts
// nothing.
func TestContradictions_LeftOpen(t *testing.T) {
	dir := save(t, started(lines(costly)), runner.Config{})
	alter(t, dir, "manifest.json", `"cost_usd": 0.5`, `"cost_usd": null`)
	if got := contradictions(t, dir); got != "" {
		t.Errorf("Contradictions =\n%s\nwant none", got)
	}
}
