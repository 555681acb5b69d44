package toolname

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// offer is a tool with string arguments, of which those with a star are required.
func offer(name string, arguments ...string) Tool {
	properties, required := map[string]any{}, []string{}
	for _, a := range arguments {
		name, kind, _ := strings.Cut(strings.TrimSuffix(a, "*"), ":")
		if kind == "" {
			kind = "string"
		}
		properties[name] = map[string]any{"type": kind}
		if strings.HasSuffix(a, "*") {
			required = append(required, name)
		}
	}
	return Tool{name, jsontext.MustMarshal(map[string]any{"type": "object", "properties": properties, "required": required})}
}

// agents are the tools that each agent offers for commands and files, as its
// requests have them.
var agents = map[string][]Tool{
	"codex":     {offer("exec_command", "cmd*", "workdir"), offer("write_stdin", "session_id:number*"), offer("view_image", "path*")},
	"claude":    {offer("Bash", "command*", "description"), offer("Read", "file_path*", "offset:integer"), offer("Write", "file_path*", "content*")},
	"gemini":    {offer("read_file", "file_path*"), offer("write_file", "file_path*", "content*"), offer("run_shell_command", "command*", "description")},
	"qwen":      {offer("read_file", "file_path*"), offer("run_shell_command", "command*", "is_background:boolean*"), offer("write_file", "file_path*", "content*")},
	"opencode":  {offer("bash", "command*", "timeout:integer"), offer("read", "filePath*"), offer("write", "content*", "filePath*")},
	"copilot":   {offer("bash", "command*", "description*"), offer("view", "path*"), offer("create", "path*", "file_text*")},
	"openagent": {offer("read_file", "path*", "offset:integer"), offer("write_file", "path*", "content*"), offer("execute_command", "command*")},
}

func at(dir string) func() string { return func() string { return dir } }

func TestOwn_EachAgent(t *testing.T) {
	calls := []Call{
		{"execute_command", `{"command":"echo 'a b'"}`},
		{"read_file", `{"path":"a/b.txt"}`},
		{"write_file", `{"path":"a/b.txt","content":"it's\n"}`},
	}
	for agent, want := range map[string][]Call{
		"codex": {
			{"exec_command", `{"cmd":"echo 'a b'"}`},
			{"exec_command", `{"cmd":"cat -- a/b.txt"}`},
			{"exec_command", `{"cmd":"mkdir -p -- a && printf %s 'it'\\''s\n' > a/b.txt"}`},
		},
		"claude": {
			{"Bash", `{"command":"echo 'a b'"}`}, {"Read", `{"file_path":"/ws/a/b.txt"}`}, {"Write", `{"content":"it's\n","file_path":"/ws/a/b.txt"}`},
		},
		"gemini": {
			{"run_shell_command", `{"command":"echo 'a b'"}`}, {"read_file", `{"file_path":"/ws/a/b.txt"}`}, {"write_file", `{"content":"it's\n","file_path":"/ws/a/b.txt"}`},
		},
		"qwen": {
			{"run_shell_command", `{"command":"echo 'a b'","is_background":false}`}, {"read_file", `{"file_path":"/ws/a/b.txt"}`}, {"write_file", `{"content":"it's\n","file_path":"/ws/a/b.txt"}`},
		},
		"opencode": {
			{"bash", `{"command":"echo 'a b'"}`}, {"read", `{"filePath":"/ws/a/b.txt"}`}, {"write", `{"content":"it's\n","filePath":"/ws/a/b.txt"}`},
		},
		"copilot": {
			{"bash", `{"command":"echo 'a b'","description":"execute command"}`}, {"view", `{"path":"/ws/a/b.txt"}`}, {"create", `{"file_text":"it's\n","path":"/ws/a/b.txt"}`},
		},
		"openagent": calls,
	} {
		for i, c := range calls {
			got, err := Own(c, agents[agent], at("/ws"))
			if diff := cmp.Diff(want[i], got); diff != "" || err != nil {
				t.Errorf("%s: %s %s: %v (-want +got):\n%s", agent, c.Tool, c.Arguments, err, diff)
			}
			// And back.
			var wanted, neutral any
			back := Neutral(got, "/ws/")
			if err := json.Unmarshal([]byte(c.Arguments), &wanted); err != nil {
				t.Fatal(err)
			}
			_ = json.Unmarshal([]byte(back.Arguments), &neutral) // nil is a difference
			if diff := cmp.Diff(wanted, neutral); diff != "" || back.Tool != c.Tool {
				t.Errorf("%s: %s %s comes back as %s (-want +got):\n%s", agent, got.Tool, got.Arguments, back.Tool, diff)
			}
		}
	}
}

func TestOwn_OtherCalls(t *testing.T) {
	shell := []Tool{offer("shell", "command:array*")}
	picky := []Tool{{"bash", json.RawMessage(`{"properties":{"command":{"type":"string"},"mode":{"enum":["sync","async"]},"n":{"type":"integer","minimum":3},` +
		`"many":{"type":["null","array"]},"of":{"type":"OBJECT"},"old":{"default":7},"count":{"type":"number"}},"required":["command","mode","n","many","of","old","count"]}`)}}
	for name, tt := range map[string]struct {
		call    Call
		offered []Tool
		dir     string
		want    Call
	}{
		"own name":             {Call{"Bash", `{"command":"a","timeout":1}`}, agents["claude"], "/ws", Call{"Bash", `{"command":"a","timeout":1}`}},
		"own arguments":        {Call{"read_file", `{"file_path":"a"}`}, agents["qwen"], "", Call{"read_file", `{"file_path":"a"}`}},
		"as it was written":    {Call{"read_file", `{ "path": "a", "offset": 2 }`}, agents["openagent"], "/ws", Call{"read_file", `{ "path": "a", "offset": 2 }`}},
		"no JSON":              {Call{"Bash", `{"comm`}, agents["claude"], "/ws", Call{"Bash", `{"comm`}},
		"list of words":        {Call{"execute_command", `{"command":"echo $HOME"}`}, shell, "", Call{"shell", `{"command":["bash","-lc","echo $HOME"]}`}},
		"list of commands":     {Call{"execute_command", `{"command":"a b"}`}, []Tool{offer("edit", "path*"), offer("run_commands", "commands:array*")}, "", Call{"run_commands", `{"commands":["a b"]}`}},
		"fewest required":      {Call{"execute_command", `{"command":"a"}`}, []Tool{offer("remote", "command*", "host*"), offer("Execute", "command*", "timeout:integer")}, "", Call{"Execute", `{"command":"a"}`}},
		"file by its schema":   {Call{"read_file", `{"path":"a"}`}, []Tool{offer("Execute", "cmd*")}, "", Call{"Execute", `{"cmd":"cat -- a"}`}},
		"further arguments":    {Call{"execute_command", `{"command":"a","timeout":9}`}, agents["claude"], "", Call{"Bash", `{"command":"a","timeout":9}`}},
		"defaults":             {Call{"execute_command", `{"command":"a"}`}, picky, "", Call{"bash", `{"command":"a","count":1,"many":[],"mode":"sync","n":3,"of":{},"old":7}`}},
		"no workspace":         {Call{"read_file", `{"path":"a"}`}, agents["claude"], "", Call{"Read", `{"file_path":"a"}`}},
		"absolute":             {Call{"read_file", `{"path":"/etc/hosts"}`}, agents["claude"], "/ws", Call{"Read", `{"file_path":"/etc/hosts"}`}},
		"of Windows":           {Call{"read_file", `{"path":"a/b"}`}, agents["claude"], `C:\ws`, Call{"Read", `{"file_path":"C:\\ws\\a\\b"}`}},
		"schema not described": {Call{"read_file", `{"path":"a"}`}, []Tool{{Name: "read_file"}}, "", Call{"read_file", `{"path":"a"}`}},
		"unknown schema":       {Call{"read_file", `{"path":"a"}`}, []Tool{offer("read_file", "uri*")}, "", Call{"read_file", `{"path":"a"}`}},
	} {
		got, err := Own(tt.call, tt.offered, at(tt.dir))
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestOwn_Refuses(t *testing.T) {
	for name, tt := range map[string]struct {
		call    Call
		offered []Tool
		want    string
	}{
		"unknown":         {Call{"frobnicate", "{}"}, agents["opencode"], `no tool "frobnicate" is on offer, but bash, read, write`},
		"of another":      {Call{"Bash", `{"command":"a"}`}, agents["opencode"], `no tool "Bash" is on offer, but bash, read, write`},
		"too much":        {Call{"frobnicate", "{}"}, []Tool{{Name: "a"}, {Name: strings.Repeat("b", maxList)}, {Name: "c"}}, `no tool "frobnicate" is on offer, but a, and 2 more`},
		"nothing":         {Call{"read_file", `{"path":"a"}`}, nil, `no tool "read_file" is on offer, but none at all`},
		"a choice":        {Call{"execute_command", `{"command":"a"}`}, []Tool{{"memory", json.RawMessage(`{"properties":{"command":{"enum":["view"]}},"required":["command"]}`)}}, `no tool "execute_command" is on offer, but memory`},
		"no list of text": {Call{"execute_command", `{"command":"a"}`}, []Tool{{"run", json.RawMessage(`{"properties":{"commands":{"type":"array","items":{"type":"object"}}},"required":["commands"]}`)}}, `no tool "execute_command" is on offer, but run`},
		"not required":    {Call{"execute_command", `{"command":"a"}`}, []Tool{offer("find", "command")}, `no tool "execute_command" is on offer, but find`},
		"no path":         {Call{"read_file", `{}`}, agents["codex"], `no tool "read_file" is on offer, but exec_command, write_stdin, view_image`},
		"not for shells":  {Call{"write_file", `{"path":"a","content":"\u0000"}`}, agents["codex"], `no tool "write_file" is on offer, but exec_command, write_stdin, view_image`},
	} {
		if got, err := Own(tt.call, tt.offered, at("/ws")); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, %v, want %s", name, got, err, tt.want)
		}
	}
}

func TestNeutral_OfStreams(t *testing.T) {
	for _, tt := range []struct{ call, want Call }{
		{Call{"command_execution", `{"command":"/bin/bash -lc 'echo step-1'"}`}, Call{"execute_command", `{"command":"echo step-1"}`}},
		{Call{"command_execution", `{"command":"/bin/bash -lc \"echo 'a b' \\\"c\\\" \\$d\""}`}, Call{"execute_command", `{"command":"echo 'a b' \"c\" $d"}`}},
		{Call{"command_execution", `{"command":"/bin/bash -lc 'cat -- '\"'\"'a b'\"'\"''"}`}, Call{"read_file", `{"path":"a b"}`}},
		{Call{"command_execution", `{"command":"/usr/bin/zsh -lc 'cat -- notes.txt'"}`}, Call{"read_file", `{"path":"notes.txt"}`}},
		{Call{"command_execution", `{"command":"make all"}`}, Call{"execute_command", `{"command":"make all"}`}},
		{Call{"command_execution", `{"command":"/bin/bash -lc 'torn"}`}, Call{"execute_command", `{"command":"/bin/bash -lc 'torn"}`}},
		{Call{"shell", `{"command":["bash","-lc","ls"]}`}, Call{"execute_command", `{"command":"ls"}`}},
		{Call{"shell", `{"command":["git","log","-n 1"]}`}, Call{"execute_command", `{"command":"git log '-n 1'"}`}},
		{Call{"bash", `{"command":"cat -- a; rm b","description":"x"}`}, Call{"execute_command", `{"command":"cat -- a; rm b"}`}},
		{Call{"bash", `{"command":"printf %s a '>' b"}`}, Call{"execute_command", `{"command":"printf %s a '>' b"}`}},
		{Call{"Read", `{"file_path":"/ws/./a","limit":3}`}, Call{"read_file", `{"path":"a"}`}},
		{Call{"Read", `{"file_path":"$WORKSPACE/a"}`}, Call{"read_file", `{"path":"a"}`}},
		{Call{"Read", `{"file_path":"/wsx/a"}`}, Call{"read_file", `{"path":"/wsx/a"}`}},
		{Call{"Read", `{"path":"a"}`}, Call{"Read", `{"path":"a"}`}},
		{Call{"Edit", `{"file_path":"/ws/a"}`}, Call{"Edit", `{"file_path":"/ws/a"}`}},
		{Call{"Bash", `{"command":"cu`}, Call{"execute_command", `{"command":"cu`}},
	} {
		if diff := cmp.Diff(tt.want, Neutral(tt.call, "/ws")); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.call.Tool, tt.call.Arguments, diff)
		}
	}
}

// What the shell writes is what the script says, to the byte, and what it reads
// is too.
func TestShellForm_KeepsBytes(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no POSIX shell on PATH")
	}
	dir := t.TempDir()
	for _, name := range []string{"plain", "deep/er/a b", "it's", "-x", "$HOME", "a\nb", "*", "~", "&1"} {
		for _, content := range []string{"", "x", "line\n", "no end\n\n\n", `%s \n \\ "$(id)" ` + "`id`", "it's 'quoted'", "\t\x01\x7f é ☃\r\n", "-n"} {
			arguments := map[string]json.RawMessage{"path": jsontext.MustMarshal(name), "content": jsontext.MustMarshal(content)}
			for _, tool := range []string{write, read} {
				cmd := exec.Command(sh, "-c", shellForm(tool, arguments))
				cmd.Dir = dir
				out, err := cmd.Output()
				if err != nil || tool == read && string(out) != content {
					t.Errorf("%s: %v, %q, want %q", cmd.Args[2], err, out, content)
				}
				if tool, a := fileCommand(cmd.Args[2]); tool == "" || a["path"] != name {
					t.Errorf("%s is read back as %q %q", cmd.Args[2], tool, a)
				}
			}
			if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != content || err != nil {
				t.Errorf("%q holds %q, %v, want %q", name, got, err, content)
			}
		}
	}
}

func TestWorkspace_AsAgentsSayIt(t *testing.T) {
	for request, want := range map[string]string{
		`{"text":"<environment_context>\n  <cwd>/tmp/a b</cwd>\n  <shell>bash</shell>"}`:          "/tmp/a b",
		`{"text":"environment: \n - Primary working directory: /tmp/ws\n - Is a git repository"}`: "/tmp/ws",
		`{"text":"* Current working directory: /tmp/ws\n* Git"}`:                                  "/tmp/ws",
		`{"text":"<env>\n  Working directory: /tmp/\"ws\"\n"}`:                                    ``,
		`{"text":"<env>\n  Working directory: C:\\ws\n"}`:                                         `C:\ws`,
		`{"text":"Workspace Directories:**\n  - /tmp/ws\n- **Directory"}`:                         "/tmp/ws",
		`{"text":"I'm currently working in the directory: /tmp/ws"}`:                              "/tmp/ws",
		`{"text":"Working directory: there.\n And then: Working directory: /tmp/ws\n"}`:           "/tmp/ws",
		`{"text":"Working directory: `:                                                            "",
		`{"text":"nothing"}`:                                                                      "",
	} {
		if got := Workspace([]byte(request)); got != want {
			t.Errorf("Workspace(%s) = %q, want %q", request, got, want)
		}
	}
}

func FuzzNeutral(f *testing.F) {
	f.Add("command_execution", `{"command":"/bin/bash -lc 'cat -- a'"}`)
	f.Add("bash", `{"command":"mkdir -p -- a && printf %s b > a/c"}`)
	f.Fuzz(func(t *testing.T, tool, arguments string) {
		once := Neutral(Call{tool, arguments}, "/ws")
		if !json.Valid([]byte(arguments)) && once.Arguments != arguments {
			t.Errorf("%q %q became %v", tool, arguments, once)
		}
		if again, err := Own(once, agents["openagent"], at("/ws")); err == nil && Neutral(again, "/ws") != Neutral(once, "/ws") {
			t.Errorf("%v becomes %v, then %v", once, again, Neutral(again, "/ws"))
		}
	})
}
