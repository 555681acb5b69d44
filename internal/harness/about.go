package harness

import (
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// about returns which run e was, for people, redacted.
func (r *run) about(e *runner.Execution, gh *job.Job) report.About {
	a := report.About{Prompt: r.prompt, Stream: r.opts.Stream, Command: r.shownCommand(e), Upload: Upload(r.Getenv, gh, e.Verdict)}
	a.Sandbox = report.SandboxText(r.confined(e))
	if r.opts.NoTexts {
		a.Prompt, a.NoTexts = "", true
	}
	ownFolder := false
	if b := r.opts.Builtin; b != nil {
		a.Script, ownFolder = b.Script, b.OwnFolder
	}
	if f := r.opts.Foreign; f != nil {
		a.Script = f.Script
	}
	if a.Stream == "" && !ownFolder {
		a.Dir, _ = r.Abs(r.opts.Workspace)
	}
	for _, text := range []*string{&a.Prompt, &a.Script, &a.Stream, &a.Dir, &a.Sandbox} {
		*text = r.redactor.String(*text)
	}
	for i, word := range a.Command {
		a.Command[i] = r.redactor.String(word)
	}
	return a
}

// confined is what the commands of the run were confined to: what the harness itself
// made, else what the agent says, nil where nobody does.
func (r *run) confined(e *runner.Execution) *schema.SandboxStatus {
	if status := r.wall.status(); status != nil || e.RunStarted == nil {
		return status
	}
	return e.RunStarted.SandboxStatus
}

// Upload returns where the evidence will be had, nowhere outside a job.
func Upload(getenv func(string) string, gh *job.Job, v runner.Verdict) report.Upload {
	id := job.Current(getenv)
	if gh == nil || id == nil {
		return report.Upload{}
	}
	return report.Upload{Run: id.RunID, Artifact: gh.Artifact(v)}
}

// shownCommand returns the command line, of the built-in agent as a person would
// type it.
func (r *run) shownCommand(e *runner.Execution) []string {
	words := slices.Clone(e.Command)
	if r.opts.Builtin == nil || len(words) == 0 {
		return words
	}
	words[0] = "openagent"
	return slices.DeleteFunc(words, func(w string) bool {
		return w == "--output=json" || strings.HasPrefix(w, keyFileFlag) || strings.HasPrefix(w, "--prompt-file="+r.temp)
	})
}
