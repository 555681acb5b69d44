package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/demo"
	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/record"
	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// newAgentRun returns a run whose flags were changed by edit, and what it prints.
func newAgentRun(t *testing.T, in string, edit func(*runFlags)) (*agentRun, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	f := newRunFlags()
	if edit != nil {
		edit(f)
	}
	return &agentRun{
		program: &program{Process: process.Process{In: strings.NewReader(in), Out: &out, Err: io.Discard}}, flags: f, json: true,
		redactor: redact.New(nil), span: t.Context(),
	}, &out
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
		edit       func(*runFlags)
		want, code string
	}{
		"argument":             {"in", func(f *runFlags) { f.prompt = " do\n" }, " do\n", ""},
		"standard input":       {"in\n", func(f *runFlags) { f.prompt = "-" }, "in\n", ""},
		"file":                 {"in", func(f *runFlags) { f.promptFile = at("@prompt") }, "do", ""},
		"none, for the demo":   {"in", nil, builtin, ""},
		"empty standard input": {"", func(f *runFlags) { f.prompt = "-" }, "", codePrompt},
		"blank file":           {"", func(f *runFlags) { f.promptFile = blank }, "", codePrompt},
		"no file":              {"", func(f *runFlags) { f.promptFile = blank + "x" }, "", codePrompt},
		"folder":               {"", func(f *runFlags) { f.promptFile = filepath.Dir(blank) }, "", codePrompt},
	} {
		r, _ := newAgentRun(t, tt.in, tt.edit)
		err := r.readPrompt(t.Context())
		if got := codeOf(t, err); got != tt.code || r.prompt != tt.want {
			t.Errorf("%s: prompt is %q, %v, want %q, code %q", name, r.prompt, err, tt.want, tt.code)
		}
	}
}

// A run that is to end does not wait for a prompt that never comes.
func TestReadPrompt_EndsWithTheRun(t *testing.T) {
	r, _ := newAgentRun(t, "", func(f *runFlags) { f.prompt = "-" })
	silent, hold := io.Pipe()
	defer hold.Close()
	r.program.In = silent
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := r.readPrompt(ctx); !errors.Is(err, why) || codeOf(t, err) != codePrompt {
		t.Errorf("readPrompt = %v, want the cause of the end", err)
	}
}

func TestReadKey_FileBeforeVariable(t *testing.T) {
	at := inputFiles(t)
	for name, tt := range map[string]struct{ file, want, code string }{
		"variable": {"", "sk-test-of-the-variable", ""}, "file": {"@key", "sk-test-0123456789", ""},
		"no file": {"@none", "", codeKey},
	} {
		r, _ := newAgentRun(t, "", func(f *runFlags) { f.keyFile = at(tt.file) })
		r.program.Key = "sk-test-of-the-variable"
		if err := r.readKey(t.Context()); codeOf(t, err) != tt.code || tt.code == "" && r.key != tt.want {
			t.Errorf("%s: key is %q, %v, want %q, code %q", name, r.key, err, tt.want, tt.code)
		}
		if tt.file == "@key" {
			if got := r.redactor.String("sk-test-of-the-variable sk-test-0123456789"); got != redact.Mask+" "+redact.Mask {
				t.Errorf("%s: both keys show as %q, want them masked", name, got)
			}
		}
	}
}

func TestReadPolicy_FlagsNarrowTheFile(t *testing.T) {
	at := inputFiles(t)
	r, _ := newAgentRun(t, "", func(f *runFlags) {
		f.policyFile, f.denyTools, f.systemFile = at("@policy"), names{"write_file"}, at("@system")
	})
	if err := r.readPolicy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.policy.Source() != at("@policy") || r.policy.Offers("write_file") || !r.policy.Offers("read_file") {
		t.Errorf("policy of %s offers write_file %v, want the file's without it", r.policy.Source(), r.policy.Offers("write_file"))
	}
	if want := record.Digest([]byte("version: 1\ndefault: allow\n")); r.digest != want {
		t.Errorf("digest of the policy is %s, want %s", r.digest, want)
	}
	if err := r.readTask(t.Context()); err != nil || r.task != "be brief" {
		t.Errorf("readTask = %q, %v, want the file", r.task, err)
	}
	r, _ = newAgentRun(t, "", nil)
	if err := r.readPolicy(t.Context()); err != nil || r.policy.Source() != "default" || r.digest != "" {
		t.Errorf("without a file: policy of %s, digest %q, %v, want the built-in one", r.policy.Source(), r.digest, err)
	}
}

func TestReadPolicy_RulesNameTools(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.yaml")
	for rule, want := range map[string]struct{ code, told string }{
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
		r, _ := newAgentRun(t, "", func(f *runFlags) { f.policyFile = path })
		var errs bytes.Buffer
		r.program.Err = &errs
		err := r.readPolicy(t.Context())
		if codeOf(t, err) != want.code || !strings.Contains(errs.String(), want.told) || (want.told == "") != (errs.Len() == 0) {
			t.Errorf("rule about %s: readPolicy = %v with stderr %q, want code %q and %q", rule, err, &errs, want.code, want.told)
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
		edit           func(*runFlags)
		provider, code string
	}{
		"default":         {"sk-test-0123456789", func(f *runFlags) { f.model = "m" }, "api.openai.com", ""},
		"default, no key": {"", func(f *runFlags) { f.model = "m" }, "", codeKeyMissing},
		"other, no key":   {"", func(f *runFlags) { f.model, f.baseURL = "m", "http://h.test:8080/v1" }, "h.test:8080", ""},
		"script":          {"", func(f *runFlags) { f.script = at("@script") }, "script", ""},
		"demo":            {"", func(f *runFlags) { f.script = demo.Name }, "script", ""},
		"cassette":        {"", func(f *runFlags) { f.cassette = at("@cassette") }, "cassette", ""},
		"no cassette":     {"", func(f *runFlags) { f.cassette = at("@none") }, "", codeCassette},
		"no script":       {"", func(f *runFlags) { f.script = at("@none") }, "", codeScript},
		"broken script":   {"", func(f *runFlags) { f.script = at("@policy") }, "", codeScript},
	} {
		r, _ := newAgentRun(t, "", tt.edit)
		r.key = tt.key
		err := r.chooseModel(t.Context())
		if codeOf(t, err) != tt.code || r.model.provider != tt.provider || (err == nil) != (r.model.Model != nil) {
			t.Errorf("%s: provider is %q, %v, want %q, code %q", name, r.model.provider, err, tt.provider, tt.code)
		}
		if scripted := r.model.digest != ""; scripted != (tt.provider == "script" || tt.provider == "cassette") || scripted && r.model.endpoint != "" {
			t.Errorf("%s: digest %q, endpoint %q, want one of them", name, r.model.digest, r.model.endpoint)
		}
	}
}

func TestOpenLog_AppendsAndMakesItsFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "log.jsonl")
	for range 2 {
		r, _ := newAgentRun(t, "", func(f *runFlags) { f.events = path })
		if err := r.openLog(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := r.log.Emit(event.Event{Time: time.Unix(0, 0), RunID: "r", Kind: event.RunStart}); err != nil {
			t.Fatal(err)
		}
		r.close()
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("the log of two runs is %q, %v, want two lines", text, err)
	}
	if info, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("the log has mode %v, %v, want it private", info.Mode(), err)
	}
	for _, bad := range []string{filepath.Dir(path), filepath.Join(path, "below", "a", "file")} {
		r, _ := newAgentRun(t, "", func(f *runFlags) { f.events = bad })
		if err := r.openLog(t.Context()); codeOf(t, err) != codeEvents {
			t.Errorf("openLog(%s) = %v, want code %s", bad, err, codeEvents)
		}
	}
	r, _ := newAgentRun(t, "", nil)
	if err := r.openLog(t.Context()); err != nil || r.log.failure() != nil {
		t.Errorf("openLog without a name = %v, %v, want no log", err, r.log.failure())
	}
}

func TestRunID_NamedOrByTime(t *testing.T) {
	at := clockValue{}
	if err := at.Set("fixed:2026-03-03T20:11:12Z"); err != nil {
		t.Fatal(err)
	}
	r, _ := newAgentRun(t, "", func(f *runFlags) { f.clock = at })
	one, two := r.runID(), r.runID()
	if form := regexp.MustCompile(`^20260303T201112Z-[0-9a-f]{8}$`); !form.MatchString(one) || !form.MatchString(two) || one == two {
		t.Errorf("runID = %s, then %s, want the time and something random", one, two)
	}
	r.flags.runID = "r9"
	if got := r.runID(); got != "r9" {
		t.Errorf("runID of a named run = %s, want r9", got)
	}
}

func TestOpenRecord_Places(t *testing.T) {
	given, state := t.TempDir(), t.TempDir()
	file := filepath.Join(files(t, "f"), "f")
	for name, tt := range map[string]struct{ variable, state, folder, code string }{
		"harness": {given, state, filepath.Join(given, "r1"), ""}, "state": {"", state, filepath.Join(state, "runs", "r1"), ""},
		"state is a file": {"", file, "", codeState},
	} {
		t.Setenv(process.ArtifactsVariable, tt.variable)
		r, _ := newAgentRun(t, "", func(f *runFlags) { f.stateDir = tt.state })
		rec, err := r.openRecord("r1", event.NewClock(), "print")
		if codeOf(t, err) != tt.code {
			t.Errorf("%s: openRecord: %v, want code %q", name, err, tt.code)
		}
		if err != nil {
			continue
		}
		if rec.Dir() != tt.folder {
			t.Errorf("%s: the record is in %s, want %s", name, rec.Dir(), tt.folder)
		}
		if err := rec.Finish(time.Now(), "", record.Outcome{}); err != nil {
			t.Error(err)
		}
		_, err = r.openRecord("r1", event.NewClock(), "print")
		var early *preRunError
		if codeOf(t, err) != codeRunExists || !errors.As(err, &early) || !strings.Contains(early.hint, "--run-id") {
			t.Errorf("%s: openRecord again: %v, want code %s and a way out", name, err, codeRunExists)
		}
	}
}

// Flags and paths are kept without the secrets that they hold.
func TestOpenRecord_MasksFlagsAndPaths(t *testing.T) {
	const secret = "sk-test-0123456789"
	r, _ := newAgentRun(t, "", func(f *runFlags) { f.stateDir = filepath.Join(t.TempDir(), secret) })
	r.redactor, r.root = redact.New([]string{secret}), "/w/"+secret
	r.effective = map[string]any{"base-url": "http://127.0.0.1/" + secret + "/v1", "model": secret, "api": "chat"}
	rec, err := r.openRecord("r1", event.NewClock(), "print")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(rec.Dir(), "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), redact.Mask); strings.Contains(string(text), secret) || n != 4 {
		t.Errorf("run.json holds %d masks, want 4 and no secret:\n%s", n, text)
	}
}

// Each cause of a failure before the run is one valid stream of one line.
func TestFail_IsAStreamOfOneLine(t *testing.T) {
	for _, code := range []string{codePrompt, codeKeyMissing, codeRunExists, codeCancelled, codeTimeout} {
		r, out := newAgentRun(t, "", nil)
		r.redactor = redact.New([]string{"sk-test-0123456789"})
		err := r.fail(before(code, errors.New("no good: sk-test-0123456789")).or("do otherwise"))
		var status *statusError
		if !errors.As(err, &status) || status.status != StatusFailed || status.err != nil {
			t.Errorf("%s: fail = %v, want status 1 and no more words", code, err)
		}
		s := validate.NewStream(validate.Options{Strict: true})
		if found := slices.Concat(s.Line(out.Bytes()), s.Close()); len(found) > 0 {
			t.Errorf("%s: the line breaks %v\n%s", code, found, out)
		}
		e, err := schema.Decode(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		want := "pre_run_error"
		if code == codeCancelled || code == codeTimeout {
			want = code
		}
		got := e.Data.(*schema.RunFinished)
		if told, _ := got.ErrorCode.Get(); got.ExitReason != want || got.OK || told != code || *got.Error != "no good: "+redact.Mask {
			t.Errorf("%s: run_finished is %+v, want %s with the code and no secret", code, got, want)
		}
	}
	r, out := newAgentRun(t, "", nil)
	r.json = false
	var shown bytes.Buffer
	var status *statusError
	if err := r.fail(before(codePrompt, errors.New("no good")).or("do otherwise")); !errors.As(err, &status) || out.Len() > 0 {
		t.Fatalf("fail for people = %v, %q, want an error and nothing on stdout", err, out)
	}
	complain(&shown, status.err, status.status)
	if diff := cmp.Diff("openagent: error: no good\nopenagent: hint: do otherwise\n", shown.String()); diff != "" {
		t.Errorf("fail for people (-want +got):\n%s", diff)
	}
}
