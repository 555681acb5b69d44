// Package endpoint serves a model on this machine, from a script or a cassette or by
// recording a real one, and points commands to it.
package endpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/installed"
	"github.com/openagent-ci/openagent/internal/model/cassette"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Options say what is run.
type Options struct {
	Command []string
	// Agent is what the command runs, nil for what is not known. Model is for one
	// whose configuration names it.
	Agent    *adapter.Agent
	Model    string
	Cassette string
	// Secrets are masked beside those of the environment.
	Secrets []string
	// Started, if set, is told where the model is asked before the command starts.
	Started func(origin string) error
}

// grace is the time that a command has to end when it is told to.
const grace = 5 * time.Second

// command is one that runs.
type command struct {
	*process.Process
	Options
	masks *redact.Redactor
	made  string // folder for configurations
}

// newCommand reads what has to be masked: keys of any agent may be in use.
func newCommand(p *process.Process, o Options) *command {
	keys := []string{p.Key}
	for _, a := range adapter.Agents() {
		for _, name := range append(a.KeyVariables("x"), a.Keys...) {
			keys = append(keys, p.Getenv(name))
		}
	}
	return &command{Process: p, Options: o, masks: redact.New(p.Secrets(o.Secrets, keys...))}
}

// about returns which program sends the requests: the version is that of the program
// that runs.
func (c *command) about(ctx context.Context, path string) (who cassette.Agent, err error) {
	who = cassette.Agent{Name: strings.TrimSuffix(filepath.Base(path), ".exe")}
	if who.Folder, err = c.Abs("."); err != nil {
		return who, err
	}
	if c.Agent != nil {
		who.Name = c.Agent.Name
		found, err := installed.Find(ctx, c.Agent, installed.Where{Path: c.Getenv("PATH"), Dir: c.Dir, Env: c.ForeignEnviron()})
		if err == nil && found.Path == path {
			who.Version = found.Version
		}
	}
	return who, nil
}

// program returns the path of the command's program.
func (c *command) program() (string, error) {
	path, err := exec.LookPath(c.Command[0])
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// run has the source answer the command until that ends; base is the path below which
// the APIs are, key what replaces missing keys, empty for nothing. The caller closes
// the source.
func (c *command) run(ctx context.Context, source *Source, base, key string) (int, error) {
	path, err := c.program()
	if err != nil {
		return 0, err
	}
	who, err := c.about(ctx, path)
	if err != nil {
		return 0, err
	}
	source.SetAgent(who)
	origin, err := source.Listen(ctx)
	if err != nil {
		return 0, err
	}
	if c.made, err = os.MkdirTemp(c.Temp(), "openagent-model-"); err != nil {
		return 0, fmt.Errorf("make temporary folder: %w", err)
	}
	defer os.RemoveAll(c.made)
	env, err := c.environ(origin, base, key)
	if err != nil {
		return 0, err
	}
	if c.Started != nil {
		if err := c.Started(origin); err != nil {
			return 0, err
		}
	}
	c.Adopt()
	defer c.EndOrphans()
	child, err := proc.Start(proc.Command{
		Path: path, Args: c.Command, Dir: c.Dir, Env: env, Stdin: c.In, Stdout: c.Out, Stderr: c.Err,
		Grace: grace, PoliteParentDeath: true,
	})
	if err != nil {
		return 0, err
	}
	exit := child.Wait(ctx)
	switch {
	case exit.OutputErr != nil:
		return 0, fmt.Errorf("print what the command prints: %w", exit.OutputErr)
	case exit.Signal != "":
		return 128 + exit.SignalNumber, nil
	case exit.Survived:
		return 0, errors.New("the command was killed and goes on")
	}
	return exit.Status, nil
}

// environ returns the environment of the command: the variables that clients of
// each API look for, and what points the agent to the model if it is known.
func (c *command) environ(origin, base, key string) ([]string, error) {
	env := append(c.ForeignEnviron(), c.BesideProxy()...)
	for _, v := range []struct{ name, version, keyName string }{
		{"OPENAI_BASE_URL", "", "OPENAI_API_KEY"}, {"ANTHROPIC_BASE_URL", "/v1", "ANTHROPIC_API_KEY"}, {"GOOGLE_GEMINI_BASE_URL", "/v1beta", "GEMINI_API_KEY"},
	} {
		env = append(env, v.name+"="+origin+strings.TrimSuffix(base, v.version))
		if given := cmp.Or(c.given(v.keyName), key); given != "" {
			env = append(env, v.keyName+"="+given)
		}
	}
	if c.Agent == nil {
		return env, nil
	}
	return c.point(env, origin+base, key)
}

// given returns the key in a variable of the environment.
func (c *command) given(name string) string {
	if name == "OPENAI_API_KEY" {
		return c.Key
	}
	return c.Getenv(name)
}

// point adds what points the agent to a base URL, the way its row has it. Its
// configuration is one of the run's own where that is the only way.
func (c *command) point(env []string, baseURL, key string) ([]string, error) {
	if c.Agent.Wire == "gemini" {
		baseURL = strings.TrimSuffix(baseURL, "/v1beta")
	}
	names := c.Agent.KeyVariables(baseURL)
	for _, name := range names {
		if c.given(name) != "" {
			names = []string{name}
			break
		}
	}
	s := c.Agent.Start(adapter.Launch{Home: c.made, BaseURL: baseURL, Model: c.Model, Key: names[0]})
	for name, text := range s.Files {
		if err := file.WritePrivate(filepath.Join(c.made, filepath.FromSlash(name)), []byte(text)); err != nil {
			return nil, err
		}
	}
	if len(s.Files) > 0 && c.Agent.HomeVariable != "" {
		env = append(env, c.Agent.HomeVariable+"="+filepath.Join(c.made, c.Agent.HomeFolder))
	}
	env = append(env, s.Env...)
	if c.given(names[0]) != "" {
		return env, nil
	}
	if c.Agent.OpenAI {
		key = cmp.Or(c.Key, key)
	}
	if key != "" {
		env = append(env, names[0]+"="+key)
	}
	return env, nil
}

// Server says how a script is served.
type Server struct {
	// PortFile is the file for the port number, Log that for a line about each
	// request; empty for none.
	PortFile, Log string
	// Started is called with the address, without a path, which nobody else knows before.
	Started func(origin string) error
}

// Serve answers from the turns of a script on a port of 127.0.0.1 that the system
// chooses, until ctx ends.
func Serve(ctx context.Context, p *process.Process, source *Source, s Server) error {
	logged := func() error { return nil }
	if s.Log != "" {
		f, err := process.Await(ctx, func() (*os.File, error) { // it may be a pipe that nobody reads
			return os.OpenFile(p.Path(s.Log), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		})
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("open log: %w", err)
		}
		defer f.Close()
		logged = source.script.LogTo(process.NewDeadlineWriter(ctx, f)).Err
	}
	origin, err := source.Listen(ctx)
	if err != nil {
		return err
	}
	err = WritePort(s.PortFile, origin)
	if err == nil {
		err = s.Started(origin)
	}
	if err == nil {
		<-ctx.Done()
	}
	if err := cmp.Or(err, source.stop()); err != nil {
		return err
	}
	if err := logged(); err != nil {
		return fmt.Errorf("write log: %w", err)
	}
	return nil
}
