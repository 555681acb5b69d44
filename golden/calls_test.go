package golden

import (
	"fmt"
	"strings"
	"testing"
)

// callsOf returns a stream with these calls, each a tool and its arguments.
func callsOf(calls ...string) []byte {
	var b strings.Builder
	b.WriteString(`{"sequence":1,"type":"run_started","data":{}}` + "\n")
	for i := 0; i < len(calls); i += 2 {
		fmt.Fprintf(&b, `{"sequence":%d,"type":"tool_call_detected","data":{"tool":%q,"arguments_preview":%q}}`+"\n", i/2+2, calls[i], calls[i+1])
	}
	return []byte(b.String() + `{"sequence":99,"type":"run_finished","data":{}}` + "\nno JSON\n")
}

func TestCompareCalls_OfDifferentAgents(t *testing.T) {
	ours := callsOf("execute_command", `{"command":"ls /ws/a"}`, "write_file", `{"path":"a","content":"x"}`, "read_file", `{"path":"a","offset":1}`)
	for name, theirs := range map[string][]byte{
		"codex": callsOf("command_execution", `{"command":"/bin/bash -lc 'ls /ws/a'"}`,
			"command_execution", `{"command":"/bin/bash -lc 'printf %s x > a'"}`, "command_execution", `{"command":"/bin/bash -lc 'cat -- a'"}`),
		"claude":  callsOf("Bash", `{"command":"ls /ws/a","description":"d"}`, "Write", `{"file_path":"/ws/a","content":"x"}`, "Read", `{"file_path":"/ws/a"}`),
		"copilot": callsOf("bash", `{"command":"ls $WORKSPACE/a"}`, "create", `{"path":"$WORKSPACE/a","file_text":"x"}`, "view", `{"path":"a"}`),
		"cut":     callsOf("Bash", `{"command":"ls`, "Write", `{"file_path":"/ws/a","content":"x"}`, "Read", `{"file_path":"/ws/a"}`),
	} {
		if found := (Roots{Workspace: "/ws"}).CompareCalls(theirs, ours); len(found) > 0 {
			t.Errorf("%s: %v, want no difference", name, found)
		}
	}
}

func TestCompareCalls_Differences(t *testing.T) {
	for name, tt := range map[string]struct {
		got, want []byte
		found     string
	}{
		"equal":          {callsOf("Edit", `{"a":1}`), callsOf("Edit", `{"a":1}`), ""},
		"tool":           {callsOf("bash", `{"command":"a"}`), callsOf("Edit", `{"a":1}`), `call 1 in line 2 /tool: got "execute_command", want "Edit"`},
		"argument":       {callsOf("bash", `{"command":"a"}`), callsOf("Bash", `{"command":"b"}`), `call 1 in line 2 /arguments/command: got "a", want "b"`},
		"more arguments": {callsOf("Edit", `{"a":1,"b":2}`), callsOf("Edit", `{"a":1}`), `call 1 in line 2 /arguments: got {"a":1,"b":2}, want {"a":1}`},
		"extra":          {callsOf("Edit", `{"a":1}`, "bash", `{"command":"a"}`), callsOf("Edit", `{"a":1}`), `call 2 in line 3: got {"arguments":{"command":"a"},"tool":"execute_command"}, want nothing`},
		"missing":        {callsOf(), callsOf("Edit", `{"a":1}`), `call 1 in line 2: got nothing, want {"arguments":{"a":1},"tool":"Edit"}`},
		"cut":            {callsOf("Edit", `{"a":"xx`), callsOf("Edit", `{"a":"xxx"}`), ""},
	} {
		var lines []string
		for _, d := range (Roots{}).CompareCalls(tt.got, tt.want) {
			lines = append(lines, d.String())
		}
		if got := strings.Join(lines, "\n"); got != tt.found {
			t.Errorf("%s: %s, want %s", name, got, tt.found)
		}
	}
}
