package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/redact"
)

// inputFiles makes the files that flags name, and returns a function that fills
// their paths in for @name.
func inputFiles(t *testing.T) func(string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"prompt": "do", "other-prompt": "do more", "system": "be brief", "key": "sk-test-0123456789",
		"script": "- text: done\n", "other-script": "- text: over\n", "policy": "version: 1\ndefault: allow\n",
		"cassette": cassetteOf("m"), "other-cassette": cassetteOf("n"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(arg string) string { return strings.ReplaceAll(arg, "@", dir+string(filepath.Separator)) }
}

// cassetteOf returns a cassette of one request to a model.
func cassetteOf(model string) string {
	return `{"schema":"openagent.cassette.v1"}
{"request":1,"method":"POST","path":"/v1/chat/completions"}
{"part":"model","value":"` + model + `"}
{"status":500}
{"end":"whole"}
`
}

// fingerprint returns that of a run with these flags.
func fingerprint(t *testing.T, args ...string) string {
	t.Helper()
	f := newRunFlags()
	fs := pflag.NewFlagSet("run", pflag.ContinueOnError)
	fs.String("output", "", "")
	fs.Bool("stream", false, "")
	fs.Bool("tui", false, "")
	f.register(fs)
	if err := fs.Parse(args); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	if err := f.check(nil, fs.Args()); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	r := &agentRun{program: &program{}, flags: f, redactor: redact.New(nil), span: t.Context()}
	for _, step := range []func(context.Context) error{r.readKey, r.readPrompt, r.readTask, r.readPolicy, r.chooseModel} {
		if err := step(t.Context()); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
	}
	sum, err := r.fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// Every flag of run is on one side: what changes the behaviour of a run changes
// its fingerprint, what only changes where it goes or what it is called does
// not.
func TestFingerprint_SideOfEachFlag(t *testing.T) {
	const in, out = true, false
	at := inputFiles(t)
	ask := []string{"--prompt-file=@prompt", "--model=m", "--base-url=http://h.test/v1"}
	scripted := []string{"--prompt-file=@prompt", "--script=@script"}
	replayed := []string{"--prompt-file=@prompt", "--model=m", "--base-url=http://h.test/v1", "--cassette=@cassette"}
	sides := map[string]struct {
		base  []string
		value string
		side  bool
	}{
		"prompt-file": {ask, "@other-prompt", in}, "model": {ask, "n", in}, "base-url": {ask, "http://h.test/v2", in},
		"api": {ask, "responses", in}, "script": {scripted, "@other-script", in}, "system-file": {ask, "@system", in}, "policy": {ask, "@policy", in},
		"allow-tools": {ask, "read_file", in}, "deny-tools": {ask, "read_file", in}, "on-deny": {ask, "stop", in}, "tool-calls": {ask, "text", in},
		"max-steps": {ask, "7", in}, "max-tool-calls": {ask, "7", in}, "max-tokens": {ask, "7", in},
		"timeout": {ask, "7s", in}, "tool-timeout": {ask, "7s", in}, "provider-timeout": {ask, "7s", in},
		"provider-attempts": {ask, "7", in}, "provider-retry-for": {ask, "7s", in},
		"header": {ask, "X-Feature=on", in}, "query": {ask, "api-version=2024-10-21", in}, "request-set": {ask, "/user=\"ci\"", in},
		"cassette": {replayed, "@other-cassette", in}, "cassette-mode": {replayed, "record", in},
		"max-tool-output": {ask, "7KiB", in}, "max-context": {ask, "7KiB", in}, "pass-env": {ask, "X", in},
		"history-window": {ask, "7", in}, "consolidate": {ask, "true", in},
		"consolidate-threshold": {ask, "7", in}, "consolidate-keep": {ask, "0.7", in},

		"workspace": {ask, "@", out}, "api-key-file": {ask, "@key", out}, "redact": {ask, "sk-test-abcdefgh", out},
		"session": {ask, "s9", out}, "keep-sessions": {ask, "7d", out}, "state-dir": {ask, "@state", out}, "events": {ask, "@log", out}, "run-id": {ask, "r9", out},
		"clock": {ask, "fixed:2026-03-03T20:11:12Z", out}, "output": {ask, "json", out}, "stream": {ask, "true", out},
		"tui": {ask, "true", out},
	}
	(&program{}).runCommand().Flags().VisitAll(func(f *pflag.Flag) {
		if _, ok := sides[f.Name]; !ok && f.Name != "help" {
			t.Errorf("--%s is on no side: does it change the fingerprint?", f.Name)
		}
	})
	for name, s := range sides {
		base := slices.Clone(s.base)
		for i := range base {
			base[i] = at(base[i])
		}
		before := fingerprint(t, base...)
		after := fingerprint(t, append(base, "--"+name+"="+at(s.value))...)
		if changed := before != after; changed != s.side {
			t.Errorf("--%s %s: fingerprint changed %v, want %v", name, s.value, changed, s.side)
		}
		if again := fingerprint(t, base...); again != before {
			t.Errorf("--%s: fingerprint of the same flags is %s, then %s", name, before, again)
		}
	}
}

func TestEffectiveFlags_SecretsLeftOut(t *testing.T) {
	fs := (&program{}).runCommand().Flags()
	if err := fs.Parse([]string{"--redact=sk-test-0123456789", "--max-steps=7", "--output=json", "--clock=fixed:2026-03-03T20:11:12Z"}); err != nil {
		t.Fatal(err)
	}
	got := effectiveFlags(fs)
	fs.VisitAll(func(f *pflag.Flag) {
		if _, ok := got[f.Name]; !ok && f.Name != "help" && f.Name != "output" && f.Name != "redact" {
			t.Errorf("--%s is missing", f.Name)
		}
	})
	some := map[string]any{}
	for _, name := range []string{"redact", "max-steps", "output_mode", "clock", "timeout", "stream"} {
		some[name] = got[name]
	}
	want := map[string]any{
		"redact": redact.Mask, "max-steps": "7", "output_mode": "json", "clock": "fixed:2026-03-03T20:11:12Z", "timeout": "15m", "stream": "false",
	}
	if diff := cmp.Diff(want, some); diff != "" {
		t.Errorf("effective flags (-want +got):\n%s", diff)
	}
}
