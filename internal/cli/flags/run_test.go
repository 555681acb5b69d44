package flags

import (
	"cmp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/platform/process"
)

// Each flag says something else of a run than all others do.
func TestRun_EachFlagHasItsOwnOption(t *testing.T) {
	values := map[string]string{
		"api": "responses", "cassette-mode": "record", "on-deny": "stop", "tool-calls": "text", "base-url": "http://h.test/v1",
		"header": "X-Feature=on", "query": "api-version=1", "request-set": "/user=\"ci\"", "allow-tools": "read_file", "deny-tools": "read_file",
		"timeout": "7s", "tool-timeout": "7s", "retry": "attempts=7,for=7s,timeout=7s", "limit": "processes=7,open-files=7,file-size=7,memory=7", "keep-sessions": "7d",
		"max-tool-output": "7KiB", "max-context": "7KiB", "history": "window=7,consolidate=7,keep=0.7", "clock": "fixed:2026-03-03T20:11:12Z",
		"sandbox": "require", "network": "off", "sandbox-read": ".", "sandbox-write": ".", "sandbox-preset": "go", "sandbox-user": "7:7",
		"output-schema-via": "api", "reasoning-effort": "low", "temperature": "1",
	}
	// Beside its value a run has to know that it was given.
	given := map[string][]string{
		"workspace": {"Workspace", "WorkspaceGiven"}, "api": {"Endpoint.API", "APIGiven"},
		"retry":   {"Endpoint.Attempts", "Endpoint.RetryFor", "Endpoint.Timeout"},
		"limit":   {"Sandbox.Limits.Processes", "Sandbox.Limits.OpenFiles", "Sandbox.Limits.FileSize", "Sandbox.Limits.Memory"},
		"history": {"HistoryWindow", "Consolidate", "ConsolidateThreshold", "ConsolidateKeep"},
	}
	options := func(args ...string) session.Options {
		f, fs := NewRun(), pflag.NewFlagSet("run", pflag.ContinueOnError)
		f.Register(fs)
		if err := fs.Parse(args); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Fill(process.Env{}, fs); err != nil {
			t.Fatal(err)
		}
		return f.SessionOptions(process.Env{})
	}
	before, of := options(), map[string]string{}
	fs := pflag.NewFlagSet("run", pflag.ContinueOnError)
	NewRun().Register(fs)
	fs.VisitAll(func(f *pflag.Flag) {
		value := cmp.Or(values[f.Name], "7")
		var changed []string
		gocmp.Equal(before, options("--"+f.Name+"="+value), gocmp.Reporter(&changes{fields: &changed}), gocmp.AllowUnexported(provider.Edit{}))
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
