package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/internal/report/document"
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
	long := "the start of a long command that both of them have, and then "
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
	head.Add(&schema.Event{Data: &schema.RunStarted{Agent: &schema.Agent{Name: "openagent", Version: "v2"}, Model: schema.Some("gpt-5"), PromptSHA256: schema.Some("4f53cda1")}})
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
	"diff.txt":  func(w io.Writer, d diff.Diff) error { return document.Terminal(w, 0, false, DiffBlocks(d)...) },
	"diff.json": WriteDiffJSON,
	"diff.md": func(w io.Writer, d diff.Diff) error {
		_, err := io.WriteString(w, document.Markdown(DiffBlocks(d)...))
		return err
	},
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

// No text of a stream is acted upon by a terminal or a log, in any format.
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
	if _ = diffWriters["diff.txt"](&b, diff.Compare(ended("failed: blocked: one", "one"), ended("failed: blocked: two", "two"))); strings.Contains(b.String(), "ended") {
		t.Errorf("the diff repeats what the reason says:\n%s", &b)
	}
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

// The example in the documentation is what is printed, and each member of the JSON
// is told of.
func TestWriteDiff_Documentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/harness.md")
	if err != nil {
		t.Fatal(err)
	}
	var human, text bytes.Buffer
	if err := diffWriters["diff.txt"](&human, changedRuns()); err != nil || !strings.Contains(string(page), human.String()+"```\n") {
		t.Errorf("docs/harness.md has another example than what is printed, %v:\n%s", err, &human)
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
			t.Errorf("docs/harness.md does not name the member %s", name)
		}
	}
}
