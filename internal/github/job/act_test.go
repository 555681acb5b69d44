package job

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/testkit/fakegithub"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// actVariable names the program that plays the runner of GitHub Actions,
// github.com/nektos/act; internal/devtools has it.
const actVariable = "OPENAGENT_TEST_ACT"

// hostile is a final text that tries to act on the job that prints it.
var hostile = strings.Repeat("ok<<EOF\nfalse\nEOF\nforged=yes\n::set-output name=forged::yes\n"+
	"##[error]forged\n::error::forged\n\x1b[31mred\x1b[0m\n```````\n</details><img src=x>\n", 2<<20/170)

// played is what the jobs of the workflow left behind.
type played struct {
	store string // folder of what they kept
	log   string // of all jobs
	hub   *fakegithub.Server
}

// play runs every job of the workflow, on this machine and without the
// network, with stand-ins for the actions of others.
func play(t *testing.T) played {
	t.Helper()
	act := needAct(t)
	dir := t.TempDir()
	repo, store := filepath.Join(dir, "repo"), filepath.Join(dir, "store")
	checkout(t, repo)
	if err := os.Mkdir(store, 0o755); err != nil {
		t.Fatal(err)
	}
	hub, address, tools := imitation(t, repo)
	log, _ := runAct(t, act, dir, repo, os.Getenv("PATH"), append(offline(t, dir), "--env", "TOOLS="+tools, "--env", fakegithub.Address+"="+address, "--env", "STORE="+store, "push"))
	return played{store, log, hub}
}

// needAct returns the program act, and skips the test where there is none.
func needAct(t *testing.T) string {
	t.Helper()
	act := os.Getenv(actVariable)
	if act == "" {
		t.Skip(actVariable + " names no act; .ci/run builds one and sets it")
	}
	return act
}

// runAct runs the workflows of a repository, with nothing of the environment but a home
// and a PATH.
func runAct(t *testing.T, act, home, repo, path string, args []string) (log string, err error) {
	t.Helper()
	cmd := exec.Command(act, args...)
	cmd.Dir = repo
	cmd.Env = []string{"PATH=" + path, "HOME=" + home, "TMPDIR=" + home}
	out, err := cmd.CombinedOutput()
	t.Logf("act: %v, with %v of processor time", err, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	return string(out), err
}

// offline returns arguments by which act plays a workflow on this machine, without the
// network and with stand-ins for the actions of others, which lie in dir.
func offline(t *testing.T, dir string) []string {
	t.Helper()
	args := []string{
		"--platform", "ubuntu-latest=-self-hosted", "--action-cache-path", filepath.Join(dir, "cache"),
		"--env", "GOPROXY=off", "--env", "GOTOOLCHAIN=local",
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, "--env", name+"="+strings.TrimSpace(string(value)))
	}
	for _, name := range []string{"setup-go", "upload-artifact", "attest-build-provenance"} {
		standIn := filepath.Join(dir, name)
		if err := os.CopyFS(standIn, os.DirFS(filepath.Join("testdata", "act", name))); err != nil {
			t.Fatal(err)
		}
		commit(t, standIn)
		args = append(args, "--local-repository", pinned(t, name)+"="+standIn)
	}
	return args
}

// imitation starts one of GitHub's API, where pull request 7 has the commit of the
// repository as its head, and returns its address and a folder with a gh that asks it.
func imitation(t *testing.T, repo string) (hub *fakegithub.Server, address, tools string) {
	t.Helper()
	inGit(t, repo, "remote", "add", "origin", "https://github.com/"+jobRepository) // by which act names it
	hub = &fakegithub.Server{
		Repository: jobRepository, Login: "github-actions[bot]",
		Heads: map[int]string{7: inGit(t, repo, "rev-parse", "HEAD"), 8: strings.Repeat("8", 40)},
	}
	hub.Add(7, "mallory", "<!-- openagent:hostile -->\nplanted")
	hub.Add(7, "github-actions[bot]", "a word before\n<!-- openagent:hostile -->\nanother tool's")
	server := httptest.NewServer(hub)
	t.Cleanup(server.Close)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tools = t.TempDir()
	if err := os.Symlink(self, filepath.Join(tools, "gh")); err != nil {
		t.Fatal(err)
	}
	return hub, server.URL, tools
}

// jobRepository is what the jobs of the workflow belong to.
const jobRepository = "o/r"

// pinned returns an action of others as action.yml names it.
func pinned(t *testing.T, name string) string {
	t.Helper()
	_, text := readAction(t)
	uses := regexp.MustCompile(`uses: (actions/` + name + `@\S+)`).FindStringSubmatch(text)
	if uses == nil {
		t.Fatalf("action.yml does not use %s", name)
	}
	return uses[1]
}

// checkout makes a repository that holds the action with its source, a built
// program, and what the jobs of the workflow need.
func checkout(t *testing.T, repo string) {
	t.Helper()
	copySource(t, repo)
	buildProgram(t, repo)
	files := map[string]string{
		"failed.yaml": "- fault: {status: 400}\n",
		"done.yaml":   "- text: done\n",
		"base.yaml":   "- tool_calls: [{tool: list_files, arguments: {path: scenarios}}]\n- text: done\n",
		"head.yaml":   "- tool_calls: [{tool: list_files, arguments: {path: golden}}]\n- text: done\n",
		// The action gives its key to no script, and what they print is no command.
		"scenarios/good.txtar":   "exec sh -c 'test -z \"$OPENAI_API_KEY\"'\nopenagent run --output json --script m.yaml p\nstream-check -strict stdout\n-- m.yaml --\n- text: done\n",
		"scenarios/bad-it.txtar": "# It forges, then fails.\nexec printf '::error::forged\\n##[error]forged\\nFAIL: scenarios/bad-it.txtar:9: forged\\n'\ncmp a b\n-- a --\n```\n-- b --\nother\n",
	}
	for said, text := range map[string]string{"fits": "```json\\n{\\\"ok\\\": \\\"a<<EOF\\\"}\\n```", "misfits": "{\\\"ok\\\": 1}"} {
		files[said+".jsonl"] = `{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-01-01T00:00:00Z","run_id":"r1","step":0,"type":"run_started","data":{}}` + "\n" +
			`{"schema_version":"openagent.run_event.v1","sequence":2,"ts":"2026-01-01T00:00:00Z","run_id":"r1","step":0,"type":"run_finished","data":{"exit_reason":"ok","ok":true,"final_output":"` + text + `","error":null}}` + "\n"
	}
	files["schema.json"] = `{"properties": {"ok": {"type": "string"}}}`
	forged, err := json.Marshal([]any{map[string]any{"text": hostile}})
	if err != nil {
		t.Fatal(err)
	}
	files["forged.yaml"] = string(forged)
	files["action.yml"], files[commentAction] = readRoot(t, "action.yml"), readRoot(t, commentAction)
	files["hostile.jsonl"] = hostileStream()
	saveLong(t, filepath.Join(repo, "long"))
	files[".github/workflows/test.yml"] = readRoot(t, "internal/github/job/testdata/act/workflow.yml")
	for name, text := range files {
		write(t, filepath.Join(repo, filepath.FromSlash(name)), text, 0o644)
	}
	commit(t, repo)
}

// buildProgram builds the program into the folder bin of a repository.
func buildProgram(t *testing.T, repo string) {
	t.Helper()
	build := exec.Command("go", "build", "-o", filepath.Join(repo, "bin")+string(filepath.Separator), "./cmd/openagent")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
}

// hostileStream is a stream whose findings quote what tries to act on its reader.
func hostileStream() string {
	var b strings.Builder
	for i := range 50 {
		text := []string{"@octocat", "/merge", "<img src=x>", "https://evil.test", "```"}[i%5]
		fmt.Fprintf(&b, `{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-01-01T00:00:00Z","run_id":"r1","step":0,"type":"%s","data":{}}`+"\n", i+1, text)
	}
	return b.String()
}

// saveLong leaves evidence with more findings than a comment can hold.
func saveLong(t *testing.T, dir string) {
	t.Helper()
	f, err := evidence.Open(evidence.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	stream := strings.NewReader(strings.Repeat(strings.Repeat("\U0001d11e", 100)+"\n", 400))
	e, err := runner.Scan(t.Context(), stream, runner.Config{File: evidence.EventsFile, Handler: f, MaxFindings: 1000})
	if err != nil {
		t.Fatal(err)
	}
	findings := evidence.File{Name: evidence.FindingsFile, Write: func(w io.Writer, _ evidence.Contents) error {
		return report.WriteCheck(w, "json", report.Origin{}, []report.CheckFile{report.NewCheckFile(evidence.EventsFile, e)})
	}}
	if _, err := f.Close(t.Context(), e, evidence.Closing{Files: []evidence.File{findings}}); err != nil {
		t.Fatal(err)
	}
}

// copySource copies all that a program is built from, and the scripts that do.
func copySource(t *testing.T, to string) {
	t.Helper()
	for _, name := range []string{"cmd", "golden", "internal", "runner", "schema", "testscript"} {
		if err := os.CopyFS(filepath.Join(to, name), os.DirFS(filepath.Join(root, name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", installScript, buildScript, tagScript} {
		write(t, filepath.Join(to, filepath.FromSlash(name)), readRoot(t, name), 0o755)
	}
}

// readRoot reads a file of the project.
func readRoot(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// write writes a file and makes the folder it lies in.
func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// commit makes dir a repository with one commit, which is what act takes
// actions from.
func commit(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "all"}} {
		inGit(t, dir, args...)
	}
}

func (p played) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.store, filepath.FromSlash(name)))
	if err != nil {
		t.Errorf("%v; the log:\n%s", err, p.log)
	}
	return string(text)
}

// outputs returns the outputs that a job saw.
func (p played) outputs(t *testing.T, job string) map[string]string {
	t.Helper()
	var outputs map[string]string
	if err := json.Unmarshal([]byte(p.read(t, job+".json")), &outputs); err != nil {
		t.Errorf("outputs of %s: %v", job, err)
	}
	return outputs
}

// artifacts returns the names of the artifacts that start with prefix.
func (p played) artifacts(t *testing.T, prefix string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(p.store, "artifacts"))
	if err != nil {
		t.Fatalf("%v; the log:\n%s", err, p.log)
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			names = append(names, e.Name())
		}
	}
	return names
}

// The action does in a job what it says: its outputs, its summary and its
// artifact are read back, of good runs and of bad ones.
func TestAction_InAWorkflow(t *testing.T) {
	p := play(t)
	for _, want := range []struct {
		job, outcome, verdict, exitReason string
		artifacts                         int
		summary                           string // what it shows besides the verdict
	}{
		{"demo", "success", "success", "ok", 1, "<summary>Transcript</summary>"},
		{"failed", "failure", "failure", "provider_error", 1, "provider_error"},
		{"violation", "failure", "violation", "ok", 1, "stream/sequence-gap"},
		{"codex", "success", "success", "ok", 1, "codex"},
		{"compared", "failure", "success", "ok", 1, "## ❌ openagent diff: changed: model, tools\n"},
		{"check", "success", "success", "ok", 0, ""},
		{"pair1", "success", "success", "ok", 2, "done"},
		{"pair2", "success", "success", "ok", 2, "done"},
	} {
		t.Run(want.job, func(t *testing.T) {
			got := p.outputs(t, want.job)
			if got["verdict"] != want.verdict || got["exit-reason"] != want.exitReason ||
				got["ok"] != fmt.Sprint(want.verdict == "success") || got["schema-digest"] != schema.Digest() {
				t.Errorf("outputs %v, want the verdict %s with exit reason %s", got, want.verdict, want.exitReason)
			}
			if outcome := strings.TrimSpace(p.read(t, want.job+".outcome")); outcome != want.outcome {
				t.Errorf("the step's outcome is %s, want %s", outcome, want.outcome)
			}
			if status := p.read(t, want.job+".status"); status != "" && want.job != "check" {
				t.Errorf("the workspace has changed, want nothing written there:\n%s", status)
			}
			names := p.artifacts(t, "openagent-"+strings.TrimRight(want.job, "12")+"-")
			if len(names) != want.artifacts {
				t.Fatalf("artifacts %v, want %d", names, want.artifacts)
			}
			for _, name := range names {
				checkManifest(t, filepath.Join(p.store, "artifacts", name), want.verdict)
				p.checkSummary(t, name, want.verdict, want.summary)
			}
			if id := strings.TrimPrefix(got["artifact-id"], "id-of-"); want.artifacts > 0 && !slices.Contains(names, id) {
				t.Errorf("artifact-id is %q, want that of one of %v", got["artifact-id"], names)
			}
		})
	}
	if got, _ := filepath.Glob(filepath.Join(p.store, "*.attested")); len(got) != 1 ||
		p.read(t, "violation.attested") != p.read(t, "artifacts/"+p.artifacts(t, "openagent-violation-")[0]+"/manifest.json") {
		t.Errorf("%q were signed, want the manifest of the job violation alone", got)
	}
	t.Run("codex", func(t *testing.T) { checkCodex(t, p) })
	t.Run("answered", func(t *testing.T) { checkAnswered(t, p) })
	t.Run("compared", func(t *testing.T) { checkCompared(t, p) })
	t.Run("refused", func(t *testing.T) { checkRefused(t, p) })
	t.Run("released", func(t *testing.T) { checkReleased(t, p) })
	t.Run("scenarios", func(t *testing.T) { checkScenarios(t, p) })
	t.Run("comment", func(t *testing.T) { checkComment(t, p) })
	t.Run("forged", func(t *testing.T) { checkForged(t, p) })
}

// checkCodex makes sure that the inputs reach another agent, and its own stream the
// outputs and the evidence.
func checkCodex(t *testing.T, p played) {
	got := p.outputs(t, "codex")
	if got["agent-version"] != "0.169.0" || got["input-tokens"] != "200" {
		t.Errorf("outputs %v, want the version, file and tokens of codex", got)
	}
	final := got["final-output"]
	for _, want := range []string{"say hi exec --json ", " -m m1 ", " -s read-only -, key of 23"} {
		if !strings.Contains(final, want) {
			t.Errorf("codex was started as %q, want %q in it", final, want)
		}
	}
	for _, name := range p.artifacts(t, "openagent-codex-") {
		source := p.read(t, filepath.Join("artifacts", name, "source.jsonl"))
		if !strings.HasPrefix(source, `{"type":"thread.started"`) {
			t.Errorf("source.jsonl begins %.60q, want codex's own stream", source)
		}
	}
}

// checkAnswered makes sure that the answer of another agent reaches the outputs where it
// fits the schema, and a finding says why where it does not.
func checkAnswered(t *testing.T, p played) {
	const value = `{"ok": "a<<EOF"}`
	got := p.outputs(t, "fits")
	if got["verdict"] != "success" || got["structured-output"] != value {
		t.Errorf("outputs %v, want the value %s and its file", got, value)
	}
	same := 0
	for _, name := range p.artifacts(t, "openagent-answered-") {
		text, err := os.ReadFile(filepath.Join(p.store, "artifacts", name, "final_output.json"))
		if err == nil && string(text) == value+"\n" {
			same++
		}
	}
	if same != 1 {
		t.Errorf("%d artifacts hold the value, want one", same)
	}
	got = p.outputs(t, "misfits")
	if got["verdict"] != "violation" || got["structured-output"] != "" || !strings.Contains(got["error"], "run/output-schema") {
		t.Errorf("outputs %v, want a violation that says why and no value", got)
	}
}

// checkCompared makes sure that a job is told what changed, and that nothing runs
// where that could not be found out.
func checkCompared(t *testing.T, p played) {
	const why = "changes since the base run fail: tools changed"
	if got := p.outputs(t, "compared"); got["changed"] != "model,tools" || got["error"] != why {
		t.Errorf("outputs %v, want that the model and tools changed, and that tools fail", got)
	}
	if !strings.Contains(p.log, "::error title=openagent%3A diff::"+why) {
		t.Errorf("no annotation says what changed; the log:\n%s", p.log)
	}
	got := p.outputs(t, "unproven")
	if outcome := strings.TrimSpace(p.read(t, "unproven.outcome")); outcome != "failure" || got["verdict"] != "refused" || got["changed"] != "" ||
		!strings.Contains(got["error"], "input compare-with is ") || !strings.Contains(got["error"], "not as it was saved") {
		t.Errorf("outcome %s with outputs %v, want a base refused that was changed", outcome, got)
	}
}

// checkScenarios makes sure of what mode test says about one script that passes
// and one that fails.
func checkScenarios(t *testing.T, p played) {
	got := p.outputs(t, "scenarios")
	if got["verdict"] != "failure" || got["ok"] != "false" || got["findings"] != "1" || got["schema-digest"] != schema.Digest() {
		t.Errorf("outputs %v, want a failure with one finding", got)
	}
	if outcome := strings.TrimSpace(p.read(t, "scenarios.outcome")); outcome != "failure" {
		t.Errorf("the step's outcome is %s, want failure", outcome)
	}
	names := p.artifacts(t, "openagent-scenarios-")
	if len(names) != 1 {
		t.Fatalf("artifacts %v, want 1", names)
	}
	summary := p.checkSummary(t, names[0], "failure", "2 scripts: 1 passed, 1 failed")
	if !strings.Contains(summary, "````diff\n") || !strings.Contains(summary, "**scenarios/bad-it.txtar:3:** a and b differ") {
		t.Errorf("the summary lacks the difference in a fence of its own:\n%s", summary)
	}
	junit := p.read(t, "artifacts/"+names[0]+"/junit.xml")
	if strings.Count(junit, "<testsuite ") != 2 || !strings.Contains(junit, `<testsuite name="scenarios: scenarios/bad-it.txtar" tests="1" failures="1"`) {
		t.Errorf("the JUnit report is not about two scripts, of which one failed:\n%s", junit)
	}
	if !strings.Contains(p.log, "❗  ::error file=scenarios/bad-it.txtar,line=3,title=openagent test bad-it::") {
		t.Errorf("no annotation names the line that failed; the log:\n%s", p.log)
	}
	if strings.Contains(p.log, "❗  ::error::forged") {
		t.Error("a command that a script printed was obeyed")
	}
}

// checkComment makes sure that a run of hostile texts, of more than a comment can hold,
// is one comment on its pull request that is edited, and that nothing else is written
// anywhere.
func checkComment(t *testing.T, p played) {
	got := p.outputs(t, "comment")
	if got["first"] == "" || got["first"] != got["second"] || got["elsewhere"] != "failure" || got["altered"] != "failure" {
		t.Errorf("outputs %v, want one address twice, and two refusals; the log:\n%s", got, p.log)
	}
	comments := p.hub.Comments(7)
	if len(comments) != 4 || len(p.hub.Comments(8)) > 0 || !strings.HasSuffix(comments[0].Body, "planted") || !strings.HasPrefix(comments[1].Body, "a word") {
		t.Fatalf("%d comments, want two more than two that are as they were; the log:\n%s", len(comments), p.log)
	}
	body := comments[2].Body
	for i, key := range []string{"hostile", "long"} {
		body := comments[2+i].Body
		if len(body) > 60<<10 || !utf8.ValidString(body) || !strings.HasPrefix(body, "<!-- openagent:"+key+" -->\n### ❌ openagent: violation") ||
			strings.Count(body, "```")%2 != 0 {
			t.Errorf("the comment %s has %d bytes, want at most 60 KiB, with blocks that are closed:\n%.1000s", key, len(body), body)
		}
	}
	for _, act := range []string{"@octocat", "\n/merge", "<img", "https://evil"} {
		if strings.Contains(body, act) {
			t.Errorf("the comment has %q", act)
		}
	}
	if !slices.Contains(p.hub.Log(), "PATCH /repos/"+jobRepository+"/issues/comments/3") {
		t.Errorf("the API was asked %q, want that the comment was edited", p.hub.Log())
	}
}

// checkReleased makes sure that the program of a release is used without a Go
// toolchain, and not at all when it is not the listed one.
func checkReleased(t *testing.T, p played) {
	if got := p.outputs(t, "listed"); got["verdict"] != "success" {
		t.Errorf("outputs with a release %v, want the verdict success", got)
	}
	if got := p.outputs(t, "tampered"); got["verdict"] != "refused" || got["ok"] != "false" || !strings.Contains(got["error"], "has the SHA-256") || strings.TrimSpace(p.read(t, "tampered.outcome")) != "failure" {
		t.Errorf("outputs with a tampered release %v, want a failure before anything runs", got)
	}
	if names := p.artifacts(t, "openagent-released-"); len(names) != 1 {
		t.Errorf("artifacts %v, want that of the listed release", names)
	}
	if got, _ := filepath.Glob(filepath.Join(p.store, "*.needs-go")); len(got) != 1 || filepath.Base(got[0]) != "demo.needs-go" {
		t.Errorf("these jobs needed Go: %q, want demo, which lists no release", got)
	}
}

// checkRefused makes sure that an input that no program can refuse is refused all the
// same, with outputs and as on-refusal says.
func checkRefused(t *testing.T, p played) {
	for input, outcome := range map[string]string{"binary": "failure", "working-directory": "success", "version": "failure", "build": "success"} {
		got := p.outputs(t, "refused-"+input)
		if got["verdict"] != "refused" || got["ok"] != "false" || !strings.Contains(got["error"], "input "+input+" is ") && !strings.Contains(got["error"], input+" is ") {
			t.Errorf("%s: outputs %v, want a refusal that names it", input, got)
		}
		if is := strings.TrimSpace(p.read(t, "refused-"+input+".outcome")); is != outcome {
			t.Errorf("%s: the step's outcome is %s, want %s", input, is, outcome)
		}
	}
}

// checkManifest holds the files of an artifact against its manifest.
func checkManifest(t *testing.T, dir, verdict string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m schema.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	if m.Verdict != verdict || len(m.Files) < 6 {
		t.Errorf("manifest: verdict %s and %d files, want %s and all files", m.Verdict, len(m.Files), verdict)
	}
	for _, f := range m.Files {
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil {
			t.Error(err)
			continue
		}
		if sum := sha256.Sum256(content); f.SHA256 != hex.EncodeToString(sum[:]) || f.Bytes != int64(len(content)) {
			t.Errorf("%s differs from its entry in the manifest", f.Path)
		}
	}
}

// checkForged makes sure that a final text which is full of the runner's own
// syntax stays a text: no output is set by it, no command is run.
func checkForged(t *testing.T, p played) {
	want := map[string]string{"ok": "true", "final-output-truncated": "true", "forged": ""}
	if diff := cmp.Diff(want, p.outputs(t, "forged")); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	summary := p.checkSummary(t, p.artifacts(t, "openagent-forged-")[0], "success", "\n````````")
	if len(summary) > 900<<10 {
		t.Errorf("the summary has %d bytes, want at most 900 KiB", len(summary))
	}
	final := p.read(t, "forged.txt")
	if len(final) == 0 || len(final) > maxFinalOutput || !utf8.ValidString(final) || !strings.HasPrefix(hostile, strings.TrimRight(final, "\n")) {
		t.Errorf("final-output has %d bytes, want the first of the text, at most %d", len(final), maxFinalOutput)
	}
	for line := range strings.Lines(p.log) {
		_, text, ok := strings.Cut(line, "| ") // what a step printed
		switch {
		case !strings.HasPrefix(line, "[test.yml/forged"):
		case strings.Contains(line, "❗"), strings.Contains(line, "::set-output:: forged"):
			t.Errorf("a command of the text was obeyed: %q", line)
		case ok && (strings.HasPrefix(text, "::") || strings.Contains(text, "##[")):
			if !strings.HasPrefix(text, "::stop-commands::") {
				t.Errorf("a line of the log is a command: %q", line)
			}
		}
	}
}

// checkSummary makes sure that the job page showed the summary of an artifact,
// with its verdict and what it is about; act copies job pages into its log.
func (p played) checkSummary(t *testing.T, artifact, verdict, about string) string {
	t.Helper()
	summary := p.read(t, "artifacts/"+artifact+"/summary.md")
	if !strings.Contains(summary, verdict) || !strings.Contains(summary, about) {
		t.Errorf("%s: the summary lacks %q or %q:\n%.2000s", artifact, verdict, about, summary)
	}
	if !strings.Contains(p.log, strings.TrimSpace(summary)) { // act may leave blank lines out at its end
		t.Errorf("%s: the job page did not get the summary", artifact)
	}
	return summary
}
