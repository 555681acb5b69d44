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
	"github.com/openagent-ci/openagent/internal/policy"
	"github.com/openagent-ci/openagent/internal/record"
	"github.com/openagent-ci/openagent/internal/view"
)

func (p *process) showCommand() *cobra.Command {
	var stateDir string
	cmd := &cobra.Command{
		Use:   "show [flags] [RUN]",
		Short: "Print a saved run in readable form",
		Long: `Print the progress of a saved run of openagent run as it was shown live, and its
final text. RUN is the id of a run in the state folder, or the path of a run folder;
without it the newest one of the state folder is printed.

Exit status: 0 printed, 1 there is no such run or it cannot be read, 2 wrong
command line, 3 it could not be printed.`,
		Example: `  openagent show
  openagent show 20260303T201112Z-1f2e3d4c
  openagent show ./evidence/run`,
		Args: operands(0, 1, "one RUN at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.fillFromEnvironment(cmd.Flags(), nil); err != nil {
				return err
			}
			dir, err := p.runFolder(stateDir, strings.Join(args, ""))
			if err != nil {
				return err
			}
			return p.show(dir)
		},
	}
	cmd.Flags().StringVar(&stateDir, "state-dir", "", "`folder` that the run was saved in (default: the user's state folder)")
	return cmd
}

// runFolder returns the folder of the run that is named, of the newest one
// when none is.
func (p place) runFolder(stateDir, name string) (string, error) {
	if strings.ContainsAny(name, `/\`) {
		return p.path(name), nil
	}
	var id identifier
	if err := id.Set(name); name != "" && err != nil {
		return "", usage("RUN is %q: %w", name, err)
	}
	state, err := p.stateFolder(stateDir, ".")
	if err != nil {
		return "", &statusError{StatusFailed, withHint(err, "name a folder by --state-dir")}
	}
	runs := filepath.Join(state, "runs")
	if name != "" {
		return filepath.Join(runs, name), nil
	}
	dir, err := record.Newest(runs)
	if errors.Is(err, record.ErrNone) {
		err = withHint(fmt.Errorf("no saved run in %s", runs), "name another folder by --state-dir")
	}
	if err != nil {
		return "", &statusError{StatusFailed, err}
	}
	return dir, nil
}

// show prints the run in dir.
func (p *process) show(dir string) error {
	run, err := record.Load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return &statusError{StatusFailed, withHint(fmt.Errorf("no saved run in %s", dir),
			"run openagent show without RUN for the newest, or name another folder by --state-dir")}
	}
	final := ""
	if err == nil {
		final, err = record.FinalOutput(dir)
	}
	if err != nil {
		return &statusError{StatusFailed, fmt.Errorf("read saved run: %w", err)}
	}
	out := &steady{w: p.out}
	s := savedRun{out: out, human: view.NewHuman(out, view.NewScreen(p.out, p.getenv), false)}
	s.begin(run)
	for c, err := range record.Calls(dir) {
		if err != nil {
			return &statusError{StatusFailed, fmt.Errorf("read saved run: %w", err)}
		}
		s.call(c)
	}
	s.end(run, final)
	if out.err != nil {
		return &statusError{StatusDelivery, fmt.Errorf("print saved run: %w", out.err)}
	}
	return nil
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

func (s *savedRun) tell(kind event.Kind, data event.Data) {
	_ = s.human.Emit(event.Event{Step: s.step, Kind: kind, Data: data}) // never fails
}

func (s *savedRun) begin(run record.Saved) {
	model := setting(run.CLI, "model")
	if script := setting(run.CLI, "script"); script != "" {
		model = "script " + filepath.Base(script)
	}
	_ = s.human.Emit(event.Event{RunID: run.RunID, Kind: event.RunStart, Data: event.Data{"model": model}})
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
		s.tell(event.StepStarted, nil)
	}
	s.tell(event.ToolCallDetected, event.Data{"tool": c.Tool, "arguments_preview": c.Arguments})
	if c.Decision == string(policy.Deny) {
		s.tell(event.ToolDecision, event.Data{"decision": c.Decision, "reason": c.Reason})
		return
	}
	s.tell(event.ToolExecEnd, event.Data{
		"ok": c.Result.Facts().OK, "summary_text": c.Result.SummaryText, "duration_ms": c.DurationMS,
	})
}

func (s *savedRun) end(run record.Saved, final string) {
	o := run.Outcome
	if o == nil {
		fmt.Fprintln(s.out, "end: not saved; the run goes on, or it was killed")
		return
	}
	data := event.Data{
		"exit_reason": o.ExitReason, "ok": o.OK, "steps": o.Steps, "tool_calls": o.ToolCalls, "duration_ms": o.DurationMS,
		"usage": o.Usage,
	}
	if o.Error != nil {
		data["error"] = *o.Error
	}
	s.tell(event.RunEnd, data)
	if final == "" {
		return
	}
	fmt.Fprintln(s.out)
	for _, line := range view.Clean(final) {
		fmt.Fprintln(s.out, line)
	}
}
