package harness

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

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/runner"
)

// newRun returns a run outside of a job, with a folder of its own.
func newRun(t *testing.T, in string, o Options) *run {
	t.Helper()
	t.Setenv("GITHUB_ACTIONS", "")
	return &run{
		Process: &process.Process{In: strings.NewReader(in), Out: io.Discard, Err: io.Discard}, opts: o,
		redactor: redact.New(nil), temp: t.TempDir(),
	}
}

// builtin returns options for the built-in agent.
func builtin(b Builtin, flags ...string) Options {
	return Options{Command: append([]string{"openagent", "run", "--output=json"}, flags...), Builtin: &b}
}

// other returns options for an agent that is not ours.
func other(command ...string) Options { return Options{Command: command} }

func TestRun_PromptGoesByFile(t *testing.T) {
	for name, tt := range map[string]struct{ in, arg, want string }{
		"argument":       {"not read", "fix 'it'\n--now", "fix 'it'\n--now"},
		"standard input": {"fix it\n", "-", "fix it\n"},
	} {
		r := newRun(t, tt.in, builtin(Builtin{Prompt: tt.arg}))
		got, err := r.builtinCommand(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		path, ok := strings.CutPrefix(got[len(got)-1], "--prompt-file=")
		if !ok || filepath.Dir(path) != r.temp || strings.Contains(strings.Join(got, " "), "fix") {
			t.Fatalf("%s: builtinCommand = %q, want the prompt in a file of the run alone", name, got)
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

func TestRun_PromptIsBounded(t *testing.T) {
	r := newRun(t, strings.Repeat("x", process.MaxInput+1), builtin(Builtin{Prompt: "-"}))
	if _, err := r.builtinCommand(t.Context()); err == nil || !strings.Contains(err.Error(), "the prompt is larger than 16777216 bytes") {
		t.Errorf("builtinCommand = %v, want the prompt refused for its size", err)
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

func TestBuiltinEnv(t *testing.T) {
	environ := []string{
		"PATH=p", "LC_ALL=l", "GITHUB_ACTIONS=true", "RUNNER_TEMP=r", "https_proxy=h", "GITHUB_SHA=s",
		"GITHUB_TOKEN=t", "ACTIONS_RUNTIME_TOKEN=t", "GITHUB_OUTPUT=o", "AWS_ACCESS_KEY_ID=a", "OTHER=o",
		"OPENAGENT_REDACT=r", "OPENAGENT_NETWORK=loopback", "OPENAGENT_PROMPT_FILE=p", "OTEL_EXPORTER_OTLP_HEADERS=h",
	}
	if diff := cmp.Diff(environ[:6], builtinEnv(environ, []string{"GITHUB_SHA"})); diff != "" {
		t.Errorf("builtinEnv (-want +got):\n%s", diff)
	}
}

func TestRun_SecretsForTheBuiltinAgentGoByPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no descriptors are handed on here")
	}
	const sent = "sk-test-0123456789"
	// More than a pipe holds, and nobody reads it yet.
	secrets := []string{sent, strings.Repeat("ghs-test-", 20_000)}
	r := newRun(t, "", builtin(Builtin{Further: []string{"header true X=sk-test-1"}}, "--api-key-file=somewhere", "--script=demo"))
	r.key, r.secrets = sent, secrets
	var err error
	if r.folder, err = evidence.Open(evidence.Options{Dir: filepath.Join(t.TempDir(), "e"), Redactor: r.redactor}); err != nil {
		t.Fatal(err)
	}
	cfg, cleanUp, err := r.config(t.Context())
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
	if got, err := key.Read(cfg.ExtraFiles[0]); err != nil || got.Key != sent || !slices.Equal(got.Secrets, secrets) || !slices.Equal(got.Further, []string{"header true X=sk-test-1"}) {
		t.Errorf("the pipe holds %d secrets and %q, %v, want the key, %d and the header", len(got.Secrets), got.Further, err, len(secrets))
	} else if want := []string{filepath.Dir(r.folder.Path()), r.temp}; !slices.Equal(got.Hidden, want) {
		t.Errorf("the pipe names %q as hidden, want evidence, that of other runs too, and temporary folder %q", got.Hidden, want)
	}
}

func TestRun_AnAgentThatReadsNoSecrets(t *testing.T) {
	r := newRun(t, "", builtin(Builtin{}))
	r.secrets = []string{strings.Repeat("ghs-test-", 20_000)}
	_, cleanUp, err := r.config(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cleanUp() // ends who writes them
}

func TestRun_KeyForAnyOtherAgentGoesByVariable(t *testing.T) {
	for secret, want := range map[string]map[string]string{
		"": {}, "sk-test-0123456789": {key.Variable: "sk-test-0123456789"},
	} {
		t.Setenv(key.Variable, "")
		if err := os.Unsetenv(key.Variable); err != nil {
			t.Fatal(err)
		}
		r := newRun(t, "", other("agent", "--api-key-file", "its own"))
		r.key = secret
		cfg, cleanUp, err := r.config(t.Context())
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

func TestRun_ConfigHasTheLimits(t *testing.T) {
	o := other("agent")
	o.Timeout, o.IdleTimeout, o.ExitGrace, o.MaxLine, o.MaxStream, o.Strict = 6, 7, 8, 9, 10, true
	r := newRun(t, "", o)
	cfg, cleanUp, err := r.config(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cleanUp()
	got := []int64{int64(cfg.Timeout), int64(cfg.IdleTimeout), int64(cfg.ExitGrace), int64(cfg.Stream.MaxLine), cfg.MaxStream}
	if diff := cmp.Diff([]int64{6, 7, 8, 9, 10}, got); diff != "" || !cfg.Stream.Strict {
		t.Errorf("config: strict %v; timeout, idle timeout, exit grace, line, stream (-want +got):\n%s", cfg.Stream.Strict, diff)
	}
	folder := environment(cfg.Env, process.ArtifactsVariable)[process.ArtifactsVariable]
	if info, err := os.Stat(folder); err != nil || !info.IsDir() || filepath.Dir(folder) != r.temp {
		t.Errorf("config: %s is %q, %v, want a folder of the run", process.ArtifactsVariable, folder, err)
	}
}

// The built-in agent ends in its own time, and has then still to say so.
func TestRun_BuiltinAgentHasTimeToEnd(t *testing.T) {
	o := builtin(Builtin{})
	o.Timeout = time.Second
	if got := newRun(t, "", o).timeout(); got != time.Second+endGrace {
		t.Errorf("timeout = %v, want the agent's own and %v", got, endGrace)
	}
}

// An agent that may not be started is one that did not start, with why.
func TestRun_RefusedAgentHasAnExecution(t *testing.T) {
	r := newRun(t, "", builtin(Builtin{Refused: hint.With(errors.New("no network here"), "use a script")}))
	e, err := r.follow(t.Context(), t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if e.Verdict != runner.VerdictPreRunError || e.StartError != "no network here" || r.hint.text != "use a script" {
		t.Errorf("follow = verdict %s, start error %q, hint %q, want the refusal", e.Verdict, e.StartError, r.hint.text)
	}
}

// A run that cannot be prepared is still one that ended, with why.
func TestRun_UnpreparedRunHasAnExecution(t *testing.T) {
	r := newRun(t, "", other("agent"))
	r.temp = filepath.Join(r.temp, "gone")
	e, err := r.follow(t.Context(), t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if e.Verdict != runner.VerdictPreRunError || !strings.Contains(e.StartError, "make folder for artifacts") {
		t.Errorf("follow = verdict %s, start error %q, want it told", e.Verdict, e.StartError)
	}
}

func TestRun_EvidenceParent(t *testing.T) {
	temp := t.TempDir()
	for _, tt := range []struct{ job, temp, want string }{
		{"true", temp, filepath.Join(temp, "openagent", "evidence")},
		{"true", "", "openagent-out"},
		{"", temp, "openagent-out"},
	} {
		t.Setenv("GITHUB_ACTIONS", tt.job)
		t.Setenv("RUNNER_TEMP", tt.temp)
		if got := (&run{Process: &process.Process{}}).evidenceParent(); got != tt.want {
			t.Errorf("evidenceParent in job %q with RUNNER_TEMP %q = %q, want %q", tt.job, tt.temp, got, tt.want)
		}
	}
}

func TestFailOn_Fails(t *testing.T) {
	verdicts := []runner.Verdict{
		runner.VerdictSuccess, runner.VerdictFailure, runner.VerdictViolation, runner.VerdictCrash, runner.VerdictPreRunError,
		runner.VerdictTimeout, runner.VerdictCancelled,
	}
	for failOn, want := range map[FailOn][]runner.Verdict{
		"": verdicts[1:], FailOnError: verdicts[1:], FailOnViolation: verdicts[2:4], FailOnNever: nil,
	} {
		var failing []runner.Verdict
		for _, v := range verdicts {
			if failOn.Fails(v) {
				failing = append(failing, v)
			}
		}
		if diff := cmp.Diff(want, failing); diff != "" {
			t.Errorf("%q fails (-want +got):\n%s", failOn, diff)
		}
	}
}
