package harness

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/adapter/raw"
	modelwitness "github.com/openagent-ci/openagent/internal/harness/witness"
	"github.com/openagent-ci/openagent/internal/model/wire"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// made returns a call of the model.
func made(id, tool, arguments string, answered int) modelwitness.Call {
	return modelwitness.Call{Made: wire.Made{ID: id, Tool: tool, Arguments: arguments}, Answered: answered, Main: true}
}

// What the stream lacks is added in the order of results, and reported unless the agent
// never shows it; what no model asked for is reported where all requests were seen.
func TestWitness_Compare(t *testing.T) {
	sub := made("s", "exec_command", `{"cmd":"ls"}`, 3)
	sub.Main = false
	for _, tt := range []struct {
		name, agent   string
		printed       []emit.Call
		seen          modelwitness.Seen
		added, broken []string
	}{
		{name: "by id", agent: "claude", printed: []emit.Call{{ID: "b", Tool: "Bash"}, {ID: "a", Tool: "Bash"}},
			seen: modelwitness.Seen{Calls: []modelwitness.Call{made("a", "Bash", "{}", 1), made("b", "Bash", "{}", 2)}}},
		{name: "by command", agent: "codex", printed: []emit.Call{{ID: "item_1", Tool: "command_execution", Args: raw.Value(`{"command":"/bin/bash -lc 'echo two'"}`)}},
			seen:  modelwitness.Seen{Calls: []modelwitness.Call{made("a", "exec_command", `{"cmd":"echo one"}`, 2), made("b", "exec_command", `{"cmd":"echo two","yield_time_ms":1}`, 1)}},
			added: []string{"a"}, broken: []string{validate.RuleHiddenCall}},
		{name: "the same command", agent: "codex", printed: []emit.Call{{ID: "item_1", Tool: "command_execution", Args: raw.Value(`{"command":"/bin/bash -lc 'echo two'"}`)}},
			seen:  modelwitness.Seen{Calls: []modelwitness.Call{made("a", "exec_command", `{"cmd":"echo two"}`, 2), made("b", "exec_command", `{"cmd":"echo two"}`, 1)}},
			added: []string{"a"}, broken: []string{validate.RuleHiddenCall}},
		{name: "by tool", agent: "codex", printed: []emit.Call{{ID: "item_1", Tool: "file_change"}, {ID: "item_2", Tool: "time.now"}},
			seen: modelwitness.Seen{Calls: []modelwitness.Call{made("a", "exec_command", `{"cmd":"apply_patch <<'E'\n*** Begin Patch\nE"}`, 1), made("b", "mcp__time__now", "{}", 2)}}},
		{name: "as a sub-agent", agent: "codex", printed: []emit.Call{{ID: "item_1", Tool: "command_execution", Args: raw.Value(`{"command":"/bin/bash -lc 'ls'"}`)}},
			seen:  modelwitness.Seen{Calls: []modelwitness.Call{made("a", "exec_command", `{"cmd":"ls"}`, 4), sub}},
			added: []string{"s"}},
		{name: "agents", agent: "codex", printed: []emit.Call{{ID: "item_1", Tool: "spawn_agent"}, {ID: "item_2", Tool: "wait"}, {ID: "item_3", Tool: "wait"}},
			seen: modelwitness.Seen{Calls: []modelwitness.Call{made("a", "spawn_agent", `{"message":"x"}`, 1), made("b", "wait_agent", "{}", 2), made("c", "resume_agent", "{}", 3)}}},
		{name: "in order of results", agent: "claude",
			seen:  modelwitness.Seen{Calls: []modelwitness.Call{made("a", "Bash", "{}", 2), made("b", "Read", "{}", 1), made("c", "Bash", "{}", 0)}},
			added: []string{"b", "a"}, broken: []string{validate.RuleHiddenCall, validate.RuleHiddenCall}},
		{name: "silent", agent: "codex", seen: modelwitness.Seen{Calls: []modelwitness.Call{made("a", "write_stdin", "{}", 1), sub}}, added: []string{"a", "s"}},
		{name: "not answered", agent: "codex", seen: modelwitness.Seen{Calls: []modelwitness.Call{made("a", "exec_command", "{}", 0)}}},
		{name: "not served", agent: "claude", printed: []emit.Call{{ID: "a", Tool: "Bash"}, {ID: "x", Tool: "Bash"}},
			seen: modelwitness.Seen{Calls: []modelwitness.Call{made("a", "Bash", "{}", 1)}}, broken: []string{validate.RuleUnservedCall}},
		{name: "unprompted", agent: "copilot", printed: []emit.Call{{ID: "x", Tool: "read_agent"}, {ID: "y", Tool: "read_bash"}}},
		{name: "in the background", agent: "qwen", seen: modelwitness.Seen{Calls: []modelwitness.Call{sub}}, added: []string{"s"}},
		{name: "not all seen", agent: "claude", printed: []emit.Call{{ID: "x", Tool: "Bash"}}, seen: modelwitness.Seen{Unread: "no request was seen"}},
	} {
		a, err := adapter.ByName(tt.agent)
		if err != nil {
			t.Fatal(err)
		}
		w := &witness{agent: a}
		for _, c := range tt.printed {
			w.Called(c)
		}
		var added, broken []string
		for _, c := range w.lacking(nil, tt.seen).Calls {
			added = append(added, c.ID)
		}
		for _, f := range w.findings() {
			broken = append(broken, f.Rule)
		}
		if !slices.Equal(added, tt.added) || !slices.Equal(broken, tt.broken) {
			t.Errorf("%s: added %q with findings %q, want %q with %q", tt.name, added, broken, tt.added, tt.broken)
		}
	}
}

// An agent that reports more than was seen has asked elsewhere; one that does not report
// its usage gets what was seen.
func TestWitness_Usage(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	seen := modelwitness.Seen{Usage: wire.Usage{Input: n(30), Output: n(12), Total: n(42)}}
	partly := seen
	partly.Partly = true
	partly.Lacks.Input, partly.Lacks.Output, partly.Lacks.Total = true, true, true
	left := partly
	left.Partly = false
	for _, tt := range []struct {
		used   *schema.Usage
		seen   modelwitness.Seen
		reason string
		filled bool
	}{
		{nil, seen, "", true},
		{&schema.Usage{OutputTokens: n(12)}, seen, "", true},
		{&schema.Usage{InputTokens: n(30), OutputTokens: n(12)}, seen, "", false},
		{&schema.Usage{InputTokens: n(31), OutputTokens: n(12)}, seen, "the agent reports more tokens (31) than were seen (30)", false},
		{&schema.Usage{InputTokens: n(31), OutputTokens: n(12)}, partly, "the agent reports more tokens (31) than were seen (30)", false},
		{&schema.Usage{InputTokens: n(30), OutputTokens: n(12)}, partly, "", false},
		{nil, modelwitness.Seen{}, "", false},
		{nil, left, "", false},
		{&schema.Usage{InputTokens: n(31), OutputTokens: n(12)}, modelwitness.Seen{}, "the agent reports more tokens (31) than were seen (0)", false},
	} {
		w := &witness{agent: &adapter.Agent{}, budget: Budget{Tokens: 1}}
		got := w.lacking(tt.used, tt.seen)
		if w.reason != tt.reason || (got.Usage != nil) != tt.filled || (got.Stopped != nil) != (tt.reason != "") {
			t.Errorf("used %v: reason %q, usage %v, stopped %v, want reason %q", tt.used, w.reason, got.Usage, got.Stopped, tt.reason)
		}
		if diff := cmp.Diff(w.status().Complete, tt.reason == ""); diff != "" {
			t.Error(diff)
		}
		if got.Usage != nil && (*got.Usage.InputTokens != 30 || *got.Usage.OutputTokens != 12 || *got.Usage.TotalTokens != 42) {
			t.Errorf("usage is %v", got.Usage)
		}
	}
}

// What every reply reports is known; the rest is what the agent says, or not known.
func TestWitness_UsageInPart(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	seen := modelwitness.Seen{Usage: wire.Usage{Input: n(300), Output: n(40), Total: n(140)}}
	seen.Lacks.Output, seen.Lacks.Total = true, true
	for _, tt := range []struct{ used, want *schema.Usage }{
		{nil, &schema.Usage{InputTokens: n(300)}},
		{&schema.Usage{OutputTokens: n(50)}, &schema.Usage{InputTokens: n(300), OutputTokens: n(50)}},
	} {
		if diff := cmp.Diff(tt.want, usageOf(tt.used, seen)); diff != "" {
			t.Errorf("used %v (-want +got):\n%s", tt.used, diff)
		}
	}
}

// Where some reply did not report its usage an agent may know more than was seen. That
// alone ends a run only where the agent is not known to be within its budget.
func TestWitness_MoreThanPartlySeen(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	used := schema.Usage{InputTokens: n(100), OutputTokens: n(20)}
	priced := used
	priced.CostUSD = schema.Some(schema.USD(0.5))
	for _, tt := range []struct {
		used    schema.Usage
		budget  Budget
		stopped bool
	}{
		{used, Budget{}, false},
		{used, Budget{Steps: 9}, false},
		{used, Budget{Tokens: 120}, false},
		{used, Budget{Tokens: 119}, true},
		{schema.Usage{InputTokens: n(1), TotalTokens: n(120)}, Budget{Tokens: 119}, true},
		{used, Budget{Cost: 9}, true},
		{priced, Budget{Cost: 0.5}, false},
		{priced, Budget{Cost: 0.4}, true},
	} {
		w := &witness{agent: &adapter.Agent{}, budget: tt.budget}
		got := w.lacking(&tt.used, modelwitness.Seen{Partly: true})
		if (got.Stopped != nil) != tt.stopped || w.status().Complete {
			t.Errorf("%+v: stopped %v, complete %t, want stopped %t and not complete", tt.budget, got.Stopped, w.status().Complete, tt.stopped)
		}
	}
}
