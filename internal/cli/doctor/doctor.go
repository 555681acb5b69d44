// Package doctor finds what this machine and job have for runs of agents, and what is
// missing, each with its fix.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/installed"
	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// State says how good a fact is.
type State string

// The states: nothing to do, a part that will not work, and no run before it is fixed.
const (
	OK      State = "ok"
	Warning State = "warning"
	Problem State = "problem"
)

// Fact is one thing that was found.
type Fact struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	Text  string `json:"text"`
	// Fix is what to do, empty for nothing.
	Fix string `json:"fix,omitempty"`
}

// ok returns a fact that nothing is to be done about.
func ok(name, text string) Fact { return Fact{Name: name, State: OK, Text: text} }

// Examine returns the facts about this machine and the job. With live it asks the
// endpoint.
func Examine(ctx context.Context, p *process.Process, version string, live bool) []Fact {
	facts := []Fact{ok("system", fmt.Sprintf("openagent %s on %s/%s", version, runtime.GOOS, runtime.GOARCH))}
	facts = append(facts, git(ctx, p), walls(p))
	facts = append(facts, agents(ctx, p)...)
	facts = append(facts, keys(p), endpoint(ctx, p, live))
	state, err := p.StateFolder(p.Getenv("OPENAGENT_STATE_DIR"), ".")
	facts = append(facts,
		folder("state folder", state, err, "name a folder that can be written by OPENAGENT_STATE_DIR or --state-dir"),
		folder("cache folder", cmp.Or(p.Temp(), os.TempDir()), nil, "name a folder that can be written by TMPDIR"))
	if job.InJob(p.Getenv) {
		facts = append(facts, event(p), permissions(p))
		facts = append(facts, runnerFiles(p)...)
	}
	return facts
}

func where(p *process.Process) installed.Where {
	return installed.Where{Path: p.Getenv("PATH"), Dir: p.Dir}
}

func git(ctx context.Context, p *process.Process) Fact {
	path := where(p).Program("git")
	if path == "" {
		return Fact{"git", Warning, "not on PATH: the git tools and the changes of a run need it", "install git"}
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	run, err := proc.Start(proc.Command{Path: path, Args: []string{path, "--version"}, Env: []string{"PATH=" + p.Getenv("PATH"), "SYSTEMROOT=" + p.Getenv("SYSTEMROOT")}})
	if err == nil {
		if exit := run.Wait(ctx); exit.Status != 0 || exit.Interrupted {
			err = fmt.Errorf("git --version exited with status %d %s", exit.Status, exit.Signal)
		}
	}
	if err != nil {
		return Fact{"git", Warning, path + " does not work: " + strings.TrimSpace(err.Error()), "install git again, or put one that works first on PATH"}
	}
	return ok("git", path)
}

// gitTime bounds how long git may take to say its version.
const gitTime = 10 * time.Second

// walls reports what the sandbox enforces here.
func walls(p *process.Process) Fact {
	status, err := sandbox.Survey(sandbox.Policy{Environ: p.Environ(), Temp: p.Temp()})
	switch {
	case err != nil:
		return Fact{"sandbox", Warning, err.Error(), "name a folder that can be written by TMPDIR"}
	case status.Level == sandbox.LevelFull:
		return ok("sandbox", status.Text())
	}
	return Fact{
		"sandbox", Warning, string(status.Level) + ": " + strings.Join(status.Missing, "; "),
		"--sandbox auto runs commands with what there is, --sandbox require runs none; docs/sandbox.md says what gives the rest",
	}
}

// agents reports the program of each supported agent. Those that have to be asked for
// their version run at the same time, without keys; nothing of them is left behind.
func agents(ctx context.Context, p *process.Process) []Fact {
	w := where(p)
	env, err := process.CommandEnviron(p.Environ(), nil)
	if err != nil {
		return []Fact{{"agents", Warning, err.Error(), hint.Of(err)}}
	}
	w.Env = env
	p.Adopt()
	defer p.EndOrphans()
	table := adapter.Agents()
	facts := make([]Fact, len(table))
	var all sync.WaitGroup
	for i, a := range table {
		all.Go(func() { facts[i] = agent(ctx, a, w) })
	}
	all.Wait()
	return facts
}

func agent(ctx context.Context, a *adapter.Agent, w installed.Where) Fact {
	found, err := installed.Find(ctx, a, w)
	fact := ok("agent "+a.Name, found.Version+" (tested) at "+found.Path)
	switch {
	case err != nil:
		fact.Text = "not installed; " + strings.TrimPrefix(hint.Of(err), "run ") + " installs it"
		if w.Program("npm") == "" {
			fact.Text += ", and npm comes with Node.js"
		}
	case found.Version == "":
		fact.State, fact.Text = Warning, "unknown version at "+found.Path
		fact.Fix = "the conversion of its stream was tested with " + strings.Join(a.Tested, ", ")
	case !slices.Contains(a.Tested, found.Version):
		fact.State, fact.Text = Warning, found.Version+" (not tested) at "+found.Path
		fact.Fix = "run " + installed.Install(a, "") + " for a version that was tested"
	}
	return fact
}

// keys names the variables that hold a key, of this agent and of the others.
func keys(p *process.Process) Fact {
	known, set := []string{key.Variable}, []string(nil)
	for _, a := range adapter.Agents() {
		for _, name := range a.Keys {
			if !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
	}
	for _, name := range known {
		if p.Getenv(name) != "" || name == key.Variable && p.Key != "" {
			set = append(set, name)
		}
	}
	if len(set) == 0 {
		return Fact{"keys", Warning, "none is set, of " + strings.Join(known, ", "), "set the one of your provider; --script, --cassette and the tests need none"}
	}
	return ok("keys", strings.Join(set, ", "))
}

// liveTime bounds how long the endpoint may take to answer.
const liveTime = 30 * time.Second

// endpoint reports the address that runs ask. With live it is asked for its models.
func endpoint(ctx context.Context, p *process.Process, live bool) Fact {
	base := cmp.Or(p.Getenv("OPENAGENT_BASE_URL"), p.Getenv("OPENAI_BASE_URL"), provider.DefaultBaseURL)
	if err := provider.CheckBaseURL(base); err != nil {
		return Fact{"endpoint", Problem, fmt.Sprintf("the address %q: %v", base, err), "correct OPENAGENT_BASE_URL or OPENAI_BASE_URL"}
	}
	if !live {
		return ok("endpoint", base+" (not asked; --live asks it)")
	}
	if err := session.CheckAddress(p.Env, base); err != nil {
		return Fact{"endpoint", Problem, err.Error(), hint.Of(err)}
	}
	status, err := provider.Status(ctx, provider.Config{BaseURL: base, Key: p.Key, HTTP: transport.Network(transport.Options{Timeout: liveTime})})
	said := fmt.Sprintf("%s answered with status %d", base, status)
	switch {
	case err != nil:
		return Fact{"endpoint", Problem, base + ": " + err.Error(), cmp.Or(hint.Of(err), "check the address, the network and HTTPS_PROXY")}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return Fact{"endpoint", Problem, said, "check the key in " + key.Variable}
	case status >= http.StatusInternalServerError:
		return Fact{"endpoint", Problem, said, "try again later, or another endpoint by --base-url"}
	case status >= http.StatusBadRequest: // an endpoint need not list its models
		return Fact{"endpoint", Warning, said + " when asked for its models", "if a run fails, check the address: it usually ends with /v1"}
	}
	return ok("endpoint", said)
}

// folder reports whether a folder can be written, unless err says why there is none.
func folder(name, dir string, err error, fix string) Fact {
	if err == nil {
		err = writable(dir)
	}
	if err != nil {
		return Fact{name, Problem, err.Error(), fix}
	}
	return ok(name, dir)
}

// writable returns why no file can be made in a folder, or in the nearest folder above
// one that does not exist.
func writable(dir string) error {
	for {
		_, err := os.Stat(dir)
		if !os.IsNotExist(err) || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".openagent-doctor-")
	if err != nil {
		return err
	}
	_ = f.Close()
	return os.Remove(f.Name())
}

// event reports whether the job may run an agent.
func event(p *process.Process) Fact {
	known := ""
	if p.Key != "" {
		known = "a key by " + key.Variable
	}
	name := p.Getenv("GITHUB_EVENT_NAME")
	if name == "" {
		return Fact{"event", Problem, "GITHUB_EVENT_NAME is not set: this job may not run an agent", "in a container, pass on the variables GITHUB_* of the runner"}
	}
	if err := job.AdmitJob(p.Environ(), p.Getenv, known, false); err != nil {
		return Fact{"event", Problem, fmt.Sprintf("%s: this job may not run an agent: %v", name, err), cmp.Or(hint.Of(err), "docs/action.md says which jobs may")}
	}
	return ok("event", name+": this job may run an agent")
}

// permissions reports what of the job's own token this step can see.
func permissions(p *process.Process) Fact {
	text := "no token of the job in this step"
	for _, name := range []string{"GITHUB_TOKEN", "GH_TOKEN"} {
		if p.Getenv(name) != "" {
			text = name + " is set in this step; another agent may see it"
		}
	}
	if p.Getenv("ACTIONS_ID_TOKEN_REQUEST_URL") != "" {
		return Fact{"permissions", Warning, text + "; the job has id-token: write", "leave id-token out of the permissions of a job that runs an agent"}
	}
	return ok("permissions", text)
}

// runnerFiles reports the files and the folder by which a step speaks to the runner.
func runnerFiles(p *process.Process) (facts []Fact) {
	for _, name := range append(process.CommandFiles(), "RUNNER_TEMP") {
		path := p.Getenv(name)
		state, err := Warning, errors.New("not set")
		if path != "" {
			state, err = Problem, appendable(p.Path(path), name == "RUNNER_TEMP")
		}
		if err != nil {
			facts = append(facts, Fact{"runner files", state, fmt.Sprintf("%s: %v", name, err), "in a container, mount the runner's folders at the paths that the variables name"})
		}
	}
	if facts == nil {
		facts = []Fact{ok("runner files", "all are there")}
	}
	return facts
}

// appendable returns why nothing can be written to a file, or in a folder, that is there.
func appendable(path string, isFolder bool) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case isFolder:
		return writable(path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file", path)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// Failed reports whether a fact is a problem.
func Failed(facts []Fact) bool {
	return slices.ContainsFunc(facts, func(f Fact) bool { return f.State == Problem })
}

// maxText bounds a fact's text in a line for people, in characters.
const maxText = 400

// Write writes the facts as lines for people, or as one JSON object.
func Write(w io.Writer, facts []Fact, asJSON bool) error {
	if asJSON {
		return jsontext.WriteIndented(w, struct {
			Schema string `json:"schema"`
			OK     bool   `json:"ok"`
			Facts  []Fact `json:"facts"`
		}{"openagent.doctor.v1", !Failed(facts), facts})
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range facts {
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.State, f.Name, term.OneLine(f.Text, maxText))
		if f.Fix != "" {
			fmt.Fprintf(table, "\t\tfix: %s\n", term.OneLine(f.Fix, maxText))
		}
	}
	return table.Flush()
}
