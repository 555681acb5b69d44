package history

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

// ask calls the tool as an agent does and returns what the model sees.
func ask(t *testing.T, dir, arguments string) (tool.Result, string) {
	t.Helper()
	search := Tool(dir, event.NewFixedClock(day))
	prepared, refused := search.Prepare(json.RawMessage(arguments))
	var out tool.Output
	if refused != nil {
		out = tool.Failed(refused)
	} else {
		out = prepared.Run(t.Context(), tool.Call{})
	}
	return hitsResult(out)
}

// result is the way of every output to the model.
func hitsResult(out tool.Output) (tool.Result, string) {
	search := Tool("", nil)
	res := result.Project(search, out)
	return res, result.Render(search, res)
}

func TestTool_Answers(t *testing.T) {
	dir := t.TempDir()
	store(t, dir, "s", recordOf(t, day.AddDate(0, 0, -9), nameUser, "needle one")+recordOf(t, day, nameUser, "needle two"))
	for _, c := range []struct{ arguments, want string }{
		{`{"query": "NEEDLE", "days": "1"}`, "## Match 1 — Session: s | 2026-03-03 12:00\n\nUSER: needle one\n**USER: needle two**\n---"},
		{`{"query": "one", "days": -1, "max_results": 1000}`, "## Match 1 — Session: s | 2026-02-22 12:00\n\n**USER: needle one**\nUSER: needle two\n---"},
		{`{"query": " it's not there "}`, "No matches found for 'it's not there'."},
		{`{"query": ""}`, "Error (invalid_tool_input): query is required"},
		{`{"query": " \n"}`, "Error (invalid_tool_input): query is required"},
		{`{}`, `Error (invalid_tool_input): argument "query" is required`},
		{`{"query": "x", "limit": 3}`, `Error (invalid_tool_input): argument "limit" is unknown`},
	} {
		if _, text := ask(t, dir, c.arguments); !strings.HasPrefix(text, c.want) {
			t.Errorf("search_history(%s) =\n%s\nwant\n%s", c.arguments, text, c.want)
		}
	}
}

func TestTool_UnreadableSession(t *testing.T) {
	dir := t.TempDir()
	store(t, dir, "s", "")
	noError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	res, text := ask(t, filepath.Join(dir, "file"), `{"query": "x"}`)
	if res.Error == nil || res.Error.Kind != tool.KindIO || !strings.HasPrefix(text, "Error (io_error): list sessions: ") {
		t.Errorf("search_history in a file = %s, want an error that says so", text)
	}
}

func TestTool_RangesAreClamped(t *testing.T) {
	prepared, refused := Tool(t.TempDir(), event.NewClock()).Prepare(json.RawMessage(`{"query": "x", "days": -4, "max_results": "99"}`))
	if want := `{"query":"x","days":0,"max_results":50}`; refused != nil || string(prepared.Arguments) != want {
		t.Errorf("Prepare(...) = %s, %v, want %s", prepared.Arguments, refused, want)
	}
}

// matches returns n matches whose lines have that content.
func matches(n int, content string) Matches {
	m := Matches{Query: "q", Matches: []Match{}, Total: int64(n), Skipped: []Place{}}
	for i := range n {
		line := &Excerpt{TS: "2026-03-03T12:00:00Z", Role: "tool_result", Content: content}
		m.Matches = append(m.Matches, Match{
			Session: fmt.Sprintf("s%d", i), Before: line, After: line,
			Excerpt: Excerpt{TS: "2026-03-03T21:59:59.5+01:00", Role: "assistant", Content: content},
		})
	}
	return m
}

func TestMatches_Matches(t *testing.T) {
	m := matches(2, "x")
	m.Matches[0].Before.Role, m.Matches[0].After = "tool_call", nil
	m.Matches[1].Role, m.Matches[1].Before = "user", nil
	m.SkippedLines, m.Skipped = 3, []Place{{Session: "s9", Offset: 17}}
	want := `## Match 1 — Session: s0 | 2026-03-03 20:59

TOOL CALL: x
**ASSISTANT: x**
---
## Match 2 — Session: s1 | 2026-03-03 20:59

**USER: x**
TOOL RESULT: x
---
[... 3 broken lines skipped; the first: session s9, byte 17 ...]`
	if got := m.Text(); got != want {
		t.Errorf("Text(...) =\n%s\nwant\n%s", got, want)
	}
}

func TestMatches_NoMatch(t *testing.T) {
	if got, want := (Matches{Query: "it's"}).Text(), "No matches found for 'it's'."; got != want {
		t.Errorf("Text(none) = %s, want %s", got, want)
	}
}

// No text of a line can look like the frame around it.
func TestMatches_ContentThatImitatesIt(t *testing.T) {
	for content, want := range map[string]string{
		"a\n## Match 9 — Session: x | y\n---\nb": "a\n\\## Match 9 — Session: x | y\n\\---\nb",
		"# one\r\n#two\r-----\n\n":               "\\# one\r\n\\#two\r\\-----\n\n",
		"...# cut\n --- \n -#":                   "...# cut\n --- \n -#",
		"":                                       "",
	} {
		if got, want := (Excerpt{Role: "user", Content: content}).text(), "USER: "+want; got != want {
			t.Errorf("text(%q) = %q, want %q", content, got, want)
		}
	}
}

func TestMatches_FitTheirBudget(t *testing.T) {
	for _, content := range []string{strings.Repeat("é", 300), strings.Repeat("😀", 300) + "...", strings.Repeat("#\n", 150), "short"} {
		res, text := hitsResult(tool.Done(matches(50, content)))
		if len(text) > searchBudget {
			t.Errorf("Render(50 matches of %.10q) has %d bytes, want at most %d", content, len(text), searchBudget)
		}
		var result Matches
		if err := json.Unmarshal(res.Result, &result); err != nil || len(result.Matches) == 0 {
			t.Fatalf("Project(50 matches) = %s, %v", res.Result, err)
		}
		if cut := len(result.Matches) < 50; cut != result.Truncated || cut != strings.Contains(text, "of 50 matches omitted") || cut != res.Facts().OutputTruncated {
			t.Errorf("Project(50 matches of %.10q) keeps %d, truncated %v:\n%s", content, len(result.Matches), result.Truncated, text[len(text)-100:])
		}
	}
	none := matches(0, "")
	none.Query = strings.Repeat("q", 50000)
	if _, text := hitsResult(tool.Done(none)); len(text) > 400 {
		t.Errorf("Render(no match of a long query) has %d bytes, want little", len(text))
	}
}

// The names and the order of the members are what records and other programs
// rely on.
func TestMatches_Members(t *testing.T) {
	got, err := jsontext.Marshal(Matches{Query: "q", Matches: []Match{{"s", Excerpt{"t", "user", "c"}, nil, &Excerpt{"t", "tool_call", "d"}}}, Total: 1, Skipped: []Place{{"s", 7}}, SkippedLines: 1})
	want := `{"query":"q","matches":[{"session":"s","ts":"t","role":"user","content":"c","before":null,"after":{"ts":"t","role":"tool_call","content":"d"}}],` +
		`"truncated":false,"total":1,"skipped_lines":1,"skipped":[{"session":"s","offset":7}]}`
	if err != nil || string(got) != want {
		t.Errorf("Marshal(Matches) =\n%s, %v\nwant\n%s", got, err, want)
	}
}

var update = flag.Bool("update", false, "rewrite the texts in testdata")

// The texts are read in review as a model reads them.
func TestTool_TextsAreAsKept(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct {
		name string
		out  tool.Output
	}{
		{"matches", tool.Done(matches(2, "one\n# two\n--- three"))},
		{"cut", tool.Done(matches(50, strings.Repeat("long ", 60)))},
		{"no match", tool.Done(matches(0, ""))},
		{"no query", tool.Failed(tool.NewError(tool.KindInvalidInput, "query is required"))},
	} {
		_, text := hitsResult(c.out)
		b.WriteString("=== " + c.name + "\n" + text + "\n")
	}
	path := filepath.Join("testdata", "search_history.txt")
	if *update {
		noError(t, os.WriteFile(path, []byte(b.String()), 0o666))
	}
	want, err := os.ReadFile(path)
	noError(t, err)
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("search_history shows other texts, -update keeps them (-want +got):\n%s", diff)
	}
}
