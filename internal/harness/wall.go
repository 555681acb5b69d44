package harness

import (
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/sandbox/sandboxexec"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// walled reports whether a whole agent runs within a sandbox.
func (o Options) walled() bool {
	return o.Builtin == nil && o.Stream == "" && o.Wall.Mode != "" && o.Wall.Mode != sandbox.Off
}

// needs is what an agent that its preset starts has to reach.
type needs struct {
	program string   // its path
	home    string   // a private one, empty for the user's
	env     []string // variables that stay as the preset has them
}

// wall is the sandbox round a whole agent.
type wall struct {
	*sandboxexec.Commands
	refused string // what would open what the agent was refused first
	stderr  pieces
}

// codeUnavailable is how the failure of a run that may not begin without a sandbox is
// called everywhere.
const codeUnavailable = "sandbox_unavailable"

// buildWall has the agent start within the wall that the options ask for, with what it
// cannot do without: its program, artifacts, prompt and private folders.
func (r *run) buildWall(cfg *runner.Config) error {
	if !r.opts.walled() {
		return nil
	}
	policy, err := r.wallPolicy(*cfg)
	if err != nil {
		return err
	}
	opened, err := sandboxexec.Open(policy)
	var missing *sandbox.UnavailableError
	if errors.As(err, &missing) {
		wayOut := "give --sandbox auto to go on with what there is"
		if !job.InAction(r.Getenv) {
			wayOut += "; openagent doctor explains what is missing"
		}
		return hint.With(fmt.Errorf("%s: %w", codeUnavailable, missing), wayOut)
	}
	if err != nil {
		return fmt.Errorf("make the sandbox: %w", err)
	}
	r.wall = &wall{Commands: opened}
	artifacts := process.ArtifactsVariable + "=" + r.artifactsDir()
	cfg.Env = append(append(opened.Environ(cfg.Env), r.needs.env...), artifacts)
	cfg.Start = opened.Start
	if missing := opened.Warning(); missing != "" {
		r.Logger().Warn("the sandbox round the agent is not complete", "missing", missing)
	}
	return nil
}

// terminals are what an agent makes those of its commands from: qwen runs none without.
var terminals = []sandbox.Rule{{Path: "/dev/ptmx", Write: true}, {Path: "/dev/pts", Write: true}}

// wallPolicy is the policy of the options, with what the agent needs and what must
// stay hidden from it.
func (r *run) wallPolicy(cfg runner.Config) (sandbox.Policy, error) {
	hidden := []string{r.evidencePlace(), r.temp}
	if state, err := r.StateFolder(r.opts.StateDir, r.opts.Workspace); err == nil {
		hidden = append(hidden, state) // it outlives runs
	}
	p, err := r.opts.Wall.Complete(r.Env, r.opts.Workspace, hidden)
	if err != nil {
		return p, err
	}
	p.Environ, p.Temp = cfg.Env, r.temp
	p.Needed = append([]sandbox.Rule{{Path: r.artifactsDir(), Write: true}}, terminals...)
	program := r.needs.program
	if program == "" && len(cfg.Command) > 0 {
		program = r.programOf(cfg)
	}
	p.Needed = append(p.Needed, sandbox.Rule{Path: programFolder(program)})
	if r.opts.PromptFile != "" && !r.preset() { // a preset has the prompt on standard input
		p.Needed = append(p.Needed, sandbox.Rule{Path: r.Path(r.opts.PromptFile)})
	}
	if r.opts.OutputSchema != "" {
		p.Needed = append(p.Needed, sandbox.Rule{Path: r.Path(r.opts.OutputSchema)})
	}
	if r.preset() {
		p.Needed = append(p.Needed, sandbox.Rule{Path: filepath.Join(r.temp, "tmp"), Write: true}, sandbox.Rule{Path: filepath.Join(r.temp, "agent")})
		p.Needed = append(p.Needed, r.homeRules(p)...)
	}
	return p, nil
}

func (r *run) preset() bool { return r.opts.Foreign != nil && r.opts.Foreign.Preset }

// homeRules open the home of an agent that its preset starts: the private one, or in
// the user's the folder of its configuration, which has the login.
func (r *run) homeRules(p sandbox.Policy) (rules []sandbox.Rule) {
	a := r.opts.Foreign.Agent
	if r.needs.home != "" {
		rules = append(rules, sandbox.Rule{Path: r.needs.home, Write: true})
	} else {
		for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"} {
			if value := p.Getenv(name); value != "" {
				r.needs.env = append(r.needs.env, name+"="+value)
			}
		}
		if dir := p.Getenv(a.HomeVariable); dir != "" && a.HomeFolder != "" {
			rules = append(rules, sandbox.Rule{Path: dir, Write: true})
		} else if home := p.Getenv("HOME"); home != "" && a.HomeFolder != "" {
			rules = append(rules, sandbox.Rule{Path: filepath.Join(home, a.HomeFolder), Write: true})
		}
	}
	return rules
}

// programOf returns the path of a command's program, empty if there is none, which is
// found out when it is started.
func (r *run) programOf(cfg runner.Config) string {
	name := cfg.Command[0]
	if strings.ContainsRune(name, filepath.Separator) {
		return r.Path(name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}

// programFolder returns what has to be readable for a program to run: the folder of
// packages that it was installed into, or its file.
func programFolder(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path
	}
	const packages = "/node_modules/"
	if at := strings.Index(real, packages); at >= 0 {
		return real[:at+len(packages)-1]
	}
	return real
}

// findings puts back what the agent changed of what runs by itself later, tells of
// that and of limits that were hit, and returns what of it is tampering.
func (w *wall) findings(log *slog.Logger) (found []validate.Finding) {
	if w == nil {
		return nil
	}
	w.refusedIn(string(w.stderr.line))
	notes := w.Receipt("")
	if w.refused != "" {
		notes = append(notes, w.refused)
	}
	for _, note := range notes {
		log.Warn("the sandbox round the agent: " + note)
	}
	all := w.Finish()
	for _, what := range all.Tampered {
		found = append(found, validate.NewFinding(validate.RuleTampering, 0, "the agent changed "+what))
	}
	for _, what := range all.Config {
		found = append(found, validate.NewFinding(validate.RuleGitConfig, 0, "the agent changed "+what))
	}
	if all.Err != nil {
		failed := validate.NewFinding(validate.RuleTampering, 0, all.Err.Error())
		failed.Severity = validate.SeverityError
		found = append(found, failed)
	}
	return found
}

// maxRefusal bounds a line of stderr in which a refusal is looked for.
const maxRefusal = 4 << 10

// scanStderr looks for a refusal in a piece of the agent's stderr.
func (w *wall) scanStderr(piece []byte) {
	if w != nil && w.refused == "" {
		w.stderr.each(piece, maxRefusal, w.refusedIn)
	}
}

// seen looks for a refusal in what a tool of the agent printed.
func (w *wall) seen(e *schema.Event) {
	if w == nil || e == nil {
		return
	}
	if end, ok := e.Data.(*schema.ToolExecFinished); ok && end.ContentPreview != nil {
		w.refusedIn(*end.ContentPreview)
	}
}

// refusedIn remembers what would open what the text says was refused, the first time.
func (w *wall) refusedIn(text string) {
	if w.refused == "" {
		w.refused = w.Refusal(text)
	}
}

// status is what was reached, as the manifest has it; nil without a wall.
func (w *wall) status() *schema.SandboxStatus {
	if w == nil {
		return nil
	}
	s := w.Status()
	status := &schema.SandboxStatus{Level: string(s.Level), Seccomp: s.Seccomp, Network: string(s.Network), Missing: s.Missing}
	if abi := int64(s.LandlockABI); abi > 0 {
		status.LandlockABI = &abi
	}
	if s.User != "" {
		status.User = &s.User
	}
	return status
}

// close gives back what the wall was made of.
func (w *wall) close(log *slog.Logger) {
	if w == nil {
		return
	}
	if err := w.Close(); err != nil {
		log.Warn("the sandbox left something behind", "error", err)
	}
}
