package toolcall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
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

// BenchmarkCall compares a call with decoding the same JSON into any.
func BenchmarkCall(b *testing.B) {
	o := Options{Tools: offered(), FinishReason: "stop"}
	parse := func(text string) Result { return Parse(text, o) }
	content := strings.Repeat("line of a file with \\\"quotes\\\" and\\n", 50)
	object := fmt.Sprintf(`{"tool": "write_file", "arguments": {"path": "a.go", "content": "%s", "n": [1, 2, 3], "deep": {"a": {"b": true}}}}`, content)
	for name, text := range map[string]string{
		"strict": "TOOL_CALL:\n" + object, "tolerant": "TOOL_CALL:\n" + object[:len(object)-1] + ",}",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if len(parse(text).Calls) != 1 {
					b.Fatal("no call")
				}
			}
		})
	}
	b.Run("short", func(b *testing.B) {
		for b.Loop() {
			parse("TOOL_CALL:\n" + `{"tool": "read_file", "arguments": {"path": "README.md"}}`)
		}
	})
	b.Run("shortUnmarshal", func(b *testing.B) {
		for b.Loop() {
			var v any
			_ = json.Unmarshal([]byte(`{"tool": "read_file", "arguments": {"path": "README.md"}}`), &v)
		}
	})
	b.Run("unmarshal", func(b *testing.B) {
		b.SetBytes(int64(len(object)))
		for b.Loop() {
			var v any
			if err := json.Unmarshal([]byte(object), &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// slips are calls that have to be mended, a short and a long one, by what is
// wrong with them.
func slips() map[string]string {
	const read = `{"tool": "read_file", "arguments": {"path": "README.md"}}`
	content := strings.Repeat("line of a file with \\\"quotes\\\" and\\n", 50)
	write := fmt.Sprintf(`{"tool": "write_file", "arguments": {"path": "a.go", "content": "%s", "n": [1, 2, 3], "deep": {"a": {"b": true}}}}`, content)
	members := `{"tool": "write_file", "arguments": {"path": "a.go"` + strings.Repeat(`, "key": "value"`, 100) + `}}`
	return map[string]string{
		"comma":        read[:len(read)-1] + ",}",
		"closers":      read[:len(read)-2],
		"quotes":       strings.ReplaceAll(read, `"`, "'"),
		"lost quote":   strings.Replace(read, `.md"`, `.md`, 1),
		"bare name":    strings.Replace(read, `"read_file"`, "read_file", 1),
		"no comma":     strings.Replace(read, ",", "", 1),
		"no colon":     strings.Replace(read, `"arguments":`, `"arguments"`, 1), // the repair library's
		"long comma":   write[:len(write)-1] + ",}",
		"long lines":   strings.ReplaceAll(write, `\n`, "\n"),
		"long colon":   strings.Replace(write, `"arguments":`, `"arguments"`, 1),
		"many members": members[:len(members)-1] + ",}",
	}
}

// BenchmarkMended reports the time that a call with a slip takes as a multiple
// of what encoding/json takes for the mended one: the middle of pairs.
func BenchmarkMended(b *testing.B) {
	o := Options{Tools: offered(), FinishReason: "stop"}
	for name, object := range slips() {
		text := "TOOL_CALL:\n" + object
		calls := Parse(text, o).Calls
		if len(calls) != 1 || !calls[0].Repaired {
			b.Fatalf("Parse(%.80q) = %+v, want one mended call", text, calls)
		}
		mended := fmt.Sprintf(`{"tool": %q, "arguments": %s}`, calls[0].Tool, calls[0].Arguments)
		b.Run(name, func(b *testing.B) {
			var ratios []float64
			for b.Loop() {
				start := time.Now()
				for range 50 {
					Parse(text, o)
				}
				middle := time.Now()
				for range 50 {
					var v any
					if err := json.Unmarshal([]byte(mended), &v); err != nil {
						b.Fatal(err)
					}
				}
				ratios = append(ratios, middle.Sub(start).Seconds()/time.Since(middle).Seconds())
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
		})
	}
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

// BenchmarkShapes reports, for each shape, the time at double size as a
// multiple of that at single size.
func BenchmarkShapes(b *testing.B) {
	single, double := shapes(1<<20), shapes(2<<20)
	for name := range single {
		b.Run(fmt.Sprintf("%.20q", name), func(b *testing.B) {
			var elapsed [2]time.Duration
			for b.Loop() {
				for k, text := range []string{single[name], double[name]} {
					start := time.Now()
					parse(text)
					elapsed[k] += time.Since(start)
				}
			}
			b.ReportMetric(elapsed[1].Seconds()/elapsed[0].Seconds(), "ratio")
		})
	}
}
