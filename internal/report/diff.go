package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

// diffVersion names the form of the JSON of a diff.
const diffVersion = "openagent.diff.v1"

// DiffBlocks returns a diff for people.
func DiffBlocks(d diff.Diff) []document.Block {
	tone := document.Good
	if len(d.Failed) > 0 {
		tone = document.Bad
	}
	blocks := []document.Block{document.Title{Level: 1, Tone: tone, Text: "openagent diff: " + diffTitle(d), ID: "changes"}}
	for _, f := range d.Failed {
		blocks = append(blocks, document.Text{Tone: document.Bad, Label: "fails", Text: f.Name + ": " + f.Why})
	}
	rows := document.Facts{{Name: "base", Value: sideText(d.Base)}, {Name: "head", Value: sideText(d.Head)}}
	for _, s := range []diff.Side{d.Base, d.Head} {
		for _, note := range s.Notes {
			rows = append(rows, term.Row{Name: "note", Value: s.Name + ": " + note})
		}
	}
	if d.Base.Verdict != d.Head.Verdict {
		rows = append(rows, term.Row{Name: "verdict", Value: verdictChange(d)})
	}
	for _, f := range d.Figures {
		if f.Changed() {
			rows = append(rows, term.Row{Name: figureWord(f.Name), Value: figureText(f)})
		}
	}
	blocks = append(blocks, rows)
	for _, f := range sideFacts(d) {
		blocks = append(blocks, document.Text{Text: f.name}, document.Fence{Lang: "diff", Text: strings.Join(f.lines(), "\n")})
	}
	list := func(title string, lines []string, more int) {
		if more > 0 {
			lines = append(lines, fmt.Sprintf("  and %d more", more))
		}
		if len(lines) > 0 {
			blocks = append(blocks, document.Text{Text: title}, document.Fence{Lang: "diff", Text: strings.Join(lines, "\n")})
		}
	}
	list("calls: "+countChanges(d, ""), callLines(d), d.More+max(len(d.Calls)-maxDiffCalls, 0))
	list("files", markedFiles(d.Files), d.Files.More)
	if d.Final.Changed {
		lines := d.Final.Lines
		if len(lines) == 0 {
			lines = []string{"  " + notShown}
		}
		list(fmt.Sprintf("final text, %d -> %d bytes", d.Final.BaseBytes, d.Final.HeadBytes), lines, d.Final.More)
	}
	return blocks
}

// lines returns what changed as lines of a diff; an empty value has none.
func (f fact) lines() (lines []string) {
	if f.was != "" {
		lines = append(lines, "- "+f.was)
	}
	if f.is != "" {
		lines = append(lines, "+ "+f.is)
	}
	return lines
}

// callLines returns the calls that changed as lines of a diff.
func callLines(d diff.Diff) (lines []string) {
	marks := map[diff.What]string{diff.Inserted: "+", diff.Dropped: "-", diff.Moved: ">"}
	for _, c := range d.Calls[:min(len(d.Calls), maxDiffCalls)] {
		lines = append(lines, cmp.Or(marks[c.What[0]], "~")+" "+callText(c))
		for _, a := range c.Arguments {
			lines = append(append(lines, "    "+a.Name), fact{a.Name, a.Base, a.Head}.lines()...)
		}
		for _, f := range callFacts(c) {
			lines = append(lines, "    "+f.name+": "+f.was+" -> "+f.is)
		}
	}
	return lines
}

// markedFiles returns the paths with a mark of which run they are of, and a word for
// those that were deleted.
func markedFiles(f diff.Files) (lines []string) {
	for _, l := range []struct {
		mark  string
		paths []string
	}{{"- ", f.Removed}, {"- deleted: ", f.NotDeleted}, {"+ ", f.Added}, {"+ deleted: ", f.Deleted}} {
		for _, path := range l.paths {
			lines = append(lines, l.mark+path)
		}
	}
	return lines
}

// maxDiffCalls bounds the calls that people are shown.
const maxDiffCalls = 50

// WriteDiffJSON writes a diff as one object.
func WriteDiffJSON(w io.Writer, d diff.Diff) error {
	return jsontext.WriteIndented(w, struct {
		Schema string `json:"schema"`
		diff.Diff
	}{diffVersion, d})
}

// diffTitle sums a diff up.
func diffTitle(d diff.Diff) string {
	if len(d.Changed) == 0 {
		return "no change"
	}
	return "changed: " + strings.Join(d.Changed, ", ")
}

// sideText says which run one side is.
func sideText(s diff.Side) string {
	parts := []string{s.Name, s.Verdict, term.Counted(s.ToolCalls, "call")}
	for _, part := range []string{s.Agent, s.Model} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// Facts that belong to the verdict: why it is what it is, and how the run ended in
// the agent's words.
const (
	reasonFact = "reason"
	endedFact  = "ended"
)

func (f fact) ofVerdict() bool { return f.name == reasonFact || f.name == endedFact }

// sideFacts are what changed of the runs as a whole, beside the verdict itself.
func sideFacts(d diff.Diff) (facts []fact) {
	b, h := d.Base, d.Head
	add := func(name, was, is string) {
		if was != is {
			facts = append(facts, fact{name, was, is})
		}
	}
	add(reasonFact, b.Reason, h.Reason)
	if b.Reason == h.Reason || !inReason(b) || !inReason(h) {
		add(endedFact, b.Ended, h.Ended)
	}
	add(diff.NameAgent, b.Agent, h.Agent)
	add(diff.NameModel, b.Model, h.Model)
	add(diff.NamePrompt, b.Prompt, h.Prompt)
	add(diff.NameSchema, b.Schema, h.Schema)
	return facts
}

// inReason reports whether the reason of a verdict says how the run ended.
func inReason(s diff.Side) bool {
	return s.Ended == schema.ExitOK || strings.Contains(s.Reason, s.Ended)
}

func verdictChange(d diff.Diff) string {
	text := d.Base.Verdict + " -> " + d.Head.Verdict
	if d.Worse {
		text += " (worse)"
	}
	return text
}

// countChanges counts the calls by what changed, that of one name where it is given.
func countChanges(d diff.Diff, name string) string {
	var all []string
	for _, k := range changeKinds {
		if n := d.Counts[k.what]; n > 0 && (name == "" || name == k.what.Name()) {
			all = append(all, fmt.Sprintf("%d %s", n, k.word))
		}
	}
	return strings.Join(all, ", ")
}

// changeKinds are the ways in which a call changes, in words.
var changeKinds = []struct {
	what diff.What
	word string
}{
	{diff.Inserted, "new"}, {diff.Dropped, "gone"}, {diff.Moved, "moved"}, {diff.Arguments, "with other arguments"},
	{diff.Decision, "decided otherwise"}, {diff.Result, "ended otherwise"}, {diff.Attempts, "with other attempts"},
}

// callText names a call, and where it was and is.
func callText(c diff.CallChange) string {
	switch {
	case c.Base == nil:
		return fmt.Sprintf("%d %s%s", c.Head.Number, callWords(c.Head), denied(c.Head))
	case c.Head == nil:
		return fmt.Sprintf("%d %s%s", c.Base.Number, callWords(c.Base), denied(c.Base))
	}
	at := strconv.Itoa(c.Base.Number)
	if c.Base.Number != c.Head.Number {
		at += " -> " + strconv.Itoa(c.Head.Number)
	}
	if len(c.Arguments) > 0 {
		return at + " " + c.Head.Tool
	}
	return at + " " + callWords(c.Head)
}

// callWords is the title of a call, as every view has it.
func callWords(c *diff.Call) string { return transcript.Title(c.Tool, c.Written) }

func denied(c *diff.Call) string {
	if c.Decision == "deny" {
		return " (denied)"
	}
	return ""
}

// fact is what else changed of a call.
type fact struct{ name, was, is string }

func callFacts(c diff.CallChange) (facts []fact) {
	for _, w := range c.What {
		switch w {
		case diff.Decision:
			facts = append(facts, fact{"decision", because(c.Base), because(c.Head)})
		case diff.Result:
			facts = append(facts, fact{"result", c.Base.Result, c.Head.Result})
		case diff.Attempts:
			facts = append(facts, fact{"attempts", strconv.Itoa(c.Base.Attempts), strconv.Itoa(c.Head.Attempts)})
		}
	}
	return facts
}

// because is a decision with its reason, where there is one.
func because(c *diff.Call) string {
	if c.Reason == "" {
		return c.Decision
	}
	return c.Decision + " (" + c.Reason + ")"
}

// notShown says of a text that differs beyond what the streams have of it so much.
const notShown = "it differs in what is not shown"

// figureWords are what people call figures, where these have other names.
var figureWords = map[string]string{
	"input_tokens": "tokens in", "output_tokens": "tokens out", "total_tokens": "tokens", "cached_input_tokens": "tokens from a cache",
	"reasoning_tokens": "tokens of reasoning", "cost_usd": "cost", "duration_ms": "time", "provider_retries": "retries of requests",
}

func figureWord(name string) string { return cmp.Or(figureWords[name], name) }

// figureText says how a figure changed.
func figureText(f diff.Figure) string {
	return figureValue(f.Name, f.Base) + " -> " + figureValue(f.Name, f.Head) + growth(f)
}

// growth is by how much of itself a figure grew, where that is known.
func growth(f diff.Figure) string {
	if f.Percent == nil {
		return ""
	}
	return fmt.Sprintf(" (%+g %%)", *f.Percent)
}

func figureValue(name string, n *float64) string {
	switch {
	case n == nil:
		return "not reported"
	case name == "duration_ms":
		return term.Spoken(time.Duration(*n) * time.Millisecond)
	case name == "cost_usd":
		return term.Dollars(*n)
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}
