// Package testscript runs txtar scripts that test agents and their event
// streams: the openagent command, and commands that ask what a stream holds.
package testscript

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/internal/cli"
)

// Params are the parameters of a script run.
type Params = testscript.Params

// Main makes openagent available to scripts as a program and runs the tests;
// call it from TestMain. It adds the flag -update, which rewrites the golden
// files in scripts.
//
//	func TestMain(m *testing.M) { testscript.Main(m) }
func Main(m *testing.M) {
	defineUpdate(flag.CommandLine)
	testscript.Main(m, map[string]func(){
		"openagent": func() { os.Exit(cli.Main(os.Args[1:], nil)) },
	})
}

// Run runs every script of the folder as a test of its own.
func Run(t *testing.T, dir string) {
	t.Helper()
	update, err := updating(flag.CommandLine, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	p := Params{Dir: dir, RequireExplicitExec: false, RequireUniqueNames: true, UpdateScripts: update}
	Setup(&p)
	testscript.Run(t, p)
}

// Fixed values of every script: two runs of it print the same bytes. Flags
// undo them.
const (
	fixedRunID = "test-run"
	fixedClock = "fixed:2026-01-02T03:04:05Z"
)

// Setup adds the commands about streams to p, which must outlive the run, and gives each script a home and
// state folder of its own, a fixed run id and a fixed clock.
func Setup(p *Params) {
	if p.Cmds == nil {
		p.Cmds = map[string]func(*testscript.TestScript, bool, []string){}
	}
	for name, cmd := range commands() {
		p.Cmds[name] = cmd
	}
	p.Cmds["stream-cmp"] = compare(p)
	before := p.Setup
	p.Setup = func(env *testscript.Env) error {
		env.Setenv("HOME", env.WorkDir+"/home")
		env.Setenv("OPENAGENT_STATE_DIR", env.WorkDir+"/state")
		env.Setenv("OPENAGENT_RUN_ID", fixedRunID)
		env.Setenv("OPENAGENT_CLOCK", fixedClock)
		if err := os.MkdirAll(env.WorkDir+"/home", 0o755); err != nil {
			return err
		}
		if before == nil {
			return nil
		}
		return before(env)
	}
}
