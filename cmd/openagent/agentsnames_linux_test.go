package main_test

import (
	"os"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/golden"
)

// neutralSteps names the tools that all agents have as no agent does, but for ours,
// in five turns. The last command counts the bytes that were written.
const neutralSteps = `side: a title
turns:
- tool_calls: [{tool: execute_command, arguments: {command: echo one}}]
- tool_calls: [{tool: write_file, arguments: {path: a note.txt, content: "it's $HOME\n\"two\" ` + "`x`" + ` \\ end\n"}}]
- tool_calls: [{tool: read_file, arguments: {path: a note.txt}}]
- tool_calls: [{tool: execute_command, arguments: {command: "wc -c <'a note.txt'"}}]
- text: All done.
`

// One script drives every agent: the tool calls of their streams are those of our
// own agent, and the file holds the same bytes.
func TestAgents_OneScript(t *testing.T) {
	ours := newLife(t, "run", "--output=json", "--script=../steps.yaml", "Do the steps.")
	if err := os.WriteFile(ours.path("steps.yaml"), []byte(neutralSteps), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ours.cmd.Run(); err != nil {
		t.Fatalf("our own agent: %v\n%s", err, &ours.stderr)
	}
	const calls = 4
	want := ours.stdout.Bytes()
	if got := strings.Count(string(want), `"type":"tool_exec_finished"`); got != calls {
		t.Fatalf("our own agent made %d calls, want %d:\n%s", got, calls, want)
	}
	text, err := os.ReadFile(ours.path("ws", "a note.txt"))
	if err != nil {
		t.Fatal(err)
	}
	eachAgent(t, func(t *testing.T, name string, a realAgent) {
		if name == "claude" { // it may not write files by itself
			a.args = append(a.args, "--agent-arg=--permission-mode=acceptEdits")
		}
		l := a.life(t, name, neutralSteps)
		_ = l.cmd.Run() // the verdict says it
		if end := l.ending(t); end.verdict != "success" || end.count["tool_exec_finished"] != calls {
			t.Errorf("verdict %s after %d calls, want success after %d:\n%s\n%s", end.verdict, end.count["tool_exec_finished"], calls, &l.stderr, l.stream(t))
		}
		for _, d := range (golden.Roots{Workspace: l.path("ws")}).CompareCalls(l.stream(t), want) {
			t.Error(d)
		}
		if got, err := os.ReadFile(l.path("ws", "a note.txt")); string(got) != string(text) || err != nil {
			t.Errorf("the file holds %q, %v, want %q", got, err, text)
		}
	})
}
