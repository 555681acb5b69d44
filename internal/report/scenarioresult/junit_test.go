package scenarioresult

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/openagent-ci/openagent/internal/testkit/testenv"
)

// Each file *.xsd of the folder that .ci/run names is a schema in common use.
func TestJUnit_KeepsTheCommonSchemas(t *testing.T) {
	folder := os.Getenv("OPENAGENT_TEST_JUNIT")
	if folder == "" {
		t.Skip(".ci/run names the folder with the schemas")
	}
	schemas, err := filepath.Glob(filepath.Join(folder, "*.xsd"))
	if err != nil || len(schemas) < 2 {
		t.Fatalf("schemas in %s: %q, %v; want that of Ant and that of Jenkins", folder, schemas, err)
	}
	some := threeScripts()
	some.Scripts = some.Scripts[:2] // Ant's knows none that is skipped
	for _, schema := range schemas {
		for name, report := range map[string]string{"no script": scripts(t, "junit", Totals{}), "scripts": scripts(t, "junit", some)} {
			if says, err := testenv.XMLLint(schema, report); err != nil {
				t.Errorf("%s: %v: %s\n%s", name, err, says, report)
			}
		}
	}
	if says, err := testenv.XMLLint(filepath.Join(folder, "jenkins-junit.xsd"), scripts(t, "junit", threeScripts())); err != nil {
		t.Errorf("a skipped script: %v: %s", err, says)
	}
}
