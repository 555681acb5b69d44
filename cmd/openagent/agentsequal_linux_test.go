package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/golden"
)

// runsVariable says how often TestAgents_Equal runs each agent.
const runsVariable = "OPENAGENT_TEST_AGENTS_RUNS"

// equalSteps is a call that writes a file and prints it, and an answer.
const equalSteps = `- tool_calls: [{tool: execute_command, arguments: {command: "echo water the plants >notes.txt && cat notes.txt"}}]
- text: All done.
`

// varies names what differs from run to run in the stream of each agent, members of
// data with the type of their event. docs/testing.md names the members.
func varies() map[string][]string {
	const id, ts, duration, call, step = "/run_id", "/ts", "run_finished /data/duration_ms", "tool_exec_finished /data/duration_ms", "step_started /data/step_id"
	return map[string][]string{
		"codex":    {id, ts},
		"claude":   {id, ts, duration, call},
		"copilot":  {id, ts, duration, call},
		"gemini":   {id, ts, duration, call},
		"opencode": {id, ts, call, step},
		"qwen":     {id, ts, duration, step},
	}
}

// Runs of one scenario have equal streams: they differ in what is named for their
// agent and in nothing else, and golden diff passes over all of that.
func TestAgents_Equal(t *testing.T) {
	runs := times(2, 10)
	if text := os.Getenv(runsVariable); text != "" {
		var err error
		if runs, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	eachAgent(t, func(t *testing.T, name string, a realAgent) {
		var first, normal []byte
		differ, done := map[string]int{}, 0
		defer func() {
			t.Logf("%s: %d runs; differed from the first: %v", name, done, differ)
		}()
		for ; done < runs && !t.Failed(); done++ {
			stream, same := a.equalRun(t, name)
			if first == nil {
				first, normal = stream, same
				continue
			}
			if !bytes.Equal(same, normal) {
				t.Errorf("run %d differs from the first: %v\n%s", done+1, golden.Compare(same, normal), same)
			}
			for member := range members(t, first, stream) {
				differ[member]++
			}
		}
		for _, member := range slices.Sorted(maps.Keys(differ)) {
			if !slices.Contains(varies()[name], member) {
				t.Errorf("%s differs in %d of %d runs, and is not named for %s", member, differ[member], done, name)
			}
		}
	})
}

// equalRun runs the scenario and returns the stream, with one name for the folder, and
// how a golden file has it.
func (a realAgent) equalRun(t *testing.T, name string) (stream, normal []byte) {
	t.Helper()
	l := a.life(t, name, equalSteps)
	_ = l.cmd.Run() // the verdict says it
	if end := l.ending(t); end.verdict != "success" || end.count["tool_exec_finished"] != 1 {
		t.Fatalf("verdict %s after %d calls, want success after one:\n%s\n%s", end.verdict, end.count["tool_exec_finished"], &l.stderr, l.stream(t))
	}
	l.deserted(t)
	stream, roots := l.stream(t), golden.Roots{Workspace: l.path("ws"), State: l.dir}
	_ = os.RemoveAll(l.dir)
	return bytes.ReplaceAll(stream, []byte(l.dir), []byte("/dir")), roots.Normalize(stream)
}

// members returns the members in which two streams differ, as varies names them.
func members(t *testing.T, one, other []byte) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	lines, others := bytes.Split(one, []byte("\n")), bytes.Split(other, []byte("\n"))
	if len(lines) != len(others) {
		t.Errorf("%d lines, want %d", len(others), len(lines))
		return nil
	}
	for i := range lines {
		a, b := leaves(t, lines[i]), leaves(t, others[i])
		for _, pointer := range slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b))) {
			switch {
			case b[pointer] == a[pointer]:
			case strings.HasPrefix(pointer, "/data/"):
				found[a["/type"]+" "+pointer] = true
			default:
				found[pointer] = true
			}
		}
	}
	return found
}

// leaves returns the values of a line that hold no other, by their pointers.
func leaves(t *testing.T, line []byte) map[string]string {
	t.Helper()
	found := map[string]string{}
	if len(line) == 0 {
		return found
	}
	var whole any
	if err := json.Unmarshal(line, &whole); err != nil {
		t.Fatalf("line %s: %v", line, err)
	}
	var walk func(pointer string, v any)
	walk = func(pointer string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				walk(pointer+"/"+key, value)
			}
		case []any:
			for i, value := range v {
				walk(fmt.Sprintf("%s/%d", pointer, i), value)
			}
		default:
			found[pointer] = fmt.Sprint(v)
		}
	}
	walk("", whole)
	return found
}
