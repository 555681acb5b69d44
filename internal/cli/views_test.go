package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/report/live"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// madeStream are events that no saved stream has.
type madeStream struct {
	text  []byte
	n     int64
	step  int64
	calls int64
}

func (m *madeStream) add(typ schema.Type, data any) {
	m.n++
	line, err := schema.Encode(schema.Event{SchemaVersion: schema.Version, Sequence: m.n, TS: "2026-03-03T20:11:12.000Z", RunID: "r", Step: m.step, Type: typ, Data: data})
	if err != nil {
		panic(err) // it is made of what can be encoded
	}
	m.text = append(m.text, line...)
}

// call adds a call that ends ok or not, by a sub-agent where it has a parent.
func (m *madeStream) call(command, said, output, parent string, ok bool) string {
	m.calls++
	id, tool, exit := fmt.Sprint("call_", m.calls), "execute_command", int64(0)
	if !ok {
		exit = 3
	}
	d := &schema.ToolCallDetected{ToolCallID: &id, Tool: &tool, ArgumentsPreview: schema.Some(fmt.Sprintf(`{"command":%q}`, command)), TextPreview: schema.Some(said)}
	if parent != "" {
		d.ParentCallID = schema.Some(parent)
	}
	m.add(schema.TypeToolCallDetected, d)
	m.add(schema.TypeToolDecision, &schema.ToolDecision{ToolCallID: &id, Tool: &tool, Decision: new("allow")})
	m.add(schema.TypeToolExecStarted, &schema.ToolExecStarted{ToolCallID: &id, Tool: &tool})
	m.add(schema.TypeToolExecFinished, &schema.ToolExecFinished{ToolCallID: &id, Tool: &tool, OK: &ok, ContentPreview: &output, ExitStatus: schema.Some(exit)})
	return id
}

// made returns a stream: do adds its calls.
func made(ok bool, answer string, do func(m *madeStream, turn func())) string {
	m := &madeStream{}
	m.add(schema.TypeRunStarted, &schema.RunStarted{Model: schema.Some("m")})
	do(m, func() { m.step++; m.add(schema.TypeStepStarted, &schema.StepStarted{}) })
	end := &schema.RunFinished{ExitReason: "ok", OK: ok, FinalOutput: answer, ToolCalls: schema.Some(m.calls)}
	if !ok {
		end.ExitReason, end.Error = "agent_error", new("it gave up")
	}
	m.add(schema.TypeRunFinished, end)
	return string(m.text)
}

// hostileText tries to be more than text in a terminal, a job, Markdown and HTML.
const hostileText = "</pre></details><script>alert(1)</script>\x1b[31m ::error::x @everyone [a](javascript:x) ![i](//h/x) `````` \u202e#1"

// twelveRuns are streams of the built-in agent and of six others, by name.
func twelveRuns(t *testing.T) map[string]string {
	t.Helper()
	runs := map[string]string{
		"sub-agent": made(true, "The helper was right.", func(m *madeStream, turn func()) {
			turn()
			helper := m.call("ask-helper", "I ask a helper.", "done", "", true)
			m.call("helper-looks", "Let me look.", "no such thing", m.call("helper-tries", "I try.", "fine", helper, true), false)
			turn()
			m.call("last-check", "Now I check.", "checked", "", true)
		}),
		"5,000 events": made(false, "That took long.", func(m *madeStream, turn func()) {
			for i := range 1000 {
				turn()
				m.call(fmt.Sprintf("step-%04d", i), fmt.Sprintf("Saying %04d.", i), fmt.Sprintf("%s\nend of %04d", strings.Repeat("some line of output\n", 150), i), "", i%9 > 0)
			}
		}),
		"hostile": made(false, hostileText+" answer", func(m *madeStream, turn func()) {
			turn()
			m.call("ok "+hostileText, hostileText, hostileText, "", true)
			m.call("bad "+hostileText, hostileText, "first\n"+hostileText+" output", "", false)
		}),
	}
	for _, name := range []string{"exit_blocked_failing_tool", "tool_write_file_denied", "provider_retry_after"} {
		archive, err := txtar.ParseFile(filepath.Join("..", "..", "golden", "runs", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name == "want.jsonl" {
				runs["ours: "+name] = string(f.Data)
			}
		}
	}
	for agent, name := range map[string]string{
		"claude": "parallel-2.1.332", "codex": "tool-exit3", "copilot": "deny-tool-shell", "gemini": "tool-error", "opencode": "permission-deny", "qwen": "tool-exit3",
	} {
		text, err := os.ReadFile(filepath.Join("..", "adapter", "testdata", agent, name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		runs[agent+": "+name] = call(t, string(text), "convert", "--from", agent, "-").out
	}
	return runs
}

// wanted is what each view must show of a run: how often each title of a call, and each
// last line of the output of one that failed.
type wanted struct {
	headline, answer string
	end              string // the headline as far as the stream alone says it
	titles, excerpts map[string]int
	bad              map[string]int // titles of calls that failed or were denied
}

func wantedOf(t *testing.T, dir string) wanted {
	t.Helper()
	saved, err := evidence.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Close()
	run := transcript.New(64 << 20)
	if _, err := saved.Scan(t.Context(), runner.Lines(run.Line)); err != nil {
		t.Fatal(err)
	}
	run.Close()
	w := wanted{end: run.Headline(), headline: report.SavedView(saved.Manifest, run, false, nil).Headline(), titles: map[string]int{}, excerpts: map[string]int{}, bad: map[string]int{}}
	w.answer, _, _ = strings.Cut(strings.Join(term.Clean(run.Answer()), "\n"), "\n")
	for _, turn := range run.Turns {
		for c := range turn.All() {
			w.titles[c.Title]++
			if c.Bad() {
				w.bad[c.Title]++
			}
			if lines := c.Excerpt(); len(lines) > 0 {
				w.excerpts[lines[len(lines)-1]]++
			}
		}
	}
	return w
}

// linesAre counts the lines of a text, without what stands before a text in a view.
func linesAre(text string) map[string]int {
	counts := map[string]int{}
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.TrimRight(line, "\r\n"), " ")
		counts[line]++
		if rest, excerpt := strings.CutPrefix(line, "| "); excerpt {
			counts[rest]++
		}
	}
	return counts
}

// Each view of each of twelve runs has the headline, the answer, each title of a call and
// the end of each failure's output, once.
func TestViews_TwelveRuns(t *testing.T) {
	job := t.TempDir()
	code := regexp.MustCompile(`(?s)<code>.*</code>`)
	annotation := regexp.MustCompile(`(?m)^::(error|warning|notice) .*\n`)
	for name, stream := range twelveRuns(t) {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "evidence")
			file := filepath.Join(t.TempDir(), "stream.jsonl")
			if err := os.WriteFile(file, []byte(stream), 0o600); err != nil {
				t.Fatal(err)
			}
			log := call(t, "", "ci", "--events-file", file, "--out", dir)
			want := wantedOf(t, dir)
			many := len(want.titles) > 500
			for _, variable := range []string{"GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"} {
				if err := os.WriteFile(filepath.Join(job, variable), nil, 0o600); err != nil {
					t.Fatal(err)
				}
				t.Setenv(variable, filepath.Join(job, variable))
			}
			t.Setenv("GITHUB_ACTIONS", "true")
			inJob := call(t, "", "ci", "--events-file", file, "--out", dir+"2")
			inJob.out = annotation.ReplaceAllString(inJob.out, "")
			t.Setenv("GITHUB_ACTIONS", "")
			read := func(file string) string {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			count := func(view, what string, got, want int) {
				if got != want {
					t.Errorf("%s has %s %d times, want %d", view, what, got, want)
				}
			}
			var tui strings.Builder // the answer follows it on stdout
			l := live.NewLive(&tui, term.Screen{}, false)
			if _, err := runner.Scan(t.Context(), strings.NewReader(stream), runner.Config{Handler: runner.Lines(func(line runner.Line) { l.Add(line.Event) })}); err != nil {
				t.Fatal(err)
			}
			texts := map[string]string{"live view": tui.String(), "show": call(t, "", "show", dir).out, "log": log.err + log.out, "log of a job": inJob.err + inJob.out}
			for view, text := range texts {
				lines := linesAre(text)
				headline := want.headline
				if view == "live view" {
					headline = "end: " + want.end
				}
				count(view, headline, strings.Count(text, headline), 1)
				if want.answer != "" && view != "live view" {
					count(view, "the answer", lines[want.answer], 1)
				}
				for title, n := range want.titles {
					if view == "log of a job" {
						n += want.bad[title] // once more below its group
					}
					count(view, "the title "+title, lines[title], n)
				}
				for excerpt, n := range want.excerpts {
					count(view, "the output "+excerpt, lines[excerpt], n)
				}
			}
			page, _, _ := strings.Cut(read(filepath.Join(dir, "report.html")), `<details id="events"`)
			summary, atJob, comment := read(filepath.Join(dir, "summary.md")), read(filepath.Join(job, "GITHUB_STEP_SUMMARY")), call(t, "", "comment", dir).out
			for view, text := range map[string]string{"page": page, "summary": summary, "job page": atJob, "comment": comment} {
				shape, block, end := document.Markdown, document.Escape(want.headline), "\n```"
				if view == "page" {
					shape, block, end = document.HTML, document.InHTML(want.headline)+"</h1>", "</pre>"
				}
				count(view, want.headline, strings.Count(text, block), 1)
				answer := document.InHTML(want.answer)
				if view != "page" {
					answer = "\n" + want.answer + "\n"
				}
				if n := strings.Count(text, answer); want.answer != "" && name != "hostile" {
					count(view, "the answer", n, 1)
				}
				if view == "comment" {
					continue
				}
				for title, n := range want.titles {
					block := code.FindString(shape(document.Fold{Code: true, Summary: title}))
					if got := strings.Count(text, block); !(many && view != "page" && got == 0) { // which has the last ones
						count(view, "the title "+title, got, n)
					}
				}
				for excerpt, n := range want.excerpts {
					if view == "page" {
						excerpt = document.InHTML(excerpt)
					}
					got := strings.Count(text, "\n"+excerpt+end) + strings.Count(text, ">"+excerpt+end)
					if !(many && view != "page" && got == 0) {
						count(view, "the output "+excerpt, got, n)
					}
				}
			}
			if many && (len(page) > 4e6 || !strings.Contains(page, "are left out; events.jsonl has them") || !strings.Contains(summary, "are left out; events.jsonl has them")) {
				t.Errorf("the page has %d bytes, want 4 MB at most, and a count of what is left out there and in the summary", len(page))
			}
		})
	}
}
