package mcp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openagent-ci/openagent/internal/text/hint"
)

// vars are the variables of tests: TOKEN is passed on and set, EMPTY only passed on.
func vars() Variables {
	return NewVariables([]string{"TOKEN=sk-test-0123456789", "OTHER=1", "LINES=a\nb"}, []string{"TOKEN", "EMPTY", "LINES"})
}

func TestRead_WhatOtherClientsHave(t *testing.T) {
	got, err := Read("mcp.json", []byte(`{"$schema": "x", "mcpServers": {
		"Local notes": {"type": "stdio", "command": "notes", "args": ["-v", "${HOME}"], "env": {"API_TOKEN": "abc", "KIND": "$5", "A": "x${TOKEN}"}, "cwd": "sub"},
		"web": {"url": "https://h.test/mcp?k=${TOKEN}", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Feature": "on"}, "optional": true}}}`), vars())
	if err != nil {
		t.Fatal(err)
	}
	const token = "sk-test-0123456789"
	want := Config{[]Server{
		{
			Name: "Local_notes", Command: "notes", Args: []string{"-v", "${HOME}"}, Dir: "sub",
			Env:     []Setting{{"API_TOKEN", "abc", []string{"abc"}, "abc"}, {"KIND", "$5", nil, "$5"}, {"A", "x" + token, []string{token, "x" + token}, "x${TOKEN}"}},
			secrets: []string{"abc", token, "x" + token},
		},
		{
			Name: "web", URL: "https://h.test/mcp?k=" + token, address: "https://h.test/mcp?k=${TOKEN}", Optional: true,
			Headers: []Setting{{"Authorization", "Bearer " + token, []string{token, "Bearer " + token}, "Bearer ${TOKEN}"}, {"X-Feature", "on", nil, "on"}},
			secrets: []string{token, token, "Bearer " + token},
		},
	}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Server{}, Setting{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("Read(...) (-want +got):\n%s", diff)
	}
	if secrets := strings.Join(got.Secrets(), ","); strings.Count(secrets, token) < 3 || !strings.Contains(secrets, "abc") {
		t.Errorf("Secrets() = %s, want the variable, the header and what follows its scheme", secrets)
	}
}

// A secret counts by its name: another token is the same configuration.
func TestFingerprint_SecretsCountByName(t *testing.T) {
	print := func(text string, token string) any {
		c, err := Read("m", []byte(text), NewVariables([]string{"TOKEN=" + token}, []string{"TOKEN"}))
		if err != nil {
			t.Fatal(err)
		}
		return c.Fingerprint()
	}
	const one = `{"mcpServers":{"a":{"url":"https://h.test/?k=${TOKEN}","headers":{"X-Key":"1","X-Mode":"a"}}}}`
	base := print(one, "first")
	if diff := cmp.Diff(base, print(strings.Replace(one, `"1"`, `"2"`, 1), "second")); diff != "" {
		t.Errorf("other secrets change the fingerprint:\n%s", diff)
	}
	for _, other := range []string{strings.Replace(one, `"a","`, `"b"`, 1), strings.Replace(one, `"X-Mode":"a"`, `"X-Mode":"b"`, 1), strings.Replace(one, `"a":{`, `"b":{`, 1)} {
		if other != one && cmp.Equal(base, print(other, "first")) {
			t.Errorf("the fingerprint of %s is that of %s, want another", other, one)
		}
	}
}

func TestRead_Refused(t *testing.T) {
	server := func(members string) string { return `{"mcpServers":{"a":{` + members + `}}}` }
	for _, test := range []struct{ text, want string }{
		{"", "m:1: want a mapping with mcpServers, $schema, got nothing"},
		{"a: b: c", "m:1: neither YAML nor JSON"},
		{"{\"a\":\"\xff\"}", "neither YAML nor JSON"},
		{`[]`, "want a mapping with mcpServers, $schema, got an empty list"},
		{`{}`, `there is no "mcpServers"`},
		{`{"mcpservers":{}}`, `unknown key "mcpservers"; accepted: mcpServers, $schema; did you mean "mcpServers"?`},
		{`{"mcpServers":[]}`, `mcpServers: want servers by their names, got an empty list`},
		{`{"mcpServers":{"a":1}}`, "mcpServers: server a: want a mapping with command, args,"},
		{`{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}`, `key "a" appears twice`},
		{`{"mcpServers":{"a b":{"command":"x"},"a_b":{"command":"y"}}}`, "two servers are called a_b"},
		{`{"mcpServers":{"a":{"command":"x"},"a__b":{"command":"y"}}}`, "could not be told apart"},
		{`{"mcpServers":{"a_":{"command":"x"},"a":{"command":"y"}}}`, "could not be told apart"},
		{`{"mcpServers":{"":{"command":"x"}}}`, "the name of a server has 1 to 40 characters"},
		{`{"mcpServers":{"a\u0007":{"command":"x"}}}`, "control character"},
		{`{"mcpServers":{"` + strings.Repeat("n", 41) + `":{"command":"x"}}}`, "1 to 40 characters"},
		{server(``), "server a: it has neither command nor url"},
		{server(`"command":"x","url":"https://h.test"`), "it has both command and url"},
		{server(`"comand":"x"`), `unknown key "comand"; accepted: command, args, env, cwd, url, headers, type, optional; did you mean "command"?`},
		{server(`"command":"x","disabled":true`), `unknown key "disabled"`},
		{server(`"command":""`), "command is empty"},
		{server(`"command":["x"]`), "command: want a string, got a list"},
		{server(`"command":"x\u0000"`), "has a control character"},
		{server(`"command":"x","args":"y"`), "args: want a list of strings, got \"y\""},
		{server(`"command":"x","args":[1]`), "args: want a string, got \"1\""},
		{server(`"command":"x","env":{"A=B":"1"}`), `env: "A=B": it is not the name of a variable`},
		{server(`"command":"x","env":{"A":1}`), `env: "A": want a string, got "1"`},
		{server(`"command":"x","env":{"A":"${OTHER}"}`), "${OTHER} is not passed on"},
		{server(`"command":"x","env":{"A":"${EMPTY}"}`), "${EMPTY} is not set"},
		{server(`"command":"x","env":{"A":"${LINES}"}`), "${LINES} has a control character"},
		{server(`"command":"x","env":{"A":"${TOKEN"}`), "behind ${ comes no name of a variable"},
		{server(`"command":"x","env":{"A":"${TOKEN:-y}"}`), "behind ${ comes no name of a variable"},
		{server(`"command":"x","headers":{}`), "headers are for a server with url"},
		{server(`"command":"x","optional":"yes"`), `optional: want true or false, got "yes"`},
		{server(`"command":"x","type":"http"`), `type is "http", want stdio`},
		{server(`"url":"https://h.test","type":"stdio"`), `type is "stdio", want http`},
		{server(`"url":"https://h.test","type":"sse"`), "type sse is not supported"},
		{server(`"url":"https://h.test","args":[]`), "args, env and cwd are for a server with command"},
		{server(`"url":"ftp://h.test"`), "url is no address"},
		{server(`"url":"h.test/mcp"`), "url is no address"},
		{server(`"url":"https://u:p@h.test"`), "url holds a user"},
		{server(`"url":"https://h.test","headers":{"X y":"1"}`), "no header that can be set"},
		{server(`"url":"https://h.test","headers":{"Mcp-Session-Id":"1"}`), "no header that can be set"},
		{server(`"url":"https://h.test","headers":{"Content-Type":"1"}`), "no header that can be set"},
		{server(`"url":"https://h.test","headers":{"X-A":"1","x-a":"2"}`), "stands twice in other letters"},
		{server(`"url":"https://h.test","headers":{"X-A":"1\n2"}`), "more than one line"},
	} {
		_, err := Read("m", []byte(test.text), vars())
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "m:") {
			t.Errorf("Read(%.200q) = %v, want an error with %q", test.text, err, test.want)
		}
	}
	_, err := Read("m", []byte(server(`"command":"x","env":{"A":"${OTHER}"}`)), vars())
	if got, want := hint.Of(err), "name it by --pass-env OTHER"; got != want {
		t.Errorf("hint of a variable that is not passed on = %q, want %q", got, want)
	}
}

// An error quotes nothing of a file that may be another than was meant.
func TestRead_ErrorsShowNoSecret(t *testing.T) {
	for _, text := range []string{`sk-test-0123456789`, `{"sk-test-0123456789":1}`, `{"mcpServers":{"a":{"sk-test-0123456789":1}}}`} {
		if _, err := Read("m", []byte(text), vars()); err == nil || strings.Contains(err.Error(), "0123456789") {
			t.Errorf("Read(%q) = %v, want an error without what may be a secret", text, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"mcpServers":{"a":{"command":"x","args":["y"],"env":{"A":"${TOKEN}"}}}}`)
	f.Add(`{"mcpServers":{"a":{"url":"https://h.test","headers":{"A":"${TOKEN}"},"optional":true}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Read("m", []byte(text), vars())
		if err != nil {
			return
		}
		for _, s := range c.Servers {
			if (s.Command == "") == (s.URL == "") || s.Name == "" || strings.Trim(s.Name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
				t.Errorf("Read(%q) = %+v, want a server with a clean name, and a command or an address", text, s)
			}
		}
	})
}

func TestToolName(t *testing.T) {
	long := strings.Repeat("x", 60)
	for _, test := range []struct{ server, remote, want string }{
		{"a", "b", "mcp__a__b"},
		{"a", "b.c/ü d", "mcp__a__b_c___d"},
		{"a", "x\x1b[31m\n", "mcp__a__x__31m_"},
		{"a", long[:56], "mcp__a__" + long[:56]},
		{"a", long, "mcp__a__" + long[:47] + "_ebc0ea76"},
		{"a", long + ".", "mcp__a__" + long[:47] + "_bafb6b63"},
	} {
		got := toolName(test.server, test.remote)
		if len(got) > 64 || got != test.want {
			t.Errorf("toolName(%q, %q) = %q, want %q", test.server, test.remote, got, test.want)
		}
	}
}
