package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/projection"
	"github.com/openagent-ci/openagent/internal/record"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/view"
	"github.com/openagent-ci/openagent/runner"
)

// isEvidence reports whether the folder is one of evidence.
func isEvidence(dir string) bool { return exists(filepath.Join(dir, evidence.ManifestFile)) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// showEvidence prints the run whose evidence is in dir. Evidence that is not as
// it was saved is shown all the same, and ends the command with status 1.
func (p *program) showEvidence(ctx context.Context, dir string, part shownPart) error {
	saved, err := evidence.Read(dir)
	if err != nil {
		err = fmt.Errorf("read evidence in %s: %w", dir, err)
		if errors.Is(err, evidence.ErrVersion) {
			err = hint.With(err, newerHint)
		}
		return &statusError{StatusFailed, err}
	}
	defer saved.Close()
	out := &steady{w: p.Out}
	if part.whole() {
		_ = view.WriteVerdict(out, report.SavedVerdict(saved.Manifest, savedFindings(saved))) // steady never fails
	}
	if err := p.showStream(ctx, out, saved, dir, part); err != nil {
		return err
	}
	if part.whole() {
		showTexts(out, saved)
	}
	if out.err != nil {
		return &statusError{StatusDelivery, fmt.Errorf("print saved run: %w", out.err)}
	}
	if changed := saved.Changed(); len(changed) > 0 {
		return &statusError{StatusFailed, hint.With(fmt.Errorf("the evidence in %s is not as it was saved: %s", dir, strings.Join(changed, "; ")),
			"what was printed may not be what happened: take the evidence from where it was made")}
	}
	return nil
}

// newerHint is the way out where a saved form is unknown.
const newerHint = "another version of openagent wrote it: show it with that one"

// savedFindings returns those that the folder lists, none where they cannot be
// read: the manifest counts them.
func savedFindings(saved *evidence.Saved) []string {
	var check struct{ Files []report.CheckFile }
	if json.Unmarshal(savedText(saved, evidence.FindingsFile), &check) != nil {
		return nil
	}
	var list []string
	for _, file := range check.Files {
		for _, f := range file.Findings {
			list = append(list, f.String())
		}
	}
	return list
}

// maxSavedText bounds what is shown of a file, in bytes.
const maxSavedText = 1 << 20

// savedText returns the begin of a file, nothing where it cannot be read.
func savedText(saved *evidence.Saved, name string) []byte {
	f, err := saved.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSavedText))
	if err != nil {
		return nil
	}
	return text
}

// showStream prints the events of the stream, or the calls of a part of it.
func (p *program) showStream(ctx context.Context, out io.Writer, saved *evidence.Saved, dir string, part shownPart) error {
	f, err := saved.Open(evidence.EventsFile)
	if err != nil {
		return &statusError{StatusFailed, fmt.Errorf("read evidence in %s: %w", dir, err)}
	}
	defer f.Close()
	s := &savedStream{human: view.NewHuman(out, view.NewScreen(p.Out, p.Getenv), false), calls: streamCalls{part: part}}
	if _, err := runner.Scan(ctx, f, runner.Config{File: evidence.EventsFile, Handler: s}); err != nil {
		return &statusError{StatusFailed, fmt.Errorf("read evidence in %s: %w", dir, err)}
	}
	if part.whole() {
		if s.unread > 0 {
			not := "1 line is not shown: it is no event"
			if s.unread > 1 {
				not = fmt.Sprintf("%d lines are not shown: they are no events", s.unread)
			}
			fmt.Fprintf(out, "%s; see openagent check %s\n", not, view.OneLine(filepath.Join(dir, evidence.EventsFile), maxDifference))
		}
		return nil
	}
	calls := s.calls.calls
	if whole := wholeCalls(saved, dir, part); len(whole) > 0 {
		calls = whole
	}
	return printCalls(out, part, calls, s.calls.known)
}

// printCalls prints the calls of a part; that there are none is an error.
func printCalls(out io.Writer, part shownPart, calls []*shownCall, known []string) error {
	if len(calls) == 0 {
		err := fmt.Errorf("the run has no %s", part)
		if part.call != "" && len(known) > 0 {
			err = hint.With(err, "its calls are: "+view.OneLine(strings.Join(known, ", "), maxDifference))
		}
		return &statusError{StatusFailed, err}
	}
	for _, c := range calls {
		c.print(out)
	}
	return nil
}

// wholeCalls returns the calls of the run record that the built-in agent left
// among the artifacts; none where there is no such record.
func wholeCalls(saved *evidence.Saved, dir string, part shownPart) []*shownCall {
	var id identifier
	if id.Set(saved.Manifest.RunID) != nil {
		return nil
	}
	folder := filepath.Join(evidence.ArtifactsDir, saved.Manifest.RunID)
	f, err := saved.Open(filepath.Join(folder, record.CallsName)) // a regular file, within the evidence
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

// savedStream shows the events of a saved stream, or gathers the calls of a
// part of it.
type savedStream struct {
	human  *view.Human
	calls  streamCalls
	unread int // lines that are no events
}

// Line shows one line.
func (s *savedStream) Line(l runner.Line) {
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
func (s *savedStream) Stderr([]byte) {}

// lastLines is how many lines of stderr are shown of a run that did not come to
// its end.
const lastLines = 20

// showTexts prints the final text and, of a run that did not come to its end,
// what the agent said last on stderr.
func showTexts(out io.Writer, saved *evidence.Saved) {
	printSaved(out, savedText(saved, evidence.FinalOutputFile))
	switch runner.Verdict(saved.Manifest.Verdict) {
	case runner.VerdictCrash, runner.VerdictPreRunError, runner.VerdictTimeout, runner.VerdictCancelled:
	default:
		return
	}
	lines := view.Clean(strings.TrimSuffix(lastBytes(saved, evidence.StderrFile), "\n"))
	if len(lines) == 1 && lines[0] == "" {
		return
	}
	fmt.Fprintln(out)
	for _, line := range lines[max(0, len(lines)-lastLines):] {
		fmt.Fprintln(out, "stderr | "+line)
	}
}

// lastBytes returns the end of a file, nothing where it cannot be read.
func lastBytes(saved *evidence.Saved, name string) string {
	f, err := saved.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxSavedText {
		if _, err := f.Seek(-maxSavedText, io.SeekEnd); err != nil {
			return ""
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSavedText))
	if err != nil {
		return ""
	}
	return string(text)
}

// printSaved prints a final text below an empty line, if there is one.
func printSaved(out io.Writer, text []byte) {
	if len(text) == 0 {
		return
	}
	fmt.Fprintln(out)
	for _, line := range view.Clean(string(text)) {
		fmt.Fprintln(out, line)
	}
	if len(text) == maxSavedText {
		fmt.Fprintf(out, "(the first %d bytes of it)\n", maxSavedText)
	}
}

// asMissing tells that a folder holds no run.
func asMissing(dir string) error {
	what := fmt.Errorf("no saved run in %s: it has neither %s nor run.json", dir, evidence.ManifestFile)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		what = fmt.Errorf("no saved run in %s: there is no such folder", dir)
	} else if events := filepath.Join(dir, evidence.EventsFile); exists(events) {
		return hint.With(fmt.Errorf("no manifest in %s: the run goes on, or its harness was killed", dir), "openagent check "+events+" judges what there is of the stream")
	}
	return hint.With(what, "name a folder of evidence or of a run, or run openagent show without one for the newest in --state-dir")
}
