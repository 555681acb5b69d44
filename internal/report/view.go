// Package report makes documents of runs, of the findings of a check and of the
// differences between streams.
package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// Bounds of a summary. The job page of GitHub takes 1 MiB and shows nothing
// of a summary above it.
const (
	MaxSummaryItems  = 50
	maxListed        = 5 // findings below a verdict in a terminal
	maxSummaryAnswer = 64 << 10
	maxTranscript    = 60 << 10
)

// View is what every view of one run is made of.
type View struct {
	Run *transcript.Run
	About
	// Reason is one sentence about the verdict, Fix what to do about it.
	Reason, Fix string
	// Stderr is the end of the agent's stderr, redacted, where it says why.
	Stderr []string
	// Answer is the agent's last text, as whole as it is known.
	Answer string
	// Findings are in the order of reports, Total counts all of them.
	Findings []validate.Finding
	Total    int
	// Facts are what else is known of the run.
	Facts []term.Row
	// Lost lists the parts of the evidence that are not whole, Notes what else keeps
	// the view from being what the run was.
	Lost, Notes []string
	// Changes are those since another run, nil when it was compared with none.
	Changes *diff.Diff
	// Next are commands that show more.
	Next []string
	// EventsFile is the file that has all events.
	EventsFile string
}

// NewView returns the view of an execution whose events are in run.
func NewView(e *runner.Execution, run *transcript.Run) View {
	run.Verdict = string(e.Verdict)
	if len(e.Command) > 0 { // else a saved stream was read, which took its own time
		run.Took = e.Ended.Sub(e.Started)
	}
	v := View{Run: run, EventsFile: "events.jsonl", Reason: e.Reason, Findings: worst(e.Findings, len(e.Findings)), Total: max(e.TotalFindings(), len(e.Findings))}
	v.Facts = known(
		term.Row{Name: "exit reason", Value: exitReason(e)}, term.Row{Name: "exit status", Value: exitStatus(e.StartError, e.Signal, e.ExitStatus)},
		term.Row{Name: "ended in", Value: unfinished(e)}, term.Row{Name: "findings", Value: findings(e.FindingCounts)},
		term.Row{Name: "left behind", Value: swept(e.Swept)},
	)
	return v
}

// SavedView returns the view of a run of which the manifest is left. found are the
// findings that are left in full.
func SavedView(m schema.Manifest, run *transcript.Run, noTexts bool, found []validate.Finding) View {
	run.Verdict = m.Verdict
	if len(m.Command) > 0 {
		run.Took = time.Duration(m.DurationMS) * time.Millisecond
	}
	v := View{Run: run, EventsFile: "events.jsonl", Reason: m.Reason, Findings: found, Lost: m.Lost, About: About{Command: TypedCommand(m.Command), Script: scriptOf(m.Command), Sandbox: SandboxText(m.Sandbox), NoTexts: noTexts}}
	for _, n := range m.Counts.FindingsByRule {
		v.Total += n
	}
	v.Total = max(v.Total, len(found))
	if !m.EvidenceComplete && len(v.Lost) == 0 {
		v.Lost = []string{"something could not be saved"}
	}
	commit := ""
	if m.Git != nil {
		commit = m.Git.Commit
	}
	v.Facts = known(
		term.Row{Name: "exit reason", Value: event.Value(m.ExitReason)}, term.Row{Name: "exit status", Value: exitStatus("", event.Value(m.Signal), m.ExitStatus)},
		term.Row{Name: "findings", Value: findings(m.Counts.FindingsByRule)},
		term.Row{Name: "witness", Value: witnessText(m.Witness)},
		term.Row{Name: "run", Value: m.RunID}, term.Row{Name: "commit", Value: commit}, term.Row{Name: "started", Value: m.Started.Format(time.RFC3339)},
	)
	return v
}

// WitnessFacts returns what people are shown of a witness, nothing where there is none.
func WitnessFacts(w *schema.ManifestWitness) []term.Row {
	return known(term.Row{Name: "witness", Value: witnessText(w)})
}

func witnessText(w *schema.ManifestWitness) string {
	switch {
	case w == nil:
		return ""
	case w.Complete:
		return "all calls were compared with " + term.Counted(w.Requests, "request")
	case w.Reason != nil:
		return "not complete: " + *w.Reason
	}
	return "not complete"
}

// Mask replaces every text of the view that is not of the stream by what mask makes of it.
func (v *View) Mask(mask func(string) string) {
	for _, text := range []*string{&v.Reason, &v.Fix, &v.Answer} {
		*text = mask(*text)
	}
	v.Lost, v.Notes = slices.Clone(v.Lost), slices.Clone(v.Notes)
	for _, list := range [][]string{v.Lost, v.Notes} {
		for i, text := range list {
			list[i] = mask(text)
		}
	}
	v.Findings = slices.Clone(v.Findings)
	for i := range v.Findings {
		f := &v.Findings[i]
		f.Rule, f.Message, f.Shown = mask(f.Rule), mask(f.Message), mask(f.Shown)
	}
	v.Facts = slices.Clone(v.Facts)
	for i := range v.Facts {
		v.Facts[i].Value = mask(v.Facts[i].Value)
	}
}

// good reports whether nothing is to be said about the verdict.
func (v View) good() bool {
	return v.Run.Verdict == string(runner.VerdictSuccess) && len(v.Lost) == 0
}

// Tone returns the tone of the verdict.
func (v View) Tone() document.Tone {
	if v.good() {
		return document.Good
	}
	return document.Bad
}

// Headline returns the run in one line.
func (v View) Headline() string {
	word := v.Run.Word()
	return Heading(word, len(v.Lost) == 0) + strings.TrimPrefix(v.Run.Headline(), word)
}

// Heading returns what stands for a verdict: evidence that is not complete proves none.
func Heading(verdict string, complete bool) string {
	if complete {
		return verdict
	}
	return verdict + ", evidence not complete"
}

// why are the blocks about a run that is no success.
func (v View) why() (blocks []document.Block) {
	for _, what := range v.Lost {
		blocks = append(blocks, document.Text{Tone: document.Bad, Label: "The evidence is not complete", Text: what})
	}
	for _, what := range v.Notes {
		blocks = append(blocks, document.Text{Tone: document.Bad, Label: "Note", Text: what})
	}
	if v.Run.Verdict == string(runner.VerdictSuccess) {
		return blocks
	}
	if v.Reason != "" {
		blocks = append(blocks, document.Text{Text: v.Reason})
	}
	if text := v.unsaid(); text != "" {
		blocks = append(blocks, document.Text{Label: "The agent's error", Text: text})
	}
	if v.Fix != "" {
		blocks = append(blocks, document.Text{Label: "Fix", Text: v.Fix})
	}
	if text := v.beyondReason(v.Stderr); text != "" {
		blocks = append(blocks, document.Text{Text: "The end of the agent's stderr:"}, document.Fence{Lang: "text", Text: text})
	}
	return blocks
}

// beyondReason joins lines without the one that the reason of the verdict ends with.
func (v View) beyondReason(lines []string) string {
	reason := term.OneLine(v.Reason, 4000)
	lines = slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		line = strings.TrimSpace(line)
		return line != "" && strings.HasSuffix(reason, ": "+line)
	})
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// unsaid returns the error that the agent reports, unless the reason of the verdict
// has all of it.
func (v View) unsaid() string {
	if v.Run.End == nil || v.Run.End.Error == nil {
		return ""
	}
	text := term.OneLine(*v.Run.End.Error, 1000)
	if strings.Contains(term.OneLine(v.Reason, 4000), text) {
		return ""
	}
	return text
}

// top returns the last call that failed of a run that is no success, with its output
// shown at the top. It is nil where the agent's stderr or the reason says why.
func (v View) top() *transcript.Call {
	if v.good() || len(v.Stderr) > 0 {
		return nil
	}
	var last *transcript.Call
	for _, t := range v.Run.Turns {
		for _, c := range t.Calls {
			if len(c.Excerpt()) > 0 {
				last = c
			}
		}
	}
	if last == nil || v.beyondReason(last.Excerpt()) == "" {
		return nil
	}
	return last
}

// failing are the blocks about the call at the top.
func (v View) failing() []document.Block {
	c := v.top()
	if c == nil {
		return nil
	}
	return []document.Block{
		document.Text{Text: fmt.Sprintf("The last call that failed is call %d, %s (%s); its output ends with:", c.Number, term.OneLine(c.Title, maxSaid), c.Status())},
		document.Fence{Lang: "text", Text: strings.Join(c.Excerpt(), "\n")},
	}
}

// bad names the calls that failed or were denied by their numbers, the last ones where
// there are many.
func (v View) bad() []document.Block {
	if v.good() {
		return nil
	}
	var numbers []string
	for _, t := range v.Run.Turns {
		for c := range t.All() {
			if c.Bad() {
				numbers = append(numbers, fmt.Sprint("call ", c.Number))
			}
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	first := max(len(numbers)-maxListed, 0)
	text := strings.Join(numbers[first:], ", ")
	if first > 0 {
		text += fmt.Sprintf(", and %d before", first)
	}
	return []document.Block{
		document.Text{Label: "Failed or denied", Text: text},
		document.Text{Label: "Full output of a call", Text: fmt.Sprintf("openagent show --call %s %s", strings.TrimPrefix(numbers[len(numbers)-1], "call "), v.folder())},
	}
}

// answer are the blocks of the agent's last text.
func (v View) answer(room int) []document.Block {
	if term.OneLine(v.Answer, 100) == "" {
		return nil
	}
	head, cut := clip.Prefix(v.Answer, room)
	title := "Answer"
	if v.Run.End == nil || !v.Run.End.OK { // it may be no answer
		title = "Last message"
	}
	blocks := []document.Block{document.Title{Level: 2, Text: title, ID: "answer"}, document.Answer(head)}
	if cut {
		blocks = append(blocks, document.Text{Tone: document.Muted, Text: fmt.Sprintf("These are the first %d of %d bytes; final_output.md has the rest.", len(head), len(v.Answer))})
	}
	return blocks
}

// changedFiles are the files that the calls of the run changed, nil for none.
func (v View) changedFiles() (names document.List) {
	for i, t := range v.Run.Changed {
		if i == MaxSummaryItems {
			return append(names, fmt.Sprintf("and %d more", len(v.Run.Changed)-i))
		}
		name := term.OneLine(t.Path, MaxFinding)
		if t.Deleted {
			name += " (deleted)"
		}
		names = append(names, name)
	}
	return names
}

// changed says in a line which files the calls of the run changed.
func (v View) changed() []document.Block {
	names := v.changedFiles()
	if names == nil {
		return nil
	}
	return []document.Block{document.Text{Label: "Changed files", Text: strings.Join(names, ", ")}}
}

// findings are the blocks of the findings, at most so many of them.
func (v View) findings(most int) []document.Block {
	if v.Total == 0 {
		return nil
	}
	listed := v.Findings[:min(most, len(v.Findings))]
	table := document.Table{Name: "Findings", Head: []string{"severity", "line", "finding"}}
	for _, f := range listed {
		place := "stream"
		if f.Line > 0 {
			place = fmt.Sprint(f.Line)
		}
		table.Rows = append(table.Rows, []string{string(f.Severity), place, f.Rule + ": " + f.Sentence()})
	}
	blocks := []document.Block{table}
	if more := v.Total - len(listed); more > 0 {
		blocks = append(blocks, document.Text{Tone: document.Muted, Text: fmt.Sprintf("and %d more in findings.json", more)})
	}
	return blocks
}

// Terminal returns the view for the end of a log, which has shown the run itself: the
// answer and the verdict.
func (v View) Terminal() []document.Block {
	body := append(v.why(), v.changed()...)
	body = append(body, document.Facts(v.Facts))
	var list document.List
	listed := v.Findings[:min(maxListed, len(v.Findings))]
	for _, f := range listed {
		list = append(list, findingLine(f))
	}
	if more := v.Total - len(listed); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	body = append(body, list)
	for _, command := range v.Next {
		body = append(body, document.Text{Label: "next", Text: command})
	}
	verdict := document.Fold{Summary: "verdict: " + v.Headline(), Body: body}
	if answer := v.answer(maxSummaryAnswer); answer != nil {
		return append(answer[1:], verdict) // without its title
	}
	return []document.Block{verdict}
}

// Saved returns the view for a terminal of a run that has ended: all that it did.
func (v View) Saved() []document.Block {
	blocks := append([]document.Block{document.Title{Level: 1, Tone: v.Tone(), Text: v.Headline()}}, v.why()...)
	if n := v.Run.NoTurns; n > 0 {
		blocks = append(blocks, v.turnsLeftOut(n))
	}
	for _, t := range v.Run.Turns {
		blocks = append(blocks, v.turn(t, false, nil))
	}
	blocks = append(append(blocks, v.answer(1<<20)...), v.bad()...)
	blocks = slices.Concat(blocks, v.changed(), v.cost(), v.findings(MaxSummaryItems))
	return append(blocks, v.environment()...)
}

// Comment returns the view for a pull request; the run is at that address.
func (v View) Comment(address string, answerRoom int) []document.Block {
	blocks := append([]document.Block{document.Title{Level: 2, Tone: v.Tone(), Text: "openagent: " + v.Headline()}}, v.why()...)
	blocks = append(append(blocks, v.answer(answerRoom)...), v.changed()...)
	if address != "" {
		blocks = append(blocks, document.Link{Text: "The run", URL: address})
	}
	return blocks
}

// Summary returns the view for the job page.
func (v View) Summary() []document.Block {
	blocks := append([]document.Block{document.Title{Level: 1, Tone: v.Tone(), Text: "openagent: " + v.Headline()}}, v.why()...)
	blocks = append(append(blocks, v.bad()...), v.failing()...)
	blocks = slices.Concat(blocks, v.answer(maxSummaryAnswer), v.changed(), v.cost())
	if found := v.findings(MaxSummaryItems); found != nil {
		blocks = append(append(blocks, document.Title{Level: 2, Text: "Findings"}), found...)
	}
	if v.Changes != nil {
		blocks = append(blocks, DiffBlocks(*v.Changes)...)
	}
	if turns := v.lastTurns(maxTranscript); len(turns) > 0 {
		blocks = append(blocks, document.Fold{Summary: "Transcript", Body: turns})
	}
	blocks = append(blocks, v.environment()...)
	return append(blocks, document.Facts(v.Upload.Rows()))
}

// lastTurns returns as many of the last turns as fit in a number of bytes, and how many
// are left out.
func (v View) lastTurns(room int) (blocks []document.Block) {
	top, first := v.top(), len(v.Run.Turns)
	for ; first > 0; first-- {
		turn := v.turn(v.Run.Turns[first-1], false, top)
		if room -= len(document.Markdown(turn)); room < 0 {
			break
		}
		blocks = append(blocks, turn)
	}
	if n := v.Run.NoTurns + first; n > 0 {
		blocks = append(blocks, v.turnsLeftOut(n))
	}
	slices.Reverse(blocks)
	return blocks
}

// environment says which run it was.
func (v View) environment() []document.Block {
	var body []document.Block
	if rows := slices.Concat(v.About.rows(v.Run), v.usage(), v.Facts); len(rows) > 0 {
		body = append(body, document.Facts(rows))
	}
	if v.Prompt != "" {
		body = append(body, document.Text{Text: "Prompt:"}, document.Fence{Lang: "text", Text: promptHead(v.Prompt)})
	}
	if body == nil {
		return nil
	}
	return []document.Block{document.Fold{ID: "environment", Summary: "Environment", Body: body}}
}

// Page returns what a page has above and below the turns.
func (v View) Page() (above, below []document.Block) {
	above = append(append(v.why(), v.bad()...), v.failing()...)
	if c := v.top(); c != nil {
		above = append(above, document.Link{Text: fmt.Sprintf("Call %d in the transcript", c.Number), URL: fmt.Sprintf("#call-%d", c.Number)})
	}
	above = append(above, v.answer(maxSummaryAnswer)...)
	above = slices.Concat(above, v.changed(), v.cost())
	above = append(above, document.Title{Level: 2, Text: "Transcript", ID: "transcript"})
	if v.Changes != nil {
		below = append(below, DiffBlocks(*v.Changes)...)
	}
	if found := v.findings(1000); found != nil {
		below = append(below, document.Fold{ID: "findings", Summary: "Findings", Note: fmt.Sprint(v.Total), Tone: document.Warn, Body: found})
	}
	return above, append(below, v.environment()...)
}

// usage are the tokens and the cost of the run, nil where its end does not say.
func (v View) usage() []term.Row {
	if v.Run.End == nil {
		return nil
	}
	u, ok := v.Run.End.Usage.Get()
	if !ok {
		return nil
	}
	n := func(p *int64) string {
		if p == nil {
			return ""
		}
		return transcript.Grouped(*p)
	}
	reasoning, cost := "", "none: the model is scripted"
	if r, ok := u.ReasoningTokens.Get(); ok {
		reasoning = transcript.Grouped(r)
	}
	if usd, ok := u.CostUSD.Get(); ok && usd.Valid() {
		cost = term.Dollars(float64(usd))
	} else if v.Script == "" {
		cost = "not known, --prices names a file with the prices of models"
	}
	return known(
		term.Row{Name: "tokens in", Value: n(u.InputTokens)}, term.Row{Name: "of these cached", Value: n(u.CachedInputTokens)},
		term.Row{Name: "tokens out", Value: n(u.OutputTokens)}, term.Row{Name: "of these reasoning", Value: reasoning},
		term.Row{Name: "tokens in all", Value: n(u.TotalTokens)}, term.Row{Name: "cost", Value: cost},
	)
}

// cost says in a line what the run used, where its end says so.
func (v View) cost() []document.Block {
	of := map[string]string{}
	for _, r := range v.usage() {
		of[r.Name] = r.Value
	}
	text := of["cost"]
	if in, out := of["tokens in"], of["tokens out"]; in != "" && out != "" {
		text += fmt.Sprintf(" (%s tokens in, %s out)", in, out)
	}
	if text == "" {
		return nil
	}
	return []document.Block{document.Text{Label: "Cost", Text: text}}
}

func (v View) turnsLeftOut(n int) document.Block {
	return v.leftOut("The first turns (%d) are left out", n)
}

func (v View) leftOut(what string, n int) document.Block {
	return document.Text{Tone: document.Muted, Text: fmt.Sprintf(what+"; %s has them.", n, v.EventsFile)}
}

// PageTurns gathers the turns of a run, of which the events are read again, for a page:
// with the results of all calls, as far as there is room. Without enough of it the first
// results of calls that went well are left out, and without any of these the first turns.
type PageTurns struct {
	view       View
	room, size int
	again      *transcript.Run
	top        *transcript.Call
	turns      []pageTurn
	bare       int // so many of the turns are without results of calls that went well
	// noResults and noTurns count what is left out.
	noResults, noTurns int
}

// pageTurn is the HTML of a turn, also without the results of calls that went well, which
// are so many.
type pageTurn struct {
	html, bare string
	results    int
}

// NewPageTurns returns a PageTurns for the turns of the view that has so many bytes of room.
func NewPageTurns(v View, room int) *PageTurns {
	return &PageTurns{view: v, room: room, again: transcript.New(math.MaxInt), top: v.top()}
}

// Line takes a line of the stream, in its order.
func (p *PageTurns) Line(l runner.Line) {
	p.again.Line(l)
	p.again.Flush(false, p.add)
}

func (p *PageTurns) add(t *transcript.Turn) {
	one := pageTurn{html: document.HTML(p.view.turn(t, true, p.top))}
	for c := range t.All() {
		if c.State == transcript.OK && c.Result != "" {
			c.Result = ""
			one.results++
		}
	}
	if one.results > 0 {
		one.bare = document.HTML(p.view.turn(t, true, p.top))
	}
	p.turns = append(p.turns, one)
	p.size += len(one.html)
	if p.noTurns > 0 { // no turn has such results
		p.strip()
	}
	for p.size > p.room {
		if p.bare < len(p.turns) {
			p.strip()
			continue
		}
		p.size -= len(p.turns[0].html)
		p.turns, p.bare, p.noTurns = p.turns[1:], p.bare-1, p.noTurns+1
	}
}

// strip takes the results of calls that went well out of the next turn that may have some.
func (p *PageTurns) strip() {
	t := &p.turns[p.bare]
	p.bare++
	if t.results > 0 {
		p.size -= len(t.html) - len(t.bare)
		p.noResults += t.results
		t.html, t.bare = t.bare, ""
	}
}

// Write ends the stream and writes the turns as HTML.
func (p *PageTurns) Write(w io.Writer) error {
	p.again.Close()
	p.again.Flush(true, p.add)
	var b strings.Builder
	if p.noTurns > 0 {
		b.WriteString(document.HTML(p.view.turnsLeftOut(p.noTurns)))
	}
	for i, t := range append(p.turns, pageTurn{}) {
		if i == p.bare && p.noResults > 0 {
			b.WriteString(document.HTML(p.view.leftOut("The results of the calls that went well before here (%d) are left out", p.noResults)))
		}
		b.WriteString(t.html)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// maxOpen is how many turns are open, whatever became of their calls; of more only those
// with failures are.
const maxOpen = 20

// maxSaid bounds the text of a turn that is its summary, in characters.
const maxSaid = 200

// turn returns a turn, with the results of calls that went well where full is set.
func (v View) turn(t *transcript.Turn, full bool, top *transcript.Call) document.Fold {
	b := document.Fold{ID: fmt.Sprintf("turn-%d", t.Number), Summary: fmt.Sprintf("Turn %d", t.Number), Open: t.Bad() || v.Run.Count() <= maxOpen}
	b.Note, b.Tone = sum(t)
	said := t.Text()
	if line := strings.TrimSpace(said); line != "" && !strings.Contains(line, "\n") && len(line) <= maxSaid {
		b.Summary += ": " + line
	} else {
		said = ""
	}
	for i, c := range t.Calls {
		if i > 0 || said == "" {
			b.Body = append(b.Body, saidBefore(c)...)
		}
		b.Body = append(b.Body, v.call(c, full, top))
	}
	for _, n := range t.Notes {
		tone := document.Warn
		if n.Bad {
			tone = document.Bad
		}
		b.Body = append(b.Body, document.Text{Tone: tone, Text: n.Text})
	}
	return b
}

// sum says how many calls a turn has, and whether some did not go well.
func sum(t *transcript.Turn) (string, document.Tone) {
	switch {
	case t.Bad() && len(t.Calls) == 1 && t.Calls[0].State == transcript.Denied:
		return "1 call, denied", document.Bad
	case t.Bad() && len(t.Calls) == 1 && t.Calls[0].State == transcript.Failed:
		return "1 call, failed", document.Bad
	case t.Bad():
		return term.Counted(len(t.Calls), "call") + ", with failures", document.Bad
	case len(t.Calls) == 0:
		return "no calls", document.Muted
	}
	return term.Counted(len(t.Calls), "call"), document.Muted
}

// saidBefore is what the model said before a call.
func saidBefore(c *transcript.Call) []document.Block {
	if strings.TrimSpace(c.Text) == "" {
		return nil
	}
	text := c.Text
	if c.TextBytes > int64(len(text)) {
		text += fmt.Sprintf("\n… (%d bytes in all)", c.TextBytes)
	}
	return []document.Block{document.Text{Text: text}}
}

// tones are the tones of states.
var tones = map[transcript.State]document.Tone{transcript.OK: document.Good, transcript.Failed: document.Bad, transcript.Denied: document.Bad}

// call returns a call; the output of the one at the top is not shown again.
func (v View) call(c *transcript.Call, full bool, top *transcript.Call) document.Block {
	b := document.Fold{ID: fmt.Sprintf("call-%d", c.Number), Summary: c.Title, Code: true, Note: c.Status(), Tone: cmp.Or(tones[c.State], document.Warn), Open: c.Bad()}
	if took := transcript.Spoken(c.Duration); took != "" && c.State != transcript.Denied {
		b.Note += " · " + took
	}
	add := func(lang, text string) {
		if strings.TrimSpace(text) != "" {
			b.Body = append(b.Body, document.Fence{Lang: lang, Text: text})
		}
	}
	add("text", c.Detail)
	add("diff", strings.Join(c.Diff, "\n"))
	for _, r := range c.Retries {
		b.Body = append(b.Body, document.Text{Tone: document.Warn, Text: r})
	}
	switch {
	case top != nil && c.Number == top.Number:
		b.Body = append(b.Body, document.Text{Tone: document.Muted, Text: "The end of its output is shown at the top."})
	case c.State == transcript.Failed:
		add("text", strings.Join(c.Excerpt(), "\n"))
	case full:
		add("text", c.Result)
	}
	part := c.ResultBytes > int64(len(c.Result)) // of the result is in the stream
	switch shown := c.Excerpt(); {
	case part && full && !strings.HasPrefix(v.Run.Agent, "openagent "):
		b.Body = append(b.Body, document.Text{Tone: document.Muted, Text: fmt.Sprintf("The result has %d bytes in all.", c.ResultBytes)})
	case part && full, len(shown) > 0 && strings.HasPrefix(shown[0], "… "):
		b.Body = append(b.Body, document.Text{Label: "All of it", Text: fmt.Sprintf("openagent show --call %d %s", c.Number, v.folder())})
	}
	if full && len(c.Artifacts) > 0 {
		b.Body = append(b.Body, document.Text{Label: "Complete output", Text: strings.Join(c.Artifacts, ", ")})
	}
	for _, child := range c.Children {
		b.Body = append(b.Body, saidBefore(child)...)
		b.Body = append(b.Body, v.call(child, full, top))
	}
	return b
}

// folder returns the folder of the evidence as a word of a shell.
func (v View) folder() string {
	if v.Folder == "" {
		return "FOLDER"
	}
	return ShellWord(v.Folder)
}

// CallInFull returns a call with all of its arguments and its result.
func CallInFull(c *transcript.Call) document.Block {
	b := View{Run: &transcript.Run{}}.call(c, true, c).(document.Fold)
	part := func(name, text string, whole int64) {
		if strings.TrimSpace(text) == "" {
			return
		}
		if whole > int64(len(text)) {
			name += fmt.Sprintf(" (%d of %d bytes are in the stream)", len(text), whole)
		}
		b.Body = append(b.Body, document.Text{Text: name + ":"}, document.Fence{Lang: "text", Text: text})
	}
	b.Body = []document.Block{document.Facts{{Name: "call", Value: fmt.Sprint(c.Number)}, {Name: "id", Value: c.ID}, {Name: "tool", Value: c.Tool}}}
	part("said before", c.Text, c.TextBytes)
	var indented bytes.Buffer
	arguments, whole := c.Arguments, c.ArgumentsBytes
	if json.Indent(&indented, []byte(arguments), "", "  ") == nil {
		arguments = indented.String()
	}
	part("arguments", arguments, whole)
	part("result", c.Result, c.ResultBytes)
	return b
}

func exitReason(e *runner.Execution) string {
	if e.Finished() {
		return e.RunFinished.ExitReason
	}
	return "none, the stream has no run_finished"
}

func swept(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 process, killed"
	}
	return fmt.Sprintf("%d processes, killed", n)
}

func exitStatus(startError, signal string, status *int) string {
	switch {
	case startError != "":
		return "not started"
	case signal != "":
		return "ended by " + signal
	case status != nil:
		return fmt.Sprint(*status)
	}
	return ""
}

// unfinished names what had begun and not ended when an agent was ended, empty
// when the stream does not say.
func unfinished(e *runner.Execution) string {
	if e.Finished() || len(e.Timeline) >= runner.MaxTimeline {
		return ""
	}
	for i := len(e.Timeline) - 1; i >= 0; i-- {
		switch s := e.Timeline[i]; {
		case !s.End.IsZero():
		case s.Tool:
			return fmt.Sprintf("step %d, tool %s", s.Step, s.Name)
		default:
			return s.Name
		}
	}
	return ""
}

// findings counts all findings, then by rule, the most frequent first; empty for none.
func findings(counts map[string]int) string {
	n := 0
	rules := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for i, rule := range rules {
		n += counts[rule]
		rules[i] = fmt.Sprintf("%s %d", rule, counts[rule])
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d: %s", n, strings.Join(rules, ", "))
}

// Failure returns what the log of a script says last about it, with the line of the
// script, or 0 where it names none. What the script printed can look alike, but comes
// before.
func Failure(file, log string) (line int, message string) {
	at := strings.LastIndex("\n"+log, "\nFAIL: "+file+":")
	if at < 0 {
		return 0, ""
	}
	rest := log[at+len("FAIL: "+file+":"):]
	if number, text, ok := strings.Cut(rest, ":"); ok {
		if n, err := strconv.Atoi(number); err == nil && n > 0 {
			line, rest = n, text
		}
	}
	return line, strings.TrimSpace(rest)
}

// worst returns at most n of the findings, errors first.
func worst(findings []validate.Finding, n int) []validate.Finding {
	sorted := slices.Clone(findings)
	validate.SortWorstFirst(sorted)
	return sorted[:min(n, len(sorted))]
}
