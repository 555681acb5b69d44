package validate_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/compat"
	"github.com/openagent-ci/openagent/schema/validate"
)

var update = flag.Bool("update", false, "rewrite the generated parts of the documentation")

// docs are the generated parts: file, name of the part, text.
var docs = []struct {
	file, part string
	text       func(t *testing.T) string
}{
	{"contract.md", "schema", schemaText},
	{"contract.md", "rules", rulesText},
	{"schema-versions.md", "compat", compatText},
	{"schema-versions.md", "versions", versionsText},
	{"schema-versions.md", "lock", lockText},
}

func schemaText(t *testing.T) string {
	text, err := schema.Markdown(schema.Version)
	if err != nil {
		t.Fatal(err)
	}
	return cutFields.ReplaceAllString(text, "")
}

// cutFields are the rows of a member that every event may have: the page has it once.
var cutFields = regexp.MustCompile("(?m)^\\| `truncated_fields.*\n")

func rulesText(*testing.T) string {
	var b strings.Builder
	var stage validate.Stage
	for _, r := range validate.Rules() {
		if r.Stage != stage {
			stage = r.Stage
			fmt.Fprintf(&b, "\n#### Stage `%s`\n\n%s\n\n| rule | severity | leaves readable | broken when |\n|---|---|---|---|\n", stage, stage.Why())
		}
		fmt.Fprintf(&b, "| <a id=\"%s\"></a>`%s` | %s | %s | %s |\n", strings.ReplaceAll(r.ID, "/", "-"), r.ID, r.Severity, r.Rest, r.Doc)
	}
	return strings.TrimPrefix(b.String(), "\n")
}

func compatText(*testing.T) string {
	var b strings.Builder
	b.WriteString("| change | class | why |\n|---|---|---|\n")
	for _, r := range compat.Rules() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.ID, r.Class, r.Why)
	}
	return b.String()
}

func versionsText(*testing.T) string {
	var b strings.Builder
	b.WriteString("| version | revision | frozen | file | digest |\n|---|---|---|---|---|\n")
	for _, r := range schema.Versions() {
		frozen := map[bool]string{true: "yes", false: "no"}[r.Frozen]
		fmt.Fprintf(&b, "| `%s` | %d | %s | `schema/%s` | `%s` |\n", r.Version, r.Revision, frozen, r.Path, r.Digest)
	}
	return b.String()
}

func lockText(t *testing.T) string {
	text, err := schema.NewLock().Encode()
	if err != nil {
		t.Fatal(err)
	}
	return "```json\n" + string(text) + "```\n"
}

// split returns a document before, in and after a generated part.
func split(t *testing.T, doc, part string) (before, in, after string) {
	t.Helper()
	begin := "<!-- begin: " + part + ", written by go test ./schema/validate -update -->\n"
	before, rest, ok := strings.Cut(doc, begin)
	in, after, closed := strings.Cut(rest, "<!-- end: "+part+" -->")
	if !ok || !closed {
		t.Fatalf("no part %s between its marks", part)
	}
	return before + begin, in, "<!-- end: " + part + " -->" + after
}

func TestDocs_AreWhatTheCodeSays(t *testing.T) {
	for _, d := range docs {
		path := filepath.Join("..", "..", "docs", d.file)
		doc, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, got, after := split(t, string(doc), d.part)
		want := "\n" + d.text(t) + "\n"
		if got == want {
			continue
		}
		if !*update {
			t.Errorf("docs/%s: the part %s differs from the code; run go test ./schema/validate -update", d.file, d.part)
			continue
		}
		if err := os.WriteFile(path, []byte(before+want+after), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Each block of lines in the contract's text is a stream or lines of one.
func TestDocs_LinesKeepTheContract(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "contract.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(doc), "```json\n")[1:]
	for i, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		if i == 0 {
			if found := check(block, validate.Options{Strict: true}); len(found) > 0 {
				t.Errorf("the run at the top: %v, want no finding", found)
			}
			continue
		}
		for _, f := range validate.NewStream(validate.Options{}).Line([]byte(block)) {
			if rule, _ := validate.RuleByID(f.Rule); rule.Stage == validate.StageLine || rule.Stage == validate.StageSchema || rule.Stage == validate.StageSize {
				t.Errorf("example %d: %v in %s", i, f, block)
			}
		}
	}
	if len(blocks) < 1+len(schema.Types()) {
		t.Errorf("%d blocks of lines, want one run and one line per type", len(blocks))
	}
}
