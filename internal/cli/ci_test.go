package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/platform/process"
)

// parseCI does what ci does before it runs an agent.
func parseCI(p *program, line ...string) (*ci, error) {
	c, set := &ci{flags.NewCI(), p}, pflag.NewFlagSet("ci", pflag.ContinueOnError)
	c.Register(set)
	if err := set.Parse(line); err != nil {
		return nil, err
	}
	args := set.Args()
	if at := set.ArgsLenAtDash(); at >= 0 {
		args, c.Command = args[:at], args[at:]
	}
	return c, c.complete(args)
}

// In a job, what started it decides whether an agent runs; a key counts from
// wherever it would come.
func TestCI_JobMustBeAllowedToRunAnAgent(t *testing.T) {
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
		_, err := parseCI(&program{Process: process.Process{Key: tt.key}}, tt.line...)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: ci %v: %v, want it admitted", name, tt.line, err)
			}
			continue
		}
		if status, _, _ := statusOf(err); status != StatusUsage || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: ci %v: %v, want status 2 and %q", name, tt.line, err, tt.want)
		}
	}
	t.Setenv("GITHUB_EVENT_PATH", filepath.Join(filepath.Dir(payload), "none"))
	if _, err := parseCI(&program{}, "--", "agent"); err == nil || !strings.Contains(err.Error(), "this job may not run an agent: read event") {
		t.Errorf("an event that cannot be read: %v, want it refused", err)
	}
}
