package diff

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/schema"
)

// play is a run as a test writes it down: each call with how it went.
type play struct {
	verdict, reason string
	agent           string
	model, error    string
	revision        int
	calls           []string // TOOL ARGUMENTS [deny|fail|invalid|pending]
	perStep         bool     // a step for each call
	providerRetries int
	usage           schema.Usage
	ms              int64
	final           string
}

// usual is the run that most tests change in one respect.
func usual() play {
	return play{
		verdict: "success", reason: "fine", agent: "openagent", model: "m", revision: 1, ms: 2000, final: "done\n",
		usage: schema.Usage{InputTokens: new(int64(1000)), OutputTokens: new(int64(100)), CostUSD: schema.Some(schema.USD(0.5))},
		calls: []string{
			`list_files {"path":"."}`, `read_file {"path":"a.go"}`, `read_file {"path":"b.go"}`,
			`write_file {"path":"c.go","content":"one\n"}`, `execute_command {"command":"go test ./...","timeout":60}`,
		},
	}
}

// run returns the run that a play tells of.
func (p play) run() *Run {
	r := &Run{Name: "a run", Kind: "stream", Verdict: p.verdict, Reason: p.reason, Revision: p.revision}
	at, step := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), int64(0)
	add := func(data any) {
		at = at.Add(time.Millisecond)
		r.Add(&schema.Event{SchemaVersion: "v1", TS: at.Format(time.RFC3339Nano), RunID: "r1", Step: step, Data: data})
	}
	add(&schema.RunStarted{Agent: &schema.Agent{Name: p.agent, Version: "1"}, Model: schema.Some(p.model)})
	for range p.providerRetries {
		add(&schema.ProviderRetry{})
	}
	for i, text := range p.calls {
		if i == 0 || p.perStep {
			step++
			add(&schema.StepStarted{})
		}
		tool, arguments, _ := strings.Cut(text, " ")
		how := "ok"
		for _, word := range []string{"deny", "fail", "invalid", "pending"} {
			if rest, ok := strings.CutSuffix(arguments, " "+word); ok {
				arguments, how = rest, word
			}
		}
		id := fmt.Sprintf("c%d", i)
		add(&schema.ToolCallDetected{ToolCallID: &id, Tool: &tool, ArgumentsPreview: schema.Some(arguments)})
		decision := "allow"
		if how == "deny" {
			decision = "deny"
		}
		add(&schema.ToolDecision{ToolCallID: &id, Tool: &tool, Decision: &decision, Reason: new("a rule")})
		if how == "ok" || how == "fail" {
			add(&schema.ToolExecFinished{ToolCallID: &id, Tool: &tool, OK: new(how == "ok")})
		}
		if how == "invalid" {
			add(&schema.ToolRetry{ToolCallID: &id, Tool: &tool, FailureClass: new("E_SCHEMA")})
		}
	}
	add(&schema.RunFinished{ExitReason: "ok", OK: true, FinalOutput: p.final, Error: &p.error, DurationMS: schema.Some(p.ms), Usage: schema.Some(p.usage)})
	return r
}

// brief returns what a diff says, a line for each thing.
func brief(d Diff) []string {
	lines := []string{strings.Join(d.Changed, ",")}
	for _, c := range d.Calls {
		line := ""
		for _, w := range c.What {
			line += string(w) + " "
		}
		if c.Base != nil {
			line += fmt.Sprintf("%d %s", c.Base.Number, c.Base.Tool)
		}
		if c.Head != nil {
			line += fmt.Sprintf(" > %d %s", c.Head.Number, c.Head.Tool)
		}
		for _, a := range c.Arguments {
			line += fmt.Sprintf("; %s: %s > %s", a.Name, a.Base, a.Head)
		}
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	for _, f := range d.Files.Added {
		lines = append(lines, "added "+f)
	}
	for _, f := range d.Files.Removed {
		lines = append(lines, "removed "+f)
	}
	for _, f := range d.Figures {
		if f.Changed() {
			lines = append(lines, fmt.Sprintf("%s %s > %s (%s)", f.Name, figure(f.Base), figure(f.Head), figure(f.Percent)))
		}
	}
	return append(lines, d.Final.Lines...)
}

func figure(n *float64) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprint(*n)
}

// Two runs that differ in one respect: that is named, and nothing else.
func TestCompare_OneRespect(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*play)
		want   []string
	}{
		"nothing":      {func(*play) {}, []string{""}},
		"verdict":      {func(p *play) { p.verdict = "failure" }, []string{"verdict"}},
		"reason":       {func(p *play) { p.reason = "better" }, []string{"reason"}},
		"the agent":    {func(p *play) { p.agent = "other" }, []string{"agent"}},
		"the model":    {func(p *play) { p.model = "m2" }, []string{"model"}},
		"the contract": {func(p *play) { p.revision = 2 }, []string{"schema"}},
		"an error":     {func(p *play) { p.error = strings.Repeat("x", 4000) }, []string{"reason"}},
		"a call inserted": {func(p *play) {
			p.calls = append(p.calls[:3:3], append([]string{`git_status {}`}, p.calls[3:]...)...)
		}, []string{"tools", "inserted > 4 git_status"}},
		"a call inserted at the start": {func(p *play) {
			p.calls = append([]string{`read_file {"path":"z"}`}, p.calls...)
		}, []string{"tools", "inserted > 1 read_file"}},
		"a call dropped": {func(p *play) {
			p.calls = append(p.calls[:1:1], p.calls[2:]...)
		}, []string{"tools", "dropped 2 read_file"}},
		"neighbors in another order": {func(p *play) {
			p.calls[1], p.calls[2] = p.calls[2], p.calls[1]
		}, []string{"tools", "moved 3 read_file > 2 read_file"}},
		"a call moved to the end": {func(p *play) {
			p.calls = append(p.calls[1:], p.calls[0])
		}, []string{"tools", "moved 1 list_files > 5 list_files"}},
		"an argument changed": {func(p *play) {
			p.calls[4] = `execute_command {"command":"go test ./internal","timeout":60}`
		}, []string{"tools", `arguments 5 execute_command > 5 execute_command; command: "go test ./..." > "go test ./internal"`}},
		"an argument added": {func(p *play) {
			p.calls[0] = `list_files {"path":".","recursive":true}`
		}, []string{"tools", "arguments 1 list_files > 1 list_files; recursive: > true"}},
		"a part of an argument": {func(p *play) {
			p.calls[0] = `list_files {"path":".","skip":["x",{"y":[1,2]}]}`
		}, []string{"tools", `arguments 1 list_files > 1 list_files; skip: > ["x",{"y":[1,2]}]`}},
		"only blanks and order of arguments": {func(p *play) {
			p.calls[4] = `execute_command { "timeout" : 60, "command":"go test .\u002f..." }`
		}, []string{""}},
		"a retried call": {func(p *play) {
			p.calls = append(p.calls[:2:2], append([]string{`read_file {"path":"b.go"} fail`}, p.calls[2:]...)...)
		}, []string{"retries", "attempts 3 read_file > 3 read_file"}},
		"a call made again with arguments that can be read": {func(p *play) {
			p.calls = append(p.calls[:2:2], append([]string{`read_file {"file":"b.go"} invalid`}, p.calls[2:]...)...)
		}, []string{"retries", "attempts 3 read_file > 3 read_file"}},
		"a decision":         {func(p *play) { p.calls[4] += " deny" }, []string{"decisions", "decision 5 execute_command > 5 execute_command"}},
		"a result":           {func(p *play) { p.calls[4] += " fail" }, []string{"results", "result 5 execute_command > 5 execute_command"}},
		"retries of a model": {func(p *play) { p.providerRetries = 2 }, []string{"retries", "provider_retries 0 > 2 (?)"}},
		"another file": {func(p *play) {
			p.calls[3] = `write_file {"path":"d.go","content":"one\n"}`
		}, []string{"tools,files", `arguments 4 write_file > 4 write_file; path: "c.go" > "d.go"`, "added d.go", "removed c.go"}},
		"steps":  {func(p *play) { p.perStep = true }, []string{"steps", "steps 1 > 5 (400)"}},
		"tokens": {func(p *play) { p.usage.OutputTokens = new(int64(150)) }, []string{"usage", "output_tokens 100 > 150 (50)", "total_tokens 1100 > 1150 (4.5)"}},
		"cost":   {func(p *play) { p.usage.CostUSD = schema.Some(schema.USD(0.25)) }, []string{"cost", "cost_usd 0.5 > 0.25 (-50)"}},
		"time":   {func(p *play) { p.ms = 3000 }, []string{"", "duration_ms 2000 > 3000 (50)"}},
		"text":   {func(p *play) { p.final = "one\ndone\n" }, []string{"final", "+one"}},
	} {
		t.Run(name, func(t *testing.T) {
			base, head := usual(), usual()
			tt.change(&head)
			got := brief(Compare(base.run(), head.run()))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Compare (-want +got):\n%s", diff)
			}
		})
	}
}
