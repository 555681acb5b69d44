package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/installed"
	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/model/cassette"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/runner"
)

// Foreign is another agent, whose own stream is converted.
type Foreign struct {
	// Agent is nil where the first line shows whose stream it is.
	Agent *adapter.Agent
	// Preset says that the agent is started as its row has it. Options.Command is
	// empty then.
	Preset bool
	// Prompt is a text, - for standard input, or empty for Options.PromptFile.
	Prompt         string
	Model, BaseURL string
	// Script is the file of a script that is served in the place of BaseURL, Cassette
	// that of recorded answers; with Record it is what BaseURL answers that is
	// recorded. At most one is set.
	Script, Cassette string
	Record           bool
	// Witness has the calls of the stream compared with what the endpoint answers, which
	// a script and a cassette always do. Budget then holds for the agent.
	Witness bool
	Budget  Budget
	// Version is the only one that may run, empty for any. Install says that it is
	// fetched for the run where there is an npm.
	Version string
	Install bool
	// PrivateHome gives the agent a fresh folder in the place of the user's home.
	PrivateHome bool
	// Args are further words of its command line.
	Args []string
	// RunID is that of the run where the agent names no session.
	RunID string
}

// ofJob are variables that belong to the job itself, so that they stay in the
// environment of every agent, whether it reads its key from them or not.
var ofJob = []string{"GH_TOKEN", "GITHUB_TOKEN"}

// foreignEnv returns the environment of an agent: that of the job, but the keys
// of other agents. Of those that it reads itself nothing but the job's stays when
// it is given another one.
func foreignEnv(p process.Env, a *adapter.Agent, given bool) []string {
	if a == nil {
		return p.ForeignEnviron()
	}
	var others []string
	for _, other := range adapter.Agents() {
		others = append(append(others, other.Keys...), other.EndpointKey)
	}
	others = append(others, key.Variable)
	return process.Chosen(p.ForeignEnviron(), func(name string) bool {
		switch {
		case slices.Contains(ofJob, name):
			return true
		case slices.Contains(a.Keys, name), name == a.EndpointKey:
			return !given
		}
		return !slices.Contains(others, name)
	})
}

// agentKeys returns the keys that the agent finds in its environment.
func (r *run) agentKeys() (keys []string) {
	if f := r.opts.Foreign; f != nil && f.Agent != nil {
		for _, name := range append(f.Agent.KeyVariables(""), f.Agent.KeyVariables(f.BaseURL)...) {
			keys = append(keys, r.Getenv(name))
		}
	}
	return keys
}

// agentKey is the key of an agent: its value where it has to be given, and the
// variable that it stands in. Both are empty for none, the value alone where the
// variable is in the environment.
type agentKey struct{ value, variable string }

// keyOf finds the key of an agent: that of the key file or of the action, that of
// its own variables, or the key of the process where it takes that.
func (r *run) keyOf(a *adapter.Agent) agentKey {
	names := a.KeyVariables(r.opts.Foreign.BaseURL)
	if r.source != nil && !r.source.Asks() {
		return agentKey{adapter.ServedKey, names[0]}
	}
	if r.key != "" && (r.opts.KeyFile != "" || job.InAction(r.Getenv)) {
		return agentKey{r.key, names[0]}
	}
	for _, name := range names {
		if r.Getenv(name) != "" {
			return agentKey{variable: name}
		}
	}
	if a.OpenAI && r.key != "" {
		return agentKey{r.key, names[0]}
	}
	return agentKey{}
}

// prepareForeign describes an agent whose own stream is converted.
func (r *run) prepareForeign(ctx context.Context, cfg *runner.Config) error {
	f := r.opts.Foreign
	cfg.Convert = &runner.Convert{Agent: f.Agent, RunID: f.RunID, File: evidence.SourceFile}
	switch {
	case f.Preset:
		return r.preparePreset(ctx, cfg)
	case r.key != "" && (f.Agent == nil || f.Agent.OpenAI):
		cfg.Env = append(foreignEnv(r.Env, f.Agent, false), key.Variable+"="+r.key)
	default:
		cfg.Env = foreignEnv(r.Env, f.Agent, false)
	}
	return nil
}

// preparePreset describes an agent that is started as its row has it.
func (r *run) preparePreset(ctx context.Context, cfg *runner.Config) error {
	if f := r.opts.Foreign; f.Script != "" || f.Cassette != "" || f.Witness {
		r.witness = &witness{agent: f.Agent, budget: f.Budget, reason: "the run did not begin"}
	}
	if err := r.serveModel(ctx); err != nil {
		return err
	}
	f, a := r.opts.Foreign, r.opts.Foreign.Agent
	if r.source == nil && f.BaseURL != "" {
		if err := r.reach(ctx, f.BaseURL); err != nil {
			return err
		}
	}
	k := r.keyOf(a)
	if k.variable == "" && f.PrivateHome {
		return r.noKey(a)
	}
	program, path, err := r.findProgram(ctx)
	if err != nil {
		return err
	}
	prompt, err := r.foreignPrompt(ctx)
	if err != nil {
		return err
	}
	s, home, err := r.opts.start(r.Env, prompt, k.variable, filepath.Join(r.temp, "home"))
	if err != nil {
		return err
	}
	if err := writeHome(home, a.HomeFolder, s.Files); err != nil {
		return fmt.Errorf("make the home of %s: %w", a.Name, err)
	}
	cfg.Command = append([]string{program.Path}, s.Args...)
	cfg.Convert.Version, cfg.Convert.Model, cfg.Convert.PromptSHA256 = program.Version, r.opts.Foreign.Model, record.Digest([]byte(prompt))
	if cfg.Dir, err = r.Abs(r.opts.Workspace); err != nil {
		return err
	}
	if r.witness != nil && r.witness.seen != nil {
		r.witness.dir = cfg.Dir
		cfg.Convert.Witness, cfg.Convert.BudgetSpent = r.witness, r.witness.seen.Refused()
	}
	r.source.SetAgent(cassette.Agent{Name: a.Name, Version: program.Version, Folder: cfg.Dir})
	own, err := r.presetEnv(s, path, k)
	if err != nil {
		return err
	}
	cfg.Env = append(foreignEnv(r.Env, a, k.value != ""), own...)
	r.needs = needs{program: program.Path, home: home, env: own}
	if s.Stdin != "" {
		cfg.Stdin = strings.NewReader(s.Stdin)
	}
	return nil
}

// reach refuses an endpoint that does not answer: some agents wait for one without end.
// One behind a proxy is not looked for.
func (r *run) reach(ctx context.Context, address string) error {
	proxies := []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"}
	u, err := url.Parse(address)
	if err != nil || slices.ContainsFunc(proxies, func(name string) bool { return r.Getenv(name) != "" }) {
		return err
	}
	dialer := net.Dialer{Timeout: 5 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), u.Scheme)))
	if err != nil {
		return hint.With(fmt.Errorf("the endpoint %s does not answer: %w", address, err),
			"check --base-url, and that the endpoint runs; a proxy is named by HTTPS_PROXY")
	}
	return conn.Close()
}

// presetEnv makes the agent's temporary folder, where some leave reports and caches
// with what was said, and returns the variables that the agent gets besides.
func (r *run) presetEnv(s adapter.Start, path string, k agentKey) ([]string, error) {
	temp := filepath.Join(r.temp, "tmp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		return nil, err
	}
	own := []string{"TMPDIR=" + temp, "TMP=" + temp, "TEMP=" + temp}
	if path != "" {
		own = append(own, "PATH="+path)
	}
	own = append(own, s.Env...)
	if cache := r.opts.Foreign.Agent.CacheVariable; cache != "" && r.opts.walled() { // what is not there yet is written
		own = append(own, cache+"="+filepath.Join(temp, "cache"))
	}
	if r.source != nil {
		own = append(own, r.BesideProxy()...)
	}
	if k.value != "" {
		own = append(own, k.variable+"="+k.value)
	}
	return own, nil
}

// noKey says which key an agent wants.
func (r *run) noKey(a *adapter.Agent) error {
	names := a.KeyVariables(r.opts.Foreign.BaseURL)
	if a.OpenAI && !slices.Contains(names, key.Variable) {
		names = append(names, key.Variable)
	}
	wayOut := "set " + strings.Join(names, " or ") + ", name a file by --api-key-file, or let it use the login of this user by --agent-home user"
	if job.InAction(r.Getenv) {
		wayOut = "set " + key.Variable // which is an input there
	}
	return hint.With(fmt.Errorf("%s has no key", a.Name), wayOut)
}

// findProgram finds the agent's program, which it installs if it should. path is the search path that it
// needs, empty for that of the job.
func (r *run) findProgram(ctx context.Context) (program installed.Program, path string, err error) {
	f, a := r.opts.Foreign, r.opts.Foreign.Agent
	where := installed.Where{Path: r.Getenv("PATH"), Dir: r.Dir, Env: foreignEnv(r.Env, a, true)}
	if f.Install && f.Version != "" {
		bin, err := installed.ByNPM(ctx, a, f.Version, filepath.Join(r.temp, "agent"), where)
		if err != nil {
			return program, "", err
		}
		if bin != "" {
			path = bin + string(filepath.ListSeparator) + where.Path
			where.Path = path
		}
	}
	program, err = installed.Find(ctx, a, where)
	switch {
	case err != nil && f.Install:
		return program, path, hint.With(err, hint.Of(err)+" in a step before, or name the version by --agent-version and have npm on PATH")
	case err != nil:
		return program, path, err
	case f.Version != "" && program.Version != f.Version:
		return program, path, hint.With(fmt.Errorf("%s is version %q, want %s", a.Name, program.Version, f.Version), "run "+installed.Install(a, f.Version))
	}
	return program, path, nil
}

// foreignPrompt returns what the agent is asked.
func (r *run) foreignPrompt(ctx context.Context) (string, error) {
	text, err := []byte(r.opts.Foreign.Prompt), error(nil)
	switch {
	case r.opts.Foreign.Prompt == "-":
		text, err = r.ReadStdin(ctx, "the prompt")
	case r.opts.PromptFile != "":
		text, err = r.Read(ctx, r.opts.PromptFile)
	}
	if err != nil {
		return "", fmt.Errorf("read prompt: %w", err)
	}
	r.prompt = string(text)
	if strings.TrimSpace(r.prompt) == "" {
		return "", errors.New("the prompt is empty")
	}
	if strings.Contains(r.prompt, "\x00") {
		return "", errors.New("the prompt is no text: it has a NUL byte")
	}
	return r.prompt, nil
}

// start returns how the preset starts the agent, with home in the place of the
// user's or empty where that stays.
func (o Options) start(p process.Env, prompt, keyVariable, home string) (adapter.Start, string, error) {
	f := o.Foreign
	dir, err := p.Abs(o.Workspace)
	if err != nil {
		return adapter.Start{}, "", err
	}
	if !f.PrivateHome {
		home = ""
	}
	schema := o.OutputSchema
	if schema != "" {
		if schema, err = p.Abs(schema); err != nil {
			return adapter.Start{}, "", err
		}
	}
	s := f.Agent.Start(adapter.Launch{
		Dir: dir, Home: home, Model: f.Model, BaseURL: f.BaseURL, Key: keyVariable, Prompt: prompt, OutputSchema: schema, Args: f.Args, Walled: o.walled(),
	})
	if home != "" {
		s.Env = slices.Concat(f.Agent.Home(home), cache(p, f.Agent), s.Env)
	}
	return s, home, nil
}

// cache returns the variable by which a program in a private home finds what it
// unpacked for the user before: it takes longer to do so again than to run.
func cache(p process.Env, a *adapter.Agent) []string {
	if a.CacheVariable == "" || p.Getenv(a.CacheVariable) != "" {
		return nil
	}
	dir := cmp.Or(p.Getenv("XDG_CACHE_HOME"), filepath.Join(p.Getenv("HOME"), ".cache"))
	dir = filepath.Join(dir, a.CacheFolder)
	if info, err := os.Stat(dir); !filepath.IsAbs(dir) || err != nil || !info.IsDir() {
		return nil
	}
	return []string{a.CacheVariable + "=" + dir}
}

// writeHome makes a private home with the folder of the configuration, and files.
func writeHome(home, folder string, files map[string]string) error {
	if home == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(home, folder), 0o700); err != nil {
		return err
	}
	for name, text := range files {
		if err := file.WritePrivate(filepath.Join(home, filepath.FromSlash(name)), []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

// PrintCommand prints how the preset would start the agent: command line,
// variables and files. Nothing is started, and no key is read.
func PrintCommand(p *process.Process, o Options) error {
	f := *o.Foreign
	if f.Script != "" {
		f.Model = cmp.Or(f.Model, transport.ModelName)
	}
	if f.Script != "" || f.Cassette != "" {
		f.BaseURL = f.Agent.Endpoint("http://127.0.0.1:PORT")
		o.Foreign = &f
	}
	prompt := f.Prompt
	if prompt == "" || prompt == "-" {
		prompt = "(the prompt)"
	}
	s, home, err := o.start(p.Env, prompt, f.Agent.KeyVariables(f.BaseURL)[0], filepath.Join(os.TempDir(), "openagent-ci-private", "home"))
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintln(&b, "command:", report.CommandLine(append([]string{f.Agent.Binary}, s.Args...)))
	if s.Stdin != "" {
		fmt.Fprintln(&b, "standard input: the prompt")
	}
	for _, entry := range s.Env {
		fmt.Fprintln(&b, "variable:", entry)
	}
	fmt.Fprintln(&b, "variable:", f.Agent.KeyVariables(f.BaseURL)[0]+"="+redact.Mask)
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		fmt.Fprintf(&b, "file %s:\n%s\n", filepath.Join(home, filepath.FromSlash(name)), strings.TrimRight(s.Files[name], "\n"))
	}
	_, err = io.WriteString(p.Out, redact.New(p.Secrets(o.Secrets, p.Key)).String(b.String()))
	return err
}
