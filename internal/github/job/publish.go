package job

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	githubactions "github.com/sethvargo/go-githubactions"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

const (
	// maxFinalOutput bounds the outputs final-output and structured-output.
	maxFinalOutput = 64 << 10
	// maxError bounds the output error, in characters.
	maxError = 1000
)

// Result is what a job publishes.
type Result struct {
	Exec *runner.Execution
	// Witness is nil where nobody was to see the requests of the agent.
	Witness *schema.ManifestWitness
	// FinalOutput is the agent's last text, redacted.
	FinalOutput string
	// Evidence is the evidence folder.
	Evidence string
	// Answer is the value that the final text is by the output schema, empty for none.
	Answer string
	// Changed names what changed since the run that was compared with.
	Changed []string
	// Summary is the Markdown of the job page; empty adds none.
	Summary []byte
	Outcome
}

// Outcome is what a job reports of anything that ended in it.
type Outcome struct {
	// Reason says in one sentence why the verdict is what it is, WayOut what
	// to do about it, empty where that is not known. Both are redacted.
	Reason, WayOut string
	// Changes says which changes since another run fail the step, empty for none.
	Changes string
	// Fails reports that the verdict fails the step.
	Fails bool
	// Lost lists the parts of the evidence that are not whole, redacted.
	Lost []string
	// Annotations has the verdict that fails the step and the findings shown
	// as annotations.
	Annotations bool
}

// failure is the output error: why the step fails or should.
func (o Outcome) failure(v runner.Verdict) string {
	var why []string
	if v != runner.VerdictSuccess {
		why = append(why, o.Reason)
	}
	if o.Changes != "" {
		why = append(why, o.changed())
	}
	if len(o.Lost) > 0 {
		why = append(why, o.incomplete())
	}
	return term.OneLine(strings.Join(why, "; "), maxError)
}

// ok is the output ok: a verdict without the evidence for it is none.
func (o Outcome) ok(v runner.Verdict) string {
	return fmt.Sprint(v == runner.VerdictSuccess && len(o.Lost) == 0)
}

func (o Outcome) changed() string { return "changes since the base run fail: " + o.Changes }

func (o Outcome) incomplete() string {
	return "the evidence is not complete: " + strings.Join(o.Lost, "; ")
}

// annotations returns what is said of the verdict before its findings: one
// annotation for one that fails the step, one for changes that do, one for evidence
// that is not whole.
func (o Outcome) annotations(v runner.Verdict) (list []annotation) {
	if !o.Annotations {
		return nil
	}
	if o.Fails {
		list = append(list, annotation{string(v), sentences(o.Reason, o.WayOut)})
	}
	if o.Changes != "" {
		list = append(list, annotation{"diff", o.changed()})
	}
	if len(o.Lost) > 0 {
		list = append(list, annotation{"evidence", o.incomplete()})
	}
	return list
}

// sentences joins a reason and a way out, if there is one.
func sentences(reason, wayOut string) string {
	if wayOut == "" {
		return reason
	}
	return strings.TrimRight(reason, ".") + ". Fix: " + wayOut
}

// annotation is an error about the step as a whole.
type annotation struct{ subject, text string }

// Publish reports the outcome of the run to the runner. What the agent wrote to the
// files of the runner goes first; then come the summary, the outputs and, in
// the log, the annotations. What it could not report, and what was done to the
// files, it prints as warnings and returns. The outputs are there whatever the
// verdict. An error means that the files may act on the rest of the job as the
// agent wants it.
func (j *Job) Publish(r Result) (warnings []string, err error) {
	t := jobReport{by: "the agent", summary: r.Summary, outputs: r.outputs(), first: r.annotations(r.Exec.Verdict)}
	if r.Annotations {
		// Evidence is no file of the repository, wherever it lies.
		t.findings, t.more = r.Exec.Findings, max(r.Exec.TotalFindings()-len(r.Exec.Findings), 0)
	}
	return j.report(t)
}

// jobReport is what is reported to the runner at the end.
type jobReport struct {
	by        string // who is to blame for foreign lines
	workspace string
	first     []annotation
	findings  []validate.Finding
	more      int
	summary   []byte
	outputs   []output
}

// report writes all of it, each part even when another could not be written.
func (j *Job) report(t jobReport) (warnings []string, err error) {
	check := func(step string, err error) bool {
		if err != nil {
			warnings = append(warnings, step+": "+err.Error())
		}
		return err == nil
	}
	add := map[string][]byte{}
	if len(t.summary) > 0 && check("write job summary", j.usable(envSummary)) {
		page, err := j.fit(append(bytes.TrimRight(t.summary, "\n"), '\n'))
		check("write job summary", err)
		add[envSummary] = page
	}
	if check("write outputs", j.usable(envOutput)) {
		add[envOutput] = encodeOutputs(t.outputs)
	}
	tampering, err := j.append(add)
	for _, done := range tampering {
		warnings = append(warnings, t.by+" "+done)
	}
	if err != nil { // the step fails by it, whatever the verdict
		t.first = append(t.first, annotation{"files of the runner", err.Error()})
	}
	check("print annotations", j.announce(t.first))
	// The job page shows the first 10 of a kind, and an agent chooses how many
	// findings there are: what is wrong here comes before them.
	for _, w := range warnings {
		if _, err := j.out.Write(command(func(a *githubactions.Action) { a.Warningf("%s", w) })); err != nil {
			break // the log is gone; the caller still gets the warnings
		}
	}
	check("print annotations", Annotate(j.out, t.workspace, t.findings, t.more))
	return warnings, err
}

// maxPage bounds what one step may write to the page of its job, in bytes: GitHub shows
// nothing of what is larger.
const maxPage = 1 << 20

// fit returns what there is room for of a summary, next to what the step has written
// already: all of it or what stands above its first section. The error says what is
// left out.
func (j *Job) fit(summary []byte) ([]byte, error) {
	room := maxPage
	for _, f := range j.files {
		if f.name == envSummary {
			room -= len(f.content) + 1
		}
	}
	if len(summary) <= room {
		return summary, nil
	}
	head, _, _ := bytes.Cut(summary, []byte("\n### "))
	head = append(bytes.Clone(head), "\n**Left out:** the rest, since a step has 1 MiB of this page.\n"...)
	if len(head) > room {
		head = nil
	}
	return head, fmt.Errorf("it has %d bytes, and the page has room for %d more of this step; left out: %d", len(summary), max(room, 0), len(summary)-len(head))
}

// outputs are all outputs of a run; one that is not known is empty.
func (r Result) outputs() []output {
	e := r.Exec
	final, cut := clip.Prefix(clip.UTF8(r.FinalOutput), maxFinalOutput)
	var reason, in, out, agentVersion string
	if e.Finished() {
		u, _ := e.RunFinished.Usage.Get()
		reason, in, out = short(e.RunFinished.ExitReason), number(u.InputTokens), number(u.OutputTokens)
	}
	if e.RunStarted != nil && e.RunStarted.Agent != nil {
		agentVersion = short(e.RunStarted.Agent.Version)
	}
	answer := r.Answer
	if len(answer) > maxFinalOutput {
		answer = "" // whole or not at all: half of one is none
	}
	return []output{
		{"ok", r.ok(e.Verdict)},
		{"verdict", string(e.Verdict)},
		{"exit-reason", reason},
		{"run-id", short(e.RunID)},
		{"final-output", final},
		{"final-output-truncated", fmt.Sprint(cut)},
		{"steps", fmt.Sprint(e.Steps)},
		{"tool-calls", fmt.Sprint(e.ToolCalls)},
		{"input-tokens", in},
		{"output-tokens", out},
		{"cost-usd", costUSD(e)},
		{"findings", fmt.Sprint(e.TotalFindings())},
		{"schema-version", short(e.SchemaVersion)},
		{"schema-digest", schema.Digest()},
		{"evidence-dir", r.Evidence},
		{"agent-version", agentVersion},
		{"agent-tested", r.tested()},
		{"witness", r.witness()},
		{"structured-output", answer},
		{"changed", strings.Join(r.Changed, ",")},
		{"matrix", ""}, {"has-work", ""}, // of a plan, which publishes nothing else
		{"error", r.failure(e.Verdict)},
	}
}

// tested says whether the version of another agent is one that the conversion was tested
// with, empty where that is not known.
func (r Result) tested() string {
	if x := r.Exec.Source; x != nil && x.Tested != nil {
		return fmt.Sprint(*x.Tested)
	}
	return ""
}

// witness says whether all requests of the agent were seen, empty where none were to be.
func (r Result) witness() string {
	switch {
	case r.Witness == nil:
		return ""
	case r.Witness.Complete:
		return "complete"
	}
	return "incomplete"
}

// short makes an agent's word one harmless line: outputs are pasted into
// scripts and logs.
func short(s string) string { return term.OneLine(s, 256) }

// costUSD is what the run cost in US dollars, as a program reads it.
func costUSD(e *runner.Execution) string {
	if !e.Finished() {
		return ""
	}
	u, _ := e.RunFinished.Usage.Get()
	usd, ok := u.CostUSD.Get()
	if !ok || !usd.Valid() {
		return ""
	}
	return strconv.FormatFloat(float64(usd), 'f', -1, 64)
}

func number(n *int64) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}
