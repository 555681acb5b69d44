// Package actions owns what the harness says to the GitHub runner: masks,
// fences round foreign text, annotations, the job summary and the outputs, and
// the decision whether a job may run an agent at all.
package actions

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	githubactions "github.com/sethvargo/go-githubactions"
)

// Variables of the runner that the harness reads.
const (
	envInside     = "GITHUB_ACTIONS"
	envOutput     = "GITHUB_OUTPUT"
	envSummary    = "GITHUB_STEP_SUMMARY"
	envTemp       = "RUNNER_TEMP"
	envEvent      = "GITHUB_EVENT_NAME"
	envEventPath  = "GITHUB_EVENT_PATH"
	envActor      = "GITHUB_ACTOR"
	envRepository = "GITHUB_REPOSITORY"
)

// Inside reports whether the process runs in a job of GitHub Actions.
func Inside(getenv func(string) string) bool { return getenv(envInside) == "true" }

// Job is the job that the harness runs in, as its environment describes it.
type Job struct {
	getenv func(string) string
	out    io.Writer
	random io.Reader
	// before has the command files, by their variables, as they were before
	// the agent began.
	before map[string][]byte
}

// Begin returns the job and takes note of its command files. Call it before the
// agent starts: what is in these files later and not from here is foreign.
// Commands to the runner go to out, the log of the job.
func Begin(getenv func(string) string, out io.Writer) *Job {
	j := &Job{getenv: getenv, out: out, random: randomReader, before: map[string][]byte{}}
	// A file that cannot be read is told of when it is written.
	for _, name := range append(commandFiles(), envOutput) {
		j.before[name], _ = readRegular(name, getenv(name))
	}
	return j
}

// command returns what do tells the runner, as the log lines to print. The
// library panics when a write fails; one to memory does not.
func command(do func(*githubactions.Action)) []byte {
	var b bytes.Buffer
	do(githubactions.New(githubactions.WithWriter(&b), githubactions.WithGetenv(func(string) string { return "" })))
	return b.Bytes()
}

// Mask makes the runner hide the secrets in the log, line by line.
func (j *Job) Mask(secrets []string) error {
	log := command(func(a *githubactions.Action) {
		for _, s := range secrets {
			for line := range strings.Lines(s) {
				if line = strings.TrimSpace(line); line != "" {
					a.AddMask(line)
				}
			}
		}
	})
	_, err := j.out.Write(log)
	return err
}

// warn prints a warning that the job page shows.
func (j *Job) warn(text string) error {
	_, err := j.out.Write(command(func(a *githubactions.Action) { a.Warningf("%s", text) }))
	return err
}

// addSummary appends Markdown to the page of the job.
func (j *Job) addSummary(markdown []byte) (err error) {
	path := j.getenv(envSummary)
	if path == "" {
		return fmt.Errorf("%s is not set", envSummary)
	}
	// A pipe in its place would be waited for, and the library panics when it
	// cannot write: look and try first.
	if _, err := readRegular(envSummary, path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	githubactions.New(githubactions.WithGetenv(j.getenv)).AddStepSummary(string(markdown))
	return nil
}
