package transcript_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/schema"
)

// call returns the events of a call that ended with this payload, denied by deny.
func call(step int64, tool, arguments string, end *schema.ToolExecFinished, deny string) []*schema.Event {
	id := new(fmt.Sprint(tool, step, len(arguments)))
	event := func(data any) *schema.Event { return &schema.Event{Step: step, Data: data} }
	size := schema.Some(int64(len(arguments)))
	arguments, cut := strings.CutSuffix(arguments, "<cut>")
	if !cut {
		size = schema.Optional[int64]{}
	}
	list := []*schema.Event{event(&schema.ToolCallDetected{ToolCallID: id, Tool: &tool, ArgumentsPreview: schema.Some(arguments), ArgumentsBytes: size})}
	switch {
	case deny != "":
		return append(list, event(&schema.ToolDecision{ToolCallID: id, Tool: &tool, Decision: new("deny"), Reason: &deny}))
	case end != nil:
		end.ToolCallID, end.Tool = id, &tool
		return append(list, event(&schema.ToolExecStarted{ToolCallID: id, Tool: &tool}), event(end))
	}
	return append(list, event(&schema.ToolExecStarted{ToolCallID: id, Tool: &tool}))
}

func fold(room int, events ...*schema.Event) *transcript.Run {
	r := transcript.New(room)
	for _, e := range events {
		r.Add(e)
	}
	r.Close()
	return r
}

// only returns the call of a run that has one.
func only(t *testing.T, r *transcript.Run) *transcript.Call {
	t.Helper()
	if len(r.Turns) != 1 || len(r.Turns[0].Calls) != 1 {
		t.Fatalf("the run has the turns %+v, want one with one call", r.Turns)
	}
	return r.Turns[0].Calls[0]
}

func TestTitle_MostTellingPartFirst(t *testing.T) {
	for _, tt := range []struct{ tool, arguments, want string }{
		{"execute_command", `{"command":"python3 -m unittest"}`, "$ python3 -m unittest"},
		{"exec_command", `{"workdir":"/w","cmd":"make"}`, "$ make"},
		{"shell", `{"command":["bash","-lc","make test"]}`, "$ make test"},
		{"command_execution", `{"command":"bash -lc 'make test'"}`, "$ make test"},
		{"Bash", `{"command":"make <cut>`, "$ make"},
		{"read_file", `{"path":"calc.py","limit":20}`, "read calc.py"},
		{"Read", `{"file_path":"/w/calc.py"}`, "read /w/calc.py"},
		{"write_file", `{"path":"calc.py","content":"12345"}`, "write calc.py (5 bytes)"},
		{"write_file", `{"content":"12345","path":"calc.py"}`, "write calc.py (5 bytes)"},
		{"write_file", `{"path":"calc.py","content":"123<cut>`, "write calc.py"},
		{"write_file", `{"path":"calc.py"}`, "write calc.py"},
		{"edit_file", `{"path":"calc.py","old_text":"a\nb","new_text":"a\nc\nd\n"}`, "edit calc.py +2 -1"},
		{"edit_file", `{"path":"calc.py","old_text":"a\nb","new_te<cut>`, "edit calc.py"},
		{"MultiEdit", `{"file_path":"a.go","edits":[{"old_string":"x","new_string":"y"},{"old_string":"","new_string":"z"}]}`, "edit a.go +2 -1"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** End Patch"}`, "edit a.go +1 -1"},
		{"delete_file", `{"path":"old.py"}`, "delete old.py"},
		{"search_files", `{"pattern":"TODO","path":"src"}`, `search "TODO" in src`},
		{"list_files", `{"path":"src"}`, "list src"},
		{"LS", `{}`, "list ."},
		{"git_commit", `{"message":"greet: take the name\n\nwhy"}`, `git commit "greet: take the name"`},
		{"git_status", `{}`, "git status"},
		{"mcp__github__create_issue", `{"title":"x y","labels":["bug"],"n":3,"deep":{"a": 1}}`, `github.create_issue title="x y" labels=[bug] n=3 deep={"a":1}`},
		{"t", `{"z":1,"a":2}`, "t z=1 a=2"},
		{"t", `{"torn":"begin<cut>`, `t torn="begin"`},
		{"t", `{"torn":"begin\u00<cut>`, `t torn="begin"`},
		{"t", `no JSON`, "t no JSON"},
		{"", ``, "unknown tool"},
		{"t", "{\"x\":\"\\n::error::forged\\u001b[31m\"}", `t x=": :error::forged"`},
	} {
		c := only(t, fold(1<<20, call(1, tt.tool, tt.arguments, nil, "")...))
		if c.Title != tt.want {
			t.Errorf("the title of %s %s is %s, want %s", tt.tool, tt.arguments, c.Title, tt.want)
		}
	}
}

// A cut call without a path is titled by what is said of its result.
func TestTitle_SummaryWhereThePathIsMissing(t *testing.T) {
	end := &schema.ToolExecFinished{OK: new(true), SummaryText: schema.Some("wrote a.go (97 bytes)")}
	if c := only(t, fold(1<<20, call(1, "write_file", `{"content":"xx<cut>`, end, "")...)); c.Title != "wrote a.go (97 bytes)" {
		t.Errorf("title = %s, want the summary", c.Title)
	}
}

func TestCall_Diff(t *testing.T) {
	lines := make([]string, 60)
	for i := range lines {
		lines[i] = fmt.Sprint("line ", i)
	}
	was := strings.Join(lines, "\n")
	lines[30] = "new"
	is := strings.Join(lines, "\n")
	text, err := json.Marshal(map[string]string{"path": "a", "old_text": was, "new_text": is})
	if err != nil {
		t.Fatal(err)
	}
	c := only(t, fold(1<<20, call(1, "edit_file", string(text), nil, "")...))
	want := []string{" line 27", " line 28", " line 29", "-line 30", "+new", " line 31", " line 32", " line 33"}
	if diff := cmp.Diff(want, c.Diff); diff != "" {
		t.Errorf("diff of an edit (-want +got):\n%s", diff)
	}
	text, err = json.Marshal(map[string]string{"path": "a", "content": was})
	if err != nil {
		t.Fatal(err)
	}
	c = only(t, fold(1<<20, call(1, "write_file", string(text), nil, "")...))
	if n := len(c.Diff); n != 41 || c.Diff[0] != "+line 0" || c.Diff[40] != "… and 20 more lines" {
		t.Errorf("diff of a written file = %q, want 40 lines and the number of the others", c.Diff)
	}
}

func TestCall_StatusAndExcerpt(t *testing.T) {
	long := strings.Repeat("no\n", 30) + "last\n"
	for _, tt := range []struct {
		name, want, excerpt string
		end                 *schema.ToolExecFinished
		deny                string
		finished            bool
	}{
		{name: "ok", want: "ok", end: &schema.ToolExecFinished{OK: new(true), ContentPreview: new("x")}},
		{name: "status", want: "exit 3", excerpt: "a\nb", end: &schema.ToolExecFinished{OK: new(false), ExitStatus: schema.Some[int64](3), ContentPreview: new("a\nb\n")}},
		{name: "failed", want: "failed: not_found", excerpt: "no such file", end: &schema.ToolExecFinished{OK: new(false), ErrorKind: schema.Some("not_found"), SummaryText: schema.Some("no such file")}},
		{name: "interrupted", want: "interrupted", end: &schema.ToolExecFinished{OK: new(false), ErrorKind: schema.Some("interrupted")}},
		{name: "long", want: "failed", excerpt: "… 11 lines before\n" + strings.Repeat("no\n", 19) + "last", end: &schema.ToolExecFinished{OK: new(false), ContentPreview: &long}},
		{name: "denied", want: "denied: no shell", deny: "no shell"},
		{name: "torn", want: "interrupted"},
		{name: "not shown", want: "not shown", finished: true},
	} {
		events := call(1, "t", "{}", tt.end, tt.deny)
		if tt.finished {
			events = append(events, &schema.Event{Data: &schema.RunFinished{OK: true}})
		}
		c := only(t, fold(1<<20, events...))
		if got := strings.Join(c.Excerpt(), "\n"); c.Status() != tt.want || got != tt.excerpt {
			t.Errorf("%s: status %s and excerpt %q, want %s and %q", tt.name, c.Status(), got, tt.want, tt.excerpt)
		}
	}
}

func TestHeadline_LeavesOutWhatIsUnknown(t *testing.T) {
	at := time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC)
	ts := func(ms int) string {
		return at.Add(time.Duration(ms) * time.Millisecond).Format("2006-01-02T15:04:05.000Z")
	}
	ok, bad := &schema.ToolExecFinished{OK: new(true)}, &schema.ToolExecFinished{OK: new(false)}
	events := []*schema.Event{{TS: ts(0), Data: &schema.RunStarted{}}}
	for step := range int64(3) {
		events = append(events, &schema.Event{Step: step + 1, Data: &schema.StepStarted{}})
	}
	events = append(events, call(3, "a", "{}", ok, "")...)
	events = append(events, call(3, "b", "{}", bad, "")...)
	events = append(events, call(3, "c", "{}", nil, "no")...)
	if got, want := fold(1<<20, events...).Headline(), "not finished · 3 turns · 3 calls (1 denied, 1 failed)"; got != want {
		t.Errorf("Headline = %s, want %s", got, want)
	}
	usage := schema.Usage{InputTokens: new(int64(4000)), OutputTokens: new(int64(602)), CostUSD: schema.Some(schema.USD(0.05000049))}
	events = append(events, &schema.Event{TS: ts(3800), Data: &schema.RunFinished{OK: true, Usage: schema.Some(usage)}})
	r := fold(1<<20, events...)
	if got, want := r.Headline(), "success · 3 turns · 3 calls (1 denied, 1 failed) · 4,602 tokens · $0.05 · 3.8 s"; got != want {
		t.Errorf("Headline = %s, want %s", got, want)
	}
	r.Verdict = "pre_run_error"
	if got := r.Headline(); !strings.HasPrefix(got, "pre_run_error · ") {
		t.Errorf("Headline = %s, want the harness's verdict first", got)
	}
	if r.Took = 45 * time.Second; !strings.HasSuffix(r.Headline(), " · 45.0 s") {
		t.Errorf("Headline = %s, want the time of the process", r.Headline())
	}
	if got, want := transcript.New(0).Headline(), "not finished"; got != want {
		t.Errorf("Headline of nothing = %s, want %s", got, want)
	}
}

func TestRun_ChangedFiles(t *testing.T) {
	ok := func() *schema.ToolExecFinished { return &schema.ToolExecFinished{OK: new(true)} }
	var events []*schema.Event
	events = append(events, call(1, "write_file", `{"path":"b","content":"x"}`, ok(), "")...)
	events = append(events, call(1, "edit_file", `{"path":"a","old_text":"x","new_text":"y"}`, ok(), "")...)
	events = append(events, call(1, "delete_file", `{"path":"b"}`, ok(), "")...)
	events = append(events, call(1, "write_file", `{"path":"denied","content":"x"}`, nil, "no")...)
	if got, want := fmt.Sprint(fold(1<<20, events...).Changed), "[{b true} {a false}]"; got != want {
		t.Errorf("Changed = %s, want %s", got, want)
	}
}

// Without room the results of calls that went well go first, then the first turns; what
// failed stays as long as its turn does.
func TestRun_IsBounded(t *testing.T) {
	text := strings.Repeat("x", 1000)
	run := func(steps, room int) *transcript.Run {
		var events []*schema.Event
		for step := range int64(steps) {
			events = append(events, &schema.Event{Step: step + 1, Data: &schema.StepStarted{}})
			events = append(events, call(step+1, "good", "{}", &schema.ToolExecFinished{OK: new(true), ContentPreview: &text}, "")...)
			events = append(events, call(step+1, "bad", "{}", &schema.ToolExecFinished{OK: new(false), ContentPreview: &text}, "")...)
		}
		return fold(room, events...)
	}
	r := run(10, 20_000)
	if first := r.Turns[0].Calls; r.NoTurns != 0 || first[0].Result != "" || first[1].Result != text {
		t.Errorf("%d turns were dropped, the first turn is %+v; want only results of calls that went well dropped", r.NoTurns, first[0])
	}
	var events []*schema.Event
	for range 20_000 {
		events = append(events, call(0, "bad", "{}", &schema.ToolExecFinished{OK: new(false), ContentPreview: &text}, "")...)
	}
	if r := fold(1<<20, events...); r.NoTurns+len(r.Turns) != 100 || r.NoTurns < 90 {
		t.Errorf("of one turn without end %d parts were dropped and %d are there, want the last ones that fit", r.NoTurns, len(r.Turns))
	}
	begun := time.Now()
	r = run(20_000, 1<<20)
	if n := len(r.Turns); r.NoTurns+n != 20_000 || n < 100 || n > 1000 || r.Turns[n-1].Calls[1].Result != text || r.Calls != 40_000 {
		t.Errorf("%d turns are there and %d were dropped, want the last ones that fit", n, r.NoTurns)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("20,000 turns took %s", took)
	}
}

func TestRun_NotesAndRetries(t *testing.T) {
	r := fold(1<<20,
		&schema.Event{Step: 1, Data: &schema.StepStarted{}},
		&schema.Event{Step: 1, Data: &schema.ProviderRetry{Kind: new("rate_limit"), Status: new(int64(429)), Attempt: new(int64(1)), MaxAttempts: new(int64(4)), BackoffMS: new(int64(500))}},
		&schema.Event{Step: 1, Data: &schema.ToolCallDetected{ToolCallID: new("a"), Tool: new("t")}},
		&schema.Event{Step: 1, Data: &schema.ToolRetry{ToolCallID: new("a"), Tool: new("t"), FailureClass: new("E_SCHEMA"), Attempt: new(int64(1)), MaxRetries: new(int64(2)), Action: new("repair"), Reason: schema.Some("path is missing")}},
		&schema.Event{Step: 2, Data: &schema.ProviderError{Kind: new("network"), MessageShort: new("no route")}},
		&schema.Event{Step: 2, Data: &schema.StepBlocked{Reason: new("the same call three times")}},
	)
	want := []transcript.Note{{Text: "provider: rate_limit (status 429), attempt 1 of 4 failed, next in 500 ms"}, {Bad: true, Text: "provider: network: no route"}, {Bad: true, Text: "blocked: the same call three times"}}
	var got []transcript.Note
	for _, turn := range r.Turns {
		got = append(got, turn.Notes...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if c := r.Turns[0].Calls[0]; c.Status() != "failed: E_SCHEMA" || c.Excerpt()[0] != "path is missing" || c.Retries[0] != "retry 1 of 2" {
		t.Errorf("call = %+v, want why it could not run", c)
	}
}

// Where no steps are shown, a turn begins at a call with a text; the calls of a sub-agent
// are children of the call that started it.
func TestRun_TurnsWithoutStepsAndSubAgents(t *testing.T) {
	detected := func(id, text, parent string) *schema.Event {
		d := &schema.ToolCallDetected{ToolCallID: &id, Tool: new("t")}
		if text != "" {
			d.TextPreview, d.TextBytes = schema.Some(text), schema.Some(int64(len(text)))
		}
		if parent != "" {
			d.ParentCallID = schema.Some(parent)
		}
		return &schema.Event{Data: d}
	}
	r := fold(1<<20, detected("a", "", ""), detected("b", "look", ""), detected("c", "", ""), detected("d", "sub", "c"), detected("e", "", "d"), detected("f", "next", ""), detected("g", "", "none"))
	var got []string
	var list func(indent string, calls []*transcript.Call)
	list = func(indent string, calls []*transcript.Call) {
		for _, c := range calls {
			got = append(got, fmt.Sprintf("%s%d %s %s", indent, c.Number, c.ID, c.Text))
			list(indent+"  ", c.Children)
		}
	}
	for _, turn := range r.Turns {
		got = append(got, fmt.Sprint("turn ", turn.Number))
		list("  ", turn.Calls)
	}
	want := []string{"turn 1", "  1 a ", "turn 2", "  2 b look", "  3 c ", "    4 d sub", "      5 e ", "turn 3", "  6 f next", "  7 g "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
}

// However deep sub-agents start each other, views nest their calls so far only.
func TestRun_DepthIsBounded(t *testing.T) {
	var events []*schema.Event
	for i := range 100 {
		d := &schema.ToolCallDetected{ToolCallID: new(fmt.Sprint(i)), Tool: new("t"), ParentCallID: schema.Some(fmt.Sprint(i - 1))}
		events = append(events, &schema.Event{Data: d})
	}
	deepest, n := 0, 0
	for c := range fold(1<<20, events...).Turns[0].All() {
		deepest, n = max(deepest, c.Depth), n+1
	}
	if deepest != 8 || n != 100 {
		t.Errorf("%d calls nest %d deep, want 100 and 8", n, deepest)
	}
}
