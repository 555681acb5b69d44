package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/schema"
)

// secondVersion is of tests alone: nothing prints it, and no program has it.
const secondVersion = "openagent.run_event.v2"

// schemaSteps are what the author of a parser does and sees from one revision to the
// next and from one version to the next. Each goes on with the files of the one before.
var schemaSteps = []struct {
	part     string
	sets     func(first, second schema.Contract) schema.Set
	commands []string
}{
	{"step 1", func(first, _ schema.Contract) schema.Set { return schema.NewSet(first) }, []string{
		"schema verify",
		"schema diff openagent.run_event.v1.r1 openagent.run_event.v1.r2",
		"schema lock",
		"schema verify old.jsonl",
	}},
	{"step 2", both, []string{
		"schema list",
		"schema verify old.jsonl",
		"schema diff openagent.run_event.v1 openagent.run_event.v2",
	}},
	{"step 3", both, []string{
		"schema verify old.jsonl new.jsonl",
		"check old.jsonl new.jsonl mixed.jsonl",
		"check --schema openagent.run_event.v1 new.jsonl",
		"schema lock",
		"schema verify old.jsonl new.jsonl",
	}},
	{"step 4", func(_, second schema.Contract) schema.Set { return schema.NewSet(second) }, []string{
		"schema verify new.jsonl",
		"check old.jsonl",
		"schema show openagent.run_event.v1",
		"schema lock",
		"schema verify new.jsonl",
	}},
}

func both(first, second schema.Contract) schema.Set { return schema.NewSet(first, second) }

// eventContracts returns the first version with two revisions and the second one.
func eventContracts(t *testing.T) (first, second schema.Contract) {
	t.Helper()
	text, err := os.ReadFile("../../schema/testdata/openagent.run_event.v2.r1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	first, second = schema.Contract{Version: schema.Version}, schema.Contract{Version: secondVersion, Revisions: [][]byte{text}}
	for _, revision := range []string{".r1", ".r2"} {
		if text, err = schema.Load(schema.Version + revision); err != nil {
			t.Fatal(err)
		}
		first.Revisions = append(first.Revisions, text)
	}
	return first, second
}

// versionsFolder makes a folder with a lock of the first revision, a stream of each
// version and one that begins with the first version and goes on with the second.
func versionsFolder(t *testing.T, first schema.Contract) string {
	t.Helper()
	dir := t.TempDir()
	const start, end = `{"schema_version":%q,"sequence":1,"ts":"2026-03-03T20:11:12.000Z","run_id":"r1","step":0,"type":"run_started","data":{}}` + "\n",
		`{"schema_version":%q,"sequence":2,"ts":"2026-03-03T20:11:13.000Z","run_id":"r1","step":0,"type":"run_finished",` +
			`"data":{"exit_reason":"ok","ok":true,"final_output":"","error":null}}` + "\n"
	lock, err := schema.NewSet(schema.Contract{Version: schema.Version, Revisions: first.Revisions[:1]}).Lock().Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		defaultLockFile: string(lock),
		"old.jsonl":     fmt.Sprintf(start+end, schema.Version, schema.Version),
		"new.jsonl":     fmt.Sprintf(start+end, secondVersion, secondVersion),
		"mixed.jsonl":   fmt.Sprintf(start+end, schema.Version, secondVersion),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The outputs in testdata/versions.md, which docs/schema-versions.md sums up, are those of the commands, with two versions
// of the event contract and three revisions.
func TestDocs_VersionStepsAreWhatIsPrinted(t *testing.T) {
	first, second := eventContracts(t)
	dir := versionsFolder(t, first)
	for _, step := range schemaSteps {
		var text strings.Builder
		text.WriteString("```text\n")
		for _, line := range step.commands {
			var out bytes.Buffer
			p := &program{
				Process: process.Process{Env: process.Env{Dir: dir}, In: strings.NewReader(""), Out: &out, Err: &out},
				schemas: step.sets(first, second),
			}
			status := p.main(strings.Fields(line))
			fmt.Fprintf(&text, "$ openagent %s\n%s", line, &out)
			if status != StatusOK {
				fmt.Fprintf(&text, "[status %d]\n", status)
			}
		}
		text.WriteString("```\n")
		compareDoc(t, "../internal/cli/testdata/versions.md", step.part, text.String())
	}
}
