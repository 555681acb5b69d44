package toolcall

import (
	"bytes"
	"strings"
	"testing"
)

// prose is text as models write it, without any call.
func prose(size int) string {
	const paragraph = "The parser reads the file once, and then it looks for what has changed since the last run. " +
		"Nothing was written yet; the next step is to run the tests, as the task says.\n\n"
	return strings.Repeat(paragraph, size/len(paragraph)+1)[:size]
}

// BenchmarkProse compares with counting one byte, about the least that looking
// at a text can cost.
func BenchmarkProse(b *testing.B) {
	o := Options{Tools: offered(), FinishReason: "stop"}
	parse := func(text string) Result { return Parse(text, o) }
	text := prose(10 << 20)
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			parse(text)
		}
	})
	b.Run("code", func(b *testing.B) {
		code := strings.Repeat("func (s *scanner) next(i int) []int {\n\treturn s.read_all[i] // see <https://example.com>\n}\n", 100_000)
		b.SetBytes(int64(len(code)))
		for b.Loop() {
			parse(code)
		}
	})
	b.Run("calls", func(b *testing.B) {
		read := "TOOL_CALL:\n" + `{"tool": "read_file", "arguments": {"path": "README.md"}}` + "\n\n"
		calls := strings.Repeat(prose(len(text)/60)+read, 60)
		b.SetBytes(int64(len(calls)))
		for b.Loop() {
			if n := len(parse(calls).Calls); n != 60 {
				b.Fatalf("%d calls, want 60", n)
			}
		}
	})
	b.Run("count", func(b *testing.B) {
		raw := []byte(text)
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			bytes.Count(raw, []byte{'{'})
		}
	})
}

// shapes are texts that a careless scanner reads again and again.
func shapes(n int) map[string]string {
	all := map[string]string{}
	for _, unit := range []string{
		"[", "{", `{"`, `"`, "TOOL_CALL:\n", "TOOL_CALL: ", "<tool_call>", `\`, "<tool_call><tool_name>", "<tool_call>{", "<tool_call>{\"name\": ",
		`{"a":`, `[{"a":`, "{a:'}", "{a:/*}", "{a:#}", "{a:“", `{"a": "b" `, "[{", "[1,", "<think>", "</think>", "<tool_call><function=read_file><parameter=path>",
		"TOOL_CALL:\n{", "TOOL_CALL:\n{\"tool\": \"read_file\", \"arguments\": {\"path\": \"a\"\n\n", "TOOL_CALL:\n{\"tool\": \"read_file\", \"arguments\": {\"path\": a}}\n",
		"{\"tool\": \"read_file\", \"arguments\": {\"path\": \"a\"]}\n", "TOOL_CALL: [a ", "```\n", "{\n", "{ ", "_", "[TOOL_CALLS] ", "<|tool_call_begin|>", "{'", "{`", "\"{\"", "{//", "{a:b}", "{\"a\": x}", "}\"",
		"<tool_call><tool_name><![CDATA[", "<tool_call><tool_name>read_file</tool_name><arguments>{\"path\": a}\n", "{\"tool\": \"read_file\", \"arguments\": {}}",
		"<tool_call><tool_name>a</tool_name><arguments>&", "TOOL_CALL:\n{\"tool\": \"x\", \"arguments\": {\"a\": \"b, \"c\": \"", "\n#", "\n*_*_", "{a:\"b\" #}", "{a:\"b\" /*}", "{a:\"b\"#}\n", "<tool_call><tool_name></tool_name></tool_call>", "TOOL_CALL:\n<tool_call><tool_name></tool_name>",
		"<tool_call><function=read_file><parameter=path></tool_call>", "<tool_call><function=read_file></tool_call>", "<tool_call><read_file>{a</tool_call>", "<tool_call><tool_name>x<arguments>[</tool_call>",
		"<function=read_file>", "</parameter>", "<parameter=a>" + callA, "<tool_call><function=read_file><parameter=a>b</parameter></function></tool_call>\n</parameter>", "</p", "<a=b>",
		"{a:\"b\" x}", "{\"a\": \"b\n", "{a:'b\n", "{a:1\n\nx", "{a:'b'\n\nx", "[{}", "[\"a\",", "{\"tool\": \"read_f", "{\"a\":{},\"b\":", "TOOL_CALL: x\n", "<think", "<|", "{“a", "<tool_call>{\"tool\":\"read_file\"}",
	} {
		all[unit] = strings.Repeat(unit, n/len(unit)+1)[:n]
	}
	head := `TOOL_CALL:` + "\n" + `{"tool": "write_file", "arguments": {"path": "a", "content": "`
	all["one content"] = head + strings.Repeat("text\\n", n/6) + `"}}`
	all["one content, mended"] = head + strings.Repeat("text\n", n/6) + `",}}`
	all["one content, open"] = head + strings.Repeat("text\n", n/6)
	all["many commas"] = "TOOL_CALL:\n{\"tool\": \"x\", \"arguments\": {\"a\": [" + strings.Repeat("1,", n/2) + "]}}"
	return all
}
