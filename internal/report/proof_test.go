package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/report/live"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// proof are events in which every text has a word of its own, by what it is: each view
// must have each of these words once.
type proof struct {
	events          []*schema.Event
	words           []string // of texts and titles
	excerpts, again []string // of calls that failed; titles of these, which a job's log has twice
	answer          string
	step            int64
}

func (p *proof) add(data any) {
	p.events = append(p.events, &schema.Event{RunID: "r", Step: p.step, Data: data})
}

// word returns a new word.
func (p *proof) word(kind string) string {
	w := fmt.Sprintf("%s-%03d-x", kind, len(p.words)+len(p.excerpts))
	if kind == "excerpt" {
		p.excerpts = append(p.excerpts, w)
	} else {
		p.words = append(p.words, w)
	}
	return w
}

// call adds a call that ends ok, failed, denied or not at all, of a parent or none.
func (p *proof) call(end, parent string) (id string) {
	id = fmt.Sprint("id", len(p.events))
	title := p.word("title")
	d := &schema.ToolCallDetected{ToolCallID: &id, Tool: new("execute_command"), ArgumentsPreview: schema.Some(`{"command":"` + title + `"}`)}
	d.TextPreview = schema.Some(p.word("text"))
	if parent != "" {
		d.ParentCallID = schema.Some(parent)
	}
	p.add(d)
	switch end {
	case "denied":
		p.again = append(p.again, title)
		reason := fmt.Sprintf("reason-%03d-x", len(p.words)+len(p.excerpts))
		p.again = append(p.again, reason)
		p.words = append(p.words, reason)
		p.add(&schema.ToolDecision{ToolCallID: &id, Decision: new("deny"), Reason: &reason})
	case "ok":
		p.add(&schema.ToolExecFinished{ToolCallID: &id, OK: new(true), ContentPreview: new("fine")})
	case "failed":
		p.again = append(p.again, title)
		p.add(&schema.ToolExecFinished{ToolCallID: &id, OK: new(false), ExitStatus: schema.Some[int64](3), ContentPreview: new(p.word("excerpt"))})
	case "open":
		p.add(&schema.ToolExecStarted{ToolCallID: &id})
	}
	return id
}

// proofs are runs of all kinds.
func proofs() map[string]*proof {
	build := func(do func(p *proof)) *proof {
		p := &proof{}
		p.add(&schema.RunStarted{Model: schema.Some("m")})
		do(p)
		return p
	}
	next := func(p *proof) { p.step++; p.add(&schema.StepStarted{}) }
	end := func(p *proof, ok bool) {
		p.answer = "answer-000-x"
		p.add(&schema.RunFinished{ExitReason: "ok", OK: ok, FinalOutput: p.answer})
	}
	return map[string]*proof{
		"calls": build(func(p *proof) {
			for range 3 {
				next(p)
				p.call("ok", "")
				p.call("failed", "")
				p.call("denied", "")
			}
			end(p, false)
		}),
		"success with a failure": build(func(p *proof) { next(p); p.call("failed", ""); next(p); p.call("ok", ""); end(p, true) }),
		"sub-agent":              build(func(p *proof) { next(p); id := p.call("ok", ""); p.call("failed", p.call("ok", id)); end(p, true) }),
		"no steps":               build(func(p *proof) { p.call("ok", ""); p.call("failed", ""); end(p, true) }),
		"no calls":               build(func(p *proof) { next(p); end(p, true) }),
		"torn":                   build(func(p *proof) { next(p); p.call("ok", ""); p.call("open", "") }),
		"retries": build(func(p *proof) {
			next(p)
			p.add(&schema.ProviderRetry{Kind: new(p.word("retry")), Attempt: new(int64(1))})
			p.call("ok", "")
			p.add(&schema.StepBlocked{Reason: new(p.word("blocked"))})
			end(p, false)
		}),
		"many": build(func(p *proof) {
			for range 60 {
				next(p)
				p.call("ok", "")
				p.call("failed", "")
			}
			end(p, false)
		}),
	}
}

// log returns what a log shows of a run.
func (p *proof) log(groups bool) string {
	var b strings.Builder
	o := live.Options{}
	if groups {
		o.Groups = live.JobGroups{W: &b}
	}
	h := live.NewHuman(&b, term.Screen{}, o)
	for _, e := range p.events {
		h.Add(e)
	}
	h.Close()
	return b.String()
}

// Every view has the headline, the answer, what the model said, each title and the end of
// each failure's output, once.
func TestViews_ShowTheSame(t *testing.T) {
	for name, p := range proofs() {
		run := transcript.New(1 << 20)
		for _, e := range p.events {
			run.Add(e)
		}
		run.Close()
		verdict := runner.VerdictFailure
		if run.End != nil && run.End.OK {
			verdict = runner.VerdictSuccess
		}
		v := NewView(&runner.Execution{Verdict: verdict, Reason: "why"}, run)
		v.Answer = p.answer
		text := func(blocks []document.Block) string {
			var b strings.Builder
			_ = document.Terminal(&b, 0, false, blocks...) // to memory: never fails
			return b.String()
		}
		above, below := v.Page()
		turns := NewPageTurns(v, 1<<20)
		for _, e := range p.events {
			turns.Line(runner.Line{Event: e})
		}
		var page strings.Builder
		_ = turns.Write(&page) // to memory: never fails
		end := text(v.Terminal())
		views := map[string]string{
			"page":    document.HTML(document.Title{Level: 1, Text: v.Headline()}) + document.HTML(append(above, below...)...) + page.String(),
			"summary": document.Markdown(v.Summary()...), "show": text(v.Saved()), "log": p.log(false) + end, "job": p.log(true) + end,
		}
		for view, got := range views {
			once := func(word string, want int) {
				if n := strings.Count(got, word); word != "" && n != want {
					t.Errorf("%s: the %s has %s %d times, want %d:\n%s", name, view, word, n, want, got)
				}
			}
			once(v.Headline(), 1)
			once(p.answer, 1)
			for _, word := range append(p.words, p.excerpts...) {
				want := 1
				for _, a := range p.again {
					if view == "job" && a == word {
						want = 2
					}
				}
				if view == "job" && strings.HasPrefix(word, "text") {
					want = strings.Count(got, word) // the title of a group has it too
					if want == 0 {
						want = 1
					}
				}
				if c := v.top(); c != nil && (view == "page" || view == "summary") && strings.Contains(c.Title, word) {
					want = 2 // the call at the top has its title there, too
				}
				once(word, want)
			}
		}
	}
}
