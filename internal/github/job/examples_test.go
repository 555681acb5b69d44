package job

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/testkit/fakegithub"
)

// exampleRun is how a workflow of docs/examples runs on this machine.
type exampleRun struct {
	event   string
	payload map[string]any
	turns   string // of the scripted model that stands in for the endpoint
	files   map[string]string
	replace []string // what needs another machine, and what stands in for it
	tools   map[string]string
	prepare func(t *testing.T, r *ranExample)
	fails   bool
	check   func(t *testing.T, r *ranExample)
}

// ranExample is what a run has and leaves.
type ranExample struct {
	played
	dir, repo, model, program string
}

// on7 is the payload of a comment on issue or pull request 7 by a member.
func on7(body string, issue map[string]any) map[string]any {
	issue["number"] = 7
	return map[string]any{"issue": issue, "sender": map[string]any{"login": "ada"},
		"comment": map[string]any{"body": body, "author_association": "MEMBER", "user": map[string]any{"login": "ada"}}}
}

const helloScenario = "agent openagent 'Who wrote it?'\nstream-has stdout run_finished '/final_output*=Ada'\n"

// recordHello asks the model about a scenario, and keeps the results and the cassette.
func recordHello(t *testing.T, r *ranExample) {
	t.Helper()
	cmd := exec.Command(r.program, "test", "--live", "--record", "--models", "gpt-5-mini", "--out", filepath.Join(r.dir, "last"), "scenarios")
	cmd.Dir, cmd.Env = r.repo, append(os.Environ(), "OPENAGENT_BASE_URL="+r.model, "GITHUB_ACTIONS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("record: %v\n%s", err, out)
	}
}

// verdicts checks that the artifact of a run has a verdict, and returns its folder.
func (r *ranExample) verdict(t *testing.T, artifact, want string) string {
	t.Helper()
	names := r.artifacts(t, artifact)
	if len(names) != 1 {
		t.Fatalf("artifacts %v, want one that begins with %s; the log:\n%s", names, artifact, r.log)
	}
	dir := filepath.Join(r.store, "artifacts", names[0])
	saved, err := evidence.Read(dir)
	if err != nil {
		t.Fatalf("%v; the log:\n%s", err, r.log)
	}
	defer saved.Close()
	if saved.Manifest.Verdict != want {
		t.Errorf("the verdict is %s, want %s; the log:\n%s", saved.Manifest.Verdict, want, r.log)
	}
	return dir
}

// exampleRuns are the examples for GitHub, by name.
var exampleRuns = map[string]exampleRun{
	"review": {
		event: "pull_request",
		turns: `
- expect: Look for defects, not for style.
  tool_calls: [{tool: execute_command, arguments: {command: git diff HEAD^1}}]
- expect: +a defect
  text: I would approve it.
- expect: no JSON but "I would approve it."
  text: '{"summary": "One defect, @octocat.", "comments": [{"path": "a.txt", "line": 1, "severity": "error", "body": "/merge @octocat"}, {"path": "../a.txt", "line": 1, "severity": "note", "body": "elsewhere"}]}'
`,
		files: map[string]string{"a.txt": "a defect\n"},
		check: func(t *testing.T, r *ranExample) {
			on, summary := r.hub.Reviewed(7), r.hub.Comments(7)
			if len(on) != 1 || on[0].Path != "a.txt" || !strings.Contains(on[0].Body, "**error:** \u200b/merge @\u200boctocat") {
				t.Errorf("comments on lines %v, want one on a.txt; the log:\n%s", on, r.log)
			}
			if len(summary) != 3 || !strings.Contains(summary[2].Body, "One defect, @\u200boctocat.") || !strings.Contains(summary[2].Body, "../a.txt:1: note: elsewhere") {
				t.Errorf("the comments are %v, want the summary at the end", summary)
			}
		},
	},
	"fix-issue": {
		event: "issue_comment", payload: on7("/fix", map[string]any{"title": "The $(touch pwned) fails", "body": "`id`", "user": map[string]any{"login": "eve"}}),
		turns: `
- expect: The $(touch pwned) fails
  tool_calls: [{tool: write_file, arguments: {path: fixed.txt, content: "fixed\n"}}]
- text: done
`,
		prepare: func(t *testing.T, r *ranExample) {
			inGit(t, r.dir, "init", "-q", "--bare", "origin.git")
			inGit(t, r.repo, "config", "url."+filepath.Join(r.dir, "origin.git")+".insteadOf", "https://github.com/"+jobRepository)
		},
		check: func(t *testing.T, r *ranExample) {
			branch := strings.TrimSpace(inGit(t, filepath.Join(r.dir, "origin.git"), "branch", "--format=%(refname:short)"))
			if !regexp.MustCompile(`^(agent|fix)-\d+$`).MatchString(branch) || inGit(t, filepath.Join(r.dir, "origin.git"), "show", branch+":fixed.txt") != "fixed" {
				t.Errorf("the branch %q was pushed, want one with the change; the log:\n%s", branch, r.log)
			}
			if got, _ := os.ReadFile(filepath.Join(r.dir, "gh.log")); !strings.Contains(string(got), "pr create --title Fix #7 --body Closes #7.") && !strings.Contains(string(got), "pr create --fill --head "+branch) {
				t.Errorf("gh was called with %q, want a pull request", got)
			}
		},
	},
	"answer": {
		event: "issue_comment", payload: on7("/agent What does it do?", map[string]any{"pull_request": map[string]any{}}),
		turns: "- expect: /agent What does it do?\n  text: It greets.\n",
		// The commit is checked out already; another one act would fetch.
		replace: []string{"          ref: ${{ steps.head.outputs.commit }}\n", ""},
		check: func(t *testing.T, r *ranExample) {
			if got := r.hub.Comments(7); len(got) != 3 || !strings.HasPrefix(got[2].Body, "<!-- openagent:agent -->\n") || !strings.Contains(got[2].Body, "It greets.") {
				t.Errorf("the comments are %v, want the answer at the end; the log:\n%s", got, r.log)
			}
		},
	},
	"nightly": {
		event: "schedule", turns: strings.Repeat("- text: Ada wrote it.\n", 11), files: map[string]string{"scenarios/hello.txtar": helloScenario}, prepare: recordHello,
		check: func(t *testing.T, r *ranExample) {
			if !strings.Contains(r.log, "pass-rate") || !strings.Contains(r.log, "10/10") {
				t.Errorf("the log does not compare ten attempts with the last night:\n%s", r.log)
			}
		},
	},
	"recorded": {
		event: "pull_request", turns: "- text: Ada wrote it.\n", files: map[string]string{"scenarios/hello.txtar": helloScenario}, prepare: recordHello,
		payload: map[string]any{"pull_request": map[string]any{"head": map[string]any{"repo": map[string]any{"full_name": "eve/r"}}, "user": map[string]any{"login": "eve"}, "author_association": "NONE"}, "sender": map[string]any{"login": "eve"}},
		check: func(t *testing.T, r *ranExample) {
			if !strings.Contains(r.log, "1 script: 1 passed") {
				t.Errorf("the log does not show that the scenario passed:\n%s", r.log)
			}
		},
	},
	"models": {
		event: "workflow_dispatch", turns: strings.Repeat("- text: Ada wrote it.\n", 15), files: map[string]string{"scenarios/hello.txtar": helloScenario},
		check: func(t *testing.T, r *ranExample) {
			for _, model := range []string{"gpt-5.1", "gpt-5-mini", "gpt-5-nano"} {
				if !strings.Contains(r.log, model) || !strings.Contains(r.log, "5/5") {
					t.Errorf("the log does not show how often %s passed:\n%s", model, r.log)
				}
			}
		},
	},
	"mcp": {
		event: "workflow_dispatch",
		turns: `
- tool_calls: [{tool: mcp__tracker__list_bugs, arguments: {}}]
- expect: bug 17 is about the parser
  tool_calls: [{tool: mcp__tracker__erase, arguments: {}}]
- expect: only list_bugs may be called
  text: Bug 17.
`,
		prepare: func(t *testing.T, r *ranExample) {
			server := httptest.NewServer(http.HandlerFunc(tracker))
			t.Cleanup(server.Close)
			r.replaceIn(t, "https://tracker.example.com/mcp", server.URL)
		},
		check: func(t *testing.T, r *ranExample) { r.verdict(t, "openagent-ask-", "success") },
	},
	"container": {
		event: "push", turns: "- text: done\n",
		// Without its container, which needs Docker.
		replace: []string{"    container:\n      image: node:24-bookworm # zizmor: ignore[unpinned-images] a digest would age sooner than the example\n      options: --user 1001\n", ""},
		check:   func(t *testing.T, r *ranExample) { r.verdict(t, "openagent-fix-", "success") },
	},
	"proxy": {
		event: "workflow_dispatch",
		// Not every machine of a test has the whole sandbox.
		replace: []string{"sandbox: require", "sandbox: auto"},
		prepare: func(t *testing.T, r *ranExample) {
			model, err := transport.LoadScript("turns", []byte("- text: done\n"))
			if err != nil {
				t.Fatal(err)
			}
			certificate, authority := certificateOf(t, "llm.example.com")
			endpoint := httptest.NewUnstartedServer(model)
			endpoint.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
			endpoint.StartTLS()
			proxy := httptest.NewServer(tunnel(endpoint.Listener.Addr().String()))
			t.Cleanup(endpoint.Close)
			t.Cleanup(proxy.Close)
			write(t, filepath.Join(r.dir, "ca.pem"), authority, 0o644)
			r.replaceIn(t, "http://proxy.example.com:3128", proxy.URL)
			r.replaceIn(t, "/etc/ssl/certs/with-ours.pem", filepath.Join(r.dir, "ca.pem"))
		},
		check: func(t *testing.T, r *ranExample) { r.verdict(t, "openagent-fix-", "success") },
	},
	"cache": {
		event: "workflow_dispatch",
		tools: map[string]string{"npm": `#!/bin/sh
mkdir -p node_modules/.bin "$HOME/.npm" && echo "$*" >"$HOME/.npm/asked"
cat >node_modules/.bin/codex <<'EOF'
#!/bin/sh
[ "$1" = --version ] && { echo codex-cli 0.171.0; exit 0; }
echo '{"type":"thread.started","thread_id":"01a1fa9c-ca5b-7953-8717-c67c99a8d075"}'
echo '{"type":"turn.started"}'
echo '{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"done"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":200,"output_tokens":20}}'
EOF
chmod +x node_modules/.bin/codex
`},
		check: func(t *testing.T, r *ranExample) {
			r.verdict(t, "openagent-fix-", "success")
			found, _ := filepath.Glob(filepath.Join(r.store, "cache", "agent-codex-Linux-*-0.171.0", "asked"))
			if len(found) != 1 || !strings.HasSuffix(readFile(t, found[0]), "@openai/codex@0.171.0\n") {
				t.Errorf("the cache has %v, want what npm fetched", found)
			}
		},
	},
	"webhook": {
		event: "schedule", turns: "- fault: {status: 400}\n", fails: true,
		prepare: func(t *testing.T, r *ranExample) {
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
				text, _ := io.ReadAll(req.Body)
				write(t, filepath.Join(r.dir, "notice"), string(text), 0o644)
			}))
			t.Cleanup(server.Close)
			r.replaceIn(t, "${{ secrets.WEBHOOK_URL }}", server.URL)
		},
		check: func(t *testing.T, r *ranExample) {
			var notice struct{ Text string }
			text := readFile(t, filepath.Join(r.dir, "notice"))
			if err := json.Unmarshal([]byte(text), &notice); err != nil || !strings.HasPrefix(notice.Text, "failure: ") || !strings.Contains(notice.Text, "/o/r/actions/runs/") {
				t.Errorf("the webhook got %q, %v, want the verdict and the address of the run; the log:\n%s", text, err, r.log)
			}
		},
	},
}

// readFile returns the text of a file, empty where there is none.
func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// replaceIn replaces a text of the workflow, which must be there once.
func (r *ranExample) replaceIn(t *testing.T, was, is string) {
	t.Helper()
	path := filepath.Join(r.repo, ".github", "workflows", "example.yml")
	text := readFile(t, path)
	if strings.Count(text, was) != 1 {
		t.Fatalf("%q is %d times in the workflow, want once", was, strings.Count(text, was))
	}
	write(t, path, strings.Replace(text, was, is, 1), 0o644)
}

// tracker is an MCP server with two tools, for those who have the token.
func tracker(w http.ResponseWriter, req *http.Request) {
	var call struct {
		ID     json.RawMessage
		Method string
	}
	switch {
	case req.Header.Get("Authorization") != "Bearer sk-test-tracker":
		w.WriteHeader(http.StatusUnauthorized)
		return
	case req.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	results := map[string]string{
		"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"tracker","version":"1"}}`,
		"tools/list": `{"tools":[{"name":"list_bugs","inputSchema":{"type":"object"}},{"name":"erase","inputSchema":{"type":"object"}}]}`,
		"tools/call": `{"content":[{"type":"text","text":"bug 17 is about the parser"}]}`,
	}
	if json.NewDecoder(req.Body).Decode(&call) != nil || call.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	answer := `"result":` + results[call.Method]
	if results[call.Method] == "" {
		answer = `"error":{"code":-32601,"message":"unknown method"}`
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, call.ID, answer)
}

// tunnel is a proxy for one host, which is at that address.
func tunnel(address string) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodConnect || req.Host != "llm.example.com:443" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		to, err := net.Dial("tcp", address)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer to.Close()
		from, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer from.Close()
		fmt.Fprint(from, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(to, from) }()
		_, _ = io.Copy(from, to)
	}
}

var ourStep = regexp.MustCompile(`uses: openagent-ci/openagent(?:/comment)?@main # pin a commit\n(?:.*\n)*?        with:\n`)

// Each example for GitHub runs in act, with the action of this tree and a scripted model,
// and does what its first lines say.
func TestExamples_InAct(t *testing.T) {
	act := needAct(t)
	action := t.TempDir()
	buildProgram(t, action)
	for _, name := range []string{"action.yml", commentAction, installScript} {
		write(t, filepath.Join(action, filepath.FromSlash(name)), readRoot(t, name), 0o755)
	}
	commit(t, action)
	for _, e := range exampleFiles(t) {
		name := strings.TrimSuffix(e.name, ".yml")
		t.Run(name, func(t *testing.T) {
			run, ok := exampleRuns[name]
			if !ok {
				t.Fatal("no test runs this example")
			}
			runExample(t, act, action, e.text, run)
		})
	}
	t.Run("init --ci", func(t *testing.T) { // does what fix-issue.yml does
		text, err := exec.Command(filepath.Join(action, "bin", "openagent"), "init", "--ci", "fix", "--print").Output()
		if err != nil {
			t.Fatal(err)
		}
		runExample(t, act, action, string(text), exampleRuns["fix-issue"])
	})
}

func runExample(t *testing.T, act, action, text string, run exampleRun) {
	for _, program := range []string{"jq", "curl"} {
		if _, err := exec.LookPath(program); err != nil && strings.Contains(text, program+" ") {
			t.Skip("the workflow runs a program that GitHub's runners have: ", err)
		}
	}
	r := &ranExample{dir: t.TempDir(), program: filepath.Join(action, "bin", "openagent")}
	r.repo, r.store = filepath.Join(r.dir, "repo"), filepath.Join(r.dir, "store")
	r.model = scriptedModel(t, run.turns+"\n- text: no turn is left\n")
	text = strings.NewReplacer(run.replace...).Replace(ourStep.ReplaceAllString(text, "$0          binary: "+r.program+"\n"))
	if !strings.Contains(text, "base-url:") {
		text = strings.NewReplacer("          model: ", "          base-url: "+r.model+"\n          model: ", "          mode: test\n", "          mode: test\n          base-url: "+r.model+"\n").Replace(text)
	}
	for _, list := range []map[string]string{{".github/workflows/example.yml": text}, run.files} {
		for name, text := range list {
			write(t, filepath.Join(r.repo, filepath.FromSlash(name)), text, 0o755)
		}
		inGit(t, r.repo, "init", "-q")
		inGit(t, r.repo, "add", "-A")
		inGit(t, r.repo, "commit", "-qm", "all", "--allow-empty") // the change is what the last one has
	}
	if err := os.Mkdir(r.store, 0o755); err != nil {
		t.Fatal(err)
	}
	if run.prepare != nil {
		run.prepare(t, r)
		inGit(t, r.repo, "add", "-A")
		inGit(t, r.repo, "commit", "-qm", "prepared", "--allow-empty")
	}
	hub, address, tools := imitation(t, r.repo)
	hub.Files = map[int][]fakegithub.File{7: {{Name: "a.txt", Patch: "@@ -0,0 +1 @@\n+a defect", Lines: []int{1}}}}
	r.hub = hub
	payload := run.payload
	if payload == nil {
		repository := map[string]any{"full_name": jobRepository}
		payload = map[string]any{"repository": repository, "pull_request": map[string]any{"number": 7, "head": map[string]any{"sha": hub.Heads[7], "repo": repository}}}
	}
	event, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(r.dir, "event.json"), string(event), 0o644)
	bench := filepath.Join(r.dir, "tools")
	write(t, filepath.Join(bench, "gh"), `#!/bin/sh
echo "$*" >>`+r.dir+`/gh.log
case "$1 $2" in
api\ *) exec `+tools+`/gh "$@" ;;
"pr view") echo `+hub.Heads[7]+` ;;
"run list") echo 17 ;;
"run download") mkdir -p "$7" && cp -R `+r.dir+`/last/. "$7" ;;
esac
`, 0o755)
	for name, text := range run.tools {
		write(t, filepath.Join(bench, name), text, 0o755)
	}
	args := append(offline(t, r.dir), standIns(t, r.dir, text)...)
	for _, secret := range []string{"OPENAI_API_KEY=sk-test-openai", "TRACKER_TOKEN=sk-test-tracker", "GITHUB_TOKEN=ghs_test"} {
		args = append(args, "--secret", secret)
	}
	args = append(args, "--local-repository", "openagent-ci/openagent@main="+action, "--platform", "self-hosted=-self-hosted", "--actor", "ada", "--workflows", ".github/workflows/example.yml", "--eventpath", filepath.Join(r.dir, "event.json"),
		"--env", "STORE="+r.store, "--env", fakegithub.Address+"="+address, run.event)
	r.log, err = runAct(t, act, r.dir, r.repo, bench+":"+os.Getenv("PATH"), args)
	if (err != nil) != run.fails {
		t.Errorf("act: %v, want a failure %v; the log:\n%s", err, run.fails, r.log)
	}
	run.check(t, r)
}

// scriptedModel serves the turns and returns the base URL.
func scriptedModel(t *testing.T, turns string) string {
	t.Helper()
	model, err := transport.LoadScript("turns", []byte(turns))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// standIns returns arguments by which act takes stand-ins for third-party actions of an
// example.
func standIns(t *testing.T, dir, text string) (args []string) {
	t.Helper()
	for _, name := range []string{"download-artifact", "cache"} {
		uses := regexp.MustCompile(`uses: (actions/` + name + `@\S+)`).FindStringSubmatch(text)
		if uses == nil {
			continue
		}
		to := filepath.Join(dir, name)
		if err := os.CopyFS(to, os.DirFS(filepath.Join("testdata", "act", name))); err != nil {
			t.Fatal(err)
		}
		commit(t, to)
		args = append(args, "--local-repository", uses[1]+"="+to)
	}
	return args
}

// exampleFiles returns the workflows for GitHub in docs/examples.
func exampleFiles(t *testing.T) (found []example) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "docs", "examples", "*.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if text := readFile(t, path); strings.Contains(text, "\njobs:\n") {
			found = append(found, example{filepath.Base(path), text})
		}
	}
	if len(found) != len(exampleRuns) {
		t.Errorf("docs/examples has %d workflows for GitHub, and the tests know %d", len(found), len(exampleRuns))
	}
	return found
}

// Every example is linked from a page.
func TestExamples_AreLinked(t *testing.T) {
	var pages strings.Builder
	paths, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		pages.WriteString(readFile(t, path))
	}
	files, err := os.ReadDir(filepath.Join(root, "docs", "examples"))
	if err != nil || len(files) < 13 {
		t.Fatalf("docs/examples has %d files, %v, want 13 or more", len(files), err)
	}
	for _, f := range files {
		if !strings.Contains(pages.String(), "](examples/"+f.Name()+")") {
			t.Errorf("no page links to docs/examples/%s", f.Name())
		}
	}
}

// The shell lines of the examples for other CI systems run: the agent answers, and what
// their reports name is there.
func TestExamples_OtherSystems(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the lines need a shell: ", err)
	}
	dir := t.TempDir()
	buildProgram(t, dir)
	for name, lines := range map[string][]string{"gitlab.yml": gitlabScript(t), "Jenkinsfile": jenkinsScript(t)} {
		work := t.TempDir()
		write(t, filepath.Join(work, "tools", "go"), "#!/bin/sh\necho \"$*\" >"+work+"/go.log\n", 0o755)
		cmd := exec.Command("sh", "-e")
		cmd.Dir, cmd.Stdin = work, strings.NewReader(strings.Join(lines, "\n"))
		cmd.Env = []string{
			"PATH=" + filepath.Join(work, "tools") + ":" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "HOME=" + work,
			"OPENAI_API_KEY=sk-test-openai", "OPENAGENT_BASE_URL=" + scriptedModel(t, "- expect: The tests fail.\n  text: done\n"),
			"PROMPT=The tests fail. $(touch pwned)", "MODEL=m", "VERSION=v1.2.3", "TIMEOUT=1m",
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		for _, file := range []string{"junit.xml", evidence.ManifestFile} {
			readFile(t, filepath.Join(work, "evidence", file))
		}
		if name == "gitlab.yml" && readFile(t, filepath.Join(work, "go.log")) != "install github.com/openagent-ci/openagent/cmd/openagent@v1.2.3\n" {
			t.Error("gitlab.yml does not install the version")
		}
	}
}

// The Renovate manager finds the version of each agent in a step as our pages show it,
// under the name of its package.
func TestExamples_Renovate(t *testing.T) {
	var config struct {
		CustomManagers []struct {
			MatchStrings, ManagerFilePatterns   []string
			DepNameTemplate, DatasourceTemplate string
		}
	}
	if err := json.Unmarshal([]byte(readRoot(t, "docs/examples/renovate.json")), &config); err != nil {
		t.Fatal(err)
	}
	page, found := readRoot(t, "docs/agents.md"), map[string]string{}
	for _, m := range config.CustomManagers {
		file := regexp.MustCompile(strings.Trim(m.ManagerFilePatterns[0], "/"))
		if v := regexp.MustCompile(m.MatchStrings[0]).FindStringSubmatch(page); v != nil && m.DatasourceTemplate == "npm" && file.MatchString(".github/workflows/a.yml") {
			found[m.DepNameTemplate] = v[1]
		}
	}
	for _, a := range adapter.Agents() {
		if found[a.Package] != a.Tested[len(a.Tested)-1] {
			t.Errorf("of %s the version %q is found, want that of docs/agents.md", a.Package, found[a.Package])
		}
	}
}

// The hooks for pre-commit run: files are added to the words of their entry.
func TestExamples_PreCommit(t *testing.T) {
	dir := t.TempDir()
	buildProgram(t, dir)
	var hooks []struct{ ID, Entry, Language, Files string }
	readYAML(t, ".pre-commit-hooks.yaml", &hooks)
	stream, err := filepath.Glob(filepath.Join(root, "golden", "valid", "*.jsonl"))
	if err != nil || len(hooks) != 2 {
		t.Fatalf("%d hooks, %v, want two", len(hooks), err)
	}
	for i, file := range map[int]struct{ name, text string }{
		0: {"scenarios/a.txtar", "openagent run --output json --script m.yaml p\nstream-check -strict stdout\n-- m.yaml --\n- text: done\n"},
		1: {"saved/events.jsonl", readFile(t, stream[0])},
	} {
		write(t, filepath.Join(dir, file.name), file.text, 0o644)
		words := append(strings.Fields(hooks[i].Entry), file.name)
		cmd := exec.Command(filepath.Join(dir, "bin", words[0]), words[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || hooks[i].Language != "golang" || !regexp.MustCompile(hooks[i].Files).MatchString(file.name) {
			t.Errorf("hook %s of %s: %v\n%s", hooks[i].ID, file.name, err, out)
		}
		if config := readRoot(t, "docs/examples/pre-commit-config.yaml"); i == 0 && !strings.Contains(config, "id: "+hooks[i].ID+"\n") {
			t.Errorf("the example does not use %s", hooks[i].ID)
		}
	}
}

// gitlabScript returns the lines of the component's job, whose inputs are declared and
// reach it as variables.
func gitlabScript(t *testing.T) []string {
	t.Helper()
	var spec struct {
		Spec struct{ Inputs map[string]map[string]string }
	}
	var jobs map[string]struct {
		Image     string
		Variables map[string]string
		Script    []string
		Artifacts struct {
			Paths   []string
			Reports map[string]string
		}
	}
	first, second, _ := strings.Cut(readRoot(t, "docs/examples/gitlab.yml"), "\n---\n")
	for text, into := range map[string]any{first: &spec, second: &jobs} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	j := jobs["openagent"]
	for variable, value := range j.Variables {
		name, ok := strings.CutPrefix(strings.TrimSuffix(value, " ]]"), "$[[ inputs.")
		if _, declared := spec.Spec.Inputs[name]; !ok || !declared || !strings.Contains(strings.Join(j.Script, "\n"), `$`+variable) {
			t.Errorf("variable %s is %q, want a declared input that the script uses", variable, value)
		}
	}
	if len(j.Variables) != len(spec.Spec.Inputs) || j.Image == "" || !slices.Equal(j.Artifacts.Paths, []string{"evidence"}) || j.Artifacts.Reports["junit"] != "evidence/junit.xml" {
		t.Errorf("the job is %+v, want an image, all inputs and the reports", j)
	}
	return j.Script
}

// jenkinsScript returns the shell lines of the pipeline.
func jenkinsScript(t *testing.T) (lines []string) {
	t.Helper()
	text := readRoot(t, "docs/examples/Jenkinsfile")
	for _, m := range regexp.MustCompile(`(?s)sh '''(.*?)'''`).FindAllStringSubmatch(text, -1) {
		lines = append(lines, m[1])
	}
	outside := regexp.MustCompile(`(?s)'''.*?'''|'[^']*'|//[^\n]*`).ReplaceAllString(text, "")
	if len(lines) == 0 || strings.Count(outside, "{") != strings.Count(outside, "}") || !strings.HasPrefix(strings.TrimSpace(outside), "pipeline {") || !strings.Contains(text, "junit 'evidence/junit.xml'") {
		t.Errorf("the Jenkinsfile has %d shell steps, and is no pipeline whose braces match", len(lines))
	}
	return lines
}
