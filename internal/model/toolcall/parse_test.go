package toolcall

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

const (
	callA = `{"tool": "read_file", "arguments": {"path": "a"}}`
	callB = `{"tool": "read_file", "arguments": {"path": "b"}}`
)

// brief returns calls as tool, arguments, source and repairs, and refusals as
// status and reason, in short.
func brief(r Result) string {
	var words []string
	for _, c := range r.Calls {
		word := c.Tool + strings.ReplaceAll(string(c.Arguments), " ", "")
		words = append(words, strings.Join(append([]string{word, c.Source}, c.Repairs...), " "))
	}
	for _, f := range r.Refused {
		words = append(words, fmt.Sprintf("%s %s", f.Status, f.Reason))
	}
	return strings.Join(words, "; ")
}

func TestParse_Dialects(t *testing.T) {
	for id, example := range dialects() {
		r := parse(example)
		if len(r.Calls) != 1 || r.Calls[0].Source != id || r.Calls[0].Repaired || strings.TrimSpace(r.Leftover) != "" {
			t.Errorf("Parse(%q) = %q, leaving %q, want one call of %s", example, brief(r), r.Leftover, id)
		}
		if other := parse(strings.ReplaceAll(example, "read_file", "lookup")); len(other.Calls) != 0 {
			t.Errorf("Parse(%q) with an unknown tool = %q, want no call", example, brief(other))
		}
	}
	const typed = `<tool_call><function=read_file><parameter=max_bytes>7</parameter><parameter=path>7</parameter></function></tool_call>`
	if got := brief(parse(typed)); got != `read_file{"max_bytes":7,"path":"7"} function_tag` {
		t.Errorf("Parse(%q) = %q, want values of the types in the schema", typed, got)
	}
}

func TestParse_MalformedObjects(t *testing.T) {
	deep := func(n int) string {
		return `{"tool": "read_file", "arguments": {"a": ` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
	}
	for text, want := range map[string]string{
		`{"tool": "read_file", "tool": "delete_file", "arguments": {}}`:      "duplicate_key",
		`{"tool": "read_file", "t\u006fol": "delete_file", "arguments": {}}`: "duplicate_key",
		`{"tool": "read_file", "arguments": {}, "arguments": {"path": "a"}}`: "duplicate_key",
		`{"tool": 5, "arguments": {}}`:                                       "name_not_string", `{"tool": null, "arguments": {}}`: "name_not_string",
		`{"tool": ["read_file"], "arguments": {}}`: "name_not_string", `{"tool": "", "arguments": {}}`: "name_not_string",
		`{"tool": "read_file", "arguments": []}`: "arguments_not_object", `{"tool": "read_file", "arguments": "a"}`: "arguments_not_object",
		`{"tool": "read_file", "arguments": true}`: "arguments_not_object", `{"tool": "read_file", "arguments": "[1]"}`: "arguments_not_object",
		`{"tool": "read_file", "path": "a"}`: "arguments_missing", `{"tool": "read_file", "arguments": null, "path": "a"}`: "arguments_missing",
		`{"tool": "lookup", "path": "a"}`: "arguments_missing", `{"tool": "read_file", "arguments": "", "path": "a"}`: "arguments_missing",
		`{"tool": read file, "arguments": {}}`: "syntax", `{"tool": "read_file", "arguments": {"path": README.md}}`: "syntax",
		`{"tool": "read_file", "arguments": {"n": 01}}`: "syntax", `{"tool": "read_file", "arguments": {"n": .5}}`: "syntax",
		`{"tool": "read_file", "arguments": {"n": +1}}`: "syntax", `{"tool": "read_file", "arguments": {"path": "a", ...}}`: "syntax",
		`{"tool": "read_file", "arguments": {"path": "a.txt"` + "\nand so on}}": "doubtful_string",
		`{"tool": "read_file", "arguments": {"path": "C:\Users\x"}}`:            "doubtful_path", deep(255): "too_deep",
	} {
		text = "TOOL_CALL:\n" + text
		r := parse(text)
		sound(t, text, r)
		if len(r.Calls) != 0 || len(r.Refused) != 1 || r.Refused[0].Reason != want || r.Refused[0].Offset != 11 || !slices.Contains(reasons(), want) {
			t.Errorf("Parse(%.200q) = %q, %+v, want one refusal: %s", text, brief(r), r.Refused, want)
		}
	}
	nested := `{"tool": "read_file", "arguments": ` + strings.Repeat(`{"a":`, 256) + "1" + strings.Repeat("}", 256) + "}"
	if r := parse("TOOL_CALL:\n" + nested); brief(r) != "malformed too_deep" {
		t.Errorf("Parse of 257 objects = %q, want it too deep", brief(r))
	}
	if r := parse(deep(254)); len(r.Calls) != 1 {
		t.Errorf("Parse of 256 levels = %q, want a call", brief(r))
	}
	for _, text := range []string{`{}`, `[]`, `{"a": 1}`, `{"arguments": {"path": "a"}}`, `{"a" 1}`, `5`} {
		if r := parse("TOOL_CALL:\n" + text); brief(r) != "" {
			t.Errorf("Parse(marker %q) = %q, want nothing", text, brief(r))
		}
	}
}

func TestParse_CountedAndBounded(t *testing.T) {
	r := parse(strings.Repeat(callA+"\n", MaxCalls+2))
	if len(r.Calls) != MaxCalls || len(r.Refused) != 2 || r.Refused[1].Reason != "too_many_calls" || strings.Count(r.Leftover, "read_file") != 2 {
		t.Errorf("%d calls, refused %+v, leaving %q; want 64, two refused and left", len(r.Calls), r.Refused, r.Leftover)
	}
	big := strings.Repeat(" ", MaxBytes) + callA
	if r := parse(big); len(r.Calls) != 0 || len(r.Refused) != 1 || r.Refused[0].Status != Malformed || r.Refused[0].Reason != "message_too_large" || r.Leftover != big {
		t.Errorf("Parse of 16 MiB and more = %q", brief(r))
	}
	if r := parse(strings.Repeat(" ", MaxBytes-len(callA)) + callA); len(r.Calls) != 1 {
		t.Errorf("Parse of 16 MiB = %q, want the call", brief(r))
	}
}

func TestParse_LeftoverAndOffsets(t *testing.T) {
	r := parse("One.\n\nTOOL_CALL:\n" + callA + "\n\nTwo [" + callB + ", {\"note\": 1}]\nTOOL_CALL:\n{\"tool\": 7}\n")
	if want := "One.\n\n\n\nTwo [, {\"note\": 1}]\nTOOL_CALL:\n{\"tool\": 7}\n"; r.Leftover != want {
		t.Errorf("leftover is %q, want %q", r.Leftover, want)
	}
	var offsets []int
	for _, c := range r.Calls {
		offsets = append(offsets, c.Offset)
	}
	if diff := cmp.Diff([]int{17, 73}, offsets); diff != "" || r.Refused[0].Offset != 148 || r.Refused[0].Text != `{"tool": 7}` {
		t.Errorf("offsets (-want +got):\n%s and refused %+v", diff, r.Refused)
	}
}

func TestParse_KeepsValuesAsTheyAre(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"n": 12345678901234567890.10}`: `{"n": 12345678901234567890.10}`,
		`{"s": "\u00e9\/\ud83d"}`:        `{"s": "\u00e9\/\ud83d"}`,
		"{\"s\": \"\xff\"}":              "{\"s\": \"\ufffd\"}",
		`{"s": "a\\nb", "a": 1, "a": 2}`: `{"s": "a\\nb", "a": 1, "a": 2}`,
	} {
		r := parse(`TOOL_CALL: {"tool": "x", "arguments": ` + arguments + `}`)
		if len(r.Calls) != 1 || string(r.Calls[0].Arguments) != want {
			t.Errorf("arguments %s come out as %+v, want %s", arguments, r.Calls, want)
		}
	}
}

func TestParse_ZeroOptions(t *testing.T) {
	r := Parse("TOOL_CALL:\n"+callA+"\n"+callB+"\nTOOL_CALL:\n"+callA[:len(callA)-1], Options{})
	if got := brief(r); got != `read_file{"path":"a"} marker; incomplete cut` {
		t.Errorf("Parse with no options = %q, want the call under the marker, and the cut one refused", got)
	}
	o := Options{Tools: []chat.ToolSpec{{Name: "lookup", Parameters: json.RawMessage(`no`)}}, FinishReason: "stop"}
	if got := brief(Parse("<tool_call><function=lookup><parameter=n>7</parameter></function></tool_call>", o)); got != `lookup{"n":"7"} function_tag` {
		t.Errorf("Parse with unreadable parameters = %q, want text", got)
	}
}
