// Package testscript runs txtar scripts that test agents and their event streams.
//
// A test runs the scripts of a folder:
//
//	func TestMain(m *testing.M) { testscript.Main(m) }
//
//	func TestAgent(t *testing.T) { testscript.Run(t, "testdata") }
//
// and each of them is a list of commands, then the files they need:
//
//	# The agent reads the file that it was asked about.
//	exec my-agent --json 'What does notes.txt say?'
//	stream-check -strict stdout
//	stream-has stdout tool_exec_finished /tool=read_file /ok=true
//	stream-cmp stdout want.jsonl
//
//	-- notes.txt --
//	Buy milk.
//	-- want.jsonl --
//	...
//
// Besides the commands of github.com/rogpeppe/go-internal/testscript there are
// openagent, model, agent and those whose names begin with stream-; openagent test --help
// lists them. FILE may be stdout. The conditions [git], [unix] and [network]
// can stand before a line; the last one holds, and openagent may ask endpoints
// on other machines, only where OPENAGENT_TEST_NETWORK is 1.
package testscript

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/harness/scenarios"
)

// Params are the parameters of a script run.
type Params = testscript.Params

// Run runs every script of the folder, the *.txtar and *.txt files in it, each
// as a parallel subtest.
func Run(t *testing.T, dir string) {
	t.Helper()
	update, err := updating(flag.CommandLine, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	p := Params{Dir: dir, RequireUniqueNames: true, UpdateScripts: update}
	Setup(&p)
	if update {
		runUpdating(t, p)
		return
	}
	testscript.Run(t, p)
}

// Fixed values of every script: two runs of it print the same bytes. Flags
// undo them.
const (
	fixedRunID = "test-run"
	fixedClock = "fixed:2026-01-02T03:04:05Z"
)

// networkVariable is set to 1 by who lets scripts use the network.
const networkVariable = "OPENAGENT_TEST_NETWORK"

// Setup adds our commands and conditions to p, which must outlive the run, and
// gives each script a home and state folder of its own, a fixed run id, a fixed
// clock and no network.
func Setup(p *Params) { setup(context.Background(), p, os.Getenv) }

// setup is Setup for scripts that end with ctx.
func setup(ctx context.Context, p *Params, getenv func(string) string) {
	if p.Cmds == nil {
		p.Cmds = map[string]func(*testscript.TestScript, bool, []string){}
	}
	for _, c := range commands(ctx, p) {
		p.Cmds[c.name] = c.run
	}
	network := getenv(networkVariable) == "1"
	p.Condition = condition(p.Condition, network)
	before := p.Setup
	p.Setup = func(env *testscript.Env) error {
		env.Setenv("HOME", env.WorkDir+"/home")
		env.Setenv("OPENAGENT_STATE_DIR", env.WorkDir+"/state")
		if err := places(p, env); err != nil {
			return err
		}
		env.Setenv("OPENAGENT_RUN_ID", fixedRunID)
		env.Setenv("OPENAGENT_CLOCK", fixedClock)
		if !network {
			env.Setenv("OPENAGENT_NETWORK", "loopback")
		}
		if err := os.MkdirAll(env.WorkDir+"/home", 0o755); err != nil {
			return err
		}
		if mode := getenv(sandboxVariable); mode != "" {
			env.Setenv("OPENAGENT_SANDBOX", mode)
			if err := beside(env); err != nil {
				return err
			}
		}
		if err := findProgram(env, getenv(programVariable)); err != nil {
			return err
		}
		env.Values[agentsKey{}] = agents{t: env.T(), variable: getenv(agentsVariable)}
		env.Values[modelKey{}] = &servedModel{files: map[string]bool{}}
		env.Values[judgeKey{}] = scenarios.Judge{
			Model: getenv(flags.Variable("judge-model")), BaseURL: getenv(flags.Variable("judge-base-url")), KeyFile: getenv(flags.Variable("judge-api-key-file")),
		}
		defer rememberVariables(env)
		if before != nil {
			if err := before(env); err != nil {
				return err
			}
		}
		return faults(p, env)
	}
}

// sandboxVariable has the --sandbox of all that a script starts and that does not say
// otherwise.
const sandboxVariable = "OPENAGENT_TEST_SANDBOX"

// beside moves a script's home, state and temporary folder out of its work folder and
// leaves links: in a workspace, commands could reach what a sandbox is to keep from
// them.
func beside(env *testscript.Env) error {
	dir, err := os.MkdirTemp("", "openagent-script-")
	if err != nil {
		return fmt.Errorf("make folders beside the script's: %w", err)
	}
	env.Defer(func() { _ = os.RemoveAll(dir) })
	for _, name := range []string{"home", "state", ".tmp"} {
		from, to := filepath.Join(env.WorkDir, name), filepath.Join(dir, name)
		if err := os.Rename(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("move the script's %s: %w", name, err)
		}
		if err := os.Symlink(to, from); err != nil {
			return fmt.Errorf("lead to the script's %s: %w", name, err)
		}
	}
	env.Setenv("OPENAGENT_STATE_DIR", filepath.Join(dir, "state")) // which need not exist
	return nil
}

// scriptDirVariable names the folder of a script.
const scriptDirVariable = "SCRIPT_DIR"

// places tells the script where it lies and where it was started, so that it
// finds the agent of the repository that it belongs to.
func places(p *Params, env *testscript.Env) error {
	here, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the current folder: %w", err)
	}
	script, err := filepath.Abs(ownFile(p, env))
	if err != nil {
		return fmt.Errorf("find the script: %w", err)
	}
	env.Setenv("REPO", here)
	if env.Getenv(scriptDirVariable) == "" { // else the script is a copy
		env.Setenv(scriptDirVariable, filepath.Dir(script))
	}
	return nil
}

// ownFile returns the file of the script that env is made for: testscript names
// the script in that of its folder alone.
func ownFile(p *Params, env *testscript.Env) string {
	return scriptFile(p, strings.TrimPrefix(filepath.Base(env.WorkDir), "script-"))
}

// findProgram lets the script find openagent in dir, or in its place a program
// that tells what is missing, lest another one that is installed is tested.
func findProgram(env *testscript.Env, dir string) error {
	// What has it in its environment was started by a script.
	env.Setenv(programVariable, dir)
	if dir == "" {
		dir = filepath.Join(env.WorkDir, ".program")
		if err := placeMissing(dir); err != nil {
			return err
		}
	}
	env.Setenv("PATH", dir+string(os.PathListSeparator)+env.Getenv("PATH"))
	return nil
}

// condition adds ours to those of the caller; [unix] is testscript's own.
func condition(others func(string) (bool, error), network bool) func(string) (bool, error) {
	return func(name string) (bool, error) {
		switch {
		case name == "network":
			return network, nil
		case name == "git":
			_, err := exec.LookPath("git")
			return err == nil, nil
		case others != nil:
			return others(name)
		}
		return false, fmt.Errorf("unknown condition; known are network, git, unix, and those of testscript")
	}
}
