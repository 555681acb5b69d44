package testscript

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/internal/cli"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// openagent is openagent ARGS: the command line within this process, in the
// script's folder and environment; with ! it must fail by a judgment, status 1.
// A wrong command line or a fault of delivery is none: status says it expects
// one. A command that needs a process of its own, such as ci, says so.
func openagent(ctx context.Context, p *Params) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		foreground(ts, append([]string{"openagent"}, args...))
		switch got := call(ctx, ts, p, args); {
		case got == cli.StatusOK && neg:
			ts.Fatalf("unexpected command success")
		case neg && got != cli.StatusFailed:
			ts.Fatalf("exit status %d: ! accepts only 1, a judgment; if %d is expected, write: status %d openagent ...", got, got, got)
		case got != cli.StatusOK && !neg:
			ts.Fatalf("unexpected command failure: exit status %d; openagent explain %d says what it means", got, got)
		}
	}
}

// call runs the command line and returns its exit status.
func call(ctx context.Context, ts *testscript.TestScript, p *Params, args []string) int {
	c := cli.CommandLine{
		Args: args, Env: process.Env{Dir: ts.MkAbs("."), Vars: environ(ts, p), Scratch: workFolder(ts)},
		Stdin: noInput{}, Stdout: ts.Stdout(), Stderr: ts.Stderr(),
	}
	got := c.Run(ctx, Parts())
	if ctx.Err() != nil {
		ts.Fatalf("%v", context.Cause(ctx))
	}
	return got
}

// noInput is the standard input within this process: what the command stdin of
// a script sets goes to programs alone.
type noInput struct{}

// Read tells what to do instead.
func (noInput) Read([]byte) (int, error) {
	return 0, errors.New("there is no standard input within a script: write exec before openagent")
}

// environ returns the environment of the script: of the names that it begins
// with, and of all that looks like one in its text. The environment of a script can be asked
// for a name, but not listed.
func environ(ts *testscript.TestScript, p *Params) []string {
	var names []string
	if v, ok := ts.Value(variablesKey{}).(*variables); ok {
		names = slices.Clone(v.names)
	}
	if text, err := os.ReadFile(scriptFile(p, ts.Name())); err == nil {
		for _, m := range assignment().FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
	}
	seen := map[string]bool{}
	var env []string
	for _, name := range names {
		if value := ts.Getenv(name); value != "" && !seen[name] {
			seen[name] = true
			env = append(env, name+"="+value)
		}
	}
	return env
}

// variablesKey is the key of the names that a script begins with.
type variablesKey struct{}

var assignment = lazyregexp.New(`\b([A-Za-z_][A-Za-z0-9_]*)=`)

// rememberVariables keeps the names for environ.
func rememberVariables(env *testscript.Env) {
	var names []string
	for _, v := range env.Vars {
		if name, _, _ := strings.Cut(v, "="); name != "" {
			names = append(names, name)
		}
	}
	env.Values[variablesKey{}] = &variables{names: names, folder: env.WorkDir}
}

// variables are the names that environ looks for besides those in the text of the
// script, and the folder in which the script began.
type variables struct {
	names  []string
	folder string
}

// workFolder returns the folder that goes with the script, empty for none.
func workFolder(ts *testscript.TestScript) string {
	if v, ok := ts.Value(variablesKey{}).(*variables); ok {
		return v.folder
	}
	return ""
}

// setVariable sets a variable that the text of the script does not name.
func setVariable(ts *testscript.TestScript, name, value string) {
	ts.Setenv(name, value)
	if v, ok := ts.Value(variablesKey{}).(*variables); ok {
		v.names = append(v.names, name)
	}
}
