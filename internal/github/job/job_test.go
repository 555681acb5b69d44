package job

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/schema/validate"
)

// lines splits a log; on windows the library ends its lines with CRLF.
func lines(s string) []string {
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n"), "\n")
}

func TestMask(t *testing.T) {
	var log strings.Builder
	if err := Begin(env(), &log).Mask([]string{"sk-test-1", "key line 1\n\n key line 2\r\n}\n", "", "abcdefg"}); err != nil {
		t.Fatalf("Mask: %v", err)
	}
	want := []string{"::add-mask::sk-test-1", "::add-mask::key line 1", "::add-mask::key line 2"}
	if diff := cmp.Diff(want, lines(log.String())); diff != "" {
		t.Errorf("Mask (-want +got):\n%s", diff)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestJob_ClosedLogIsAnError(t *testing.T) {
	j := Begin(env(), broken{})
	if err := j.Mask([]string{"sk-test-1"}); err == nil {
		t.Error("Mask to a closed log = nil, want an error")
	}
	if _, err := j.Fence(); err == nil {
		t.Error("Fence to a closed log = nil, want an error")
	}
	if err := Annotate(broken{}, "", []validate.Finding{{}}, 0); err == nil {
		t.Error("Annotate to a closed log = nil, want an error")
	}
}

func TestFence(t *testing.T) {
	var log strings.Builder
	j := Begin(env(), &log)
	for range 2 {
		f, err := j.Fence()
		if err != nil {
			t.Fatalf("Fence: %v", err)
		}
		if err := f.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
	got := regexp.MustCompile(`^::stop-commands::([A-Z2-7]{26})\n::([A-Z2-7]{26})::\n::stop-commands::([A-Z2-7]{26})\n::([A-Z2-7]{26})::\n$`).FindStringSubmatch(log.String())
	if got == nil || got[1] != got[2] || got[3] != got[4] || got[1] == got[3] {
		t.Errorf("two fences printed %q, want each opened and closed by a token of its own", log.String())
	}
}

func finding(line int, s validate.Severity) validate.Finding {
	return validate.Finding{File: "events.jsonl", Line: line, Rule: "line/json", Severity: s, Message: "no JSON"}
}

func TestAnnotate(t *testing.T) {
	var findings []validate.Finding
	for i := range 40 {
		findings = append(findings, finding(i, validate.SeverityInfo))
	}
	for i := range 9 {
		other := finding(40+i, validate.SeverityWarning)
		other.Rule = fmt.Sprint("other/", i)
		findings = append(findings, other)
	}
	findings = append(findings, finding(50, validate.SeverityError), finding(51, validate.SeverityError))
	var log strings.Builder
	if err := Annotate(&log, "", findings[:42], 5); err != nil {
		t.Fatalf("Annotate: %v", err)
	}
	want := []string{
		"::warning title=other/0::events.jsonl:40: no JSON", "::warning title=other/1::events.jsonl:41: no JSON",
		"::notice title=line/json::events.jsonl: no JSON", "::notice title=line/json::events.jsonl:1: no JSON",
		"::notice title=line/json::events.jsonl:2: no JSON (and 37 more)", "::warning::and 5 more findings, not shown here",
	}
	if diff := cmp.Diff(want, lines(log.String())); diff != "" {
		t.Errorf("Annotate of rules that are broken often (-want +got):\n%s", diff)
	}
	log.Reset()
	tampering := validate.NewFinding(validate.RuleTampering, 0, "the agent did it")
	if err := Annotate(&log, "", append(findings, tampering), 0); err != nil {
		t.Fatalf("Annotate: %v", err)
	}
	got := lines(log.String())
	if len(got) != maxAnnotations+1 || !strings.HasPrefix(got[0], "::error title=line/json::events.jsonl:50: ") ||
		got[7] != "::warning title=run/tampering::: the agent did it" || got[8] != "::warning::and 44 more findings, not shown here" {
		t.Errorf("Annotate of %d findings printed\n%s\nwant errors first, tampering among them, and the count of the others", len(findings)+1, &log)
	}
}

func TestAnnotate_CannotBeForged(t *testing.T) {
	const evil = "x,line=1::y%0A\n::error::forged\r\n##[error]z\x1b[0m"
	var log strings.Builder
	err := Annotate(&log, "", []validate.Finding{{File: evil, Rule: evil, Severity: validate.SeverityError, Message: evil, Line: 2}}, 0)
	if err != nil {
		t.Fatalf("Annotate: %v", err)
	}
	got := lines(log.String())
	if len(got) != 1 || strings.Count(got[0], "##[") != 0 ||
		!strings.HasPrefix(got[0], "::error title=x%2Cline=1%3A%3Ay%250A %3A %3Aerror%3A%3Aforged # #[error]z::") {
		t.Errorf("Annotate printed %q, want one line with the title escaped", log.String())
	}
}

func TestAnnotate_PlacesAreOfTheRepository(t *testing.T) {
	workspace, outside := t.TempDir(), t.TempDir()
	for _, dir := range []string{workspace, outside} {
		if err := os.WriteFile(filepath.Join(dir, "e.jsonl"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		filepath.Join(workspace, "e.jsonl"):    "::error file=e.jsonl,line=3,title=line/json::no JSON",
		filepath.Join(workspace, "none.jsonl"): "::error title=line/json::",
		filepath.Join(outside, "e.jsonl"):      "::error title=line/json::",
		"-":                                    "::error title=line/json::-:3: no JSON",
	} {
		var log strings.Builder
		f := finding(3, validate.SeverityError)
		f.File = file
		if err := Annotate(&log, workspace, []validate.Finding{f}, 0); err != nil {
			t.Fatalf("Annotate: %v", err)
		}
		if got := log.String(); !strings.HasPrefix(got, want) {
			t.Errorf("Annotate of %s = %q, want it to begin %q", file, got, want)
		}
	}
}

// A file that the runner did not make is not made for it.
func TestPublish_NoPageOfTheJob(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	for _, bad := range []string{"", missing, filepath.Dir(missing)} {
		warnings, err := Begin(env("GITHUB_STEP_SUMMARY", bad), &bytes.Buffer{}).Publish(result())
		if err != nil || len(warnings) != 2 || !strings.HasPrefix(warnings[0], "write job summary: ") {
			t.Errorf("Publish with the page %q warns %q, %v, want a warning about it", bad, warnings, err)
		}
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("Publish made a file that the runner does not know")
	}
}

// What a step writes to the page is measured with what it wrote there before: above
// 1 MiB nothing of it would be shown.
func TestPublish_PageHasABound(t *testing.T) {
	r := result()
	r.Summary = []byte("## verdict\n\nwhy\n\n### Findings\n\n" + strings.Repeat("x", 900<<10))
	for before, want := range map[int]string{100 << 10: string(r.Summary) + "\n", 200 << 10: "## verdict\n\nwhy\n\n**Left out:** the rest, since a step has 1 MiB of this page.\n", maxPage - 10: ""} {
		path := filepath.Join(t.TempDir(), "page")
		write(t, path, strings.Repeat("b", before-1)+"\n", 0o644)
		warnings, err := Begin(env("GITHUB_STEP_SUMMARY", path), &bytes.Buffer{}).Publish(r)
		page, _ := os.ReadFile(path)
		if got := string(page[before:]); err != nil || got != want {
			t.Errorf("after %d bytes the page gets %d, %.80q, %v, want %.80q", before, len(got), got, err, want)
		}
		if said := slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, "left out") }); said == (before == 100<<10) {
			t.Errorf("after %d bytes the warnings are %q, want one of what is left out if anything is", before, warnings)
		}
	}
}

// A file that was not there before is the agent's.
func TestRestore_RemovesWhatWasNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "env")
	j := Begin(env("GITHUB_ENV", path), &bytes.Buffer{})
	write(t, path, "LD_PRELOAD=/x\n", 0o644)
	tampering, err := j.Restore()
	if want := []string{"made the file of GITHUB_ENV, want none; it was removed"}; err != nil || !cmp.Equal(tampering, want) {
		t.Errorf("Restore = %q, %v, want %q", tampering, err, want)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("the file is still there")
	}
}
