package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/key"
	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/runner"
)

// parseHarness does what ci does before it runs an agent.
func parseHarness(p *program, line ...string) (*harness, error) {
	c := &harness{program: p, flags: newHarnessFlags(), run: newRunFlags(), set: pflag.NewFlagSet("ci", pflag.ContinueOnError)}
	c.flags.register(c.set)
	c.run.register(c.set)
	if err := c.set.Parse(line); err != nil {
		return nil, err
	}
	args := c.set.Args()
	if at := c.set.ArgsLenAtDash(); at >= 0 {
		args, c.command = args[:at], args[at:]
	}
	return c, c.complete(args)
}

// newHarness returns a harness whose command line was understood, outside of a
// job, with folders of its own.
func newHarness(t *testing.T, in string, line ...string) *harness {
	t.Helper()
	t.Setenv("GITHUB_ACTIONS", "")
	c, err := parseHarness(&program{Process: process.Process{In: strings.NewReader(in), Out: io.Discard, Err: io.Discard}}, line...)
	if err != nil {
		t.Fatalf("ci %v: %v", line, err)
	}
	c.redactor, c.temp = redact.New(nil), t.TempDir()
	return c
}

func TestHarness_HandsOnTheFlagsOfTheRun(t *testing.T) {
	t.Setenv("OPENAGENT_MAX_STEPS", "9")
	c := newHarness(t, "", "--script=demo", "--timeout=90s", "--allow-tools=read_file,list_files", "--fail-on=never",
		"--strict=false", "--redact=sk-test-0123456789")
	got, err := c.builtin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{self, "run", "--output=json", "--allow-tools=read_file,list_files", "--max-steps=9", "--script=demo", "--timeout=1m30s"}
	slices.Sort(got[3:])
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("builtin (-want +got):\n%s", diff)
	}
}

func TestHarness_PromptGoesByFile(t *testing.T) {
	for name, tt := range map[string]struct{ in, arg, want string }{
		"argument":       {"not read", "fix 'it'\n--now", "fix 'it'\n--now"},
		"standard input": {"fix it\n", "-", "fix it\n"},
	} {
		c := newHarness(t, tt.in, "--script=demo", tt.arg)
		got, err := c.builtin(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		path, ok := strings.CutPrefix(got[len(got)-1], "--prompt-file=")
		if !ok || filepath.Dir(path) != c.temp || strings.Contains(strings.Join(got, " "), "fix") {
			t.Fatalf("%s: builtin = %q, want the prompt in a file of the run alone", name, got)
		}
		text, err := os.ReadFile(path)
		if err != nil || string(text) != tt.want {
			t.Errorf("%s: prompt file holds %q, %v, want %q", name, text, err, tt.want)
		}
		if info, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
			t.Errorf("%s: prompt file has mode %v, %v, want it private", name, info.Mode(), err)
		}
	}
}

func TestHarness_PromptIsBounded(t *testing.T) {
	c := newHarness(t, strings.Repeat("x", process.MaxInput+1), "--script=demo", "-")
	if _, err := c.builtin(t.Context()); err == nil || !strings.Contains(err.Error(), "the prompt is larger than 16777216 bytes") {
		t.Errorf("builtin = %v, want the prompt refused for its size", err)
	}
}

// environment returns what a list of entries says of names, unset ones left out.
func environment(entries []string, names ...string) map[string]string {
	found := map[string]string{}
	for _, entry := range entries {
		if name, value, _ := strings.Cut(entry, "="); slices.Contains(names, name) {
			found[name] = value
		}
	}
	return found
}

func TestChildEnvironments(t *testing.T) {
	environ := []string{
		"PATH=p", "LC_ALL=l", "GITHUB_ACTIONS=true", "RUNNER_TEMP=r", "https_proxy=h", "GITHUB_SHA=s",
		"GITHUB_TOKEN=t", "ACTIONS_RUNTIME_TOKEN=t", "GITHUB_OUTPUT=o", "AWS_ACCESS_KEY_ID=a", "OTHER=o",
		"OPENAGENT_REDACT=r", "OPENAGENT_OUT=o", "OPENAGENT_NETWORK=loopback", "OPENAGENT_STRICT=1", "OPENAGENT_PROMPT_FILE=p",
		"OTEL_EXPORTER_OTLP_HEADERS=h",
	}
	if diff := cmp.Diff(environ[:6], builtinEnv(environ, []string{"GITHUB_SHA"})); diff != "" {
		t.Errorf("builtinEnv (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(append(slices.Clip(environ[:11]), "OPENAGENT_PROMPT_FILE=p"), foreignEnv(environ)); diff != "" {
		t.Errorf("foreignEnv (-want +got):\n%s", diff)
	}
}

func TestHarness_SecretsForTheBuiltinAgentGoByPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no descriptors are handed on here")
	}
	const sent = "sk-test-0123456789"
	// More than a pipe holds, and nobody reads it yet.
	secrets := []string{sent, strings.Repeat("ghs-test-", 20_000)}
	c := newHarness(t, "", "--script=demo", "--api-key-file=somewhere")
	c.key, c.secrets = sent, secrets
	cfg, cleanUp, err := c.config(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cleanUp()
	if strings.Contains(strings.Join(append(cfg.Env, cfg.Command...), "\n"), sent) {
		t.Error("config shows the key in the environment or the command line")
	}
	if got := strings.Join(cfg.Command[1:], " "); got != "run --api-key-file=/dev/fd/3 --output=json --script=demo" {
		t.Errorf("config: command is %s, want the key read from descriptor 3 alone", got)
	}
	if len(cfg.ExtraFiles) != 1 {
		t.Fatalf("config hands on %d files, want 1", len(cfg.ExtraFiles))
	}
	// The other end is closed, so reading to the end does not wait.
	if got, err := key.Read(cfg.ExtraFiles[0]); err != nil || got.Key != sent || !slices.Equal(got.Secrets, secrets) {
		t.Errorf("the pipe holds %d secrets, %v, want the key and %d", len(got.Secrets), err, len(secrets))
	}
}

func TestHarness_AnAgentThatReadsNoSecrets(t *testing.T) {
	c := newHarness(t, "", "--script=demo")
	c.secrets = []string{strings.Repeat("ghs-test-", 20_000)}
	_, cleanUp, err := c.config(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	cleanUp() // ends who writes them
}

func TestHarness_KeyForAnyOtherAgentGoesByVariable(t *testing.T) {
	for secret, want := range map[string]map[string]string{
		"": {}, "sk-test-0123456789": {key.Variable: "sk-test-0123456789"},
	} {
		t.Setenv(key.Variable, "")
		if err := os.Unsetenv(key.Variable); err != nil {
			t.Fatal(err)
		}
		c := newHarness(t, "", "--", "agent", "--api-key-file", "its own")
		c.key = secret
		cfg, cleanUp, err := c.config(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		cleanUp()
		if diff := cmp.Diff(want, environment(cfg.Env, key.Variable)); diff != "" {
			t.Errorf("config with key %q: environment (-want +got):\n%s", secret, diff)
		}
		if diff := cmp.Diff([]string{"agent", "--api-key-file", "its own"}, cfg.Command); diff != "" || len(cfg.ExtraFiles) > 0 {
			t.Errorf("config with key %q: %d files, command (-want +got):\n%s", secret, len(cfg.ExtraFiles), diff)
		}
	}
}

func TestHarness_DefaultsDifferByAgent(t *testing.T) {
	type choices struct {
		Strict  bool
		Timeout time.Duration
	}
	for name, tt := range map[string]struct {
		line []string
		want choices
	}{
		"built-in":             {[]string{"--script=demo"}, choices{true, 15*time.Minute + endGrace}},
		"built-in, as named":   {[]string{"--script=demo", "--strict=false", "--timeout=1s"}, choices{false, time.Second + endGrace}},
		"any other":            {[]string{"--", "agent"}, choices{false, 15 * time.Minute}},
		"any other, as named":  {[]string{"--strict", "--timeout=1s", "--", "agent"}, choices{true, time.Second}},
		"flags after the dash": {[]string{"--", "agent", "--strict"}, choices{false, 15 * time.Minute}},
	} {
		cfg, cleanUp, err := newHarness(t, "", tt.line...).config(t.Context(), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		cleanUp()
		if diff := cmp.Diff(tt.want, choices{cfg.Stream.Strict, cfg.Timeout}); diff != "" {
			t.Errorf("%s: config (-want +got):\n%s", name, diff)
		}
	}
}

func TestHarness_ConfigTakesTheFlagsOver(t *testing.T) {
	c := newHarness(t, "", "--idle-timeout=7s", "--exit-grace=8s", "--max-line=9KiB", "--max-stream=10KiB", "--", "agent")
	cfg, cleanUp, err := c.config(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	cleanUp()
	got := []int64{int64(cfg.IdleTimeout), int64(cfg.ExitGrace), int64(cfg.Stream.MaxLine), cfg.MaxStream}
	if diff := cmp.Diff([]int64{7e9, 8e9, 9 << 10, 10 << 10}, got); diff != "" {
		t.Errorf("config: idle timeout, exit grace, line, stream (-want +got):\n%s", diff)
	}
	folder := environment(cfg.Env, process.ArtifactsVariable)[process.ArtifactsVariable]
	if info, err := os.Stat(folder); err != nil || !info.IsDir() || filepath.Dir(folder) != c.temp {
		t.Errorf("config: %s is %q, %v, want a folder of the run", process.ArtifactsVariable, folder, err)
	}
}

// A run that cannot be prepared is still one that ended, with why.
func TestHarness_UnpreparedRunHasAnExecution(t *testing.T) {
	c := newHarness(t, "", "--", "agent")
	c.temp = filepath.Join(c.temp, "gone")
	e, err := c.follow(t.Context(), t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e.Verdict != runner.VerdictPreRunError || !strings.Contains(e.StartError, "make folder for artifacts") {
		t.Errorf("follow = verdict %s, start error %q, want it told", e.Verdict, e.StartError)
	}
}

func TestHarness_EvidenceParent(t *testing.T) {
	temp := t.TempDir()
	for _, tt := range []struct{ job, temp, want string }{
		{"true", temp, filepath.Join(temp, "openagent", "evidence")},
		{"true", "", "openagent-out"},
		{"", temp, "openagent-out"},
	} {
		t.Setenv("GITHUB_ACTIONS", tt.job)
		t.Setenv("RUNNER_TEMP", tt.temp)
		if got := (&harness{}).evidenceParent(); got != tt.want {
			t.Errorf("evidenceParent in job %q with RUNNER_TEMP %q = %q, want %q", tt.job, tt.temp, got, tt.want)
		}
	}
}

func TestHarness_OutMayBeNewOrEmpty(t *testing.T) {
	dir := files(t, "full/f")
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GITHUB_ACTIONS", "")
	for name, want := range map[string]bool{"new": true, "empty": true, "full": false} {
		_, err := parseHarness(&program{}, "--out="+filepath.Join(dir, name), "--", "agent")
		if got := err == nil; got != want {
			t.Errorf("--out %s: %v, want it accepted: %v", name, err, want)
		}
	}
}

// In a job, what started it decides whether an agent runs; a key counts from
// wherever it would come.
func TestHarness_JobMustBeAllowedToRunAnAgent(t *testing.T) {
	payload := filepath.Join(t.TempDir(), "event.json")
	text := `{"pull_request":{"user":{"login":"ann"},"author_association":"MEMBER","head":{"repo":{"full_name":"fork/r"}}}}`
	if err := os.WriteFile(payload, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": payload, "GITHUB_ACTOR": "ann",
		"GITHUB_REPOSITORY": "own/r", "OPENAGENT_ALLOW_USERS": "", "OPENAGENT_ALLOW_BOTS": "",
	} {
		t.Setenv(name, value)
	}
	for name, tt := range map[string]struct {
		key  string
		line []string
		want string
	}{
		"no key":       {"", []string{"--", "agent"}, ""},
		"key":          {"sk-test-0123456789", []string{"--", "agent"}, "from a fork must not reach a provider's key"},
		"key file":     {"", []string{"--api-key-file=f", "--", "agent"}, "from a fork must not reach a provider's key"},
		"built-in":     {"sk-test-0123456789", []string{"--script=demo"}, "from a fork must not reach a provider's key"},
		"wrong flags":  {"sk-test-0123456789", []string{"--"}, "no command after --"},
		"built-in, no": {"", []string{"--script=demo"}, ""},
	} {
		_, err := parseHarness(&program{Process: process.Process{Key: tt.key}}, tt.line...)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: ci %v: %v, want it admitted", name, tt.line, err)
			}
			continue
		}
		var status *statusError
		if !errors.As(err, &status) || status.status != StatusUsage || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: ci %v: %v, want status 2 and %q", name, tt.line, err, tt.want)
		}
	}
	t.Setenv("GITHUB_EVENT_PATH", filepath.Join(filepath.Dir(payload), "none"))
	if _, err := parseHarness(&program{}, "--", "agent"); err == nil || !strings.Contains(err.Error(), "this job may not run an agent: read event") {
		t.Errorf("an event that cannot be read: %v, want it refused", err)
	}
}

func TestOn_AutoFollowsTheJob(t *testing.T) {
	for value, want := range map[string][2]bool{"auto": {false, true}, "on": {true, true}, "off": {false, false}} {
		c := choice{value: value}
		if got := [2]bool{on(c, false), on(c, true)}; got != want {
			t.Errorf("on(%s) outside of a job, in one = %v, want %v", value, got, want)
		}
	}
}
