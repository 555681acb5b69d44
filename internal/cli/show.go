package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/policy"
	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/record"
	"github.com/openagent-ci/openagent/internal/view"
)

func (p *program) showCommand() *cobra.Command {
	var stateDir string
	var part shownPart
	cmd := &cobra.Command{
		Use:   "show [flags] [EVIDENCE|RUN]",
		Short: "Print a saved run in readable form",
		Long: `Print a saved run as people read it: its progress as it was shown live, and its
final text; of an evidence folder the verdict before, with what was found, and
after a crash the end of stderr. RUN is the id of a run in the state folder, or
the path of a run folder; without it the newest one of the state folder is
printed. Files of evidence are compared with the digests in its manifest.

With --step or --call the tool calls of a step, or one of them, are printed in
full: as the run record has them, which the built-in agent leaves in its
evidence, else as far as the stream does.

Exit status: 0 printed, 1 there is no such run, step or call, it cannot be read,
or the evidence is not as it was saved, 2 wrong command line, 3 it could not be
printed.`,
		Example: `  openagent show
  openagent show openagent-out/20260303T201112Z-1f2e
  openagent show --call call_1_0 20260303T201112Z-1f2e3d4c`,
		Args: operands(0, 1, "one EVIDENCE or RUN at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fillFromEnvironment(p.Place, cmd.Flags(), nil); err != nil {
				return err
			}
			if part.step < 0 {
				return usage("--step is %d: want a whole number from 1", part.step)
			}
			dir, err := runFolder(p.Place, stateDir, strings.Join(args, ""))
			if err != nil {
				return err
			}
			if isEvidence(dir) {
				return p.showEvidence(cmd.Context(), dir, part)
			}
			return p.show(dir, part)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.IntVar(&part.step, "step", 0, "print only the calls of this step, in full")
	fs.StringVar(&part.call, "call", "", "print only the call of this `id`, in full")
	fs.StringVar(&stateDir, "state-dir", "", "`folder` that the run was saved in (default: the user's state folder)")
	return cmd
}

// runFolder returns the folder that is named by its path or by the id of a run,
// that of the newest run when none is. A mere name is a folder here if that
// holds a run.
func runFolder(p process.Place, stateDir, name string) (string, error) {
	here := p.Path(name)
	if strings.ContainsAny(name, `/\`) || name != "" && (exists(filepath.Join(here, record.InfoName)) || isEvidence(here)) {
		return here, nil
	}
	var id identifier
	if err := id.Set(name); name != "" && err != nil {
		return "", usage("RUN is %q: %w", name, err)
	}
	state, err := p.StateFolder(stateDir, ".")
	if err != nil {
		return "", &statusError{StatusFailed, hint.With(err, "name a folder by --state-dir")}
	}
	runs := filepath.Join(state, "runs")
	if name != "" {
		return filepath.Join(runs, name), nil
	}
	dir, err := record.Newest(runs)
	if errors.Is(err, record.ErrNone) {
		err = hint.With(fmt.Errorf("no saved run in %s", runs), "name another folder by --state-dir")
	}
	if err != nil {
		return "", &statusError{StatusFailed, err}
	}
	return dir, nil
}

// show prints the run in dir, or a part of it.
func (p *program) show(dir string, part shownPart) error {
	run, err := record.Load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return &statusError{StatusFailed, asMissing(dir)}
	}
	final := ""
	if err == nil {
		final, err = record.FinalOutput(dir)
	}
	if errors.Is(err, record.ErrVersion) {
		err = hint.With(err, newerHint)
	}
	var calls []*shownCall
	var known []string
	if err == nil && !part.whole() {
		calls, known, err = recordedCalls(dir, part)
	}
	if err != nil {
		return &statusError{StatusFailed, fmt.Errorf("read saved run: %w", err)}
	}
	out := &steady{w: p.Out}
	if part.whole() {
		err = p.showRun(out, dir, run, final)
	} else {
		err = printCalls(out, part, calls, known)
	}
	if err == nil && out.err != nil {
		err = &statusError{StatusDelivery, fmt.Errorf("print saved run: %w", out.err)}
	}
	return err
}

// showRun prints all of the run in short.
func (p *program) showRun(out io.Writer, dir string, run record.Saved, final string) error {
	s := savedRun{out: out, human: view.NewHuman(out, view.NewScreen(p.Out, p.Getenv), false)}
	s.begin(run)
	for c, err := range record.Calls(dir) {
		if err != nil {
			return &statusError{StatusFailed, fmt.Errorf("read saved run: %w", err)}
		}
		s.call(c)
	}
	s.end(run, final)
	return nil
}

// recordedCalls returns the calls of a part of the run in dir, and the ids of
// all.
func recordedCalls(dir string, part shownPart) (calls []*shownCall, known []string, err error) {
	for c, err := range record.Calls(dir) {
		if err != nil {
			return nil, nil, err
		}
		known = append(known, c.ID)
		if part.has(c.Step, c.ID) {
			shown := recordedCall(c)
			calls = append(calls, &shown)
		}
	}
	return calls, known, nil
}

// steady is a writer that goes on after an error and remembers the first one.
type steady struct {
	w   io.Writer
	err error
}

func (s *steady) Write(p []byte) (int, error) {
	if s.err == nil {
		_, s.err = s.w.Write(p)
	}
	return len(p), nil
}

// savedRun tells of a saved run in the words of one that goes on.
type savedRun struct {
	out   io.Writer
	human *view.Human
	step  int
}

func (s *savedRun) tell(data event.Payload) {
	_ = s.human.Emit(event.Event{Step: s.step, Data: data}) // never fails
}

func (s *savedRun) begin(run record.Saved) {
	model := setting(run.CLI, "model")
	if script := setting(run.CLI, "script"); script != "" {
		model = "script " + filepath.Base(script)
	}
	_ = s.human.Emit(event.Event{RunID: run.RunID, Data: event.RunStart{Model: model}})
	fmt.Fprintf(s.out, "  %s, in %s\n", run.Started.Format(time.RFC3339), view.OneLine(run.Paths["workspace"], 200))
}

// setting returns an effective flag that is a text.
func setting(flags map[string]any, name string) string {
	text, _ := flags[name].(string)
	return text
}

func (s *savedRun) call(c record.Call) {
	if c.Step != s.step {
		s.step = c.Step
		s.tell(event.StepStarted{})
	}
	s.tell(event.ToolCallDetected{Tool: c.Tool, ArgumentsPreview: &c.Arguments})
	if c.Decision == string(policy.Deny) {
		s.tell(event.ToolDecision{Decision: c.Decision, Reason: &c.Reason})
		return
	}
	s.tell(event.ToolExecEnd{OK: c.Result.Facts().OK, SummaryText: c.Result.SummaryText, DurationMS: &c.DurationMS})
}

func (s *savedRun) end(run record.Saved, final string) {
	o := run.Outcome
	if o == nil {
		fmt.Fprintln(s.out, "end: not saved; the run goes on, or it was killed")
		return
	}
	s.tell(event.RunEnd{
		ExitReason: o.ExitReason, OK: o.OK, Error: o.Error,
		Steps: new(int64(o.Steps)), ToolCalls: new(int64(o.ToolCalls)), DurationMS: &o.DurationMS, Usage: o.Usage,
	})
	printSaved(s.out, []byte(final))
}
