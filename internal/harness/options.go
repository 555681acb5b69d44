package harness

import (
	"errors"
	"os"
	"time"

	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/runner"
)

// Options say what is run or read, within which limits, and what is made of it.
type Options struct {
	// Command is the agent with its arguments; without one Stream, the file of a
	// saved stream, is read instead.
	Command []string
	Stream  string
	// Builtin is what else Command needs where it is this program's own agent,
	// nil for any other.
	Builtin *Builtin

	// Foreign is the agent whose own stream is converted, nil for one that prints
	// the contract.
	Foreign *Foreign

	// Wall is what a whole agent that is not built in may do, Mode Off or empty for
	// anything. Where it works and what it needs is not in it.
	Wall sandbox.Policy

	// Workspace is the folder that the agent works in, StateDir the one that it
	// keeps its records in, empty for the user's.
	Workspace, StateDir string
	// PromptFile has what an agent is asked, as far as that is known.
	PromptFile string
	// KeyFile has the provider's key, or what a harness hands over in its place;
	// empty for the key of the process.
	KeyFile string
	// Secrets are masked beside those of the key file, the environment and git.
	Secrets []string

	// Timeout is the time that the agent was given, IdleTimeout and ExitGrace as
	// in runner.Config.
	Timeout, IdleTimeout, ExitGrace time.Duration
	// KillNow, once sent to, kills the agent of a run that is ending.
	KillNow <-chan struct{}
	// Strict makes errors of warnings. MaxLine and MaxStream are in bytes.
	Strict             bool
	MaxLine, MaxStream int64
	// OutputSchema is the file of the JSON Schema that the final text has to fit, empty
	// for any text.
	OutputSchema string
	// Golden is the file of a stream that the run's is compared with, empty for none.
	Golden string

	// CompareWith is the evidence or stream of an earlier run that this one is
	// compared with, empty for none; CompareFailOn says which changes fail.
	CompareWith   string
	CompareFailOn diff.FailOn

	// NoTexts keeps what the agent read and wrote out of the evidence, the summary and
	// the log.
	NoTexts bool

	// Guard allows this program to be started again as the guard of an agent.
	Guard bool
	// Version is that of this program, for what is written.
	Version string
	Outcome
}

// Builtin is what the built-in agent needs besides its command line.
type Builtin struct {
	// Prompt is given to the agent in a file: a text, or - for standard input;
	// empty where the command line says what is asked.
	Prompt string
	// Asked is what the agent will ask where nobody gave a prompt.
	Asked string
	// Script takes the place of a model, Policy is the policy file; empty for none.
	Script, Policy string
	// OwnFolder says that the agent makes a folder to work in, in place of Workspace.
	OwnFolder bool
	// PassEnv names variables that the agent gets besides those it needs.
	PassEnv []string
	// Further is handed over with the key, as key.Handover has it.
	Further []string
	// Refused is why the agent may not be started, nil when it may.
	Refused error
}

// Outcome says what is made of what was run, of an agent or of scripts.
type Outcome struct {
	// Dir is the folder for the evidence, new or empty; empty for a fresh one.
	Dir string
	// FailOn says which verdicts fail.
	FailOn FailOn
	// Job has the page of the job written, and the annotations of its log.
	Job bool
}

// FailOn says which verdicts are failures; the zero value is FailOnError.
type FailOn string

// What may be a failure: all but success, violation and crash, and nothing.
const (
	FailOnError     FailOn = "error"
	FailOnViolation FailOn = "violation"
	FailOnNever     FailOn = "never"
)

// Fails reports whether a verdict is a failure.
func (f FailOn) Fails(v runner.Verdict) bool {
	switch f {
	case FailOnNever:
		return false
	case FailOnViolation:
		return v == runner.VerdictViolation || v == runner.VerdictCrash
	}
	return v != runner.VerdictSuccess
}

// CheckOut refuses as folder for results what is none, and one that holds
// something. One that cannot be read is found out when it is written to.
func CheckOut(dir string) error {
	info, err := os.Stat(dir)
	if dir == "" || err != nil {
		return nil // it is made, or cannot be
	}
	if !info.IsDir() { // a pipe would be waited for
		return errors.New("that is no folder")
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return errors.New("that folder is not empty")
	}
	return nil
}
