package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/provider"
	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/internal/session"
	"github.com/openagent-ci/openagent/internal/view"
)

// inputFiles makes the files that flags name, and returns a function that fills
// their paths in for @name.
func inputFiles(t *testing.T) func(string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"prompt": "do", "script": "- text: done\n", "policy": "version: 1\ndefault: allow\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(arg string) string { return strings.ReplaceAll(arg, "@", dir+string(filepath.Separator)) }
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
	if diff := gocmp.Diff(want, some); diff != "" {
		t.Errorf("effective flags (-want +got):\n%s", diff)
	}
}

// Each flag says something else of a run than all others do.
func TestOptions_EachFlagHasItsOwn(t *testing.T) {
	values := map[string]string{
		"api": "responses", "cassette-mode": "record", "on-deny": "stop", "tool-calls": "text", "base-url": "http://h.test/v1",
		"header": "X-Feature=on", "query": "api-version=1", "request-set": "/user=\"ci\"", "allow-tools": "read_file", "deny-tools": "read_file",
		"timeout": "7s", "tool-timeout": "7s", "provider-timeout": "7s", "provider-retry-for": "7s", "keep-sessions": "7d",
		"max-tool-output": "7KiB", "max-context": "7KiB", "consolidate": "true", "consolidate-keep": "0.7", "clock": "fixed:2026-03-03T20:11:12Z",
	}
	// Beside its value a run has to know that it was given.
	given := map[string][]string{"workspace": {"Workspace", "WorkspaceGiven"}, "api": {"Endpoint.API", "APIGiven"}}
	options := func(args ...string) session.Options {
		f, fs := newRunFlags(), pflag.NewFlagSet("run", pflag.ContinueOnError)
		f.register(fs)
		if err := fs.Parse(args); err != nil {
			t.Fatal(err)
		}
		if _, err := f.fill(process.Place{}, fs); err != nil {
			t.Fatal(err)
		}
		return f.options(process.Place{})
	}
	before, of := options(), map[string]string{}
	fs := pflag.NewFlagSet("run", pflag.ContinueOnError)
	newRunFlags().register(fs)
	fs.VisitAll(func(f *pflag.Flag) {
		value := cmp.Or(values[f.Name], "7")
		var changed []string
		gocmp.Equal(before, options("--"+f.Name+"="+value), gocmp.Reporter(&changes{fields: &changed}), gocmp.AllowUnexported(provider.Edit{}, view.Screen{}))
		if want := given[f.Name]; len(changed) != max(1, len(want)) || want != nil && !gocmp.Equal(want, changed) {
			t.Errorf("--%s changes %q, want what is its own", f.Name, changed)
			return
		}
		if other := of[changed[0]]; other != "" {
			t.Errorf("--%s and --%s both change %s", f.Name, other, changed[0])
		}
		of[changed[0]] = f.Name
	})
}

// changes is a reporter of the fields that differ.
type changes struct {
	path   gocmp.Path
	fields *[]string
}

func (c *changes) PushStep(s gocmp.PathStep) { c.path = append(c.path, s) }
func (c *changes) PopStep()                  { c.path = c.path[:len(c.path)-1] }

func (c *changes) Report(r gocmp.Result) {
	if !r.Equal() {
		*c.fields = append(*c.fields, strings.TrimPrefix(c.path.String(), "."))
	}
}
