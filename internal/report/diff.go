package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

// diffVersion names the form of the JSON of a diff.
const diffVersion = "openagent.diff.v1"

// diffWidth is the width of a diff for people, in cells: it can be read beside
// something else.
const diffWidth = 60

// maxDiffCalls bounds the calls that people are shown.
const maxDiffCalls = 50

// WriteDiffJSON writes a diff as one object.
func WriteDiffJSON(w io.Writer, d diff.Diff) error {
	return jsontext.WriteIndented(w, struct {
		Schema string `json:"schema"`
		diff.Diff
	}{diffVersion, d})
}

// diffText is a diff that is written for people.
type diffText struct {
	strings.Builder
	colour bool
}

// WriteDiff writes a diff for people, in lines of diffWidth cells. Colour paints
// what is gone red and what is new green.
func WriteDiff(w io.Writer, d diff.Diff, colour bool) error {
	t := &diffText{colour: colour}
	t.list("", diffTitle(d))
	t.side("base", d.Base)
	t.side("head", d.Head)
	t.verdict(d)
	t.calls(d)
	t.files(d.Files)
	for _, f := range d.Figures {
		if f.Changed() {
			t.line("", "", fmt.Sprintf("%-9s %s", figureWord(f.Name), figureText(f)))
		}
	}
	t.final(d.Final)
	for _, f := range d.Failed {
		t.line("", term.Red, "fails: "+f.Name+": "+f.Why)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// diffTitle sums a diff up.
func diffTitle(d diff.Diff) string {
	if len(d.Changed) == 0 {
		return "no change"
	}
	return "changed: " + strings.Join(d.Changed, ", ")
}

func (t *diffText) side(name string, s diff.Side) {
	called := s.Name
	for room := diffWidth - len("base  "); term.Cells(called) > room; {
		all := []rune(strings.TrimPrefix(called, "…")) // the end of a path says more
		called = "…" + string(all[max(1, (term.Cells(called)-room)/2):])
	}
	t.line("", "", name+"  "+called)
	if about := sideText(s); about != "" {
		t.line("      ", term.Grey, about)
	}
	for _, note := range s.Notes {
		t.wrapped("      ", term.Yellow, "note: "+note)
	}
}

// sideText says which run one side is.
func sideText(s diff.Side) string {
	parts := []string{s.Verdict, term.Counted(s.ToolCalls, "call")}
	for _, part := range []string{s.Agent, s.Model} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

func (t *diffText) verdict(d diff.Diff) {
	switch {
	case d.Base.Verdict != d.Head.Verdict:
		t.line("", "", "verdict   "+verdictChange(d))
	case slices.Contains(d.Changed, diff.NameReason):
		t.line("", "", "reason")
	}
	for _, f := range sideFacts(d) {
		if f.name != reasonFact {
			t.line("", "", f.name)
		}
		t.change("  ", f.was, f.is)
	}
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

// callMarks stand before a call.
var callMarks = []struct {
	what   diff.What
	mark   string
	colour term.Colour
}{{diff.Inserted, "+", term.Green}, {diff.Dropped, "-", term.Red}, {diff.Moved, ">", term.Yellow}}

func (t *diffText) calls(d diff.Diff) {
	if len(d.Calls) == 0 {
		return
	}
	t.list("calls     ", countChanges(d, ""))
	listed := d.Calls[:min(len(d.Calls), maxDiffCalls)]
	for _, c := range listed {
		t.call(c)
	}
	if more := d.More + len(d.Calls) - len(listed); more > 0 {
		t.line("  ", "", fmt.Sprintf("and %d more", more))
	}
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

func (t *diffText) call(c diff.CallChange) {
	mark, colour := "~", term.Colour("")
	for _, m := range callMarks {
		if c.What[0] == m.what {
			mark, colour = m.mark, m.colour
		}
	}
	text := mark + " " + callText(c)
	if name := cmp.Or(c.Head, c.Base).Tool; term.Cells(text[:strings.Index(text, name)+len(name)]) > diffWidth-len("  ") {
		t.wrapped("  ", colour, text)
	} else {
		t.line("  ", colour, text)
	}
	for _, a := range c.Arguments {
		t.line("      ", "", a.Name)
		t.change("      ", a.Base, a.Head)
	}
	for _, f := range callFacts(c) {
		t.line("      ", "", f.name+": "+f.was+" -> "+f.is)
	}
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

// callWords is a call with its arguments.
func callWords(c *diff.Call) string { return strings.TrimSpace(c.Tool + " " + c.Arguments) }

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

// fileList is one of the lists of paths, with what stands before each.
type fileList struct {
	mark, word string
	paths      []string
}

func fileLists(f diff.Files) []fileList {
	const word = "deleted: "
	return []fileList{{"-", "", f.Removed}, {"-", word, f.NotDeleted}, {"+", "", f.Added}, {"+", word, f.Deleted}}
}

func (t *diffText) files(f diff.Files) {
	if !f.Any() {
		return
	}
	t.line("", "", "files")
	for _, l := range fileLists(f) {
		colour := term.Green
		if l.mark == "-" {
			colour = term.Red
		}
		for _, path := range l.paths {
			t.wrapped("  ", colour, l.mark+" "+l.word+path)
		}
	}
	if f.More > 0 {
		t.line("  ", "", fmt.Sprintf("and %d more", f.More))
	}
}

// notShown says of a text that differs beyond what the streams have of it so much.
const notShown = "it differs in what is not shown"

func (t *diffText) final(f diff.Text) {
	if !f.Changed {
		return
	}
	t.line("", "", fmt.Sprintf("final text, %d -> %d bytes", f.BaseBytes, f.HeadBytes))
	for lines := f.Lines; len(lines) > 0; {
		var was, is []string
		was, lines = marked(lines, "-")
		is, lines = marked(lines, "+")
		t.inTurn(was, is)
	}
	if len(f.Lines) == 0 {
		t.line("  ", "", notShown)
	}
	if f.More > 0 {
		t.line("  ", "", fmt.Sprintf("and %d more lines", f.More))
	}
}

// marked returns the lines at the start that have a mark, without it, and the rest.
func marked(lines []string, mark string) (list, rest []string) {
	for len(lines) > 0 && strings.HasPrefix(lines[0], mark) {
		line := lines[0][len(mark):]
		if line == "" {
			line = "(an empty line)"
		}
		list, lines = append(list, line), lines[1:]
	}
	return list, lines
}

// inTurn writes lines that took each other's place, those that were first.
func (t *diffText) inTurn(was, is []string) {
	const indent = "  "
	was, is = diff.TruncateAllAroundDifference(was, is, room(strings.Join(was, "")+strings.Join(is, ""), diffWidth-len(indent+"- ")))
	for _, line := range was {
		t.line(indent, term.Red, "- "+line)
	}
	for _, line := range is {
		t.line(indent, term.Green, "+ "+line)
	}
}

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
		return Duration(time.Duration(*n) * time.Millisecond)
	case name == "cost_usd":
		return term.Dollars(*n)
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}
