package toolcall

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// breakage returns one of many broken pieces of JSON, tags and code: a piece
// with up to three bytes removed, added or doubled.
func breakage(random *rand.Rand) string {
	pieces := []string{
		`{"a": {"b": 1} "c" and then`, `{"note": "say "hi"", "n": 1}`, `{"a": [1, 2, {"b": "c"}], "d": {"e": null}}`, `{a: 'b', c: [1, 2]}`,
		`{"tool": "lookup", "arguments": {"q": "x"}}`, `{"tool": "read_file", "arguments": {"path": "b"}}`, `TOOL_CALL: {"note": {"x": "y"}}`,
		`[{"a": 1}, {"b": "two"}]`, `{"arguments": {"path": "a"}, "n": `, `<tool_call>{"name": "lookup", "arguments": {}}</tool_call>`,
		`<tool_call><function=lookup><parameter=q>x</parameter></function></tool_call>`, `<tool_call><tool_name>read_file</tool_name><arguments>{}</arguments></tool_call>`,
		"func main() { fmt.Println(\"a: b\", []int{1: 2}) }", "{\"text\": \"line\nline\", \"ok\": True}", "```json\n{\"a\": \"b\"}\n```", `[TOOL_CALLS] [{"name": "lookup", "arguments": {}}]`,
	}
	piece := []byte(pieces[random.IntN(len(pieces))])
	const odd = `"'{}[]<>:,\` + "`/*#\n "
	for range random.IntN(4) {
		at := random.IntN(max(1, len(piece)))
		if at == len(piece) {
			break
		}
		switch random.IntN(4) {
		case 0:
			piece = slices.Delete(piece, at, at+1)
		case 1:
			piece = slices.Insert(piece, at, odd[random.IntN(len(odd))])
		case 2:
			piece[at] = odd[random.IntN(len(odd))]
		case 3:
			piece = piece[:at+1]
		}
	}
	return string(piece)
}

// TestParse_NoCallIsLost puts a correct call behind a broken piece and prose:
// the call is found, or the model is told that one was not made.
func TestParse_NoCallIsLost(t *testing.T) {
	const object = `{"tool": "list_files", "arguments": {"path": "wanted"}}`
	calls := []string{
		"TOOL_CALL:\n" + object, "**TOOL_CALL:**\n```json\n" + object + "\n```", object, "```json\n" + object + "\n```", "[" + object + "]",
		`{"arguments": {"path": "wanted"}, "tool": "list_files"}`, `<tool_call>{"name": "list_files", "arguments": {"path": "wanted"}}</tool_call>`,
		"<tool_call>\n<tool_name>list_files</tool_name>\n<arguments>\n{\"path\": \"wanted\"}\n</arguments>\n</tool_call>",
		"<tool_call><function=list_files><parameter=path>wanted</parameter></function></tool_call>",
		`[TOOL_CALLS] [{"name": "list_files", "arguments": {"path": "wanted"}}]`,
		`<|tool_call_begin|>functions.list_files:0<|tool_call_argument_begin|>{"path": "wanted"}<|tool_call_end|>`,
	}
	prose := []string{" and then", "\n\nNow I look at the files.\n\n", "\nNext:\n", ", which isn't \"right\".\n\n", " so.\n", "\n\nIt's here:\n"}
	const seed, texts = 13, 10_000
	random := rand.New(rand.NewPCG(seed, seed))
	found, lost := 0, 0
	for range texts {
		text := breakage(random) + prose[random.IntN(len(prose))] + "\n" + calls[random.IntN(len(calls))]
		r := parse(text)
		switch {
		case slices.Contains(got(t, r), `list_files {"path":"wanted"}`):
			found++
		case len(r.Refused) == 0:
			lost++
			if lost < 10 {
				t.Errorf("Parse(%q) = %s: the call is neither found nor refused", text, strings.Join(got(t, r), "; "))
			}
		}
	}
	if lost > 0 || found < texts/2 {
		t.Errorf("seed %d: of %d calls %d were lost and %d found", seed, texts, lost, found)
	}
	t.Logf("of %d calls %d were found, the others refused", texts, found)
}
