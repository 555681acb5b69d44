// Package job writes for the GitHub runner: masks, annotations, the job summary and
// outputs; it also decides whether a job may run an agent.
package job

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	githubactions "github.com/sethvargo/go-githubactions"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Variables of the runner that the harness reads.
const (
	envActions    = "GITHUB_ACTIONS"
	envOutput     = "GITHUB_OUTPUT"
	envSummary    = "GITHUB_STEP_SUMMARY"
	envTemp       = "RUNNER_TEMP"
	envEvent      = "GITHUB_EVENT_NAME"
	envEventPath  = "GITHUB_EVENT_PATH"
	envActor      = "GITHUB_ACTOR"
	envRepository = "GITHUB_REPOSITORY"
)

// InJob reports whether the process runs in a job of GitHub Actions.
func InJob(getenv func(string) string) bool { return getenv(envActions) == "true" }

// Job is the job that the harness runs in, as its environment describes it.
type Job struct {
	getenv func(string) string
	out    io.Writer
	files  []*commandFile // those that the environment names
}

// Begin returns the job and takes note of its command files. Call it before the
// agent starts: what is in these files later and not from here is foreign.
// Commands to the runner go to out, the log of the job.
func Begin(getenv func(string) string, out io.Writer) *Job {
	j := &Job{getenv: getenv, out: out}
	for _, name := range process.CommandFiles() {
		if path := getenv(name); path != "" {
			j.files = append(j.files, noteFile(name, path))
		}
	}
	return j
}

// Restore gives the command files back what they held before the agent began,
// and makes anew what is not the file of then, or has another name besides. It
// returns what had been done to them, one sentence each that lacks its subject.
// An error is one of a file that may still hold what is foreign.
func (j *Job) Restore() (tampering []string, err error) { return j.write(nil) }

// usable returns why nothing can be written to the file that the variable name
// names.
func (j *Job) usable(name string) error {
	for _, f := range j.files {
		if f.name == name {
			return f.err
		}
	}
	return fmt.Errorf("%s is not set", name)
}

// maxRounds bounds how often the files are looked at after the last write.
const maxRounds = 3

// append is Restore, then appends to the files that add names, then looks at
// all of them again: a process that outlived the agent can still be at work.
func (j *Job) append(add map[string][]byte) (tampering []string, err error) {
	tampering, err = j.write(add)
	for range maxRounds {
		again, againErr := j.Restore()
		if err = cmp.Or(err, againErr); err != nil || len(again) == 0 {
			return tampering, err
		}
		tampering = append(tampering, again...)
	}
	return tampering, errors.New("the files of the runner change while they are restored: a process of the agent is still at work")
}

// write is Restore, and on the way appends to the files that add names.
func (j *Job) write(add map[string][]byte) (tampering []string, err error) {
	var errs []error
	for _, f := range j.files {
		done, err := f.restore(j.files, add[f.name])
		if done != "" {
			tampering = append(tampering, done)
		}
		errs = append(errs, err)
	}
	return tampering, errors.Join(errs...)
}

// command returns what do says to the runner, as the log lines to print. The
// library panics when a write fails; one to memory does not.
func command(do func(*githubactions.Action)) []byte {
	var b bytes.Buffer
	do(githubactions.New(githubactions.WithWriter(&b), githubactions.WithGetenv(func(string) string { return "" })))
	return b.Bytes()
}

// Mask makes the runner hide the secrets in the log, line by line. What is too
// short to be a known secret stays, since the runner would cut it out of every
// word, and drop the outputs that hold it.
func (j *Job) Mask(secrets []string) error {
	log := command(func(a *githubactions.Action) {
		for _, s := range secrets {
			for line := range strings.Lines(s) {
				if line = strings.TrimSpace(line); len(line) >= redact.MinSecretBytes {
					a.AddMask(line)
				}
			}
		}
	})
	_, err := j.out.Write(log)
	return err
}

// announce prints errors about the step as a whole. Texts are cleaned and
// escaped.
func (j *Job) announce(list []annotation) error {
	_, err := j.out.Write(command(func(a *githubactions.Action) {
		for _, n := range list {
			a.WithFieldsMap(map[string]string{"title": "openagent: " + n.subject}).Errorf("%s", term.OneLine(n.text, maxError))
		}
	}))
	return err
}
