package process

import (
	"slices"
	"testing"
)

func TestForeignEnviron(t *testing.T) {
	kept := []string{"PATH=p", "https_proxy=h", "GITHUB_TOKEN=t", "GITHUB_OUTPUT=o", "AWS_ACCESS_KEY_ID=a", "OTHER=o", "OPENAGENT_PROMPT_FILE=p"}
	ours := []string{"OPENAGENT_REDACT=r", "OPENAGENT_OUT=o", "OPENAGENT_NETWORK=loopback", "OPENAGENT_STRICT=1", "OTEL_EXPORTER_OTLP_HEADERS=h"}
	p := Env{Dir: t.TempDir(), Vars: slices.Concat(ours, kept)}
	if got := p.ForeignEnviron(); !slices.Equal(got, kept) {
		t.Errorf("ForeignEnviron = %q, want %q", got, kept)
	}
}
