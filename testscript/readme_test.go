package testscript_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadme_EveryCommandIsRun compares the commands of README.md, but for those
// that build the program, with those that its script runs.
func TestReadme_EveryCommandIsRun(t *testing.T) {
	page := read(t, filepath.Join("..", "README.md"))
	page = regexp.MustCompile("(?m)^(go install|export PATH=).*\n").ReplaceAllString(page, "")
	everyCommandIsRun(t, strings.ReplaceAll(page, "go run ./cmd/", ""), "readme.txtar")
}

// TestTesting_EveryCommandIsRun compares the commands of docs/testing.md with
// those that its script runs, and its picture of a scenario with the real one.
func TestTesting_EveryCommandIsRun(t *testing.T) {
	page := read(t, filepath.Join("..", "docs", "testing.md"))
	scenarios, _, _ := strings.Cut(page, "\n## Cassettes\n") // an endpoint is recorded there
	everyCommandIsRun(t, scenarios, "docs_testing.txtar")
	first := read(t, filepath.Join("..", "internal", "harness", "scaffold", "files", "first.txtar"))
	for _, line := range []string{"openagent run ", "stream-check ", "stream-order ", "stream-cmp ", "cmp ", "      arguments: "} {
		shown := regexp.MustCompile("(?m)^" + line + ".*$").FindString(page[strings.Index(page, "## A first scenario"):])
		if shown == "" || !strings.Contains(first, shown+"\n") {
			t.Errorf("docs/testing.md shows %q, which the scenario of openagent init does not have", shown)
		}
	}
}

// everyCommandIsRun compares the commands of a page with those that a script has a
// shell run.
func everyCommandIsRun(t *testing.T, page, script string) {
	t.Helper()
	var want []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(page, -1) {
		want = append(want, strings.Split(strings.TrimSpace(block[1]), "\n")...)
	}
	var got []string
	for _, match := range regexp.MustCompile("(?m)^(?:! )?exec sh -c '(.*)'$").FindAllStringSubmatch(read(t, filepath.Join("testdata", script)), -1) {
		got = append(got, strings.ReplaceAll(match[1], "''", "'"))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s runs other commands than its page has (-page +script):\n%s", script, diff)
	}
}

func TestAgents_EveryCommandIsRun(t *testing.T) {
	everyCommandIsRun(t, read(t, filepath.Join("..", "docs", "agents.md")), "docs_agents.txtar")
}

// TestTesting_RedIsWhatOneGets compares the output of a scenario that fails on
// the page with the one that docs_testing.txtar gets.
func TestTesting_RedIsWhatOneGets(t *testing.T) {
	page := read(t, filepath.Join("..", "docs", "testing.md"))
	script := read(t, filepath.Join("testdata", "docs_testing.txtar"))
	_, want, found := strings.Cut(script, "\n-- red.txt --\n")
	if !found || !strings.Contains(script, "\ncmp stdout red.txt\n") {
		t.Fatal("docs_testing.txtar does not compare its output with red.txt")
	}
	if !strings.Contains(page, "```text\n"+want+"```\n") {
		t.Errorf("docs/testing.md does not show what one gets:\n%s", want)
	}
}

// TestTesting_AgentIsTheOneThatRuns compares the agent in Python and its scenario
// on the page with those that docs_testing.txtar runs.
func TestTesting_AgentIsTheOneThatRuns(t *testing.T) {
	page := read(t, filepath.Join("..", "docs", "testing.md"))
	script := read(t, filepath.Join("testdata", "docs_testing.txtar"))
	_, files, _ := strings.Cut(script, "\n-- agent.py --\n")
	agent, rest, _ := strings.Cut(files, "-- agent.txtar --\n")
	head, _, found := strings.Cut(rest, "-- red.txt --\n")
	if !found {
		t.Fatal("docs_testing.txtar does not have the agent and its scenario")
	}
	for _, want := range []string{"```python\n" + agent, "```text\n" + regexp.MustCompile("(?m)^>").ReplaceAllString(head, "")} {
		if !strings.Contains(page, want+"```\n") {
			t.Errorf("docs/testing.md does not show what is run:\n%s", want)
		}
	}
}

// TestTesting_KnownAgentHasTheScenarioThatRuns compares the scenario for codex on
// the page with the one that docs_testing.txtar runs.
func TestTesting_KnownAgentHasTheScenarioThatRuns(t *testing.T) {
	page := read(t, filepath.Join("..", "docs", "testing.md"))
	_, files, _ := strings.Cut(read(t, filepath.Join("testdata", "docs_testing.txtar")), "\n-- codex.txtar --\n")
	head, _, found := strings.Cut(files, "-- bin/codex --\n")
	if want := "```text\n" + regexp.MustCompile("(?m)^>").ReplaceAllString(head, "") + "```\n"; !found || !strings.Contains(page, want) {
		t.Errorf("docs/testing.md does not show what is run:\n%s", want)
	}
}

// TestTesting_ScenariosAreThoseThatRun compares the scenario of openagent init
// --agent and the one for any agent on the page with those that docs_testing.txtar
// runs.
func TestTesting_ScenariosAreThoseThatRun(t *testing.T) {
	page := read(t, filepath.Join("..", "docs", "testing.md"))
	script := read(t, filepath.Join("testdata", "docs_testing.txtar")) + read(t, filepath.Join("testdata", "docs_asserts.txtar")) + "\n-- end --\n"
	for _, file := range []string{"starter.txt", "any.txtar", "plants.txtar"} {
		_, rest, _ := strings.Cut(script, "\n-- "+file+" --\n")
		program, _, found := strings.Cut(rest, "\n-- ")
		if want := "```text\n" + regexp.MustCompile("(?m)^>").ReplaceAllString(strings.TrimSuffix(program, "\n"), "") + "\n```\n"; !found || !strings.Contains(page, want) {
			t.Errorf("docs/testing.md does not show %s as it is run:\n%s", file, want)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
