package job

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// harness is a stand-in that tells how it was started.
func harness(t *testing.T) (dir, report string) {
	t.Helper()
	dir = t.TempDir()
	report = filepath.Join(dir, "report")
	stub := "#!/bin/sh\n[ \"$1\" != --version ] || { echo openagent test; exit; }\n[ \"$1\" != schema ] || { echo \"published $*\"; exit; }\n{ for a in \"$@\"; do echo \"$a\"; done; echo \"ACTION:$(env | grep -c ^ACTION_)\"; " +
		"[ -z \"$OPENAGENT_REFUSED\" ] || echo \"REFUSED: $OPENAGENT_REFUSED\"; [ -z \"$OPENAI_API_KEY\" ] || echo KEY; [ -z \"$OPENAGENT_PROMPT_FILE\" ] || { echo PROMPT:; cat \"$OPENAGENT_PROMPT_FILE\"; }; [ -z \"$OPENAGENT_OUTPUT_SCHEMA\" ] || { echo SCHEMA:; cat \"$OPENAGENT_OUTPUT_SCHEMA\"; }; echo; echo \"pid $$\"; } >" + report + "\n"
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "openagent"), []byte(stub), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir, report
}

func TestAction_Run(t *testing.T) {
	const nasty = "-x $(touch pwned) `id`\n\"q'"
	tests := []struct {
		name string
		env  []string
		want string
	}{
		{"built-in agent", nil, "ci\nACTION:0\n"},
		{"other agent", []string{"ACTION_COMMAND=" + nasty}, "ci\n--\nsh\n-c\n" + nasty + "\nACTION:0\n"},
		{"saved stream", []string{"ACTION_MODE=check", "OPENAGENT_EVENTS_FILE=s.jsonl"}, "ci\nACTION:0\n"},
		{"scripts", []string{"ACTION_MODE=test", "ACTION_SCENARIOS= -a\n$(touch pwned)  /u*\n", "OPENAI_API_KEY=sk-test-1234"},
			"test\n--\n-a\n$(touch\npwned)\n/u*\nACTION:0\n"},
		{"scripts with real models", []string{"ACTION_MODE=test", "ACTION_SCENARIOS=a", "OPENAGENT_ARGS=--live\n--repeat 3", "OPENAI_API_KEY=sk-test-1234"}, "test\n--\na\nACTION:0\nKEY\n"},
		{"one part", []string{"ACTION_MODE=test", "ACTION_SCENARIOS=a"}, "test\n--\na\nACTION:0\n"},
		{"key", []string{"OPENAI_API_KEY=sk-test-1234"}, "ci\nACTION:0\nKEY\n"},
		{"a binary", []string{"ACTION_DIR=/nowhere", "ACTION_BINARY=@/bin/openagent"}, "ci\nACTION:0\n"},
		{"a binary of the workspace", []string{"ACTION_DIR=/nowhere", "ACTION_BINARY=bin/openagent", "GITHUB_WORKSPACE=@"}, "ci\nACTION:0\n"},
		{"prompt", []string{"ACTION_PROMPT=" + nasty}, "ci\nACTION:0\nPROMPT:\n" + nasty},
		{"schema", []string{"ACTION_SCHEMA={\"const\":\"" + nasty + "\"}"}, "ci\nACTION:0\nSCHEMA:\n{\"const\":\"" + nasty + "\"}"},
		{"schema by name", []string{"ACTION_SCHEMA=openagent." + nasty}, "ci\nACTION:0\nSCHEMA:\npublished schema show -- openagent." + nasty},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, report := harness(t)
			env := []string{"ACTION_DIR=" + dir, "ACTION_BINARY=", "ACTION_COMMAND=", "ACTION_PROMPT="}
			for _, variable := range tt.env {
				env = append(env, strings.ReplaceAll(variable, "@", dir))
			}
			if _, ok := script(t, "run", env...); !ok {
				t.Error("the step failed, want it to succeed")
			}
			got, err := os.ReadFile(report)
			if err != nil {
				t.Fatal(err)
			}
			head, _, _ := strings.Cut(string(got), "\npid ")
			if diff := cmp.Diff(strings.TrimSpace(tt.want), strings.TrimSpace(head)); diff != "" {
				t.Errorf("the harness was started (-want +got):\n%s", diff)
			}
		})
	}
}

// Building the program leaves the agent the Go that the job had before.
func TestAction_RunHasThePathOfTheJob(t *testing.T) {
	before := "PATH=/a b:" + os.Getenv("PATH")
	output, _ := script(t, "prepare", before, "RUNNER_TEMP="+t.TempDir(), "ACTION_UPLOAD=auto", "GOTOOLCHAIN=go1.2.3")
	job := parse(t, output)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "bin", "openagent"), "#!/bin/sh\nprintf %s \"PATH=$PATH\" >"+dir+"/got\n", 0o755)
	script(t, "run", "ACTION_PATH="+job["path"], "ACTION_DIR="+dir, "ACTION_BINARY=", "ACTION_COMMAND=", "ACTION_PROMPT=")
	got, err := os.ReadFile(filepath.Join(dir, "got"))
	if err != nil || string(got) != before || job["toolchain"] != "go1.2.3" {
		t.Errorf("the harness has %s, %v, and the toolchain is %q, want %s and go1.2.3", got, err, job["toolchain"], before)
	}
}

// The bash of Windows leaves alone what is no path: a secret, and a command.
func TestAction_RunKeepsValuesOnWindows(t *testing.T) {
	for command, want := range map[string]string{
		"":                          "OPENAI_API_KEY;OPENAGENT_AGENT_ARG;OPENAGENT_ARGS;OPENAGENT_MATRIX;OPENAGENT_REDACT;OPENAGENT_MODEL|unset",
		"/usr/bin/agent /x; /bin/y": "OPENAI_API_KEY;OPENAGENT_AGENT_ARG;OPENAGENT_ARGS;OPENAGENT_MATRIX;OPENAGENT_REDACT;OPENAGENT_MODEL|/usr/bin/agent /x",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "bin", "openagent"), "#!/bin/sh\nprintf %s \"$MSYS2_ENV_CONV_EXCL|${MSYS2_ARG_CONV_EXCL-unset}\" >"+dir+"/got\n", 0o755)
		script(t, "run", "RUNNER_OS=Windows", "ACTION_DIR="+dir, "ACTION_BINARY=", "ACTION_COMMAND="+command, "ACTION_PROMPT=")
		if got, err := os.ReadFile(filepath.Join(dir, "got")); err != nil || string(got) != want {
			t.Errorf("with the command %q the program is started beside %q, %v, want %q", command, got, err, want)
		}
	}
}

// What is no program of ours is refused without one, and a folder that is not there by
// the program.
func TestAction_RunRefusesPlaces(t *testing.T) {
	dir, report := harness(t)
	base := []string{"ACTION_DIR=" + dir, "ACTION_COMMAND=", "ACTION_PROMPT=", "GITHUB_WORKSPACE=" + dir}
	for _, binary := range []string{"bin/none", "bin", "/bin/true", "a\nok=true"} {
		output, ok := script(t, "run", append(base, "ACTION_BINARY="+binary)...)
		if !ok || !strings.HasPrefix(output, "refused=input binary is \"") || strings.Count(output, "\n") != 1 {
			t.Errorf("with the program %q step run gives %q, succeeded %v, want a refusal for the last step", binary, output, ok)
		}
	}
	script(t, "run", append(base, "ACTION_BINARY=", "ACTION_WORKSPACE=none")...)
	if got, err := os.ReadFile(report); err != nil || !strings.HasPrefix(string(got), "ci\nACTION:0\nREFUSED: input working-directory is \"none\": ") {
		t.Errorf("in a folder that is not there the harness is started as %q, %v, want it told of a refusal", got, err)
	}
}

// Whatever ended the step before the program set the outputs, the last step does.
func TestAction_EndSetsOutputs(t *testing.T) {
	const reason, lost = "input binary is `%0A`", "openagent ended without a verdict; the log of this step says more"
	for name, tt := range map[string]struct {
		env            []string
		verdict, error string
		ok             bool
	}{
		"refused":         {[]string{"ACTION_REFUSED=" + reason, "ACTION_OUTCOME=success"}, "refused", reason, false},
		"skipped":         {[]string{"ACTION_REFUSED=" + reason, "ACTION_OUTCOME=skipped", "ACTION_ON_REFUSAL=skip"}, "refused", reason, true},
		"a failed one":    {[]string{"ACTION_REASON=no such asset", "ACTION_OUTCOME=skipped", "ACTION_ON_REFUSAL=skip"}, "refused", "no such asset", false},
		"nothing began":   {nil, "refused", "openagent could not be installed; the log of this step says more", false},
		"a killed one":    {[]string{"ACTION_OUTCOME=failure", "ACTION_ON_REFUSAL=skip"}, "failure", lost, false},
		"another program": {[]string{"ACTION_OUTCOME=success"}, "failure", lost, false},
		"a cancelled one": {[]string{"ACTION_OUTCOME=cancelled"}, "cancelled", "the step was cancelled", false},
	} {
		page := filepath.Join(t.TempDir(), "page")
		output, ok := script(t, "end", append([]string{"GITHUB_STEP_SUMMARY=" + page, "ACTION_JOB=auto"}, tt.env...)...)
		want := fmt.Sprintf("ok=%v\nverdict=%s\nerror=%s\n", tt.verdict == "success", tt.verdict, tt.error)
		if output != want || ok != tt.ok {
			t.Errorf("%s: step end gives %q, succeeded %v, want %q and %v", name, output, ok, want, tt.ok)
		}
		summary, _ := os.ReadFile(page)
		if text := "`" + strings.ReplaceAll(tt.error, "`", "'") + "`"; (tt.error != "") != strings.Contains(string(summary), text) {
			t.Errorf("%s: the page is %q, want %s on it", name, summary, text)
		}
	}
}

// What a mode has no use for is refused in words of the workflow: by mode, each row is
// further variables.
func TestAction_RunRefuses(t *testing.T) {
	for mode, rows := range map[string][]string{
		"run": {
			"ACTION_UPLOAD=sometimes", "ACTION_ATTEST=yes", "ACTION_PROMPT=a OPENAGENT_PROMPT_FILE=b", "ACTION_SCHEMA={} OPENAGENT_OUTPUT_SCHEMA=b",
			"OPENAGENT_EVENTS_FILE=s.jsonl",
		},
		"chec":                                {""},
		"check":                               {""},
		"check OPENAGENT_EVENTS_FILE=s.jsonl": {"OPENAGENT_SANDBOX=off"},
		"test":                                {"ACTION_SCENARIOS=\n"},
		"test ACTION_SCENARIOS=s": {
			"ACTION_SCHEMA={}", "OPENAGENT_OUTPUT_SCHEMA=s.json", "OPENAGENT_EVENTS_FILE=s.jsonl", "ACTION_PROMPT=p", "OPENAGENT_PROMPT_FILE=p",
			"ACTION_COMMAND=a", "OPENAGENT_AGENT=codex", "OPENAGENT_AGENT_ARG=-x", "OPENAGENT_AGENT_VERSION=1.0.0", "OPENAGENT_SCRIPT=demo",
			"OPENAGENT_CASSETTE=c", "OPENAGENT_SANDBOX=require",
			"OPENAGENT_GOLDEN=g",
		},
		"shard": {"ACTION_SCENARIOS=s"}, "merge": {"ACTION_SCENARIOS=s"},
	} {
		for _, row := range rows {
			t.Run(mode+" "+row, func(t *testing.T) {
				dir, report := harness(t)
				env := append(strings.Split("ACTION_MODE="+mode, " "), strings.Split(row, " ")...)
				script(t, "run", append([]string{"ACTION_DIR=" + dir, "ACTION_BINARY=", "ACTION_COMMAND=", "ACTION_PROMPT="}, env...)...)
				got, err := os.ReadFile(report)
				if err != nil || !strings.HasPrefix(string(got), "ci\nACTION:0\nREFUSED: ") || strings.Contains(string(got), "--") && !strings.Contains(string(got), " in input args") {
					t.Errorf("the harness was started as %q, %v, want a refusal in words of the workflow", got, err)
				}
			})
		}
	}
}

func TestAction_RunIsReplacedByTheHarness(t *testing.T) {
	a, _ := readAction(t)
	text := a.step(t, "run").Run
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if last := lines[len(lines)-1]; last != `exec "$binary" ci` || strings.Count(text, `"$binary" `) != 6 || // one asks for the version, one for a schema
		strings.Count(text, `exec "$binary" `) != 4 {
		t.Errorf("step run ends with %q, want the harness to take the shell's place", last)
	}
}
