package scenarios

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// planOf is a plan of scripts of these names, of which a part is to run.
func planOf(names []string, part Part, times map[string]int64) *Plan {
	p := &Plan{Selection: Selection{Part: part}, Times: times}
	for _, name := range names {
		p.Scripts = append(p.Scripts, Script{Name: name, ID: "d/" + name + ".txtar", File: "d/" + name + ".txtar"})
		p.All = append(p.All, p.Scripts[len(p.Scripts)-1].ID)
	}
	if part.N == 0 {
		return p
	}
	mine := map[string]bool{}
	for _, id := range p.Split(part.N)[part.I-1].IDs {
		mine[id] = true
	}
	var some []Script
	for _, s := range p.Scripts {
		if mine[s.ID] {
			some = append(some, s)
		}
	}
	p.Scripts = some
	return p
}

// outcomeOf decides by its name what a script comes to: the same on every machine.
func outcomeOf(_ context.Context, s Script) scenarioresult.Script {
	r := scenarioresult.Script{Name: s.Name, File: s.File, Outcome: scenarioresult.Passed, Time: time.Millisecond, Started: time.Date(2026, 3, 3, 20, 0, 0, 0, time.UTC)}
	switch {
	case strings.Contains(s.Name, "bad"):
		r.Outcome, r.Log = scenarioresult.Failed, "FAIL: "+s.File+":3: a and b differ\n"
	case strings.Contains(s.Name, "none"):
		r.Outcome, r.Log = scenarioresult.Skipped, "no moon\n"
	}
	return r
}

// runPart runs a part into the folder dir.
func runPart(t *testing.T, plan *Plan, dir string, run Runner, trials Trials) {
	t.Helper()
	t.Setenv("GITHUB_ACTIONS", "")
	_, err := Run(t.Context(), &process.Process{Out: io.Discard, Err: io.Discard}, plan, Options{
		Prepare: func() (Runner, func() error, error) { return run, func() error { return nil }, nil },
		Jobs:    4, Form: scenarioresult.Forms()[0], Version: "v1", Outcome: harness.Outcome{Dir: dir}, Trials: trials,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// merged merges folders into a new one, and returns what was printed beside.
func merged(t *testing.T, dirs ...string) (m Merged, v runner.Verdict, printed, out string) {
	t.Helper()
	m = ReadParts(dirs, "v1")
	var b bytes.Buffer
	out = filepath.Join(t.TempDir(), "merged")
	result, err := Merge(t.Context(), &process.Process{Out: &b, Err: io.Discard}, m, nil, Options{
		Form: scenarioresult.Forms()[0], Readable: true, Version: "v1", Outcome: harness.Outcome{Dir: out},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m, result.Verdict, b.String(), out
}

// clock finds when the first script began, and what that is for the digests.
var clock = regexp.MustCompile(`"started":( ?)"[0-9T:.Z-]+"|[0-9a-f]{64}  results.json`)

// contents returns the files of a folder without what they say of times.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, root := map[string]string{}, os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		files[name] = clock.ReplaceAllString(string(text), `"started"$1:$1"TIME"`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// However many machines share 500 scripts, the merged report is the same to the byte.
func TestMerge_AnyNumberOfParts(t *testing.T) {
	t.Chdir(t.TempDir())
	var names []string
	times := map[string]int64{}
	for i := range 500 {
		name := fmt.Sprintf("s%03d", i)
		switch {
		case i%97 == 5:
			name += "-bad"
		case i%50 == 3:
			name += "-none\u00e9\n"
		}
		names = append(names, name)
		times["d/"+name+".txtar"] = int64(i * i % 911)
	}
	var want map[string]string
	for _, total := range []int{1, 2, 5} {
		var dirs []string
		for i := range total {
			dir := filepath.Join(t.TempDir(), fmt.Sprintf("part %d", i))
			runPart(t, planOf(names, Part{I: i + 1, N: total}, times), dir, outcomeOf, Trials{})
			dirs = append([]string{dir}, dirs...) // in any order
		}
		m, v, _, out := merged(t, dirs...)
		if v != runner.VerdictFailure || len(m.Faults) > 0 || len(m.Doc.Scenarios) != 500 {
			t.Fatalf("%d parts: verdict %s with %d scenarios and faults %v, want a failure with 500 and none", total, v, len(m.Doc.Scenarios), m.Faults)
		}
		got := contents(t, out)
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) != 7 {
			t.Errorf("%d parts: %d files, the report differs from that of 1:\n%.2000s", total, len(got), diff)
		}
	}
	// So is that of one machine which shared out nothing.
	dir := filepath.Join(t.TempDir(), "whole")
	runPart(t, planOf(names, Part{}, nil), dir, outcomeOf, Trials{})
	if _, _, _, out := merged(t, dir); cmp.Diff(want, contents(t, out)) != "" {
		t.Error("the report of one machine without parts is another one")
	}
}

// By chance: whatever splits, orders and losses, each planned script is there once or
// is named.
func TestReadParts_EveryScriptOnceOrNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	random := rand.New(rand.NewPCG(3, 9))
	for round := range 25 {
		total := 1 + random.IntN(5)
		var names []string
		for i := range 1 + random.IntN(12) {
			names = append(names, fmt.Sprintf("n%d", i))
		}
		dirs, lost := []string{}, map[string]string{}
		for i := range total {
			plan := planOf(names, Part{I: i + 1, N: total}, nil)
			rule := ""
			switch random.IntN(4) {
			case 0:
				rule = scenarioresult.RuleMissing
			case 1:
				rule = scenarioresult.RuleDoubled
			}
			for _, s := range plan.Scripts {
				lost[s.ID] = rule
			}
			for range map[string]int{scenarioresult.RuleMissing: 0, "": 1, scenarioresult.RuleDoubled: 2}[rule] {
				dir := filepath.Join(t.TempDir(), "part")
				runPart(t, plan, dir, outcomeOf, Trials{})
				dirs = append(dirs, dir)
			}
		}
		random.Shuffle(len(dirs), func(i, j int) { dirs[i], dirs[j] = dirs[j], dirs[i] })
		m := ReadParts(dirs, "v1")
		named := map[string]string{}
		for _, f := range m.Faults {
			named[f.File] = f.Rule
		}
		if len(dirs) == 0 {
			continue // of nothing nobody knows what was planned
		}
		for id, rule := range lost {
			if named[id] != rule {
				t.Errorf("round %d: %s is named %q, want %q", round, id, named[id], rule)
			}
		}
	}
}

// Whatever is wrong with a folder is named, and never makes a success.
func TestReadParts_Faults(t *testing.T) {
	t.Chdir(t.TempDir())
	names := []string{"a", "b", "c", "d"}
	part := func(i int) Part { return Part{I: i, N: 2} }
	write := func(dir, old, new string) { // as an honest writer would have
		t.Helper()
		p, err := readPart(dir)
		if err != nil {
			t.Fatal(err)
		}
		text, err := p.doc.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		saveDocument(t, dir, strings.ReplaceAll(string(text), old, new))
	}
	for name, tt := range map[string]struct {
		spoil func(one, two string) []string
		want  map[string]string // what a rule names
	}{
		"nothing":           {func(one, two string) []string { return []string{one, two} }, nil},
		"their folder":      {func(one, _ string) []string { return []string{filepath.Dir(one)} }, nil},
		"one twice by name": {func(one, two string) []string { return []string{one, two, one + "/."} }, nil},
		"one is missing":    {func(one, _ string) []string { return []string{one} }, map[string]string{scenarioresult.RuleMissing: "d/b.txtar d/d.txtar"}},
		"one was killed": {func(one, two string) []string {
			_ = os.RemoveAll(two)
			_ = os.Mkdir(two, 0o755)
			_ = os.WriteFile(two+"/SHA256SUMS", nil, 0o600)
			return []string{one, two}
		}, map[string]string{scenarioresult.RuleMissing: "d/b.txtar d/d.txtar", scenarioresult.RuleUnread: "two"}},
		"one was cut": {func(one, two string) []string {
			_ = os.Truncate(two+"/results.json", 100)
			return []string{one, two}
		}, map[string]string{scenarioresult.RuleMissing: "d/b.txtar d/d.txtar", scenarioresult.RuleUnread: "two"}},
		"one is cut and its digests fit": {func(one, two string) []string {
			_ = os.RemoveAll(two)
			saveDocument(t, two, `{"schema": "openagent.test_results.v1"`)
			return []string{one, two}
		}, map[string]string{scenarioresult.RuleMissing: "d/b.txtar d/d.txtar", scenarioresult.RuleUnread: "two"}},
		"no folder":      {func(one, two string) []string { return []string{one, two, "nowhere"} }, map[string]string{scenarioresult.RuleUnread: "nowhere"}},
		"nothing at all": {func(string, string) []string { return []string{"nowhere"} }, map[string]string{scenarioresult.RuleUnread: "nowhere"}},
		"another version": {func(one, two string) []string { write(two, `"v1"`, `"v2"`); return []string{one, two} },
			map[string]string{scenarioresult.RuleVersion: "two", scenarioresult.RuleMissing: "d/b.txtar d/d.txtar"}},
		"another commit": {func(one, two string) []string {
			write(two, `"commit": null`, `"commit": "abc"`)
			return []string{one, two}
		},
			map[string]string{scenarioresult.RuleCommit: "two", scenarioresult.RuleMissing: "d/b.txtar d/d.txtar"}},
		"another plan": {func(one, two string) []string { write(two, `d/d.txtar`, `d/e.txtar`); return []string{one, two} },
			map[string]string{scenarioresult.RulePlan: "two", scenarioresult.RuleMissing: "d/b.txtar d/d.txtar"}},
		"another number of passes": {func(one, two string) []string {
			write(two, `"planned": [`, `"min_pass": 1, "planned": [`)
			return []string{one, two}
		},
			map[string]string{scenarioresult.RulePlan: "two", scenarioresult.RuleMissing: "d/b.txtar d/d.txtar"}},
		"the same part twice": {func(one, two string) []string {
			copied := filepath.Join(filepath.Dir(one), "three")
			_ = os.CopyFS(copied, os.DirFS(one))
			return []string{one, two, copied}
		}, map[string]string{scenarioresult.RuleDoubled: "d/a.txtar d/c.txtar"}},
		"evidence that is not there": {func(one, two string) []string {
			write(two, `"evidence": null`, `"evidence": "evidence/1-b/1/run-1"`)
			return []string{one, two}
		}, map[string]string{scenarioresult.RuleMissing: "d/b.txtar d/d.txtar", scenarioresult.RuleUnread: "two"}},
		"a part that ended early": {func(one, two string) []string {
			write(two, `"scenarios": [`, `"scenarios": [], "x": [`)
			return []string{one, two}
		}, map[string]string{scenarioresult.RuleMissing: "d/b.txtar d/d.txtar"}},
	} {
		dir := t.TempDir()
		one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
		runPart(t, planOf(names, part(1), nil), one, outcomeOf, Trials{})
		runPart(t, planOf(names, part(2), nil), two, outcomeOf, Trials{})
		m, v, printed, _ := merged(t, tt.spoil(one, two)...)
		got := map[string]string{}
		for _, f := range m.Faults {
			got[f.Rule] = strings.TrimSpace(got[f.Rule] + " " + strings.TrimPrefix(f.File, dir+"/"))
			if !strings.Contains(printed, f.File+": ") {
				t.Errorf("%s: nothing printed names %s:\n%s", name, f.File, printed)
			}
		}
		if tt.want == nil {
			tt.want = map[string]string{}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || (v == runner.VerdictSuccess) != (len(tt.want) == 0) {
			t.Errorf("%s: verdict %s, faults (-want +got):\n%s", name, v, diff)
		}
	}
}

// saveDocument leaves a folder with results.json and its digest.
func saveDocument(t *testing.T, dir, text string) {
	t.Helper()
	s := &suite{Process: &process.Process{Out: io.Discard, Err: io.Discard}, opts: Options{Outcome: harness.Outcome{Dir: dir}}}
	pub, err := s.openResults()
	if err != nil {
		t.Fatal(err)
	}
	if err := pub.folder.Close([]evidence.File{{Name: "results.json", Write: write([]byte(text))}}); err != nil {
		t.Fatal(err)
	}
}

// A merge has the evidence of failed attempts where a run of the whole has it. What is
// missing of it is named.
func TestMerge_KeptEvidence(t *testing.T) {
	t.Chdir(t.TempDir())
	leaves := func(ctx context.Context, s Script) scenarioresult.Script {
		dir := filepath.Join(s.Evidence, "run-1")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "report.html"), []byte(s.Name), 0o600); err != nil {
			t.Error(err)
		}
		return outcomeOf(ctx, s)
	}
	names := []string{"a", "bad", "c", "bad2"}
	runPart(t, planOf(names, Part{}, nil), "whole", leaves, Trials{Repeat: 2})
	runPart(t, planOf(names, Part{1, 2}, nil), "part1", leaves, Trials{Repeat: 2})
	runPart(t, planOf(names, Part{2, 2}, nil), "part2", leaves, Trials{Repeat: 2})
	m, _, _, out := merged(t, "part1", "part2")
	whole := contents(t, "whole")
	delete(whole, evidence.SumsFile) // others are of times, and of timings.json
	got := contents(t, out)
	delete(got, evidence.SumsFile)
	delete(got, evidence.TimingsFile)
	for _, name := range []string{evidence.SummaryFile, evidence.JUnitFile} {
		delete(whole, name)
		delete(got, name)
	}
	if diff := cmp.Diff(whole, got); diff != "" || len(m.Faults) > 0 || got["evidence/4-bad2.txtar/2/run-1/report.html"] != "bad2" {
		t.Errorf("merged with faults %v (-whole +merged):\n%s", m.Faults, diff)
	}
	if err := os.RemoveAll("part1/evidence"); err != nil {
		t.Fatal(err)
	}
	if _, v, printed, _ := merged(t, "part1", "part2"); v != runner.VerdictFailure || !strings.Contains(printed, "part1: evidence/") {
		t.Errorf("merge without evidence that was kept: %s, want a failure that names it:\n%s", v, printed)
	}
}

// A script that passes some times but not all is flaky, and fails where these are too
// few, also after a merge.
func TestMerge_Flaky(t *testing.T) {
	t.Chdir(t.TempDir())
	n := 0
	alternating := func(_ context.Context, s Script) scenarioresult.Script {
		n++
		r := scenarioresult.Script{Name: s.Name, File: s.File, Outcome: scenarioresult.Passed, Time: time.Millisecond}
		if n%2 == 1 {
			r.Outcome, r.Log = scenarioresult.Failed, "FAIL: "+s.File+":1: x\n"
		}
		return r
	}
	for minPass, want := range map[string]runner.Verdict{"": runner.VerdictFailure, "2": runner.VerdictSuccess, "50%": runner.VerdictSuccess, "3": runner.VerdictFailure, "51%": runner.VerdictFailure} {
		dir := filepath.Join(t.TempDir(), "out")
		n = 0
		runPart(t, planOf([]string{"a"}, Part{}, nil), dir, alternating, Trials{Repeat: 4, MinPass: minPass})
		m, v, printed, _ := merged(t, dir)
		s := m.Doc.Scenarios[0]
		if v != want || s.Status != schema.TestFlaky || s.Passes() != 2 || len(s.Attempts) != 4 || !strings.Contains(printed, "flaky  a  0.00s  2 of 4 passed") {
			t.Errorf("--min-pass %q of 4 with 2: verdict %s, %s with %d of %d, want %s and flaky with 2 of 4:\n%s", minPass, v, s.Status, s.Passes(), len(s.Attempts), want, printed)
		}
	}
}

func TestMerged_Timings(t *testing.T) {
	m := Merged{Doc: schema.TestResults{
		Planned: []string{"a", "b", "c"},
		Scenarios: []schema.TestScenario{
			{ID: "a", Attempts: []schema.TestAttempt{{OK: true, MS: 9}}}, {ID: "b", Attempts: []schema.TestAttempt{{MS: 1}}},
		},
	}}
	before := map[string]int64{"a": 1, "b": 2, "c": 3, "gone\n": 4}
	want := map[string]int64{"a": 9, "b": 2, "c": 3}
	if diff := cmp.Diff(want, m.timings(before).Scenarios); diff != "" {
		t.Errorf("timings (-want +got):\n%s", diff)
	}
	if got := m.Gone(before); !regexp.MustCompile(`^times of 1 script that were not planned are left out: gone$`).MatchString(got) {
		t.Errorf("Gone = %q, want it named", got)
	}
}
