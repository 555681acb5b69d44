package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/platform/process"
)

// outcome is what a command line came to.
type outcome struct {
	status   int
	out, err string
}

// call runs a command line in this process, without a job or variables of it.
func call(t *testing.T, in string, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	p := &program{Process: process.Process{In: strings.NewReader(in), Out: &out, Err: &errs}}
	status := p.main(args)
	return outcome{status, out.String(), errs.String()}
}

func TestMain_UsageErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"golden diff --workspace relative a b": `--workspace is "relative": want an absolute folder`, "golden diff --state-dir ./x a b": `--state-dir is "./x": want`,
		"golden export": "0 arguments given to openagent golden export, want FOLDER",
		"schema lock x": "hint: run openagent schema lock --help", "schema sho": "hint: run openagent schema --help",
		"golden export --nope x": "hint: run openagent golden export --help",
		"nonsense":               "unknown command",
		"rnu --script demo":      `unknown command "rnu" for "openagent"; did you mean "run"?`,
		"golden dif a b":         `unknown command "dif" for "openagent golden"; did you mean "diff"?`,
		"run --sript demo":       `unknown flag: --sript; did you mean --script?`,
		"run p --max-step 3":     `did you mean --max-steps?`, "doctor x": "1 argument given to openagent doctor", "agents --format json": "openagent \x61gents is now openagent doctor", "help archive": "is now the program openagent-archive", "--nope": "unknown flag: --nope", "run --provider-timeout 1m": "--provider-timeout is now --retry timeout=TIME", "test --summary off": "--summary is now --job auto|on|off", "run --nope": "unknown flag: --nope",
		"run --tui --output json":               "--tui and --output json exclude each other: drop --tui, or use --output human\n",
		"run --output json --tui --script demo": "--tui and --output json exclude each other: drop --tui, or use --output human\n",
		"run --script demo --tui":               "--tui draws on a terminal, and standard error is not one\nopenagent: hint: drop --tui to see",
		"run --script demo --output xml":        `--output is "xml": want human or json`,
		"run --max-steps -1 p":                  `--max-steps is "-1"`, "run p": "no model", "run --model m": "no prompt",
		"run --model m a b": "2 prompts given", "run --script demo --prompt-file x p": "two prompts",
		"run --script demo --model m":             "--script answers without an endpoint",
		"run --cassette f --script demo":          "--cassette and --script both stand in for an endpoint: give one of them",
		"run --cassette-mode auto --model m p":    `--cassette-mode is "auto" without a cassette: name one by --cassette FILE`,
		"run --cassette-mode play p":              `--cassette-mode is "play": want replay, record or auto`,
		"run --cassette f --cassette-mode auto p": "no model", "run --cassette f --cassette-mode record p": "no model",
		"run --cassette f": "no prompt", "ci --cassette f -- true": "--cassette is for the built-in agent",
		"run --model m --base-url ftp://x p":      `--base-url is "ftp://x"`,
		"run --script demo --allow-tools nothing": "no tool has that name",
		"run --script demo --run-id .x":           `--run-id is ".x"`, "ci --": "no command after --",
		"ci p -- true": "a prompt is for the built-in agent", "ci --max-steps 3 -- true": "--max-steps is for the built-in agent",
		"ci --fail-on x -- true": `--fail-on is "x"`, "ci --out " + filepath.Dir(file) + " -- true": "that folder is not empty",
		"check --max-line 0": `--max-line is "0"`, "check --format xml": `--format is "xml"`, "check --schema v9": `--schema is "v9"`,
	} {
		got := call(t, "", strings.Fields(line)...)
		if got.status != StatusUsage || got.out != "" || !strings.HasPrefix(got.err, "openagent: error: ") || !strings.Contains(got.err, want) {
			t.Errorf("openagent %s = %d with stdout %q, stderr %q, want 2, nothing, %q", line, got.status, got.out, got.err, want)
		}
	}
}

// What a stranger called a file does not act on the job that complains of it.
func TestMain_ComplaintsAreNoCommands(t *testing.T) {
	got := call(t, "", "test", "x\n::set-output name=ok::true\r##[error]x")
	want := "openagent: error: look for scripts: lstat x\n" +
		"openagent: error: : :set-output name=ok::true\nopenagent: error: # #[error]x: no such file or directory\n"
	if got.status != StatusUsage || !strings.HasPrefix(got.err, want) || strings.Contains(got.err, "\n::") || strings.Contains(got.err, "\n##") {
		t.Errorf("openagent test = %d, %q, want 2, %q and no command", got.status, got.err, want)
	}
}

func TestMain_Help(t *testing.T) {
	for _, line := range []string{"", "help", "run --help", "ci --help", "check -h", "--version", "doctor"} {
		if got := call(t, "", strings.Fields(line)...); got.status != StatusOK || got.out == "" || got.err != "" {
			t.Errorf("openagent %s = %+v, want 0 and text on stdout", line, got)
		}
	}
}

const goodStream = `{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"x","step":0,"type":"run_started","data":{}}
{"schema_version":"openagent.run_event.v1","sequence":2,"ts":"2026-03-03T20:11:13Z","run_id":"x","step":0,"type":"run_finished","data":{"exit_reason":"ok","ok":true,"final_output":"","error":null}}
`

func TestCheck_ExitStatus(t *testing.T) {
	torn := strings.TrimSuffix(goodStream, "\n")
	for name, tt := range map[string]struct {
		in   string
		args []string
		want int
	}{
		"clean":        {goodStream, nil, StatusOK},
		"dash":         {goodStream, []string{"-"}, StatusOK},
		"warning":      {torn, nil, StatusOK},
		"strict":       {torn, []string{"--strict"}, StatusFailed},
		"several runs": {goodStream + goodStream, []string{"--runs"}, StatusOK},
		"one run":      {goodStream + goodStream, nil, StatusFailed},
		"short lines":  {goodStream, []string{"--max-line", "50"}, StatusFailed},
		"no file":      {"", []string{"no-such-file"}, StatusDelivery},
	} {
		if got := call(t, tt.in, append([]string{"check"}, tt.args...)...); got.status != tt.want {
			t.Errorf("%s: check %v = %d, want %d: %s%s", name, tt.args, got.status, tt.want, got.out, got.err)
		}
	}
}

func TestVariables_StandInForFlags(t *testing.T) {
	t.Setenv("OPENAGENT_STRICT", "true")
	if got := call(t, strings.TrimSuffix(goodStream, "\n"), "check"); got.status != StatusFailed {
		t.Errorf("check with OPENAGENT_STRICT=true = %+v, want it strict", got)
	}
	if got := call(t, strings.TrimSuffix(goodStream, "\n"), "check", "--strict=false"); got.status != StatusOK {
		t.Errorf("check --strict=false with the variable = %+v, want the flag to win", got)
	}
	t.Setenv("OPENAGENT_STRICT", "maybe")
	got := call(t, goodStream, "check")
	if got.status != StatusUsage || !strings.Contains(got.err, `variable OPENAGENT_STRICT (for --strict) is "maybe"`) {
		t.Errorf("check with OPENAGENT_STRICT=maybe = %+v, want a usage error that names it", got)
	}
	t.Setenv("OPENAGENT_STRICT", "")
	if got := call(t, goodStream, "check"); got.status != StatusOK {
		t.Errorf("check with OPENAGENT_STRICT empty = %+v, want it unset", got)
	}
}

// A password that somebody has put into an address does not come out in a log.
func TestVariables_PasswordsInAddressesAreNotShown(t *testing.T) {
	const address = "https://user:sk-test-secret@example.com"
	given := call(t, "", "run", "--base-url", address, "x")
	t.Setenv("OPENAI_BASE_URL", address)
	for _, got := range []outcome{given, call(t, "", "run", "--model", "m", "x")} {
		if got.status != StatusUsage || strings.Contains(got.err, "secret") || !strings.Contains(got.err, "without user or password") {
			t.Errorf("run with a password in the address = %d, %q, want a usage error without it", got.status, got.err)
		}
	}
}
