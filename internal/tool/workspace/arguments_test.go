package workspace

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/tool"
)

// An error shows an example; it has to be one that the tool accepts.
func TestArguments_ExamplesAreAccepted(t *testing.T) {
	for _, x := range newBench(t).w.Tools() {
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal(x.Spec.Parameters, &schema); err != nil {
			t.Fatalf("%s: parameters %s, %v", x.Spec.Name, x.Spec.Parameters, err)
		}
		for name := range schema.Properties {
			_, refused := x.Prepare(json.RawMessage(`{"` + name + `":{}}`))
			if refused == nil {
				t.Errorf("%s(%s: {}) was accepted, want a refusal", x.Spec.Name, name)
				continue
			}
			var details struct {
				Example json.RawMessage `json:"example"`
			}
			if err := json.Unmarshal(refused.Details, &details); err != nil {
				t.Fatal(err)
			}
			if _, again := x.Prepare(details.Example); again != nil {
				t.Errorf("%s: the example %s is refused: %s", x.Spec.Name, details.Example, again.Message)
			}
			if !strings.Contains(refused.Message, string(details.Example)) {
				t.Errorf("%s: message %q, want the example %s in it", x.Spec.Name, refused.Message, details.Example)
			}
		}
	}
}

func TestArguments_AsUsed(t *testing.T) {
	tools := tool.NewRegistry(newBench(t).w.Tools()...)
	for _, test := range []struct{ name, give, want string }{
		{"list_files", ``, `{"path":".","recursive":false,"max_entries":1000}`},
		{"list_files", `{"max_entries":"0","recursive":"True"}`, `{"path":".","recursive":true,"max_entries":1}`},
		{"read_file", `{"path":"a/../b"}`, `{"path":"a/../b"}`},
		{"read_file", `{"max_lines":0,"offset_line":-5,"path":"f"}`, `{"path":"f","offset_line":-5,"max_lines":1}`},
		{"search_files", `{"query":"a","max_results":5000,"context_lines":9}`, `{"query":"a","path":".","regex":false,"ignore_case":false,"context_lines":5,"max_results":1000}`},
		{"write_file", `{"content":"","path":"f"}`, `{"path":"f","content":""}`},
		{"edit_file", `{"new_text":"","old_text":"a","path":"f","count":-1}`, `{"path":"f","old_text":"a","new_text":"","count":1}`},
		{"execute_command", `{"command":"a && b > c","timeout_ms":-1}`, `{"command":"a && b > c","timeout_ms":1}`},
		{"execute_command", `{"command":"x","yield_ms":"-3"}`, `{"command":"x","yield_ms":0}`},
		{"task_output", `{"task_id":"t"}`, `{"task_id":"t","wait_ms":0}`},
		{"git_status", ``, `{}`},
		{"git_commit", `{"files":["b","a"],"message":"m"}`, `{"message":"m","files":["b","a"]}`},
	} {
		x, _ := tools.Lookup(test.name)
		prepared, refused := x.Prepare(json.RawMessage(test.give))
		if refused != nil {
			t.Errorf("%s(%s) = %s", test.name, test.give, refused.Message)
			continue
		}
		if string(prepared.Arguments) != test.want {
			t.Errorf("%s(%s) uses %s, want %s", test.name, test.give, prepared.Arguments, test.want)
		}
	}
}
