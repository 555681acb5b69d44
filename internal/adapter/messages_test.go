package adapter_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/schema"
)

// ending is a result line, or none, and how the run that it ends ended.
type ending struct {
	name, result string
	end          emit.End
	class        emit.Class
	want         string // of the terminal
	failure      string // provider_error, empty for none
}

// testEnds converts each of the results behind the same lines.
func testEnds(t *testing.T, agent string, before []string, list []ending) {
	t.Helper()
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			got := convert(t, agent, strings.Join(append(before[:len(before):len(before)], c.result), "\n"), c.end)
			last := len(got.events) - 1
			end := brief(t, got.events[last])
			for _, member := range []string{" duration_ms=7", " steps=1", " tool_calls=0", claudeUsage, qwenUsage} {
				end = strings.Replace(end, member, "", 1)
			}
			if want := "1 run_finished " + c.want; end != want {
				t.Errorf("terminal: got %s, want %s", end, want)
			}
			failure, isFailure := strings.CutPrefix(brief(t, got.events[last-1]), "1 provider_error ")
			if isFailure != (c.failure != "") || isFailure && failure != c.failure {
				t.Errorf("event before the terminal: got %s, want provider_error %s", brief(t, got.events[last-1]), c.failure)
			}
			if got.Class != c.class {
				t.Errorf("class: got %s, want %s", got.Class, c.class)
			}
		})
	}
}

func TestMessages_Start(t *testing.T) {
	claude := []string{"-p", "--output-format", "stream-json", "--verbose"}
	quiet := []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}
	qwen := []string{"--output-format", "stream-json", "--auth-type", "openai"}
	all := adapter.Launch{Dir: "/d", Home: "/h", Model: "m", BaseURL: "http://localhost:1", Key: "K", Prompt: "p", Args: []string{"--x", "y"}}
	testStarts(t, "claude", []start{
		{"Prompt: p", adapter.Launch{Prompt: "p"}, adapter.Start{Args: claude, Stdin: "p", Env: quiet}},
		{"Model: m", adapter.Launch{Model: "m"}, adapter.Start{Args: append(claude[:4:4], "--model", "m"), Env: quiet}},
		{"BaseURL: http://localhost:1", adapter.Launch{BaseURL: "http://localhost:1"}, adapter.Start{Args: claude, Env: append(quiet[:2:2], "ANTHROPIC_BASE_URL=http://localhost:1")}},
		{"BaseURL: http://localhost:1/v1/", adapter.Launch{BaseURL: "http://localhost:1/v1/"}, adapter.Start{Args: claude, Env: append(quiet[:2:2], "ANTHROPIC_BASE_URL=http://localhost:1")}},
		{"Home: /h", adapter.Launch{Home: "/h"}, adapter.Start{Args: claude, Env: quiet}},
		{"all", all, adapter.Start{Args: append(claude[:4:4], "--model", "m", "--x", "y"), Stdin: "p", Env: append(quiet[:2:2], "ANTHROPIC_BASE_URL=http://localhost:1")}},
	})
	testStarts(t, "qwen", []start{
		{"Prompt: p", adapter.Launch{Prompt: "p"}, adapter.Start{Args: qwen, Stdin: "p"}},
		{"Model: m", adapter.Launch{Model: "m"}, adapter.Start{Args: qwen, Env: []string{"OPENAI_MODEL=m"}}},
		{"BaseURL: http://localhost:1", adapter.Launch{BaseURL: "http://localhost:1"}, adapter.Start{Args: qwen, Env: []string{"OPENAI_BASE_URL=http://localhost:1"}}},
		{"all", all, adapter.Start{
			Args: append(qwen[:4:4], "--x", "y"), Stdin: "p",
			Env:   []string{"OPENAI_MODEL=m", "OPENAI_BASE_URL=http://localhost:1"},
			Files: map[string]string{".qwen/settings.json": `{"privacy":{"usageStatisticsEnabled":false},"general":{"enableAutoUpdate":false},"telemetry":{"enabled":false},"memory":{"enableManagedAutoMemory":false,"enableManagedAutoDream":false}}` + "\n"},
		}},
	})
}

// The two streams differ in the version that their first line has.
func TestMessages_Detect(t *testing.T) {
	for line, want := range map[string]string{
		claudeInit: "claude",
		qwenInit:   "qwen",
		`{"type":"system","subtype":"init","session_id":"s-1"}`:                                          "",
		`{"type":"system","subtype":"status","claude_code_version":"2.1.329","qwen_code_version":"0.1"}`: "",
	} {
		if got, _ := adapter.Detect([]byte(line)); got != want {
			t.Errorf("Detect(%s) = %q, want %q", line, got, want)
		}
	}
}

// A message without an id has a step without one.
func TestMessages_NoID(t *testing.T) {
	got := convert(t, "claude", claudeInit+"\n"+claudeSays("", claudeText("a"))+"\n", exited(0))
	if step := got.events[1].Data.(*schema.StepStarted); step.StepID != nil {
		t.Errorf("step_id: got %q, want null", *step.StepID)
	}
}

// Names of tools are kept for the next steps, unless there are absurdly many.
func TestMessages_ManyTools(t *testing.T) {
	for n, want := range map[int]string{1000: `{"field":"allowed_tools","original_bytes":16004}`, 10_000: ""} {
		first := strings.Replace(claudeInit, `"Bash",`, strings.Repeat(`"tool-with-a-name",`, n), 1)
		got := convert(t, "claude", first+"\n"+claudeSays("m1", claudeText("a"))+"\n", exited(0))
		line := brief(t, got.events[1])
		if !strings.Contains(line, want) || strings.Contains(line, "allowed_tools") != (want != "") {
			t.Errorf("%d tools: got %.5000s, want %s", n, line, want)
		}
	}
}

// Calls that the source gives no id are told apart by ours.
func TestMessages_CallsWithoutID(t *testing.T) {
	block := `{"type":"tool_use","name":"Read","input":{}}`
	for agent, source := range map[string][]string{
		"claude": {claudeInit, claudeSays("m1", block+","+block), claudeOK},
		"qwen":   {qwenInit, qwenSays("m1", block+","+block), qwenOK},
	} {
		var ids []string
		for _, e := range convert(t, agent, strings.Join(source, "\n"), exited(0)).events {
			if d, ok := e.Data.(*schema.ToolCallDetected); ok {
				ids = append(ids, *d.ToolCallID)
			}
		}
		if diff := cmp.Diff([]string{"call_1_0", "call_1_1"}, ids); diff != "" {
			t.Errorf("%s: ids of the calls (-want +got):\n%s", agent, diff)
		}
	}
}
