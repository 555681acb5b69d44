package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/platform/process"
)

// The help of a command that does not exist is a mistake, not the help of its group.
func TestMain_HelpOfAnUnknownCommand(t *testing.T) {
	for line, want := range map[string]string{
		"rnu --help": `did you mean "run"?`, "help rnu": `did you mean "run"?`, "rnu -h": `did you mean "run"?`,
		"schema verfy --help": `did you mean "verify"?`, "help schema verfy": `did you mean "verify"?`,
	} {
		got := call(t, "", strings.Fields(line)...)
		if got.status != StatusUsage || got.out != "" || !strings.Contains(got.err, want) {
			t.Errorf("openagent %s = %+v, want status %d and %s", line, got, StatusUsage, want)
		}
	}
	for _, line := range []string{"help", "--help", "help run", "run --help", "help schema", "schema", "schema verify -h", "help help"} {
		if got := call(t, "", strings.Fields(line)...); got.status != StatusOK || !strings.Contains(got.out, "Usage:") || got.err != "" {
			t.Errorf("openagent %s = %+v, want its help", line, got)
		}
	}
}

// fullDisk is one without room.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestMain_HelpThatCannotBePrinted(t *testing.T) {
	for _, line := range []string{"--help", "", "help run", "run --help", "schema", "--version", "doctor", "completion bash"} {
		var errs bytes.Buffer
		p := &program{Process: process.Process{In: strings.NewReader(""), Out: fullDisk{}, Err: &errs}}
		if got := p.main(strings.Fields(line)); got != StatusDelivery || !strings.Contains(errs.String(), "no room") || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("openagent %s = %d, %q, want %d and one line with the reason", line, got, &errs, StatusDelivery)
		}
	}
}

// An error quotes the beginning of what was given, not all of it.
func TestMain_ErrorsAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	for _, args := range [][]string{
		{long}, {"help", long}, {"run", "--" + long}, {"run", "--script", "demo", "--run-id", long}, {"run", "--script", long, "p"}, {"explain", long},
		{"show", long}, {"run", "--script", "demo", "--allow-tools", long}, {"golden", "diff", long, long}, {"completion", long}, {"ci", long, "--", "true"}, {"check", long},
	} {
		got := call(t, "", args...)
		if got.status == StatusOK || got.err == "" || len(got.err) > 5000 {
			t.Errorf("openagent %.40q = %d, %d bytes on stderr, want an error below 5000", args, got.status, len(got.err))
		}
	}
}

// A wrong value is named by what gave it: nobody finds a flag that was not typed.
func TestMain_NamesTheVariable(t *testing.T) {
	for name, value := range map[string]string{"ALLOW_TOOLS": "reed_file", "DENY_TOOLS": "reed_file", "PASS_ENV": "A B", "CASSETTE_MODE": "record"} {
		t.Setenv("OPENAGENT_"+name, value)
		got := call(t, "", "run", "--script", "demo")
		if want := "variable OPENAGENT_" + name + " (for --"; got.status != StatusUsage || !strings.Contains(got.err, want) {
			t.Errorf("openagent run with %s=%s = %+v, want status %d and %q", name, value, got, StatusUsage, want)
		}
		t.Setenv("OPENAGENT_"+name, "")
	}
	t.Setenv("OPENAGENT_EVENTS_FILE", "nowhere.jsonl")
	if got := call(t, "", "ci"); got.status != StatusUsage || !strings.Contains(got.err, "variable OPENAGENT_EVENTS_FILE (for --events-file) is") {
		t.Errorf("openagent ci with a stream that is not there = %+v, want the variable", got)
	}
}

func TestMain_MisspeltDemo(t *testing.T) {
	for line, status := range map[string]int{"run --script dmeo": StatusUsage, "run --script dmeo p": StatusFailed} {
		if got := call(t, "", strings.Fields(line)...); got.status != status || !strings.Contains(got.err, `did you mean "demo"?`) {
			t.Errorf("openagent %s = %+v, want status %d and what was meant", line, got, status)
		}
	}
}
