package flags

import (
	"errors"
	"fmt"
	"os"
	"regexp"

	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Outcome are the flags that say what is made of what was run, of an agent or of
// scripts.
type Outcome struct {
	Out         string
	FailOn, Job Choice
}

// NewOutcome returns the flags with their defaults.
func NewOutcome() Outcome {
	return Outcome{
		FailOn: NewChoice(string(harness.FailOnError), string(harness.FailOnViolation), string(harness.FailOnNever)),
		Job:    NewChoice("auto", "on", "off"),
	}
}

// failOnScripts is --fail-on of scripts, of which none that failed is a violation or
// crash.
func failOnScripts() Choice {
	return NewChoice(string(harness.FailOnError), string(harness.FailOnNever))
}

// CheckOut refuses what is no folder, and a folder that holds something.
func (o *Outcome) CheckOut() error {
	if err := harness.CheckOut(o.Out); err != nil {
		return &UsageError{hint.With(fmt.Errorf("--out is %q: %w", redact.Shown(o.Out), err), "name a folder that is new or empty")}
	}
	return nil
}

// HarnessOutcome returns the values of the flags.
func (o *Outcome) HarnessOutcome() harness.Outcome {
	return harness.Outcome{
		Dir: o.Out, FailOn: harness.FailOn(o.FailOn.Value),
		Job: o.Job.Value != "off",
	}
}

// CheckLive refuses a live view where it could not be seen, or where stdout is for a
// program.
func CheckLive(json bool, s term.Screen) error {
	if json {
		return usagef("--tui and --output json exclude each other: drop --tui, or use --output human")
	}
	if !s.Terminal() {
		return &UsageError{hint.With(errors.New("--tui draws on a terminal, and standard error is not one"),
			"drop --tui to see progress line by line")}
	}
	return nil
}

// AdmitJob refuses jobs that must not run an agent, or scripts, which may start one.
// key says where it has a key, empty if the environment decides; scripts says that these
// ask no real model.
func AdmitJob(what, key string, scripts bool) error {
	if err := job.AdmitJob(os.Environ(), os.Getenv, key, scripts); err != nil {
		return usagef("this job may not run %s: %w", what, err)
	}
	return nil
}

// Selection holds the flags of commands that go through many things, several at
// once: which of them, and how many.
type Selection struct {
	Run  string
	Jobs int
}

// Pattern returns what the names of the selected ones match.
func (s Selection) Pattern() (*regexp.Regexp, error) {
	if s.Jobs < 1 {
		return nil, usagef("--jobs is %d: want a whole number from 1", s.Jobs)
	}
	pattern, err := regexp.Compile(s.Run)
	if err != nil {
		return nil, usagef("--run is %q: %v", redact.Shown(s.Run), err)
	}
	return pattern, nil
}

// Nothing returns the error of a pattern that selects none of what there is.
func (s Selection) Nothing(of string) error {
	return usagef("--run is %q: no %s has a name that matches", redact.Shown(s.Run), of)
}
