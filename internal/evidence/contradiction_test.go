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

// doubted returns why the evidence in dir is not to be believed.
func doubted(t *testing.T, dir string) string {
	t.Helper()
	s, err := evidence.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	again, err := s.Scan(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	d := s.Problem(again)
	if d == nil {
		return ""
	}
	return d.Why + ": " + strings.Join(d.What, "\n")
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
func TestDoubt_None(t *testing.T) {
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
			if got := doubted(t, save(t, tt.stream, tt.cfg)); got != "" {
				t.Errorf("Doubt = %s, want none", got)
			}
		})
	}
}

// A run that succeeded or failed has a stream that shows it.
func TestDoubt_VerdictOfTheStream(t *testing.T) {
	const is, stream = `contradicts itself: manifest.json: the verdict is "`, `", that of the stream is `
	for name, tt := range map[string]struct{ stream, file, from, to, want string }{
		"torn stream":     {lines(good), "events.jsonl", `l}}` + "\n", "", is + "success" + stream + "violation: "},
		"lost line":       {lines(failed), "events.jsonl", lines(good)[:strings.Index(lines(good), "\n")+1], "", is + "failure" + stream + "violation: "},
		"failed":          {lines(good), "events.jsonl", good, failed, is + "success" + stream + "failure: the run failed: max_steps: too many"},
		"late":            {lines(good), "events.jsonl", good, late, is + "success" + stream + "timeout: "},
		"not failed":      {lines(good), "manifest.json", `"success"`, `"failure"`, is + "failure" + stream + "success: "},
		"no success":      {lines(failed), "manifest.json", `"failure"`, `"success"`, is + "success" + stream + "failure: "},
		"ended too late":  {lines(good), "manifest.json", `"success"`, `"timeout"`, ""},
		"canceled":        {lines(failed), "manifest.json", `"failure"`, `"cancelled"`, ""},
		"failed its rule": {lines(good), "manifest.json", `"success"`, `"violation"`, ""},
	} {
		dir := save(t, tt.stream, runner.Config{})
		alter(t, dir, tt.file, tt.from, tt.to)
		if got := doubted(t, dir); !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: Doubt = %q, want %q", name, got, tt.want)
		}
	}
}
