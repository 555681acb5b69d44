package show

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/live"
	"github.com/openagent-ci/openagent/internal/runlog/projection"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
)

// evidence prints the run whose evidence is in dir.
func (p *printer) evidence(ctx context.Context, dir string, part Part) error {
	e, err := evidence.Read(dir)
	if err != nil {
		err = fmt.Errorf("read evidence in %s: %w", dir, err)
		if errors.Is(err, evidence.ErrVersion) {
			err = hint.With(err, newerHint)
		}
		return err
	}
	defer e.Close()
	if part.whole() {
		_ = term.WriteVerdict(p, report.SavedVerdict(e.Manifest, evidence.LacksTexts(e.Manifest), findings(e))) // p never fails
	}
	again, err := p.stream(ctx, e, dir, part)
	if err != nil {
		return err
	}
	if part.whole() {
		p.texts(e)
	}
	if err := p.failure(); err != nil {
		return err
	}
	if d := e.Problem(again); d != nil {
		way := "what was printed may not be what happened: take the evidence from where it was made"
		if d.OtherVersion {
			way = newerHint
		}
		return hint.With(fmt.Errorf("the evidence in %s %s: %s", dir, d.Why, strings.Join(d.What, "; ")), way)
	}
	return nil
}

// newerHint is the way out where a saved form is unknown.
const newerHint = "another version of openagent wrote it: show it with that one"

// findings returns those that the folder lists, none where they cannot be
// read: the manifest counts them.
func findings(e *evidence.Saved) []string {
	f, err := e.Open(evidence.FindingsFile)
	if err != nil {
		return nil
	}
	defer f.Close()
	return report.SavedFindings(f)
}

// maxText bounds what is shown of a file, in bytes.
const maxText = 1 << 20

// stream prints the events of the stream, or the calls of a part of it, and returns
// the stream as it was scanned.
func (p *printer) stream(ctx context.Context, e *evidence.Saved, dir string, part Part) (*runner.Execution, error) {
	s := &streamPrinter{human: p.human(), calls: callsOfStream{part: part}}
	again, err := e.Scan(ctx, s, 0)
	if err != nil {
		return nil, fmt.Errorf("read evidence in %s: %w", dir, err)
	}
	if part.whole() {
		if s.unread > 0 {
			not := "1 line is not shown: it is no event"
			if s.unread > 1 {
				not = fmt.Sprintf("%d lines are not shown: they are no events", s.unread)
			}
			fmt.Fprintf(p, "%s; see openagent check %s\n", not, term.OneLine(filepath.Join(dir, evidence.EventsFile), maxLine))
		}
		return again, nil
	}
	calls := s.calls.calls
	if whole := wholeCalls(e, dir, part); len(whole) > 0 {
		calls = whole
	}
	return again, p.calls(part, calls, s.calls.ids)
}

// wholeCalls returns the calls of the run record that the built-in agent left
// among the artifacts; none where there is no such record.
func wholeCalls(e *evidence.Saved, dir string, part Part) []*fullCall {
	if !record.ValidID(e.Manifest.RunID) {
		return nil
	}
	folder := filepath.Join(evidence.ArtifactsDir, e.Manifest.RunID)
	f, err := e.Open(filepath.Join(folder, record.CallsName)) // a regular file, within the evidence
	if err != nil {
		return nil
	}
	f.Close()
	calls, _, err := recordedCalls(filepath.Join(dir, folder), part)
	if err != nil {
		return nil
	}
	return calls
}

// streamPrinter shows the events of a saved stream, or gathers the calls of a
// part of it.
type streamPrinter struct {
	human  *live.Human
	calls  callsOfStream
	unread int // lines that are no events
}

// Line shows one line.
func (s *streamPrinter) Line(l runner.Line) {
	switch {
	case l.Event == nil || l.Event.Data == nil:
		s.unread++
	case s.calls.part.whole():
		// Human never fails.
		_ = s.human.Emit(projection.Event(l.Event))
	default:
		s.calls.add(l.Event)
	}
}

// Stderr does nothing: a saved stream has none.
func (s *streamPrinter) Stderr([]byte) {}

// lastLines is how many lines of stderr are shown of a run that did not come to
// its end.
const lastLines = 20

// texts prints the final text and, of a run that did not come to its end,
// what the agent said last on stderr.
func (p *printer) texts(e *evidence.Saved) {
	printFinal(p, e.Text(evidence.FinalOutputFile, maxText, false))
	switch runner.Verdict(e.Manifest.Verdict) {
	case runner.VerdictCrash, runner.VerdictPreRunError, runner.VerdictTimeout, runner.VerdictCancelled:
	default:
		return
	}
	lines := term.Clean(strings.TrimSuffix(e.Text(evidence.StderrFile, maxText, true), "\n"))
	if len(lines) == 1 && lines[0] == "" {
		return
	}
	fmt.Fprintln(p)
	for _, line := range lines[max(0, len(lines)-lastLines):] {
		fmt.Fprintln(p, "stderr | "+line)
	}
}

// printFinal prints a final text below an empty line, if there is one.
func printFinal(out io.Writer, text string) {
	if len(text) == 0 {
		return
	}
	fmt.Fprintln(out)
	for _, line := range term.Clean(text) {
		fmt.Fprintln(out, line)
	}
	if len(text) == maxText {
		fmt.Fprintf(out, "(the first %d bytes of it)\n", maxText)
	}
}

// missing says that a folder holds no run.
func missing(dir string) error {
	what := fmt.Errorf("no saved run in %s: it has neither %s nor run.json", dir, evidence.ManifestFile)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		what = fmt.Errorf("no saved run in %s: there is no such folder", dir)
	} else if events := filepath.Join(dir, evidence.EventsFile); exists(events) {
		return hint.With(fmt.Errorf("no manifest in %s: the run goes on, or its harness was killed", dir), "openagent check "+events+" judges what there is of the stream")
	}
	return hint.With(what, "name a folder of evidence or of a run, or run openagent show without one for the newest in --state-dir")
}
