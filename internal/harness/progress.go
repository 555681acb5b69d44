package harness

import (
	"fmt"
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/report/live"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// maxShownFindings bounds the findings of each severity that are shown while an
// agent runs; the evidence counts all of them.
const maxShownFindings = 10

// maxShown bounds what is shown of an agent while it runs, in bytes: a log that
// it could flood would bury everything else.
const maxShown = 4 << 20

// progress shows people what an agent's stream says, as run shows its own.
type progress struct {
	w       *bounded
	watched bool // by a person
	foot    *live.Foot
	human   *live.Human
	shown   map[validate.Severity]int // findings so far
	err     *redact.Writer
}

// newProgress returns what shows progress; fence is around it in a job, nil elsewhere.
func newProgress(w io.Writer, s term.Screen, r *redact.Redactor, fence *job.Fence) *progress {
	foot := live.NewFoot(w, s)
	room := &bounded{w: foot, left: maxShown}
	o := live.Options{Foot: foot}
	if fence != nil {
		o.Groups = live.JobGroups{W: fencedCommands{foot, fence}} // never left out: the fence must be whole
	}
	p := &progress{w: room, watched: s.Terminal(), foot: foot, human: live.NewHuman(room, s, o), shown: map[validate.Severity]int{}}
	p.err = redact.NewWriter(stderrLines{room}, r)
	return p
}

// line shows one line of the stream and what was found in it.
func (p *progress) line(l runner.Line) {
	p.findings(l.Findings)
	if l.Event == nil || l.Event.Data == nil {
		return // what is wrong with it was said
	}
	if p.w.left < 0 && !p.watched {
		return // nobody would see it
	}
	p.human.Add(l.Event)
}

// fencedCommands writes commands for the runner within a fence.
type fencedCommands struct {
	w     io.Writer
	fence *job.Fence
}

// Write writes one command.
func (c fencedCommands) Write(p []byte) (int, error) {
	c.fence.Within(c.w, strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

// findings shows what was found in a line.
func (p *progress) findings(found []validate.Finding) {
	p.foot.Findings(len(found))
	for _, f := range found {
		if f.Severity == validate.SeverityInfo {
			continue
		}
		if p.shown[f.Severity]++; p.shown[f.Severity] <= maxShownFindings {
			fmt.Fprintln(p.w, "  "+term.OneLine(f.String(), 240))
		}
	}
}

func (p *progress) stderr(piece []byte) {
	if p.w.left < 0 {
		return // nobody would see it
	}
	_, _ = p.err.Write(piece)
}

// close shows what is left of stderr and of the view.
func (p *progress) close() {
	_ = p.err.Close()
	p.human.Close()
}

// stderrLines shows whole lines of an agent's stderr behind a prefix.
type stderrLines struct{ w io.Writer }

// Write shows the lines of p. It never fails: what cannot be shown is in the
// evidence.
func (s stderrLines) Write(p []byte) (int, error) {
	var b strings.Builder
	for _, line := range term.Clean(string(p)) {
		b.WriteString("  stderr | " + line + "\n")
	}
	_, _ = io.WriteString(s.w, b.String())
	return len(p), nil
}

// bounded shows what there is room for, and then once that there is more.
type bounded struct {
	w    io.Writer
	left int // below 0 once the end was shown
}

// Write writes p whole or not at all. It never fails: progress that cannot be
// shown is no reason to end a run.
func (b *bounded) Write(p []byte) (int, error) {
	switch {
	case b.left < 0:
	case len(p) > b.left:
		b.left = -1
		fmt.Fprintf(b.w, "  more than %d bytes of progress; the rest is in the evidence alone\n", maxShown)
	default:
		b.left -= len(p)
		_, _ = b.w.Write(p)
	}
	return len(p), nil
}
