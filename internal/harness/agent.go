package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/trace"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// timeout is the time for the whole run.
func (r *run) timeout() time.Duration {
	if r.opts.Builtin != nil {
		return r.opts.Timeout + endGrace
	}
	return r.opts.Timeout
}

// config describes the child; cleanUp gives back what it needed.
func (r *run) config(ctx context.Context) (cfg runner.Config, cleanUp func(), err error) {
	r.readPrompt(ctx)
	artifacts := r.artifactsDir()
	if err := os.Mkdir(artifacts, 0o700); err != nil {
		return cfg, nil, fmt.Errorf("make folder for artifacts: %w", err)
	}
	cfg = runner.Config{
		Command: r.opts.Command, KillNow: r.opts.KillNow, Secrets: r.secrets, File: evidence.EventsFile,
		Timeout: r.timeout(), IdleTimeout: r.opts.IdleTimeout, ExitGrace: r.opts.ExitGrace,
		Stream:    validate.Options{Strict: r.opts.Strict, MaxLine: int(r.opts.MaxLine)},
		MaxStream: r.opts.MaxStream,
	}
	if b := r.opts.Builtin; b != nil {
		if cfg.Command, err = r.builtinCommand(ctx); err != nil {
			return cfg, nil, err
		}
		cfg.Dir = r.Dir
		cfg.Env = append(r.trace.Environ(builtinEnv(r.Environ(), b.PassEnv)), process.ArtifactsVariable+"="+artifacts)
		return r.handOver(cfg)
	}
	if r.opts.Foreign != nil {
		err = r.prepareForeign(ctx, &cfg)
	} else if cfg.Env = r.ForeignEnviron(); r.key != "" {
		cfg.Env = append(cfg.Env, key.Variable+"="+r.key)
	}
	cfg.Env = append(r.trace.Environ(cfg.Env), process.ArtifactsVariable+"="+artifacts)
	return cfg, func() {}, err
}

// evidencePlace is the folder of the evidence, or the one in which that of earlier runs
// lies beside it.
func (r *run) evidencePlace() string {
	if r.opts.Dir == "" {
		return filepath.Dir(r.folder.Path())
	}
	return r.folder.Path()
}

func (r *run) artifactsDir() string { return filepath.Join(r.temp, "artifacts") }

// keyFileFlag names the file that the built-in agent reads its key from.
const keyFileFlag = "--api-key-file="

// handOver gives the built-in agent the key and what it has to mask, by a pipe
// that no other process can read. Windows has no descriptors to inherit but the
// standard ones.
func (r *run) handOver(cfg runner.Config) (runner.Config, func(), error) {
	hidden := []string{r.temp} // no command of the agent may reach it
	if r.folder != nil {
		hidden = []string{r.Path(r.evidencePlace()), r.temp}
	}
	given := key.Handover{Key: r.key, Source: key.Source(r.opts.KeyFile), Secrets: r.secrets, Further: r.opts.Builtin.Further, Hidden: hidden}.Encode()
	if runtime.GOOS == "windows" {
		cfg.Stdin = bytes.NewReader(given)
		cfg.Command = slices.Insert(cfg.Command, 2, keyFileFlag+key.Stdin)
		return cfg, func() {}, nil
	}
	in, out, err := os.Pipe()
	if err != nil {
		return cfg, nil, fmt.Errorf("hand over the key: %w", err)
	}
	// The pipe may hold less, and an agent that never reads is no error.
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = out.Write(given)
		out.Close()
	}()
	cfg.ExtraFiles = []*os.File{in}
	cfg.Command = slices.Insert(cfg.Command, 2, keyFileFlag+"/dev/fd/3")
	return cfg, func() { in.Close(); out.Close(); <-written }, nil
}

// builtinCommand returns the command line of the built-in agent. A key that was
// read is handed over, and not read again.
func (r *run) builtinCommand(ctx context.Context) ([]string, error) {
	b := r.opts.Builtin
	if b.Refused != nil {
		return nil, b.Refused
	}
	argv := slices.Clone(r.opts.Command)
	if r.key != "" {
		argv = slices.DeleteFunc(argv, func(word string) bool { return strings.HasPrefix(word, keyFileFlag) })
	}
	if b.Prompt == "" {
		return argv, nil
	}
	path, err := r.savePrompt(ctx)
	return append(argv, "--prompt-file="+path), err
}

// savePrompt puts the prompt into a file: an argument could be too long for
// the system, and is shown to every process on the machine.
func (r *run) savePrompt(ctx context.Context) (string, error) {
	text := []byte(r.opts.Builtin.Prompt)
	if r.opts.Builtin.Prompt == "-" {
		var err error
		if text, err = r.ReadStdin(ctx, "the prompt"); err != nil {
			return "", fmt.Errorf("read prompt: %w", err)
		}
	}
	r.prompt = string(text)
	path := filepath.Join(r.temp, "prompt.txt")
	if err := file.WritePrivate(path, text); err != nil {
		return "", fmt.Errorf("save prompt: %w", err)
	}
	return path, nil
}

// readPrompt notes what a file or the demo asks the agent, before the agent can
// change it. A prompt that cannot be read is for the agent to report.
func (r *run) readPrompt(ctx context.Context) {
	switch {
	case r.opts.Stream != "":
	case r.opts.PromptFile != "":
		text, _ := r.readAgain(ctx, r.opts.PromptFile)
		r.prompt = string(text)
	case r.opts.Builtin != nil:
		r.prompt = r.opts.Builtin.Asked
	}
}

// readAgain reads a file that the agent reads too, also after the end of ctx. What
// gives its content only once, or makes a reader wait, is not read.
func (r *run) readAgain(ctx context.Context, path string) ([]byte, error) {
	if info, err := r.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fs.ErrInvalid)
	}
	return r.Read(context.WithoutCancel(ctx), path)
}

// agentVariables are what the built-in agent reads of its environment, beside
// what its commands get: where it runs, how it reaches an endpoint, whose
// certificates it trusts, and the trace that it is part of.
var agentVariables = []string{
	"CI", "GITHUB_ACTIONS", "RUNNER_TEMP", "XDG_STATE_HOME",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "TZ",
	trace.ParentVariable, trace.StateVariable,
}

// builtinEnv returns the environment of the built-in agent under a harness: of
// environ what it needs and the variables named in extra. Anything else could
// only leak.
func builtinEnv(environ, extra []string) []string {
	return process.Chosen(environ, func(name string) bool {
		return process.PassedOn(name) || slices.Contains(agentVariables, strings.ToUpper(name)) || slices.Contains(extra, name)
	})
}
