package transport

import (
	"github.com/openagent-ci/openagent/internal/model/wire"

	"strings"
	"testing"
)

func TestLoadScript_Refuses(t *testing.T) {
	tests := []struct{ script, want string }{
		{"", "s.yaml:1: want a list of turns, each with text, tool_calls, finish_reason, usage, fault, expect, got nothing"},
		{"# nothing", "fault, expect, got nothing"},
		{"[]", "s.yaml:1: want a list of turns, each with text, tool_calls, finish_reason, usage, fault, expect, got an empty list"},
		{"text: a", "s.yaml:1: want a list of turns"},
		{"- text: a\n- text: [", "s.yaml:3: neither YAML nor JSON: did not find expected node content"},
		{`"text"`, `s.yaml:1: want a list of turns`},
		{"- text: a\n-", "s.yaml:2: turn 2: want a mapping with text, tool_calls, finish_reason, usage, fault, expect, got nothing"},
		{"- text: a\n- txt: b", `s.yaml:2: turn 2: unknown key "txt"; accepted: text, tool_calls, finish_reason, usage, fault, expect`},
		{"- text: a\n  text: b", `s.yaml:2: turn 1: key "text" appears twice`},
		{"- text: 5", `s.yaml:1: turn 1: text: want a string, got "5"`},
		{"- text:", `s.yaml:1: turn 1: text: want a string, got nothing`},
		{"- text: [a]", `turn 1: text: want a string, got a list`},
		{"- {}", "s.yaml:1: turn 1: want text, tool_calls or fault"},
		{"- finish_reason: stop", "turn 1: want text, tool_calls or fault"},
		{"- tool_calls: []", "turn 1: tool_calls: want a list of calls, each with tool, arguments, got an empty list"},
		{"- tool_calls: {tool: x}", "turn 1: tool_calls: want a list of calls, each with tool, arguments, got a mapping"},
		{"- tool_calls: [{arguments: {}}]", "turn 1: tool_calls: call 1: tool is missing"},
		{"- tool_calls:\n  - tool: f\n    args: {}", `s.yaml:3: turn 1: tool_calls: call 1: unknown key "args"; accepted: tool, arguments`},
		{"- tool_calls: [{tool: f, arguments: [1]}]", "call 1: arguments: want a mapping, or a string to be sent as it is, got a list"},
		{"- tool_calls: [{tool: f, arguments: {a: .inf}}]", `".inf" has no JSON form`},
		{"- tool_calls: [{tool: f, arguments: {a: 1, a: 2}}]", `key "a" appears twice`},
		{"- tool_calls: [{tool: f, arguments: {a: !!binary aGk=}}]", "tag !!binary is not accepted"},
		{"- tool_calls: [{tool: f, arguments: {[a]: 1}}]", "want a plain key, got a list"},
		{"- &x {text: a}\n- *x", "turn 2: want a mapping with"},
		{"- tool_calls: [{tool: f, arguments: {a: &x 1, b: *x}}]", "want a plain value, got an alias"},
		{"- text: a\n  <<: {text: b}", `want a plain key`},
		{"- {text: a, usage: {input_tokens: -1}}", `turn 1: usage: input_tokens: want a whole number from 0 to`},
		{"- {text: a, usage: {prompt_tokens: 1}}", "accepted: input_tokens, output_tokens, total_tokens, cached_input_tokens"},
		{"- fault: {}", "turn 1: fault: want text or tool_calls beside it, or one of status, body, hang"},
		{"- fault: {delay: 1s}", "turn 1: fault: want text or tool_calls beside it, or one of status, body, hang"},
		{"- fault: {status: 100}", "turn 1: fault: status: want a whole number from 200 to 599"},
		{"- fault: {status: 429.5}", "turn 1: fault: status: want a whole number from 200 to 599"},
		{"- fault: {retry_after: 1}", "turn 1: fault: retry_after needs a status"},
		{"- fault: {status: 429, retry_after: []}", "retry_after: want seconds or an HTTP date, got an empty list"},
		{`- fault: {status: 429, retry_after: "1\r\nX: y"}`, "retry_after: want seconds or an HTTP date"},
		{"- {text: a, fault: {delay: 200}}", `delay: want a duration such as 200ms, got "200"`},
		{"- {text: a, fault: {delay: -1s}}", "delay: want a duration such as 200ms"},
		{"- {text: a, fault: {cut_after_bytes: -1}}", "cut_after_bytes: want a whole number from 0 to"},
		{"- {fault: {hang: 1}}", `hang: want true or false, got "1"`},
		{"- {text: a, fault: {status: 500}}", "fault: only cut_after_bytes and delay may stand beside a reply"},
		{"- {fault: {status: 500}, finish_reason: stop}", "fault: only cut_after_bytes and delay may stand beside a reply"},
		{"- {text: a, expect: [b]}", "turn 1: expect: want a string or a mapping of message members, got a list"},
		{"[\n\t{\"text\": \"a\"},\n\t{\"txt\": \"b\"}\n]", `s.yaml:3: turn 2: unknown key "txt"`},
		{`[{"text": "a", "text": "b"}]`, `turn 1: key "text" appears twice`},
		{`[{"text": null}]`, `turn 1: text: want a string, got nothing`},
		{`[{"fault": {"status": 429, "retry_after": 1.5}}]`, "retry_after: want seconds or an HTTP date"},
		{`[{"text": "a"}`, "s.yaml:2: neither YAML nor JSON: did not find expected ',' or ']'"},
		{"- text: a\n  expect: b: c", "mapping values are not allowed in this context; check the indentation"},
		{"- text: @b", "indent by blanks, not tabs, and quote a value"},
		{"- text: 'open", "s.yaml:1: neither YAML nor JSON: found unexpected end of stream"},
		{"- text: a\n- text: \x00", "s.yaml:2: neither YAML nor JSON: control characters are not allowed"},
		{"- text: a\n\n- text: \xff", "s.yaml:3: neither YAML nor JSON: "},
		{"\xff\xfea\x00\x00", "s.yaml:1: neither YAML nor JSON: "},
		{"- text: a\n---\n- text: b", "s.yaml:2: want one document, got 2"},
	}
	for _, tt := range tests {
		_, err := LoadScript("s.yaml", []byte(tt.script))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("LoadScript(%q) error is %v, want %q in it", tt.script, err, tt.want)
		}
	}
}

func TestLoadScript_Arguments(t *testing.T) {
	deep := `{"l":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}"
	for script, want := range map[string]string{
		"- tool_calls: [{tool: f}]":                                                                                 `{}`,
		"- tool_calls: [{tool: f, arguments: {}}]":                                                                  `{}`,
		"- tool_calls: [{tool: f, arguments: '{\"cut'}]":                                                            `{"cut`,
		"- tool_calls: [{tool: f, arguments: {z: 1, a: {b: [x, 1.5, yes, ~]}}}]":                                    `{"z":1,"a":{"b":["x",1.5,"yes",null]}}`,
		"- tool_calls: [{tool: f, arguments: {on: 2026-01-02, n: 12345678901234567}}]":                              `{"on":"2026-01-02","n":12345678901234567}`,
		"- tool_calls:\n  - tool: f\n    arguments:\n      text: |\n        a\n        <b>\n":                       `{"text":"a\n<b>\n"}`,
		"\ufeff[{\"tool_calls\": [{\"tool\": \"f\", \"arguments\": {\"e\": \"\\ud83d\\ude00\"}}]}]":                 `{"e":"😀"}`,
		"[{\"tool_calls\":\t[{\"tool\":\"f\",\"arguments\":{\"e\":\"\\ud83d\\ude00\\/\",\"n\":1e3,\"t\":false}}]}]": `{"e":"😀/","n":1e3,"t":false}`,
		`[{"tool_calls":[{"tool":"f","arguments":` + deep + "}]}]":                                                  deep,
	} {
		s, err := LoadScript("s.yaml", []byte(script))
		if err != nil {
			t.Errorf("LoadScript(%q) error is %v", script, err)
			continue
		}
		if got := s.turns[0].calls[0].Arguments; got != want {
			t.Errorf("LoadScript(%q): arguments are %s, want %s", script, got, want)
		}
	}
}

// FuzzLoadScript checks that any file is refused or becomes a script whose
// every turn answers.
func FuzzLoadScript(f *testing.F) {
	for _, seed := range []string{
		reply, "- {text: a, fault: {cut_after_bytes: 3, delay: 1ns}}", `[{"text":"\ud83d","usage":{"cached_input_tokens":1}}]`,
		"- fault: {status: 429, retry_after: 1, body: x}", "- {text: a, expect: {content: {a: [1]}}}", "- &a [*a]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := LoadScript("s", data)
		if err != nil {
			return
		}
		for i := range s.turns {
			turn := &s.turns[i]
			for _, name := range wireNames {
				over := wire.ByName(name)
				if a, err := turn.answer(i+1, inquiry{asked: wire.Request{Wire: over, Stream: len(data)%2 == 0}}); err == nil && (a.status < 200 || a.status > 599 || a.header.Get("Content-Type") == "") {
					t.Errorf("turn %d of %q at %s: status %d, headers %v", i+1, data, name, a.status, a.header)
				}
			}
			if turn.expect != nil {
				turn.expect.check(wire.ByName("chat").Parse(nil, []byte(`{"messages":[{"role":"user","content":"{\"a\":[1]}"}]}`)))
			}
		}
	})
}
