package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

func TestValues_SecretsLeftOut(t *testing.T) {
	fs := (&program{}).runCommand().Flags()
	if err := fs.Parse([]string{"--redact=sk-test-0123456789", "--max-steps=7", "--output=json", "--clock=fixed:2026-03-03T20:11:12Z"}); err != nil {
		t.Fatal(err)
	}
	got := flags.Values(fs)
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
		t.Errorf("values of flags (-want +got):\n%s", diff)
	}
}
