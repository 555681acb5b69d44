package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/schema"
)

// oneRun returns a run with the calls of the given names and arguments, each with
// how it went: ok, fail or deny.
func oneRun(name, verdict, final string, ms int64, calls ...[3]string) *diff.Run {
	r := &diff.Run{Name: name, Kind: "stream", Verdict: verdict, Reason: "it ended with " + verdict}
	add := func(data any) {
		r.Add(&schema.Event{TS: "2026-01-02T03:04:05Z", RunID: "run-" + name, Step: 1, Data: data})
	}
	add(&schema.RunStarted{Agent: &schema.Agent{Name: "openagent", Version: "v1"}, Model: schema.Some("gpt-5-mini")})
	add(&schema.StepStarted{})
	for i, c := range calls {
		id := fmt.Sprint("c", i)
		add(&schema.ToolCallDetected{ToolCallID: &id, Tool: &c[0], ArgumentsPreview: schema.Some(c[1])})
		if c[2] == "deny" {
			add(&schema.ToolDecision{ToolCallID: &id, Tool: &c[0], Decision: &c[2], Reason: ptr("not in the policy")})
			continue
		}
		add(&schema.ToolExecFinished{ToolCallID: &id, Tool: &c[0], OK: ptr(c[2] == "ok")})
	}
	add(&schema.RunFinished{FinalOutput: final, DurationMS: schema.Some(ms), Usage: schema.Some(schema.Usage{TotalTokens: ptr(ms / 2)})})
	return r
}

// changedRuns returns a diff in which all changes there are stand once.
func changedRuns() diff.Diff {
	long := "the begin of a long command that both of them have, and then "
	base := oneRun("evidence/base", "success", "one\ntwo\nthree", 2000, [][3]string{
		{"list_files", `{"path":"."}`, "ok"}, {"read_file", `{"path":"a.go"}`, "ok"}, {"read_file", `{"path":"b.go"}`, "ok"},
		{"execute_command", `{"command":"` + long + `this"}`, "ok"}, {"git_status", `{}`, "ok"},
		{"write_file", `{"path":"old.go"}`, "ok"}, {"execute_command", `{"command":"go vet"}`, "ok"}, {"x", `{}`, "ok"}, {"y", `{}`, "ok"},
	}...)
	head := oneRun("evidence/head", "failure", "one\n2\nthree", 3000, [][3]string{
		{"read_file", `{"path":"a.go"}`, "ok"}, {"list_files", `{"path":"."}`, "ok"}, {"read_file", `{"path":"b.go"}`, "deny"},
		{"execute_command", `{"command":"` + long + `that"}`, "ok"}, {"delete_file", `{"path":"new.go"}`, "ok"},
		{"execute_command", `{"command":"go vet"}`, "fail"}, {"execute_command", `{"command":"go vet"}`, "fail"},
		{"y", `{}`, "ok"}, {"z", `{}`, "deny"}, {"git_status", `{}`, "ok"},
	}...)
	head.Add(&schema.Event{Data: &schema.RunStarted{Agent: &schema.Agent{Name: "openagent", Version: "v2"}, Model: schema.Some("gpt-5")}})
	head.Add(&schema.Event{Data: &schema.RunFinished{ExitReason: "blocked", Error: ptr("the same call again"), FinalOutput: "one\n2\nthree", DurationMS: schema.Some[int64](3000), Usage: schema.Some(schema.Usage{TotalTokens: ptr(int64(1500))})}})
	base.Revision, head.Revision = 1, 2
	d := diff.Compare(base, head)
	d.Head.Notes = []string{"there are too many arguments to show all of them"}
	f := diff.NewFailOn()
	if err := f.Set("verdict,tools,usage=20%"); err != nil {
		panic(err)
	}
	f.Check(&d)
	return d
}

// diffWriters are the formats that are compared with files.
var diffWriters = map[string]func(io.Writer, diff.Diff) error{
	"diff.txt":  func(w io.Writer, d diff.Diff) error { return WriteDiff(w, d, false) },
	"diff.json": WriteDiffJSON,
	"diff.md":   WriteDiffMarkdown,
	"diff.findings": func(w io.Writer, d diff.Diff) error {
		for _, f := range DiffFindings(d) {
			fmt.Fprintf(w, "%s: %s\n", f.Severity, f)
		}
		return nil
	},
}

func TestWriteDiff(t *testing.T) {
	for file, write := range diffWriters {
		var got, again bytes.Buffer
		if err := write(&got, changedRuns()); err != nil {
			t.Fatal(err)
		}
		if _ = write(&again, changedRuns()); got.String() != again.String() {
			t.Errorf("%s is another text the second time", file)
		}
		path := "testdata/" + file
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// The text for people fits a column, and no text of a stream is acted upon by
// anybody, in any format.
func TestWriteDiff_HostileTexts(t *testing.T) {
	hostile := "\x1b[31m\u202e::error::x\n##[group]|`<b>[a](http://x.test) @all 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字"
	arguments, err := json.Marshal(map[string]string{hostile: hostile})
	if err != nil {
		t.Fatal(err)
	}
	base := oneRun("base", "success", hostile, 1, [3]string{"t", `{"x":1}`, "ok"})
	head := oneRun(hostile, hostile, hostile+"!", 1, [3]string{"t", string(arguments), "ok"}, [3]string{hostile, string(arguments), "deny"}, [3]string{"write_file", `{"path":` + string(arguments[1:strings.Index(string(arguments), ":\"")]) + `}`, "ok"})
	head.Reason = hostile
	d := diff.Compare(base, head)
	for file, write := range diffWriters {
		var b bytes.Buffer
		if err := write(&b, d); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"\x1b", "\u202e", "##[", "\n::"} {
			if strings.Contains(b.String(), bad) {
				t.Errorf("%s has %q:\n%s", file, bad, &b)
			}
		}
	}
	var human, markdown strings.Builder
	_, _ = WriteDiff(&human, d, false), WriteDiffMarkdown(&markdown, d)
	for line := range strings.Lines(human.String()) {
		wide := strings.Count(line, "漢") + strings.Count(line, "字")
		if n := utf8.RuneCountInString(line) - 1 + wide; n > diffWidth {
			t.Errorf("%d cells in %q, want at most %d", n, line, diffWidth)
		}
	}
	outside := outsideCode(regexp.MustCompile("(?s)(```+)diff\n.*?\n```+\n").ReplaceAllString(markdown.String(), ""))
	if strings.Contains(outside, "http") || strings.Contains(outside, "@all") {
		t.Errorf("markup of an agent is left:\n%s", outside)
	}
}

// How the run ended in the agent's words is told in every format, also beyond what a
// reason quotes, and only where the reason does not say it.
func TestWriteDiff_Ended(t *testing.T) {
	ended := func(reason, text string) *diff.Run {
		r := &diff.Run{Name: "r", Verdict: "failure", Reason: reason}
		r.Add(&schema.Event{Data: &schema.RunFinished{ExitReason: "blocked", Error: &text}})
		return r
	}
	same := strings.Repeat("x", 3000)
	d := diff.Compare(ended("failed", same+"old end"), ended("failed", same+"new end"))
	for file, write := range diffWriters {
		var b strings.Builder
		if err := write(&b, d); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "reason") || !strings.Contains(b.String(), "xold end") || !strings.Contains(b.String(), "xnew end") {
			t.Errorf("%s does not tell how the runs ended:\n%s", file, &b)
		}
	}
	var b strings.Builder
	if _ = WriteDiff(&b, diff.Compare(ended("failed: blocked: one", "one"), ended("failed: blocked: two", "two")), false); strings.Contains(b.String(), "ended") {
		t.Errorf("WriteDiff repeats what the reason says:\n%s", &b)
	}
}

// Lines for people fit their width whatever the characters are, counted as a terminal
// does that joins none, and a difference behind many of them is seen.
func TestWriteDiff_WideTexts(t *testing.T) {
	for name, text := range map[string]string{
		"ideographs": "漢", "blanks": "a\u3000", "marks": "Z\u0301\u0302\u0303", "families": "👩\u200d👩\u200d👧\u200d👦", "flags": "🇩🇪", "variants": "❤\ufe0f",
		"commands": "##[", "Hangul": "한", "half": "ｱ", "full": "Ａ",
	} {
		long := strings.Repeat(text, 90)
		arguments, err := json.Marshal(map[string]string{"path": long})
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(arguments), `"}`, `!"}`, 1)
		base := oneRun(long, "success", long, 1, [3]string{"write_file", string(arguments), "ok"}, [3]string{long, "{}", "ok"})
		head := oneRun(long+"!", "failure", long+"!", 1, [3]string{"write_file", changed, "ok"}, [3]string{long, "{}", "deny"})
		base.Reason, head.Reason = long, long+"!"
		var b strings.Builder
		if err := WriteDiff(&b, diff.Compare(base, head), false); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := cellsApart(strings.TrimSuffix(line, "\n")); n > diffWidth {
				t.Errorf("%s: %d cells in %q, want at most %d", name, n, line, diffWidth)
			}
		}
		if n := strings.Count(b.String(), "!"); n < 3 { // name, reason, final text
			t.Errorf("%s: %d differences are seen, want those behind long texts too:\n%s", name, n, &b)
		}
	}
}

// cellsApart counts the cells of a line by its code points.
func cellsApart(line string) (n int) {
	for _, r := range line {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case r == 0x3000, r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xff01 && r <= 0xff60, r >= 0x1f300:
			n += 2
		default:
			n++
		}
	}
	return n
}

// A diff of runs that have nothing in common is bounded in every format.
func TestWriteDiff_Bounds(t *testing.T) {
	calls := make([][3]string, 5000)
	for i := range calls {
		calls[i] = [3]string{"write_file", fmt.Sprintf(`{"path":"%d","content":"%s"}`, i, strings.Repeat("x", 3000)), "ok"}
	}
	d := diff.Compare(oneRun("base", "success", "", 1), oneRun("head", "success", strings.Repeat("line\n", 800), 1, calls...))
	for file, write := range diffWriters {
		var b bytes.Buffer
		if _ = write(&b, d); b.Len() > 300<<10 {
			t.Errorf("%s has %d bytes, want a bounded text", file, b.Len())
		}
		if file != "diff.findings" && !strings.Contains(b.String(), "49") {
			t.Errorf("%s does not say how much more there is:\n%s", file, &b)
		}
	}
}

func TestWriteDiff_Colours(t *testing.T) {
	var b strings.Builder
	if err := WriteDiff(&b, changedRuns(), true); err != nil || !strings.Contains(b.String(), "\x1b[31m- 5 git_status") && !strings.Contains(b.String(), "\x1b[3") {
		t.Errorf("WriteDiff with colours = %v and\n%s\nwant colours", err, &b)
	}
}

func TestWriteDiff_NoChange(t *testing.T) {
	base := oneRun("a", "success", "x", 1)
	var b strings.Builder
	if err := WriteDiff(&b, diff.Compare(base, base), false); err != nil || !strings.HasPrefix(b.String(), "no change\n") {
		t.Errorf("WriteDiff of a run with itself = %v and\n%s\nwant that nothing changed", err, &b)
	}
}

// The example in the documentation is what is printed, and each member of the JSON
// is told of.
func TestWriteDiff_Documentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/diff.md")
	if err != nil {
		t.Fatal(err)
	}
	var human, text bytes.Buffer
	if err := WriteDiff(&human, changedRuns(), false); err != nil || !strings.Contains(string(page), human.String()+"```\n") {
		t.Errorf("docs/diff.md has another example than what is printed, %v:\n%s", err, &human)
	}
	if err := WriteDiffJSON(&text, changedRuns()); err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text.Bytes(), &members); err != nil {
		t.Fatal(err)
	}
	if len(members) < 10 {
		t.Fatalf("the JSON has the members %v, want all", members)
	}
	for name := range members {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/diff.md does not tell of the member %s", name)
		}
	}
}

// Two final texts that differ never look the same, however long their lines are and
// wherever the difference stands.
func TestWriteDiff_FinalTextsLookDifferent(t *testing.T) {
	long := strings.Repeat("long ", 300)
	for _, tt := range []struct{ base, head, want string }{
		{"a", "a ", "  - \"a\"\n  + \"a \"\n"},
		{"x\na\t\ny", "x\na\ny", "  - \"a\\t\"\n  + \"a\"\n"},
		{long + "a", long + "b", "  - …g long long a\n  + …g long long b\n"},
		{"1\n" + long + "a", "2\n" + long + "b", "  - 1\n  - …g long long a\n  + 2\n  + …g long long b\n"},
		{"a\nb", "a\n\nb", "  + (an empty line)\n"},
		{long + "漢", long + "字", "  - …g long long 漢\n  + …g long long 字\n"},
	} {
		var b strings.Builder
		d := diff.Compare(oneRun("base", "success", tt.base, 1), oneRun("head", "success", tt.head, 1))
		if err := WriteDiff(&b, d, false); err != nil || !strings.HasSuffix(b.String(), " bytes\n"+tt.want) {
			t.Errorf("WriteDiff = %v of\n%s\nwant at the end\n%s", err, b.String(), tt.want)
		}
	}
}
