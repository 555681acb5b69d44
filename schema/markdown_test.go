package schema

import (
	"strings"
	"testing"
)

func TestMarkdown_DocumentsEveryType(t *testing.T) {
	text, err := Markdown(Version)
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range Types() {
		if !strings.Contains(text, "\n### `"+string(typ)+"`\n") || !strings.Contains(text, `"type":"`+string(typ)+`","data":{`) {
			t.Errorf("Markdown has no heading or no example line of %s", typ)
		}
	}
	for _, want := range []string{
		"| `content_preview` | declared | string or null, 4096 bytes |",
		"| `summary_text` | additive | string or null, 200 characters |",
		"| `artifacts[].path` | declared | string, 256 bytes |",
		"| `allowed_tools` | declared | list of string or null, 64 items of 256 bytes |",
		"| `source.unmapped` | additive | object of integer, 64 names of 256 bytes |",
		"| `usage.cost_usd` | additive | number or null, at least 0 |",
		"| `exit_status` | additive | integer or null |",
		"| `original_bytes` | declared | integer or null, at least 0 |",
		"| `schema_version` | declared | `openagent.run_event.v1` |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("Markdown does not hold %s", want)
		}
	}
	if i, j := strings.Index(text, "### `run_started`"), strings.Index(text, "### `run_finished`"); i > j {
		t.Errorf("run_started stands at %d, behind run_finished at %d", i, j)
	}
}

func TestMarkdown_OfADocument(t *testing.T) {
	text, err := Markdown(ManifestVersion)
	if err != nil || !strings.Contains(text, "| `versions.tool.name` | declared | string |") {
		t.Errorf("Markdown(%s) = %s, %v, want its nested members", ManifestVersion, text, err)
	}
	if _, err := Markdown("other"); err == nil {
		t.Error("Markdown(other) = nil error, want one")
	}
}
