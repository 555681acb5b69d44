package cli

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/actions"
	"github.com/openagent-ci/openagent/internal/demo"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/runner"
)

// notePrompt notes what a file or the demo asks the agent, before the agent can
// change it. A prompt that cannot be read is for the agent to report.
func (c *harness) notePrompt(ctx context.Context) {
	switch {
	case c.flags.eventsFile != "":
	case c.run.promptFile != "":
		text, _ := c.readAgain(ctx, c.run.promptFile)
		c.asked = string(text)
	case c.builtIn() && c.run.prompt == "" && c.run.script == demo.Name:
		c.asked, _ = demo.Prompt()
	}
}

// about returns which run e was, for people, redacted.
func (c *harness) about(e *runner.Execution, job *actions.Job) report.About {
	a := report.About{Prompt: c.asked, Stream: c.flags.eventsFile, Command: c.shownCommand(e), Upload: upload(job, e.Verdict)}
	if c.builtIn() {
		a.Script = c.run.script
	}
	if a.Stream == "" && (!c.builtIn() || c.run.script != demo.Name || c.run.workspaceGiven) { // the demo has a folder of its own
		a.Dir, _ = c.program.Abs(c.run.workspace)
	}
	for _, text := range []*string{&a.Prompt, &a.Script, &a.Stream, &a.Dir} {
		*text = c.redactor.String(*text)
	}
	for i, word := range a.Command {
		a.Command[i] = c.redactor.String(word)
	}
	return a
}

// upload returns where the evidence will be had, nowhere outside a job.
func upload(job *actions.Job, v runner.Verdict) report.Upload {
	id := actions.Current(os.Getenv)
	if job == nil || id == nil {
		return report.Upload{}
	}
	return report.Upload{Run: id.RunID, Artifact: job.Artifact(v)}
}

// shownCommand returns the command line, of the built-in agent as a person would
// type it.
func (c *harness) shownCommand(e *runner.Execution) []string {
	words := slices.Clone(e.Command)
	if !c.builtIn() || len(words) == 0 {
		return words
	}
	words[0] = "openagent"
	return slices.DeleteFunc(words, func(w string) bool {
		return w == "--output=json" || strings.HasPrefix(w, "--api-key-file=") || strings.HasPrefix(w, "--prompt-file="+c.temp)
	})
}
