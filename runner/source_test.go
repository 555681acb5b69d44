package runner_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/testkit/testenv"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// The variables that say what the role "source" prints, how it exits, and whether
// it waits before that.
const (
	sourceVar = "RUNNER_TEST_SOURCE"
	statusVar = "RUNNER_TEST_STATUS"
	waitVar   = "RUNNER_TEST_WAIT"
)

// printSource is the role "source".
func printSource() {
	os.Stdout.WriteString(os.Getenv(sourceVar))
	os.Stderr.WriteString("first\nthe last word\n")
	if os.Getenv(waitVar) != "" {
		time.Sleep(time.Minute)
	}
	status, _ := strconv.Atoi(os.Getenv(statusVar))
	testenv.Exit(status)
}

func codexSource(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "internal", "adapter", "testdata", "codex", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// converting returns a config in which the test binary prints source as codex.
func converting(t *testing.T, source string, env ...string) runner.Config {
	t.Helper()
	cfg := agent(t, "source")
	codex, err := adapter.ByName("codex")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Env = append(cfg.Env, append(env, sourceVar+"="+source)...)
	cfg.Convert = &runner.Convert{Agent: codex, Version: "0.169.0", RunID: "run-1", File: "source.jsonl"}
	return cfg
}

// both records the lines of the agent's own stream beside the converted ones.
type both struct {
	recorder
	source bytes.Buffer
}

func (b *both) Source(l runner.Line) { b.source.Write(l.Raw) }

// The rows of the table of ends, by a living process.
func TestRun_Converted(t *testing.T) {
	n1 := codexSource(t, "n1")
	lines := strings.SplitAfter(n1, "\n")
	unfinished := strings.Join(lines[:4], "")
	failed := unfinished + `{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: no"}}` + "\n"
	for name, tt := range map[string]struct {
		source, status string
		verdict        runner.Verdict
		reason, code   string
		counts         map[string]int
	}{
		"success":            {n1, "0", runner.VerdictSuccess, "ok", "", nil},
		"no terminal":        {unfinished, "0", runner.VerdictViolation, "no_terminal_event", "no_terminal_event", map[string]int{"stream/terminal-missing": 1}},
		"no terminal, fails": {unfinished, "1", runner.VerdictCrash, "no_terminal_event", "no_terminal_event", nil},
		"signal by status":   {unfinished, "143", runner.VerdictCrash, "cancelled", "signal_15", nil},
		"torn":               {n1[:len(n1)-5], "0", runner.VerdictViolation, "stream_invalid", "torn_line", map[string]int{"line/json": 1}},
		"prose before":       {"hello\n" + n1, "0", runner.VerdictViolation, "ok", "", map[string]int{"line/json": 1}},
		"prose, crash":       {"hello\n" + unfinished, "1", runner.VerdictCrash, "no_terminal_event", "no_terminal_event", map[string]int{"line/json": 1}},
		"failed":             {failed, "1", runner.VerdictFailure, "provider_error", "", nil},
		"failed, exit 0":     {failed, "0", runner.VerdictFailure, "provider_error", "", map[string]int{"run/exit-status": 1}},
		"ok, exit 1":         {n1, "1", runner.VerdictFailure, "internal_error", "exit_status", map[string]int{"run/exit-status": 1}},
		"nothing":            {"", "0", runner.VerdictPreRunError, "pre_run_error", "agent_no_output", nil},
		"nothing, fails":     {"", "1", runner.VerdictPreRunError, "pre_run_error", "agent_no_output", nil},
		"other agent":        {`{"type":"init","session_id":"s","timestamp":"x"}` + "\n", "0", runner.VerdictViolation, "stream_invalid", "agent_format", map[string]int{"agent/format": 1}},
		"ours":               {string(clean()), "0", runner.VerdictViolation, "stream_invalid", "agent_format", map[string]int{"agent/format": 1}},
		"two sessions":       {n1 + strings.ReplaceAll(n1, "01a1fa9c", "01a1fa9d"), "0", runner.VerdictViolation, "stream_invalid", "second_session", map[string]int{"agent/session": 1}},
		"two ends":           {failed + lines[len(lines)-2], "0", runner.VerdictViolation, "stream_invalid", "contradiction", map[string]int{"agent/contradiction": 1}},
		"unknown type":       {strings.Replace(n1, "turn.started", "turn.new", 1), "0", runner.VerdictSuccess, "ok", "", map[string]int{"agent/unmapped": 1}},
		"one list":           {"[" + strings.Join(lines, ",") + "]", "0", runner.VerdictViolation, "stream_invalid", "agent_format", map[string]int{"agent/format": 1}},
		"masked type":        {strings.Replace(n1, "turn.started", "turn.***", 1), "0", runner.VerdictViolation, "ok", "", map[string]int{"agent/unmapped": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := converting(t, tt.source, statusVar+"="+tt.status)
			h := &both{}
			cfg.Handler = h
			e := runner.Run(context.Background(), cfg)
			if e.Verdict != tt.verdict {
				t.Errorf("verdict = %s (%s), want %s; findings %v", e.Verdict, e.Reason, tt.verdict, e.Findings)
			}
			if f := e.RunFinished; f == nil {
				t.Error("the converted stream has no run_finished")
			} else if code, _ := f.ErrorCode.Get(); f.ExitReason != tt.reason || code != tt.code {
				t.Errorf("run_finished has reason %q, code %q, want %q, %q", f.ExitReason, code, tt.reason, tt.code)
			}
			want := tt.counts
			if want == nil {
				want = map[string]int{}
			}
			if diff := cmp.Diff(want, e.FindingCounts); diff != "" {
				t.Errorf("findings by rule (-want +got):\n%s%v", diff, e.Findings)
			}
			if got := h.source.String(); got != tt.source {
				t.Errorf("the handler got the source %q, want %q", got, tt.source)
			}
			if x := e.Source; x == nil || x.Agent != "codex" || x.Bytes != int64(len(tt.source)) {
				t.Errorf("Source = %+v, want that of codex with %d bytes", x, len(tt.source))
			}
		})
	}
}

// A version that the conversion was not tested with is a warning, an unknown one is not.
func TestRun_ConvertedVersion(t *testing.T) {
	for version, want := range map[string]*bool{"0.169.0": new(true), "0.999.0": new(false), "": nil} {
		cfg := converting(t, codexSource(t, "n1"))
		cfg.Convert.Version = version
		e := runner.Run(context.Background(), cfg)
		untested := want != nil && !*want
		if found := e.FindingCounts[validate.RuleVersion]; !cmp.Equal(e.Source.Tested, want) || found == 1 != untested || e.Verdict != runner.VerdictSuccess {
			t.Errorf("version %q: tested %v, findings %v, verdict %s", version, e.Source.Tested, e.Findings, e.Verdict)
		}
	}
}

// The error of a run of which nothing was printed is the last word on stderr.
func TestRun_ConvertedNothing(t *testing.T) {
	e := runner.Run(context.Background(), converting(t, ""))
	if f := e.RunFinished; f == nil || f.Error == nil || *f.Error != "the last word" || e.RunID != "" {
		t.Errorf("run_finished = %+v of run %q, want the last line of stderr in a pre-run record", f, e.RunID)
	}
}

// An agent that does not end after its last word is ended, and one that is told to
// stop has its running calls closed.
func TestRun_ConvertedStopped(t *testing.T) {
	n1 := codexSource(t, "n1")
	t.Run("exit grace", func(t *testing.T) {
		t.Parallel()
		cfg := converting(t, n1, waitVar+"=1")
		cfg.ExitGrace = 50 * time.Millisecond
		e := runner.Run(context.Background(), cfg)
		if e.Verdict != runner.VerdictTimeout || e.RunFinished.ExitReason != schema.ExitTimeout {
			t.Errorf("verdict = %s (%s), exit reason %s, want timeout", e.Verdict, e.Reason, e.RunFinished.ExitReason)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		cfg := converting(t, strings.Join(strings.SplitAfter(n1, "\n")[:4], ""), waitVar+"=1")
		h := &both{}
		h.onLine = func(l runner.Line) {
			if l.Event != nil && l.Event.Type == schema.TypeToolExecStarted {
				cancel()
			}
		}
		cfg.Handler = h
		e := runner.Run(ctx, cfg)
		if e.Verdict != runner.VerdictCancelled || e.RunFinished.ExitReason != schema.ExitCancelled {
			t.Errorf("verdict = %s (%s), exit reason %s, want cancelled", e.Verdict, e.Reason, e.RunFinished.ExitReason)
		}
		if !strings.Contains(h.stdout.String(), `"error_kind":"interrupted"`) {
			t.Errorf("the running call was not closed:\n%s", &h.stdout)
		}
	})
}

// An endpoint that does not answer, or refuses the key, is what a run is blamed for that
// would ask it without end.
func TestRun_ConvertedSilence(t *testing.T) {
	begin := `{"type":"thread.started","thread_id":"t"}` + "\n"
	retries := func(why string) (s string) {
		for i := range 3 {
			s += fmt.Sprintf(`{"type":"error","message":"Reconnecting... %d/5 (%s)"}`+"\n", i+1, why)
		}
		return s
	}
	failed := `{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: no"}}` + "\n"
	for name, tt := range map[string]struct {
		source, wait string
		verdict      runner.Verdict
		reason, code string
	}{
		"401":              {begin + retries("unexpected status 401 Unauthorized: no"), "1", runner.VerdictFailure, "the run failed: provider_error: the endpoint refused the credentials again and again: HTTP 401", "unauthorized"},
		"401, gave up":     {begin + retries("unexpected status 401 Unauthorized: no") + failed, "", runner.VerdictFailure, "the run failed: provider_error: unexpected status 401 Unauthorized: no", ""},
		"500":              {begin + retries("unexpected status 500 Server: no"), "1", runner.VerdictTimeout, "the agent printed nothing for 300ms: no answer from the endpoint since 20:11:12 UTC: HTTP 500", "timeout"},
		"500, then a call": {begin + retries("unexpected status 500 Server: no") + `{"type":"turn.started"}` + "\n", "1", runner.VerdictTimeout, "the agent printed nothing for 300ms", "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := converting(t, tt.source, waitVar+"="+tt.wait)
			cfg.IdleTimeout = 300 * time.Millisecond
			if tt.code == "unauthorized" {
				cfg.IdleTimeout = 0
			}
			cfg.Convert.Now = func() time.Time { return time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC) }
			e := runner.Run(context.Background(), cfg)
			code, _ := e.RunFinished.ErrorCode.Get()
			if e.Verdict != tt.verdict || e.Reason != tt.reason || code != tt.code {
				t.Errorf("verdict %s, reason %q, code %q, want %s, %q, %q", e.Verdict, e.Reason, code, tt.verdict, tt.reason, tt.code)
			}
		})
	}
}

// Secrets of the source are replaced before anything is made of them.
func TestRun_ConvertedSecret(t *testing.T) {
	cfg := converting(t, strings.ReplaceAll(codexSource(t, "n1"), "step-1", secret))
	cfg.Secrets = []string{secret}
	h := &both{}
	cfg.Handler = h
	e := runner.Run(context.Background(), cfg)
	if e.FindingCounts["run/secret"] == 0 || strings.Contains(h.stdout.String()+h.source.String(), secret) {
		t.Errorf("findings %v, source:\n%s\nconverted:\n%s", e.FindingCounts, &h.source, &h.stdout)
	}
}

// Without a name the first line that can be read shows whose stream it is.
func TestScan_ConvertAuto(t *testing.T) {
	for name, tt := range map[string]struct {
		source, agent string
		verdict       runner.Verdict
	}{
		"codex":           {codexSource(t, "n1"), "codex", runner.VerdictSuccess},
		"codex, prose":    {"hello\n" + codexSource(t, "n1"), "codex", runner.VerdictViolation},
		"ours":            {string(clean()), "", runner.VerdictSuccess},
		"ours, prose":     {"hello\n" + string(clean()), "", runner.VerdictViolation},
		"nobody's":        {`{"a":1}` + "\n", "", runner.VerdictViolation},
		"codex, notices":  {strings.Repeat(`{"a":1}`+"\n", adapter.MaxUndecided-1) + codexSource(t, "n1"), "codex", runner.VerdictSuccess},
		"too many":        {strings.Repeat(`{"a":1}`+"\n", adapter.MaxUndecided) + codexSource(t, "n1"), "", runner.VerdictViolation},
		"nothing to read": {"hello\n", "", runner.VerdictViolation},
		"nothing":         {"", "", runner.VerdictViolation},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := runner.Scan(context.Background(), strings.NewReader(tt.source), runner.Config{Convert: &runner.Convert{RunID: "run-1", File: "source.jsonl"}})
			if err != nil || e.Verdict != tt.verdict {
				t.Errorf("verdict = %s (%s), %v, want %s", e.Verdict, e.Reason, err, tt.verdict)
			}
			if got := e.Source; tt.agent == "" && got != nil || tt.agent != "" && (got == nil || got.Agent != tt.agent) {
				t.Errorf("Source = %+v, want agent %q", got, tt.agent)
			}
		})
	}
}

// A stream of another agent where the contract was to come is one finding, unless
// it speaks of the contract somewhere.
func TestScan_NativeStream(t *testing.T) {
	native := codexSource(t, "n1")
	e, err := runner.Scan(context.Background(), strings.NewReader(native), runner.Config{File: "events.jsonl"})
	if err != nil || len(e.Findings) != 1 || e.Errors != 1 || e.Verdict != runner.VerdictViolation {
		t.Fatalf("Scan() = %s, findings %v, %v, want one", e.Verdict, e.Findings, err)
	}
	f := e.Findings[0]
	if f.Rule != validate.RuleFormat || f.Line != 1 || f.File != "events.jsonl" || !strings.Contains(f.Message, "--from codex") || !strings.Contains(f.Message, "--agent codex") {
		t.Errorf("finding = %+v, want agent/format in line 1 with the way out", f)
	}
	e, err = runner.Scan(context.Background(), strings.NewReader(`{"type":"hook"}`+"\n"+native), runner.Config{})
	if err != nil || e.FindingCounts[validate.RuleFormat] != 1 || e.Errors != 1 {
		t.Errorf("findings of a stream with a notice first: %v, %v, want one agent/format", e.FindingCounts, err)
	}
	e, err = runner.Scan(context.Background(), strings.NewReader(native+string(clean())), runner.Config{})
	if err != nil || e.FindingCounts[validate.RuleFormat] != 0 || e.FindingCounts["schema/type"] != 7 {
		t.Errorf("findings of a stream that goes on as the contract: %v, %v, want one for each line of the other", e.FindingCounts, err)
	}
}

// A line above the limit is left out with a warning where the end was read, whatever its
// length.
func TestScan_ConvertedLongLine(t *testing.T) {
	n1 := codexSource(t, "n1")
	begin, rest, _ := strings.Cut(n1, "\n")
	for name, tt := range map[string]struct {
		after   string
		max     int
		verdict runner.Verdict
		counts  map[string]int
	}{
		"10 MB":             {rest, 0, runner.VerdictSuccess, map[string]int{"agent/unmapped": 1}},
		"10 MB, of 1 MiB":   {rest, 1 << 20, runner.VerdictSuccess, map[string]int{"line/too-long": 1}},
		"10 MB, at the end": {"", 1 << 20, runner.VerdictViolation, map[string]int{"line/too-long": 1}},
	} {
		codex, err := adapter.ByName("codex")
		if err != nil {
			t.Fatal(err)
		}
		source := begin + "\n" + `{"type":"x","image":"` + strings.Repeat("iVBOR", 2e6) + `"}` + "\n" + tt.after
		e, err := runner.Scan(context.Background(), strings.NewReader(source), runner.Config{
			Stream: validate.Options{MaxLine: tt.max}, Convert: &runner.Convert{Agent: codex},
		})
		if err != nil || e.Verdict != tt.verdict {
			t.Errorf("%s: verdict = %s (%s), %v, want %s", name, e.Verdict, e.Reason, err, tt.verdict)
		}
		if diff := cmp.Diff(tt.counts, e.FindingCounts); diff != "" {
			t.Errorf("%s: findings by rule (-want +got):\n%s%v", name, diff, e.Findings)
		}
	}
}

// The bound of a stream is that of the agent's own.
func TestRun_ConvertedCap(t *testing.T) {
	cfg := converting(t, codexSource(t, "n1"))
	cfg.MaxStream = 600
	h := &both{}
	cfg.Handler = h
	e := runner.Run(context.Background(), cfg)
	if !e.Capped || e.FindingCounts[validate.RuleStreamCap] != 1 || e.Verdict != runner.VerdictViolation || e.RunFinished == nil || e.RunFinished.OK {
		t.Errorf("verdict %s (%s), findings %v, capped %v", e.Verdict, e.Reason, e.FindingCounts, e.Capped)
	}
	if h.source.Len() > 600 {
		t.Errorf("the handler got %d bytes of the source, want at most 600", h.source.Len())
	}
}
