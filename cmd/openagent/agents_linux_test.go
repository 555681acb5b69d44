package main_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/schema"
)

const (
	// agentsVariable names a folder of which node_modules holds the programs of
	// other agents, and perhaps node; the tests of an agent that is not there are
	// skipped. Where it is "required" the programs are on PATH, and one that is
	// missing is a failure.
	agentsVariable = "OPENAGENT_TEST_AGENTS"
	// driftVariable names a file that a row of Markdown is added to for each agent:
	// its version, and the types of lines that its mapping does not know.
	driftVariable = "OPENAGENT_TEST_AGENTS_DRIFT"
	// evidenceVariable names a folder that the evidence of each scripted run is copied
	// into, for openagent schema observe.
	evidenceVariable = "OPENAGENT_TEST_AGENTS_EVIDENCE"
)

// agentKey is what the agents are given; nothing that is left may hold it.
const agentKey = "sk-test-0123456789abcdefghij"

// realAgent is how another agent is driven against a scripted model.
type realAgent struct {
	// tool runs a command, which is its argument; more is further arguments.
	tool, argument, more string
	model                string
	args                 []string // of the harness, so that a command may run
	cut                  int      // bytes after which the last answer is cut
	retries              map[string]int
	ends                 map[string]string // of cases that end otherwise than those of others
	cache                string            // of what the programs unpack themselves into
}

// realAgents returns how each agent is driven.
func realAgents() map[string]realAgent {
	return map[string]realAgent{
		"claude": {
			tool: "Bash", argument: "command", more: ", description: a step", model: "scripted", cut: 700, // behind the last block it may take the answer as it is, and ask again without a word
			args:    []string{"--agent-arg=--allowedTools=Bash"},
			retries: map[string]int{"status 401": 2, "status 429": 2},
		},
		"codex": {
			tool: "exec_command", argument: "cmd", model: "gpt-5.1", cut: 1100,
			retries: map[string]int{"status 401": 3, "status 429": 2, "cut": 1}, // the harness ends it after three refusals
		},
		"copilot": {
			tool: "bash", argument: "command", more: ", description: a step", model: "scripted", cut: 450,
			retries: map[string]int{"status 401": 2, "status 429": 2, "cut": 1},
		},
		"gemini": {
			tool: "run_shell_command", argument: "command", model: "gemini-2.5-pro", cut: 200,
			args: []string{"--agent-arg=--approval-mode=yolo"},
			ends: map[string]string{"cut": "provider_error failure"}, // it does not ask again
		},
		"opencode": {tool: "bash", argument: "command", more: ", description: a step", model: "scripted", cut: 450},
		"qwen": {
			tool: "run_shell_command", argument: "command", more: ", is_background: false", model: "scripted", cut: 450,
			args:    []string{"--agent-arg=--approval-mode=yolo"},
			retries: map[string]int{"cut": 1},
		},
	}
}

// call returns a turn of a script that runs a command.
func (a realAgent) call(command string) string {
	return fmt.Sprintf("- tool_calls: [{tool: %s, arguments: {%s: %q%s}}]\n", a.tool, a.argument, command, a.more)
}

// agentCase is what a model does, and how the run has to end.
type agentCase struct {
	name, script    string
	reason, verdict string
	calls           int
	status          int64 // of the endpoint's refusal
}

const lastTurn = "- text: All done.\n"

// cases returns the same scripts for each agent, in its own words.
func (a realAgent) cases() []agentCase {
	fault := func(text string, n int) string { return strings.Repeat("- fault: {"+text+"}\n", n) }
	var ten strings.Builder
	for i := range 10 {
		ten.WriteString(a.call(fmt.Sprintf("echo step-%d", i)))
	}
	one := a.call("echo step-0")
	return []agentCase{
		{"no call", lastTurn, "ok", "success", 0, 0},
		{"one call", one + lastTurn, "ok", "success", 1, 0},
		{"ten calls", ten.String() + lastTurn, "ok", "success", 10, 0},
		{"exit 3", a.call("echo step-0; exit 3") + lastTurn, "ok", "success", 1, 0},
		{"status 400", fault("status: 400", 60), "provider_error", "failure", 0, 400},
		{"status 401", fault("status: 401", 60), "provider_error", "failure", 0, 401},
		{"status 429", fault("status: 429, retry_after: 1", 2) + one + lastTurn, "ok", "success", 1, 0},
		{"cut", one + fmt.Sprintf("- {text: All done., fault: {cut_after_bytes: %d}}\n", a.cut) + lastTurn + lastTurn, "ok", "success", 1, 0},
	}
}

// Another agent's run ends as its tables say: one whole stream, the verdict, what
// its calls gave, and nothing that is left running or holds the key.
func TestAgents_Scripts(t *testing.T) {
	eachAgent(t, func(t *testing.T, name string, a realAgent) {
		d := drift{agent: name, lines: map[string]int64{}}
		defer d.print(t)
		for _, c := range a.cases() {
			t.Run(c.name, func(t *testing.T) {
				l := a.life(t, name, c.script)
				_ = l.cmd.Run() // the verdict says it
				end := l.ending(t)
				want := cmp.Or(a.ends[c.name], c.reason+" "+c.verdict)
				if got := end.reason + " " + end.verdict; got != want {
					t.Errorf("run ended %s, want %s:\n%s\n%s", got, want, &l.stderr, l.stream(t))
				}
				l.checkCalls(t, name, c)
				if want, ok := a.retries[c.name]; ok && end.count["provider_retry"] != want {
					t.Errorf("%d retries, want %d:\n%s", end.count["provider_retry"], want, l.stream(t))
				}
				l.checkMapping(t, end)
				l.deserted(t)
				l.keyIsNowhere(t)
				l.copyEvidence(t, name+"-"+strings.ReplaceAll(c.name, " ", "-"))
				d.add(end)
			})
		}
	})
}

// A command that prints the key has it masked before anything is written.
func TestAgents_PrintedKey(t *testing.T) {
	eachAgent(t, func(t *testing.T, name string, a realAgent) {
		l := a.life(t, name, a.call("cat key.txt; echo shown")+lastTurn)
		if err := os.WriteFile(l.path("ws", "key.txt"), []byte(agentKey+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_ = l.cmd.Run()
		end := l.ending(t)
		if lines := l.lines(t); !slices.ContainsFunc(lines, func(line agentLine) bool { return strings.Contains(line.Data.ContentPreview, "shown") }) {
			t.Errorf("the command did not run, exit reason %s:\n%s\n%s", end.reason, &l.stderr, l.stream(t))
		}
		if err := os.Remove(l.path("ws", "key.txt")); err != nil {
			t.Error(err)
		}
		l.keyIsNowhere(t)
	})
}

// eachAgent calls f for each agent whose program is there.
func eachAgent(t *testing.T, f func(t *testing.T, name string, a realAgent)) {
	folder := os.Getenv(agentsVariable)
	if folder == "" {
		t.Skip(agentsVariable + " names no folder with the programs of other agents")
	}
	known := realAgents()
	for _, name := range adapter.Names() {
		t.Run(name, func(t *testing.T) {
			a, ok := known[name]
			if !ok {
				t.Fatalf("%s has no row in realAgents", name)
			}
			if folder != "required" {
				if _, err := os.Stat(filepath.Join(folder, "node_modules", ".bin", name)); err != nil {
					t.Skipf("%s is not installed in %s", name, folder)
				}
			}
			a.cache = t.TempDir()
			f(t, name, a)
		})
	}
}

// row returns what the harness knows of an agent.
func row(t *testing.T, name string) *adapter.Agent {
	t.Helper()
	agent, err := adapter.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return agent
}

// life prepares a run of the agent, as its preset has it, against a model that
// answers from a script.
func (a realAgent) life(t *testing.T, name, script string) *life {
	t.Helper()
	model, err := transport.LoadScript("script", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	args := append([]string{"--agent=" + name, "--model=" + a.model, "--base-url=" + row(t, name).Endpoint(server.URL), "--api-key-file=../key", "--timeout=5m", "--exit-grace=4m"}, a.args...)
	l := harnessed(t, append(args, "Do the steps.")...)
	if err := os.WriteFile(l.path("key"), []byte(agentKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// By itself claude tries what gets status 401 for minutes.
	l.cmd.Env = append(l.cmd.Env, "OPENAGENT_MAX_STEPS=", "CI=1", "CLAUDE_CODE_MAX_RETRIES=2", "COPILOT_CACHE_HOME="+a.cache, "PATH="+agentsPath(t))
	return l
}

// agentsPath returns the search path on which the programs of the agents are.
func agentsPath(t *testing.T) string {
	path, folder := os.Getenv("PATH"), os.Getenv(agentsVariable)
	if folder == "required" {
		return path
	}
	modules, err := filepath.Abs(filepath.Join(folder, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	// npm's package of node has its program only where install scripts may run.
	if node, _ := filepath.Glob(filepath.Join(modules, "node-linux-*", "bin")); len(node) > 0 {
		dirs = append(dirs, node[0])
	}
	return strings.Join(append(dirs, filepath.Join(modules, ".bin"), path), string(filepath.ListSeparator))
}

// ending is how a run of another agent ended.
type ending struct {
	reason, verdict string
	source          struct {
		Terminal string // observed when the agent said so itself
		Unmapped map[string]int64
	}
	count    map[string]int // of events by type
	manifest schema.Manifest
}

// ending returns how the run ended; its stream must break no rule.
func (l *life) ending(t *testing.T) ending {
	t.Helper()
	finished(t, l.stream(t))
	e := ending{count: map[string]int{}, manifest: l.manifest(t)}
	e.verdict = e.manifest.Verdict
	for _, line := range l.lines(t) {
		e.count[line.Type]++
		if line.Type != "run_finished" {
			continue
		}
		e.reason = line.Data.ExitReason
		if err := json.Unmarshal(line.Data.Source, &e.source); err != nil {
			t.Errorf("source %s: %v", line.Data.Source, err)
		}
	}
	return e
}

// agentLine is what these tests ask of an event.
type agentLine struct {
	Type string
	Data struct {
		OK             bool
		ExitReason     string          `json:"exit_reason"`
		Status         json.RawMessage // a word or a number
		ExitStatus     *int64          `json:"exit_status"`
		ContentPreview string          `json:"content_preview"`
		Source         json.RawMessage // a word or an object
	}
}

func (l *life) lines(t *testing.T) (list []agentLine) {
	t.Helper()
	for text := range bytes.Lines(l.stream(t)) {
		var line agentLine
		if err := json.Unmarshal(text, &line); err != nil {
			t.Errorf("line %s: %v", text, err)
		}
		list = append(list, line)
	}
	return list
}

// checkCalls checks what the calls and the endpoint's refusal gave. An agent whose
// stream does not hold the exit status of a command takes every one for good.
func (l *life) checkCalls(t *testing.T, name string, c agentCase) {
	t.Helper()
	done, fails := 0, c.name == "exit 3" && !row(t, name).Gaps.ExitStatus
	for _, line := range l.lines(t) {
		switch line.Type {
		case "tool_exec_finished":
			if want := fmt.Sprintf("step-%d", done); !strings.Contains(line.Data.ContentPreview, want) {
				t.Errorf("call %d printed %q, want %s", done, line.Data.ContentPreview, want)
			}
			status, ok := int64(0), true
			if fails {
				status, ok = 3, false
			}
			if got := line.Data.ExitStatus; got != nil && *got != status || line.Data.OK != ok {
				t.Errorf("call %d: ok %t, want %t, with exit status %d", done, line.Data.OK, ok, status)
			}
			done++
		case "provider_error":
			if got := string(line.Data.Status); c.status != 0 && got != fmt.Sprint(c.status) {
				t.Errorf("provider_error has status %s, want %d", got, c.status)
			}
		}
	}
	if done != c.calls {
		t.Errorf("%d calls, want %d:\n%s", done, c.calls, l.stream(t))
	}
}

// checkMapping checks that the mapping knows every line of the versions that it
// was tested with.
func (l *life) checkMapping(t *testing.T, end ending) {
	t.Helper()
	if len(end.source.Unmapped) > 0 && !strings.Contains(l.stderr.String(), "is not a version that the mapping was tested with") {
		t.Errorf("types that the mapping does not know: %v", end.source.Unmapped)
	}
}

// keyIsNowhere checks that the key is in no file but that which was given.
func (l *life) keyIsNowhere(t *testing.T) {
	t.Helper()
	searched := 0
	err := filepath.WalkDir(l.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || path == l.path("key") {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(agentKey)) {
			t.Errorf("%s holds the key", strings.TrimPrefix(path, l.dir))
		}
		searched++
		return err
	})
	_, none := os.Stat(l.path("evidence")) // one that was killed at once may have left nothing
	if err != nil || searched == 0 && none == nil {
		t.Errorf("%d files searched for the key, %v", searched, err)
	}
}

// copyEvidence copies the evidence of the run to the folder that the tests were told
// of.
func (l *life) copyEvidence(t *testing.T, name string) {
	t.Helper()
	if dir := os.Getenv(evidenceVariable); dir != "" {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(l.path("evidence"))); err != nil {
			t.Error(err)
		}
	}
}

// drift is what the streams of an agent had that its mapping does not know.
type drift struct {
	agent, version string
	runs           int
	lines          map[string]int64 // by their type
}

func (d *drift) add(e ending) {
	d.runs++
	if a := e.manifest.Versions.Agent; a != nil {
		d.version = a.Version
	}
	for name, n := range e.source.Unmapped {
		d.lines[name] += n
	}
}

// print adds the row of the agent to the file that the tests were told of.
func (d *drift) print(t *testing.T) {
	path := os.Getenv(driftVariable)
	if path == "" {
		return
	}
	var types []string
	for _, name := range slices.Sorted(maps.Keys(d.lines)) {
		types = append(types, fmt.Sprintf("`%s` (%d)", name, d.lines[name]))
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := fmt.Fprintf(file, "| %s | %s | %d | %s |\n", d.agent, d.version, d.runs, cmp.Or(strings.Join(types, ", "), "none")); err != nil {
		t.Error(err)
	}
}
