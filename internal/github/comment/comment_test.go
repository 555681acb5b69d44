package comment_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/github/comment"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/testkit/fakegithub"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// TestMain plays gh where the tests are started by that name.
func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "gh") {
		os.Exit(fakegithub.Gh(os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

const head = "0123456789abcdef0123456789abcdef01234567"

// hostile are texts that act upon being read where they are not quoted.
var hostile = []string{
	"@octocat", "@org/team", "<!-- openagent:run -->", "<img src=x onerror=alert(1)>", "</details>", "https://evil.test", "http://evil.test",
	"[click](https://evil.test)", "![x](//evil.test)", "www.evil.test", "```", "\n```\n# heading", "/merge", "\n/deploy production", "@dependabot rebase", "::error::x",
}

// save leaves the evidence of a run with these lines after its first and the command
// that it was started by.
func save(t *testing.T, command []string, lines ...string) string {
	t.Helper()
	return saveAnswer(t, answer, command, lines...)
}

// answer is the final text of an agent.
const answer = "the final text"

// saveAnswer does so with that final text.
func saveAnswer(t *testing.T, answer string, command []string, lines ...string) string {
	t.Helper()
	quoted, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "evidence")
	f, err := evidence.Open(evidence.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	const envelope = `{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-01-01T00:00:00Z","run_id":"r1","step":0,"type":"%s","data":%s}` + "\n"
	var stream strings.Builder
	fmt.Fprintf(&stream, envelope, 1, "run_started", `{"agent":{"name":"acme","version":"1"}}`)
	for _, line := range lines {
		stream.WriteString(line + "\n")
	}
	fmt.Fprintf(&stream, envelope, 2+len(lines), "run_finished", `{"exit_reason":"ok","ok":true,"final_output":`+string(quoted)+`,"error":null}`)
	e, err := runner.Scan(t.Context(), strings.NewReader(stream.String()), runner.Config{File: evidence.EventsFile, Handler: f, MaxFindings: 1000})
	if err != nil {
		t.Fatal(err)
	}
	e.Command = command
	findings := evidence.File{Name: evidence.FindingsFile, Write: func(w io.Writer, _ evidence.Contents) error {
		return report.WriteCheck(w, "json", report.Origin{}, []report.CheckFile{report.NewCheckFile(evidence.EventsFile, e)})
	}}
	job := &schema.ManifestJob{RunID: "4711"}
	if _, err := f.Close(t.Context(), e, evidence.Closing{Manifest: schema.Manifest{Job: job}, Files: []evidence.File{findings}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func body(t *testing.T, dir string) string {
	t.Helper()
	got, err := comment.Body(t.Context(), process.Env{Dir: t.TempDir(), Vars: []string{"GITHUB_REPOSITORY=o/r", "GITHUB_SERVER_URL=https://github.test"}}, dir, "run")
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// outside returns the lines of a comment that are no code, and the one block that is.
func outside(t *testing.T, body string) (text, code string) {
	t.Helper()
	before, rest, ok := strings.Cut(body, "\n```text\n")
	code, after, closed := strings.Cut(rest, "\n```\n")
	if !ok || !closed || strings.Contains(before+code+after, "```") {
		t.Fatalf("the comment has not one block of code that is closed:\n%.2000s", body)
	}
	return before + "\n" + after, code
}

func TestBody_HeadlineAnswerAndLink(t *testing.T) {
	want := "<!-- openagent:run -->\n### ✅ openagent: success\n\n### Answer\n\n```text\nthe final text\n```\n\n[The run](https://github.test/o/r/actions/runs/4711)\n\n"
	if got := body(t, save(t, []string{"agent", "--json"})); got != want {
		t.Errorf("the comment is %q, want %q", got, want)
	}
}

// No text of a run leaves its block, names a person, starts a bot or is a link, and
// however much of it there is, the block is closed within the bound.
func TestBody_HostileTexts(t *testing.T) {
	var lines []string
	for i, text := range hostile {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf(`{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-01-01T00:00:00Z","run_id":"r1","step":0,"type":%s,"data":{}}`, i+2, quoted))
	}
	for name, dir := range map[string]string{
		"findings": save(t, nil, lines...), "answer": saveAnswer(t, strings.Join(hostile, "\n"), nil), "mentions": saveAnswer(t, strings.Repeat("@", 100_000), nil), "wide": saveAnswer(t, strings.Repeat("\U0001d11e ", 40_000), nil),
	} {
		got := body(t, dir)
		if n := len(utf16.Encode([]rune(got))); n > 60<<10 || !utf8.ValidString(got) {
			t.Errorf("%s: the comment has %d characters, UTF-8 %v, want at most 60 Ki", name, n, utf8.ValidString(got))
		}
		text, code := outside(t, got)
		if cut := strings.Contains(text, "These are the first"); cut != (name == "mentions" || name == "wide") {
			t.Errorf("%s: of %d bytes, says that it was cut: %v", name, len(got), cut)
		}
		for _, act := range []string{"@o", "@d", "@@", "<!", "<i", "</", "://", "www.e"} {
			if strings.Contains(code, act) || strings.Contains(strings.ReplaceAll(strings.TrimPrefix(text, "<!-- openagent:run -->"), "https://github.test", ""), act) {
				t.Errorf("%s: the comment has %q:\n%.1000s", name, act, got)
			}
		}
		for line := range strings.Lines(code) {
			if strings.HasPrefix(strings.TrimSpace(line), "/") {
				t.Errorf("%s: a line begins as a command to a bot does: %q", name, line)
			}
		}
		if name == "answer" && !strings.Contains(code, "octocat") {
			t.Errorf("the block does not have the answer:\n%s", code)
		}
	}
}

func TestBody_RefusesWhatIsNotAsItWasSaved(t *testing.T) {
	alter := func(name, from, to string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, name)
			text, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, tt := range map[string]struct {
		spoil func(*testing.T, string)
		want  string
	}{
		"stream":         {alter("events.jsonl", "acme", "evil"), "is not as it was saved"},
		"findings":       {alter("findings.json", "true", "true "), "is not as it was saved"},
		"verdict":        {alter("manifest.json", `"verdict": "success"`, `"verdict": "failure"`), "contradicts itself"},
		"not complete":   {alter("manifest.json", `"evidence_complete": true`, `"evidence_complete": false`), "is not complete"},
		"digest":         {alter("manifest.json", `"sha256": "`, `"sha256": "0`), "manifest.json: /files/0/sha256: got the string"},
		"manifest":       {func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "manifest.json")) }, "read evidence in"},
		"form":           {alter("manifest.json", "run_manifest.v1", "run_manifest.v9"), "unknown version"},
		"stream is gone": {func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "events.jsonl")) }, "is not as it was saved"},
	} {
		dir := save(t, nil)
		tt.spoil(t, dir)
		_, err := comment.Body(t.Context(), process.Env{}, dir, "run")
		if !errors.As(err, new(*comment.RefusedError)) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Body = %v, want a refusal: %s", name, err, tt.want)
		}
	}
}

// begin starts the imitation and returns the process of a job with that event.
func begin(t *testing.T, event string) (*fakegithub.Server, *process.Process, *bytes.Buffer) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("gh is a link to the test binary")
	}
	hub := &fakegithub.Server{Repository: "o/r", Login: "github-actions[bot]", Heads: map[int]string{7: head, 8: strings.Repeat("9", 40)}}
	server := httptest.NewServer(hub)
	t.Cleanup(server.Close)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, "gh")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "event.json")
	if err := os.WriteFile(path, []byte(event), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	var errs bytes.Buffer
	return hub, &process.Process{Err: &errs, Env: process.Env{Dir: dir, Vars: []string{
		"GH_TOKEN=ghs_test", "GITHUB_REPOSITORY=o/r", "GITHUB_SERVER_URL=https://github.com", "GITHUB_SHA=" + strings.Repeat("1", 40),
		"GITHUB_EVENT_PATH=" + path, fakegithub.Address + "=" + server.URL,
	}}}, &errs
}

const pullRequest = `{"pull_request":{"number":7,"head":{"sha":"` + head + `"}}}`

func target(number int64, key string) comment.Target {
	return comment.Target{PullRequest: number, Key: key, Author: "github-actions[bot]"}
}

// marked is a comment with a first line and whatever follows.
func marked(key, text string) string { return "<!-- openagent:" + key + " -->\n" + text }

// One comment is written and edited the next time. Neither the marker of somebody else
// nor another comment of the author is taken for it.
func TestPost_EditsItsOwnCommentAlone(t *testing.T) {
	hub, p, errs := begin(t, pullRequest)
	planted := hub.Add(7, "mallory", marked("run", "planted")).ID
	secondLine := hub.Add(7, "github-actions[bot]", "another tool\n"+marked("run", "not the first line")).ID
	similar := hub.Add(7, "github-actions[bot]", marked("run2", "another key")).ID
	for range 250 { // the comment is on a later page
		hub.Add(7, "alice", "talk")
	}
	first, err := comment.Post(t.Context(), p, marked("run", "one"), target(7, "run"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := comment.Post(t.Context(), p, marked("run", "two"), target(7, "run"))
	if err != nil || first != second || !strings.Contains(first, "/o/r/pull/7#issuecomment-") {
		t.Errorf("Post = %q, then %q, %v, want one address", first, second, err)
	}
	other, err := comment.Post(t.Context(), p, marked("lint", "three"), target(7, "lint"))
	if err != nil || other == first {
		t.Errorf("Post of another key = %q, %v, want another comment than %q", other, err, first)
	}
	var own []string
	for _, c := range hub.Comments(7) {
		switch {
		case slices.Contains([]int64{planted, secondLine, similar}, c.ID) && !strings.Contains(c.Body, "planted") && !strings.Contains(c.Body, "another"):
			t.Errorf("comment %d by %s was changed to %q", c.ID, c.User.Login, c.Body)
		case c.ID > similar && c.User.Login == hub.Login:
			own = append(own, c.Body)
		}
	}
	if want := []string{marked("run", "two"), marked("lint", "three")}; !slices.Equal(own, want) {
		t.Errorf("the comments are %q, want %q", own, want)
	}
	if errs.Len() > 0 {
		t.Errorf("Post warns %s, want nothing", errs)
	}
}

// A comment by an app of one's own is found by its login; another login than was
// expected is a warning.
func TestPost_Author(t *testing.T) {
	hub, p, errs := begin(t, pullRequest)
	hub.Login = "my-app[bot]"
	if _, err := comment.Post(t.Context(), p, marked("run", "one"), target(7, "run")); err != nil || !strings.Contains(errs.String(), "my-app[bot]") {
		t.Errorf("Post = %v with the warnings %q, want one that names the login", err, errs)
	}
	to := target(7, "run")
	to.Author = "My-App[bot]"
	if _, err := comment.Post(t.Context(), p, marked("run", "two"), to); err != nil || len(hub.Comments(7)) != 1 {
		t.Errorf("Post = %v, and there are %d comments, want one", err, len(hub.Comments(7)))
	}
}

// Nothing is written on a pull request that the job is not about, whatever event it has.
func TestPost_OnlyThePullRequestOfTheJob(t *testing.T) {
	const other = "it is another one, or has moved on"
	for name, tt := range map[string]struct {
		event  string
		number int64
		want   string // of the refusal, empty for none
	}{
		"pull request":                 {pullRequest, 7, ""},
		"another pull request":         {pullRequest, 8, other},
		"run of a workflow":            {`{"workflow_run":{"head_sha":"` + head + `"}}`, 7, ""},
		"another, of a run":            {`{"workflow_run":{"head_sha":"` + head + `"}}`, 8, other},
		"comment":                      {`{"issue":{"number":8,"pull_request":{}},"comment":{}}`, 8, ""},
		"another comment":              {`{"issue":{"number":8,"pull_request":{}},"comment":{}}`, 7, "the job is about pull request 8, not 7"},
		"comment on an issue":          {`{"issue":{"number":7},"comment":{}}`, 7, other},
		"push":                         {`{"after":"x"}`, 7, other},
		"pull request moved on":        {`{"pull_request":{"number":7,"head":{"sha":"` + strings.Repeat("2", 40) + `"}}}`, 7, other},
		"pull request without commit":  {`{"pull_request":{"number":7}}`, 7, "it names no commit"},
		"event that cannot be read":    {`{"pull_request":`, 7, "read the event: "},
		"pull request that is not":     {pullRequest, 99, "look at pull request 99 of o/r: gh api: gh: HTTP 404"},
		"pull request in the thousand": {pullRequest, 1 << 40, "HTTP 404"},
	} {
		hub, p, _ := begin(t, tt.event)
		_, err := comment.Post(t.Context(), p, marked("run", "text"), target(tt.number, "run"))
		written := len(hub.Comments(7))+len(hub.Comments(8)) > 0
		if (err == nil) != (tt.want == "") || written != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Post = %v and wrote %v, want %q", name, err, written, tt.want)
		}
	}
}

// What keeps a comment from being written is said with the way out.
func TestPost_Fails(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(*process.Process)
		want  string
	}{
		"outside of a job":   {func(p *process.Process) { p.Vars = nil }, "no job of GitHub Actions"},
		"another repository": {func(p *process.Process) { p.Vars = append(p.Vars, "GITHUB_REPOSITORY=o/other") }, "look at pull request 7 of o/other: gh api: gh: HTTP 404"},
		"a path as its name": {func(p *process.Process) { p.Vars = append(p.Vars, "GITHUB_REPOSITORY=o/r/pulls/9?") }, "no job of GitHub Actions"},
		"no token":           {func(p *process.Process) { p.Vars = append(p.Vars, "GH_TOKEN=") }, "GH_TOKEN"},
		"nobody answers":     {func(p *process.Process) { p.Vars = append(p.Vars, fakegithub.Address+"=http://127.0.0.1:1") }, "gh api: gh: "},
	} {
		hub, p, _ := begin(t, pullRequest)
		tt.spoil(p)
		_, err := comment.Post(t.Context(), p, marked("run", "text"), target(7, "run"))
		if err == nil || !strings.Contains(err.Error(), tt.want) || len(hub.Comments(7)) > 0 {
			t.Errorf("%s: Post = %v, want %q", name, err, tt.want)
		}
	}
	_, p, _ := begin(t, pullRequest)
	t.Setenv("PATH", t.TempDir())
	if _, err := comment.Post(t.Context(), p, "text", target(7, "run")); err == nil || !strings.Contains(err.Error(), "gh is not installed") {
		t.Errorf("without gh Post = %v, want that it is not installed", err)
	}
	for _, key := range []string{"", "a b", "a>", "-->", strings.Repeat("a", 65), "a\nb"} {
		if err := target(7, key).Check(); err == nil {
			t.Errorf("Check of the key %q = nil, want an error", key)
		}
	}
}

// Jobs that write at the same time leave one comment, with the text of one of them.
func TestPost_AtOnce(t *testing.T) {
	hub, p, _ := begin(t, pullRequest)
	hub.Add(7, "mallory", marked("run", "planted"))
	var jobs sync.WaitGroup
	for i := range 4 {
		jobs.Go(func() {
			if _, err := comment.Post(t.Context(), p, marked("run", fmt.Sprint("job ", i)), target(7, "run")); err != nil {
				t.Errorf("Post = %v", err)
			}
		})
	}
	jobs.Wait()
	var own []string
	for _, c := range hub.Comments(7) {
		if c.User.Login == hub.Login {
			own = append(own, c.Body)
		}
	}
	if len(own) != 1 || !strings.HasPrefix(own[0], marked("run", "job ")) {
		t.Errorf("the comments are %q, want one", own)
	}
}

// Wherever gh fails on the way, the error is told, and the next run puts it right: there
// is one comment.
func TestPost_FailsHalfWay(t *testing.T) {
	for failing := 1; failing <= 4; failing++ { // look, list, write, list
		hub, p, _ := begin(t, pullRequest)
		hub.FailAt(failing)
		_, err := comment.Post(t.Context(), p, marked("run", "one"), target(7, "run"))
		if failing < 4 && (err == nil || !strings.Contains(err.Error(), "gh: HTTP 502")) || failing == 4 && err != nil {
			t.Errorf("request %d fails: Post = %v", failing, err)
		}
		if _, err := comment.Post(t.Context(), p, marked("run", "two"), target(7, "run")); err != nil {
			t.Errorf("after request %d failed Post = %v", failing, err)
		}
		if got := hub.Comments(7); len(got) != 1 || got[0].Body != marked("run", "two") {
			t.Errorf("after request %d failed the comments are %v, want the second one alone", failing, got)
		}
	}
}
