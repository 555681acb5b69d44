package transport

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// offers are requests of four APIs that offer a tool for commands of another name,
// from an agent that works in /ws.
var offers = map[string]string{
	"/chat/completions":         `{"messages":[{"role":"system","content":"Working directory: /ws\n"}],"tools":[{"function":{"name":"bash","parameters":{"properties":{"command":{}}}}},{"function":{"name":"read","parameters":{"properties":{"filePath":{}}}}}]}`,
	"/responses":                `{"input":"<cwd>/ws</cwd>","tools":[{"name":"exec_command","parameters":{"properties":{"cmd":{}}}}]}`,
	"/messages":                 `{"messages":[{"role":"user","content":"Primary working directory: /ws\n"}],"tools":[{"name":"Bash","input_schema":{"properties":{"command":{}}}},{"name":"Read","input_schema":{"properties":{"file_path":{}}}}]}`,
	"/models/m:generateContent": `{"contents":[],"tools":[{"functionDeclarations":[{"name":"run_shell_command","parametersJsonSchema":{"properties":{"command":{}}}},{"name":"read_file","parametersJsonSchema":{"properties":{"file_path":{}}}}]}]}`,
}

func TestScript_ServesNeutralCalls(t *testing.T) {
	const turns = "[{tool_calls: [{tool: execute_command, arguments: {command: ls}}, {tool: read_file, arguments: {path: a}}]}]"
	for path, want := range map[string][]string{
		"/chat/completions":         {`"name":"bash","arguments":"{\"command\":\"ls\"}"`, `"name":"read","arguments":"{\"filePath\":\"/ws/a\"}"`},
		"/responses":                {`"name":"exec_command","arguments":"{\"cmd\":\"ls\"}"`, `"name":"exec_command","arguments":"{\"cmd\":\"cat -- a\"}"`},
		"/messages":                 {`"name":"Bash","input":{"command":"ls"}`, `"name":"Read","input":{"file_path":"/ws/a"}`},
		"/models/m:generateContent": {`"name":"run_shell_command","args":{"command":"ls"}`, `"name":"read_file","args":{"file_path":"a"}`},
	} {
		server := httptest.NewServer(load(t, turns))
		_, body, err := ask(t, redirectTo{server.URL}, requestTo(t, path, offers[path]))
		server.Close()
		for _, call := range want {
			if !strings.Contains(body, call) || err != nil {
				t.Errorf("%s: answer is %s, %v, want %s in it", path, body, err, call)
			}
		}
	}
}

// In memory only our own agent asks: calls are made as they are written, and each
// request takes a turn.
func TestScript_MemoryTakesCallsAsTheyAre(t *testing.T) {
	s := load(t, "{side: beside, turns: [{tool_calls: [{tool: read_file, arguments: {path: a}}]}, {tool_calls: [{tool: x}]}]}")
	for i, body := range []string{offers["/chat/completions"], `{"messages":[{"role":"user","content":"You are a title generator"}]}`} {
		_, got, err := ask(t, s, request(t, body))
		if want := []string{`"name":"read_file"`, `"name":"x"`}[i]; !strings.Contains(got, want) || err != nil {
			t.Errorf("answer %d is %s, %v, want %s in it", i+1, got, err, want)
		}
	}
}

func TestScript_RefusesToolsThatAreNotOnOffer(t *testing.T) {
	for path, want := range map[string]string{
		"/chat/completions":         `no tool \"frobnicate\" is on offer, but bash, read","type":"script","param":null,"code":null}}`,
		"/messages":                 `no tool \"frobnicate\" is on offer, but Bash, Read"}`,
		"/models/m:generateContent": `"status":"INVALID_ARGUMENT"`,
	} {
		s := load(t, "- text: one\n- tool_calls:\n  - {tool: execute_command, arguments: {command: a}}\n  - {tool: frobnicate}\n- text: three\n")
		server := httptest.NewServer(s)
		for i, status := range []int{200, 400, 200} {
			resp, body, _ := ask(t, redirectTo{server.URL}, requestTo(t, path, offers[path]))
			if resp.StatusCode != status {
				t.Errorf("%s: answer %d is %d %s, want %d", path, i+1, resp.StatusCode, body, status)
			}
			if status == 400 && (!strings.Contains(body, `s.yaml:2: turn 2: call 2: no tool`) || !strings.Contains(body, want)) {
				t.Errorf("%s: refusal is %s, want line, turn, call and %s", path, body, want)
			}
		}
		server.Close()
		if _, refused := s.Outcome(); refused == nil || !strings.Contains(refused.Message, "turn 2: call 2") {
			t.Errorf("%s: the script's outcome is %v, want the refusal", path, refused)
		}
	}
}

// What is misspelt is called by its name, what is only not on offer is not.
func TestScript_MisspeltTools(t *testing.T) {
	for tool, want := range map[string]string{
		"execute_comand":  `no tool \"execute_comand\" is on offer, but read; did you mean \"execute_command\"?"`,
		"raed":            `no tool \"raed\" is on offer, but read; did you mean \"read\"?"`,
		"execute_command": `no tool \"execute_command\" is on offer, but read"`,
	} {
		server := httptest.NewServer(load(t, "- tool_calls: [{tool: "+tool+"}]"))
		_, body, _ := ask(t, redirectTo{server.URL}, requestTo(t, "/chat/completions", `{"tools":[{"type":"function","function":{"name":"read","parameters":{"type":"object"}}}],"messages":[{"role":"user","content":"go"}]}`))
		if !strings.Contains(body, want) {
			t.Errorf("%s: refusal is %s, want %s", tool, body, want)
		}
		server.Close()
	}
}

func TestScript_SideRequests(t *testing.T) {
	const (
		plain  = `{"messages":[{"role":"user","content":"go on"}]}`
		title  = `{"messages":[{"role":"system","content":"You are a title generator."}]}`
		titled = `{"messages":[{"role":"system","content":"You are a title generator."}],"tools":[{"function":{"name":"f"}}]}`
		schema = `{"messages":[{"role":"user","content":"a specialized Task Routing AI"}],"response_format":{"json_schema":{"schema":` +
			`{"type":"object","properties":{"why":{"type":"string"},"model":{"enum":["flash","pro"]},"n":{"type":"integer"}},"required":["why","model"]}}}}`
		lists = `{"messages":[{"role":"user","content":"a specialized Task Routing AI"}],"response_format":{"json_schema":{"schema":` +
			`{"type":"object","properties":{"all":{"type":"array","minItems":2,"items":{"type":"string"}}},"required":["all"]}}}}`
		long  = `{"messages":[{"role":"user","content":"a specialized Task Routing AI"}],"response_format":{"json_schema":{"schema":{"type":"string","minLength":9}}}}`
		calls = `{tool_calls: [{tool: f}]}`
	)
	for name, tt := range map[string]struct {
		script string
		bodies []string
		want   []string // what the answers hold
	}{
		"no tools for a call":      {"[" + calls + "]", []string{plain, titled}, []string{`"content":"ok"`, `"name":"f"`}},
		"no tools for a text":      {"[{text: one}]", []string{plain, plain}, []string{`"content":"one"`, "no turn is left"}},
		"no tools after some":      {"[{text: one}, {text: two}]", []string{titled, plain, titled}, []string{`"content":"one"`, `"content":"ok"`, `"content":"two"`}},
		"known":                    {"[{text: one}]", []string{title, plain, title}, []string{`"content":"ok"`, `"content":"one"`, `"content":"ok"`}},
		"known words beside tools": {"[{text: one}]", []string{titled}, []string{`"content":"one"`}},
		"own text":                 {"{turns: [{text: one}], side: A title}", []string{title, plain}, []string{`"content":"A title"`, `"content":"one"`}},
		"schema":                   {"[{text: one}]", []string{schema}, []string{`"content":"{\"model\":\"flash\",\"why\":\"ok\"}"`}},
		"schema of a list":         {"[{text: one}]", []string{lists}, []string{`"content":"{\"all\":[\"ok\",\"ok\"]}"`}},
		"schema for own text":      {"{turns: [{text: one}], side: '\"a long title\"'}", []string{long}, []string{`"content":"\"a long title\""`}},
		"schema beyond it":         {"[{text: one}]", []string{long}, []string{"a side request wants an answer that fits a schema: write one under side:"}},
	} {
		server := httptest.NewServer(load(t, tt.script))
		for i, body := range tt.bodies {
			if _, got, err := ask(t, redirectTo{server.URL}, requestTo(t, "/chat/completions", body)); !strings.Contains(got, tt.want[i]) || err != nil {
				t.Errorf("%s: answer %d is %s, %v, want %s in it", name, i+1, got, err, tt.want[i])
			}
		}
		server.Close()
	}
}

// The log has what each request got.
func TestScript_Log(t *testing.T) {
	s := load(t, "[{text: one}, {tool_calls: [{tool: f}]}, {tool_calls: [{tool: g}]}]")
	var got []Served
	s.Log = func(line Served) {
		if line.Last != "" && !strings.HasPrefix(line.Last, "sha256:") {
			t.Errorf("digest is %q", line.Last)
		}
		line.Last = strings.Repeat("x", min(len(line.Last), 1))
		got = append(got, line)
	}
	server := httptest.NewServer(s)
	defer server.Close()
	const tools = `{"input":"a","tools":[{"name":"f"},{"name":"h"}]}`
	for _, r := range []struct{ path, body string }{
		{"/responses", tools}, {"/responses", `{"input":"a"}`}, {"/responses", tools}, {"/responses", tools}, {"/responses", tools}, {"/responses", "{"}, {"/embeddings", "{}"},
	} {
		if _, _, err := ask(t, redirectTo{server.URL}, requestTo(t, r.path, r.body)); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"f", "h"}
	if diff := cmp.Diff([]Served{
		{Method: "POST", Path: "/v1/responses", Wire: "responses", Tools: names, Last: "x", Status: 200, Turn: 1},
		{Method: "POST", Path: "/v1/responses", Wire: "responses", Last: "x", Status: 200, Side: true},
		{Method: "POST", Path: "/v1/responses", Wire: "responses", Tools: names, Last: "x", Status: 200, Turn: 2},
		{Method: "POST", Path: "/v1/responses", Wire: "responses", Tools: names, Last: "x", Status: 400, Turn: 3, Refused: `s.yaml:1: turn 3: call 1: no tool "g" is on offer, but f, h; did you mean "f"?`},
		{Method: "POST", Path: "/v1/responses", Wire: "responses", Tools: names, Last: "x", Status: 400, Refused: `script s.yaml: request 4 came, want at most 3 (no turn is left)`},
		{Method: "POST", Path: "/v1/responses", Wire: "responses", Status: 400, Refused: "the body of the request is no JSON object"},
		{Method: "POST", Path: "/v1/embeddings", Status: 404, Refused: "Not Found"},
	}, got); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}
