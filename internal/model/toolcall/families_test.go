package toolcall

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// written is an example of a row with another tool or value. Where JSON or Python holds
// the value, it is escaped.
func written(f *family, example, tool, value string) string {
	if strings.Contains(example, `"README.md"`) || strings.Contains(example, `'README.md'`) {
		value = string(textJSON(value))
		example = strings.NewReplacer(`"README.md"`, "README.md", `'README.md'`, "README.md").Replace(example)
	}
	return strings.NewReplacer("read_file", tool, "README.md", value).Replace(example)
}

// onlyWhole reports a call of text that is neither read_file with the path README.md
// nor has an argument that is accepted, and returns how many there are.
func onlyWhole(t *testing.T, text, finish string, accepted func(argument string) bool) int {
	t.Helper()
	r := Parse(text, Options{Tools: offered(), FinishReason: finish})
	sound(t, text, r)
	for _, c := range r.Calls {
		var arguments map[string]string
		err := json.Unmarshal(c.Arguments, &arguments)
		for key, value := range arguments {
			if key+value == "pathREADME.md" || accepted(key+value) {
				delete(arguments, key)
			}
		}
		if err != nil || len(arguments) > 0 {
			t.Errorf("Parse(%q, %s) = %q, want nothing or whole calls", text, finish, brief(r))
		}
	}
	return len(r.Calls)
}

func none(string) bool { return false }

// TestFamilies reads the examples of every row, cut after each byte, doubled, and where
// nothing in them is a call. No call is made that was not whole.
func TestFamilies(t *testing.T) {
	for _, f := range families() {
		if len(f.examples) != 2 {
			t.Errorf("row %s has %d examples, want 2", f.source, len(f.examples))
		}
		for _, example := range f.examples {
			r := parse(example)
			if len(r.Calls) != 1 || r.Calls[0].Source != f.source || r.Calls[0].Repaired || len(r.Refused) > 0 || strings.ContainsAny(r.Leftover, "<>[{") {
				t.Errorf("Parse(%q) = %q and %q, want one call by %s", example, brief(r), r.Leftover, f.source)
			}
			for i := range len(example) {
				for _, finish := range []string{"stop", "length"} {
					onlyWhole(t, example[:i], finish, none)
					onlyWhole(t, example[i:], finish, none)
				}
			}
			two := strings.Replace(example, `"path": "README.md"`, `"path": "a", "recursive": true`, 1)
			for i := range len(two) {
				if calls := got(t, parse(two[:i])); two != example && len(calls) > 0 && !slices.Equal(calls, got(t, parse(two))) {
					t.Errorf("Parse(%q) = %q, want nothing or both arguments", two[:i], calls)
				}
			}
			const fence = "```"
			for text, want := range map[string]int{
				example + "\n" + example: 2, "I look.\n\n" + example + "\nThen more.": 1, fence + "\n" + example + "\n" + fence: 1,
				"<think>" + example + "</think>\nDone.": 0, "<think>" + example: 0, "[THINK]" + example + "[/THINK]Done.": 0, written(f, example, "lookup", "README.md"): 0,
				written(f, example, "lookup", `{"tool": "read_file", "arguments": {"path": "a"}}`): 0,
			} {
				if got := onlyWhole(t, text, "stop", none); got != want {
					t.Errorf("Parse(%q) has %d calls, want %d", text, got, want)
				}
			}
		}
	}
}

// TestFamilies_Values has values of every kind: a call has the whole value, or none is
// made.
func TestFamilies_Values(t *testing.T) {
	values := []string{"a\nb", `say "hi"`, `\d+`, "it's", "</", "<", "}}", `"}}`, ")]", "a=b, c", "</think>", "<think>", "\\", "日本", "${A}", "[x]", "a: b"}
	for _, other := range families() {
		values = append(values, other.examples[0], other.end, other.end+"x", other.end+other.examples[0], other.call, other.open, other.open+"x"+other.closer)
		closer := strings.ReplaceAll(other.closer, "KEY", "path")
		values = append(values, "x"+closer, "x"+closer+other.end, "x"+closer+other.end+" y", "x"+closer+"\n"+other.end+"\n"+other.examples[0])
	}
	for _, f := range families() {
		read := 0
		for _, value := range values {
			for _, example := range f.examples {
				text := written(f, example, "read_file", value)
				for _, finish := range []string{"stop", "length"} {
					read += onlyWhole(t, text, finish, func(argument string) bool { return argument == "path"+value })
				}
			}
		}
		if read < len(values)*2 {
			t.Errorf("row %s has %d of %d values in calls", f.source, read, len(values)*4)
		}
	}
}

// TestFamilies_Interleaved has an example of one row at each place in one of another:
// what is called is whole, or has the whole other example in its value.
func TestFamilies_Interleaved(t *testing.T) {
	for _, f := range families() {
		for _, other := range families() {
			outer, inner := f.examples[0], other.examples[0]
			for i := range len(outer) {
				onlyWhole(t, outer[:i]+inner+outer[i:], "stop", func(argument string) bool { return strings.Contains(argument, inner[:len(inner)-1]) })
				onlyWhole(t, outer[:i]+inner, "stop", none)
			}
		}
	}
}

// TestFamilies_Linear reads many beginnings of calls, and of their arguments.
func TestFamilies_Linear(t *testing.T) {
	var units []string
	for _, f := range families() {
		call := strings.NewReplacer("NAME", "read_file", "…", "").Replace(f.call)
		open, closer := strings.ReplaceAll(f.open, "KEY", "path"), strings.ReplaceAll(f.closer, "KEY", "path")
		units = append(units, call, call+"{", call+open, call+open+"a"+closer, open, closer, open+"a"+closer, f.end, call+"{}")
	}
	slices.Sort(units)
	for _, unit := range slices.Compact(units) {
		if unit != "" {
			checkLinear(t, unit, func(text string) { Parse(text, Options{Tools: offered(), FinishReason: "length"}) })
		}
	}
}

// checkLinear fails if reading four times as many of a unit takes more than twelve times as
// long, in each of five tries.
func checkLinear(t *testing.T, unit string, read func(string)) {
	t.Helper()
	timed := func(size int) time.Duration {
		text, start := strings.Repeat(unit, size/len(unit)), time.Now()
		read(text)
		return time.Since(start)
	}
	for range 5 {
		if timed(1<<17) < 12*timed(1<<15)+100*time.Millisecond {
			return
		}
	}
	t.Errorf("four times as many of %q take more than twelve times as long", unit)
}
