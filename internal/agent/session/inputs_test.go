package session

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/agent/demo"
	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// newRun returns the setup of a run whose options were changed by edit, and what
// it prints.
func newRun(t *testing.T, in string, edit func(*Options)) (*setup, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	o := Options{
		Workspace: ".", Calls: agent.CallsAuto, CassetteMode: CassetteReplay, OnDeny: DenyContinue,
		Endpoint: Endpoint{API: provider.APIChat, Attempts: 1}, MaxSteps: 30, Timeout: time.Minute,
	}
	if edit != nil {
		edit(&o)
	}
	p := &process.Process{In: strings.NewReader(in), Out: &out, Err: io.Discard}
	return newSetup(t.Context(), p, o, key.Handover{}, nil), &out
}

// codeOf returns the code of a pre-run error, empty for none.
func codeOf(t *testing.T, err error) string {
	t.Helper()
	var early *preRunError
	if err != nil && !errors.As(err, &early) {
		t.Errorf("%v is no pre-run error", err)
	}
	if early == nil {
		return ""
	}
	return early.code
}

func TestReadPrompt_Sources(t *testing.T) {
	at := inputFiles(t)
	blank := filepath.Join(t.TempDir(), "blank")
	if err := os.WriteFile(blank, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	builtin, err := demo.Prompt()
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		in         string
		edit       func(*Options)
		want, code string
	}{
		"argument":             {"in", func(o *Options) { o.Prompt = " do\n" }, " do\n", ""},
		"standard input":       {"in\n", func(o *Options) { o.Prompt = "-" }, "in\n", ""},
		"file":                 {"in", func(o *Options) { o.PromptFile = at("@prompt") }, "do", ""},
		"none, for the demo":   {"in", nil, builtin, ""},
		"empty standard input": {"", func(o *Options) { o.Prompt = "-" }, "", codePrompt},
		"blank file":           {"", func(o *Options) { o.PromptFile = blank }, "", codePrompt},
		"no file":              {"", func(o *Options) { o.PromptFile = blank + "x" }, "", codePrompt},
		"folder":               {"", func(o *Options) { o.PromptFile = filepath.Dir(blank) }, "", codePrompt},
	} {
		s, _ := newRun(t, tt.in, tt.edit)
		got, err := s.readPrompt(t.Context())
		if codeOf(t, err) != tt.code || got != tt.want {
			t.Errorf("%s: prompt is %q, %v, want %q, code %q", name, got, err, tt.want, tt.code)
		}
	}
}

// A run that is to end does not wait for a prompt that never comes.
func TestReadPrompt_EndsWithTheRun(t *testing.T) {
	s, _ := newRun(t, "", func(o *Options) { o.Prompt = "-" })
	silent, hold := io.Pipe()
	defer hold.Close()
	s.In = silent
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := s.readPrompt(ctx); !errors.Is(err, why) || codeOf(t, err) != codePrompt {
		t.Errorf("readPrompt = %v, want the cause of the end", err)
	}
}

func TestReadKey_FileBeforeVariable(t *testing.T) {
	at := inputFiles(t)
	for name, tt := range map[string]struct{ file, want, code string }{
		"variable": {"", "sk-test-of-the-variable", ""}, "file": {"@key", "sk-test-0123456789", ""},
		"no file": {"@none", "", codeKey},
	} {
		p := &process.Process{Key: "sk-test-of-the-variable"}
		got, err := readKey(t.Context(), p, at(tt.file))
		if codeOf(t, err) != tt.code || tt.code == "" && got.Key != tt.want {
			t.Errorf("%s: key is %q, %v, want %q, code %q", name, got.Key, err, tt.want, tt.code)
		}
		if tt.file == "@key" {
			s := newSetup(t.Context(), p, Options{}, got, nil)
			if got := s.masks.String("sk-test-of-the-variable sk-test-0123456789"); got != redact.Mask+" "+redact.Mask {
				t.Errorf("%s: both keys show as %q, want them masked", name, got)
			}
		}
	}
}

func TestReadRequest_FlagsNarrowThePolicyFile(t *testing.T) {
	at := inputFiles(t)
	s, _ := newRun(t, "", func(o *Options) {
		o.PolicyFile, o.DenyTools, o.TaskFile = at("@policy"), []string{"write_file"}, at("@system")
	})
	q, err := s.readRequest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if q.policy.Source() != at("@policy") || q.policy.Offers("write_file") || !q.policy.Offers("read_file") {
		t.Errorf("policy of %s offers write_file %v, want the file's without it", q.policy.Source(), q.policy.Offers("write_file"))
	}
	if want := record.Digest([]byte("version: 1\ndefault: allow\n")); q.digest != want {
		t.Errorf("digest of the policy is %s, want %s", q.digest, want)
	}
	if q.task != "be brief" {
		t.Errorf("task is %q, want the file", q.task)
	}
	s, _ = newRun(t, "", nil)
	if q, err = s.readRequest(t.Context()); err != nil || q.policy.Source() != "default" || q.digest != "" || q.task != "" {
		t.Errorf("without files: policy of %s, digest %q, task %q, %v, want the built-in ones", q.policy.Source(), q.digest, q.task, err)
	}
}

func TestReadPolicy_RulesNameTools(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.yaml")
	for rule, want := range map[string]struct{ code, warning string }{
		"execute_command": {"", ""}, "nothing_*": {"", "no tool matches"}, "execute_comand": {codePolicy, ""},
		"'*_file', when: [{arg: path, op: equals, value: x}]":          {"", ""},
		"execute_command, when: [{arg: comand, op: equals, value: x}]": {"", `execute_command takes no text argument \"comand\"`},
		"git_commit, when: [{arg: files, op: equals, value: x}]":       {"", `git_commit takes no text argument \"files\"`},
		"write_file, when: [{arg: path, op: equals, value: ./x}]":      {"", "cannot be that of a path"},
		"write_file, when: [{arg: content, op: equals, value: ./x}]":   {"", ""},
	} {
		if err := os.WriteFile(path, []byte("version: 1\ndefault: allow\nrules:\n  - {tool: "+rule+", decision: deny}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, _ := newRun(t, "", func(o *Options) { o.PolicyFile = path })
		var errs bytes.Buffer
		s.Err = &errs
		_, _, err := s.readPolicy(t.Context())
		if codeOf(t, err) != want.code || !strings.Contains(errs.String(), want.warning) || (want.warning == "") != (errs.Len() == 0) {
			t.Errorf("rule about %s: readPolicy = %v with stderr %q, want code %q and %q", rule, err, &errs, want.code, want.warning)
		}
		if want.code != "" && !strings.Contains(err.Error(), path+":4: ") {
			t.Errorf("rule about %s: readPolicy = %v, want file and line", rule, err)
		}
	}
}

func TestChooseModel_Endpoints(t *testing.T) {
	at := inputFiles(t)
	for name, tt := range map[string]struct {
		key            string
		edit           func(*Options)
		provider, code string
	}{
		"default":         {"sk-test-0123456789", func(o *Options) { o.Model = "m" }, "api.openai.com", ""},
		"default, no key": {"", func(o *Options) { o.Model = "m" }, "", codeKeyMissing},
		"other, no key":   {"", func(o *Options) { o.Model, o.Endpoint.BaseURL = "m", "http://h.test:8080/v1" }, "h.test:8080", ""},
		"script":          {"", func(o *Options) { o.Script = at("@script") }, "script", ""},
		"demo":            {"", func(o *Options) { o.Script = demo.Name }, "script", ""},
		"cassette":        {"", func(o *Options) { o.Cassette = at("@cassette") }, "cassette", ""},
		"no cassette":     {"", func(o *Options) { o.Cassette = at("@none") }, "", codeCassette},
		"no script":       {"", func(o *Options) { o.Script = at("@none") }, "", codeScript},
		"broken script":   {"", func(o *Options) { o.Script = at("@policy") }, "", codeScript},
	} {
		s, _ := newRun(t, "", tt.edit)
		s.given.Key = tt.key
		m, err := s.chooseModel(t.Context())
		if codeOf(t, err) != tt.code || m.provider != tt.provider || (err == nil) != (m.Model != nil) {
			t.Errorf("%s: provider is %q, %v, want %q, code %q", name, m.provider, err, tt.provider, tt.code)
		}
		if scripted := m.digest != ""; scripted != (tt.provider == "script" || tt.provider == "cassette") || scripted && m.endpoint != "" {
			t.Errorf("%s: digest %q, endpoint %q, want one of them", name, m.digest, m.endpoint)
		}
	}
}

func TestOpenLog_AppendsAndMakesItsFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "log.jsonl")
	for range 2 {
		s, _ := newRun(t, "", func(o *Options) { o.Events = path })
		var held closers
		log, err := s.openLog(t.Context(), &held)
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Emit(event.Event{Time: time.Unix(0, 0), RunID: "r", Data: event.RunStart{}}); err != nil {
			t.Fatal(err)
		}
		held.close(s.Logger())
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("the log of two runs is %q, %v, want two lines", text, err)
	}
	if info, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("the log has mode %v, %v, want it private", info.Mode(), err)
	}
	for _, bad := range []string{filepath.Dir(path), filepath.Join(path, "below", "a", "file")} {
		s, _ := newRun(t, "", func(o *Options) { o.Events = bad })
		if _, err := s.openLog(t.Context(), &closers{}); codeOf(t, err) != codeEvents {
			t.Errorf("openLog(%s) = %v, want code %s", bad, err, codeEvents)
		}
	}
	s, _ := newRun(t, "", nil)
	if log, err := s.openLog(t.Context(), nil); err != nil || log != nil || log.failure() != nil {
		t.Errorf("openLog without a name = %v, %v, want no log", log, err)
	}
}

func TestRunID_NamedOrByTime(t *testing.T) {
	at := time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC)
	s, _ := newRun(t, "", func(o *Options) { o.Clock = &at })
	one, two := s.runID(), s.runID()
	if form := regexp.MustCompile(`^20260303T201112Z-[0-9a-f]{8}$`); !form.MatchString(one) || !form.MatchString(two) || one == two {
		t.Errorf("runID = %s, then %s, want the time and something random", one, two)
	}
	s.RunID = "r9"
	if got := s.runID(); got != "r9" {
		t.Errorf("runID of a named run = %s, want r9", got)
	}
}
