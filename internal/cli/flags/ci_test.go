package flags

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/diff"
)

// parse does what ci does with its command line.
func parse(line ...string) (*CI, error) {
	c, fs := NewCI(), pflag.NewFlagSet("ci", pflag.ContinueOnError)
	c.Register(fs)
	if err := fs.Parse(line); err != nil {
		return nil, err
	}
	args := fs.Args()
	if at := fs.ArgsLenAtDash(); at >= 0 {
		args, c.Command = args[:at], args[at:]
	}
	return c, c.Complete(process.Env{}, args)
}

// options returns what is made of a command line that was understood, outside of
// a job.
func options(t *testing.T, line ...string) harness.Options {
	t.Helper()
	t.Setenv("GITHUB_ACTIONS", "")
	c, err := parse(line...)
	if err != nil {
		t.Fatalf("ci %v: %v", line, err)
	}
	return c.Options(process.Env{}, "")
}

func TestCI_HandsOnTheFlagsOfTheRun(t *testing.T) {
	t.Setenv("OPENAGENT_MAX_STEPS", "9")
	got := options(t, "--script=demo", "--timeout=90s", "--allow-tools=read_file,list_files", "--fail-on=never",
		"--strict=false", "--redact=sk-test-0123456789", "--header=Authorization=sk-test-abcdefgh", "--api-key-file=f")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got.Command[3:])
	want := []string{self, "run", "--output=json", "--allow-tools=read_file,list_files", "--api-key-file=f", "--max-steps=9", "--script=demo", "--timeout=1m30s"}
	if diff := cmp.Diff(want, got.Command); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"sk-test-0123456789", "sk-test-abcdefgh"}, got.Secrets); diff != "" {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"header true Authorization=sk-test-abcdefgh"}, got.Builtin.Further); diff != "" {
		t.Errorf("handed over (-want +got):\n%s", diff)
	}
}

func TestCI_DefaultsDifferByAgent(t *testing.T) {
	type choices struct {
		Strict  bool
		Timeout time.Duration
	}
	for name, tt := range map[string]struct {
		line []string
		want choices
	}{
		"built-in":             {[]string{"--script=demo"}, choices{true, 15 * time.Minute}},
		"built-in, as named":   {[]string{"--script=demo", "--strict=false", "--timeout=1s"}, choices{false, time.Second}},
		"any other":            {[]string{"--", "agent"}, choices{false, 15 * time.Minute}},
		"any other, as named":  {[]string{"--strict", "--timeout=1s", "--", "agent"}, choices{true, time.Second}},
		"flags after the dash": {[]string{"--", "agent", "--strict"}, choices{false, 15 * time.Minute}},
	} {
		o := options(t, tt.line...)
		if diff := cmp.Diff(tt.want, choices{o.Strict, o.Timeout}); diff != "" {
			t.Errorf("%s: options (-want +got):\n%s", name, diff)
		}
	}
}

func TestCI_Options(t *testing.T) {
	got := options(t, "--idle-timeout=7s", "--exit-grace=8s", "--max-line=9KiB", "--max-stream=10KiB", "--out=o", "--golden=g",
		"--compare-with=b", "--compare-fail-on=tools,usage=20%", "--fail-on=violation", "--job=off", "--redact=sk-test-0", "--api-key-file=f", "--timeout=6s", "--", "agent", "--out")
	want := harness.Options{
		Command: []string{"agent", "--out"}, Workspace: ".", KeyFile: "f", Secrets: []string{"sk-test-0"}, Golden: "g",
		CompareWith: "b", CompareFailOn: diff.FailOn{{Name: "tools"}, {Name: "usage", Percent: 20}},
		Timeout: 6 * time.Second, IdleTimeout: 7 * time.Second, ExitGrace: 8 * time.Second, MaxLine: 9 << 10, MaxStream: 10 << 10,
		Outcome: harness.Outcome{Dir: "o", FailOn: harness.FailOnViolation},
	}
	if differs := cmp.Diff(want, got); differs != "" {
		t.Errorf("options (-want +got):\n%s", differs)
	}
}

// The demo asks something of its own, and works in a folder of its own, unless
// it was given them.
func TestCI_OptionsOfTheBuiltinAgent(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("- text: done\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		line  []string
		want  harness.Builtin
		asked bool
	}{
		"demo":        {[]string{"--script=demo"}, harness.Builtin{Script: "demo", OwnFolder: true}, true},
		"demo, asked": {[]string{"--script=demo", "--workspace=w", "p"}, harness.Builtin{Script: "demo", Prompt: "p"}, false},
		"script": {[]string{"--script=" + script, "--policy=p", "--pass-env=A,B", "-"},
			harness.Builtin{Script: script, Prompt: "-", Policy: "p", PassEnv: []string{"A", "B"}}, false},
	} {
		got := *options(t, tt.line...).Builtin
		if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(harness.Builtin{}, "Asked"), cmpopts.EquateEmpty()); diff != "" || (got.Asked != "") != tt.asked {
			t.Errorf("%s: asked %.20q, options (-want +got):\n%s", name, got.Asked, diff)
		}
	}
}

// Where only loopback may be asked, the harness knows that before its agent,
// which does not get the variable that says so.
func TestCI_RefusesTheNetworkBeforeTheAgent(t *testing.T) {
	t.Setenv("OPENAGENT_NETWORK", "loopback")
	for address, want := range map[string]bool{"http://127.0.0.1:1/v1": true, "https://example.test/v1": false} {
		if got := options(t, "--model=m", "--base-url="+address, "p").Builtin.Refused; (got == nil) != want {
			t.Errorf("ci --base-url %s: refused for %v, want it allowed: %v", address, got, want)
		}
	}
}

func TestCI_OutMayBeNewOrEmpty(t *testing.T) {
	empty, full := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{filepath.Join(empty, "new"): true, empty: true, full: false} {
		_, err := parse("--out="+dir, "--", "agent")
		if got := err == nil; got != want {
			t.Errorf("--out %s: %v, want it accepted: %v", dir, err, want)
		}
	}
}

// Words of the command line of run make an agent that is judged; those of ci have no
// place among them, and a variable that names another agent does not count.
func TestParseBuiltin(t *testing.T) {
	p := process.Env{Dir: t.TempDir(), Vars: []string{"OPENAGENT_MODEL=m1", "OPENAGENT_AGENT=codex"}}
	o, err := ParseBuiltin(p, []string{"--deny-tools", "write_file"}, "do it")
	if err != nil || o.Foreign != nil || o.Builtin == nil || o.Builtin.Prompt != "do it" || !o.Strict {
		t.Fatalf("ParseBuiltin() = %+v, %v, want the built-in agent with its prompt", o, err)
	}
	if got := strings.Join(o.Command[1:], " "); !strings.HasPrefix(got, "run --output=json") || !strings.Contains(got, "--deny-tools=write_file") || !strings.Contains(got, "--model=m1") {
		t.Errorf("the command is %q, want run with its flags", got)
	}
	for words, want := range map[string]string{
		"--golden x": "--golden is no flag of openagent run", "--modle x": "did you mean --model?", "one": "2 prompts given",
	} {
		if _, err := ParseBuiltin(p, strings.Fields(words), "do it"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseBuiltin(%s) error is %v, want %q in it", words, err, want)
		}
	}
}
