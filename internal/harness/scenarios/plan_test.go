package scenarios

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
)

// scriptsHere makes empty scripts in the current folder.
func scriptsHere(t *testing.T, files ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, file := range files {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func ids(p *Plan) (list []string) {
	for _, s := range p.Scripts {
		list = append(list, s.ID)
	}
	return list
}

// Parts are what shard says they are, whichever way the scripts are named.
func TestSelection_Parts(t *testing.T) {
	scriptsHere(t, "s/a.txtar", "s/b.txtar", "s/c\nd.txtar", "s/\u00e9.txtar", "t.json")
	if err := WriteTimings("t.json", map[string]int64{"s/a.txtar": 100, "s/gone.txtar": 5}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for i := 1; i <= 3; i++ {
		for _, paths := range [][]string{{"s"}, {"s/\u00e9.txtar", "s"}, nil} {
			p, err := Selection{Paths: paths, Part: Part{I: i, N: 3}, Timings: "t.json"}.Find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := ids(p)
			slices.Sort(got)
			if !slices.Equal(p.Gone, []string{"s/gone.txtar"}) || len(p.All) != 4 {
				t.Errorf("part %d of %q: gone %q, all %q", i, paths, p.Gone, p.All)
			}
			seen[strings.Join(got, "|")]++
		}
	}
	for part, n := range seen {
		if n != 3 || len(seen) != 3 {
			t.Errorf("%d parts, %q %d times; want three, each the same by any paths", len(seen), part, n)
		}
	}
}

// Names that JSON cannot hold stay apart.

func TestSelection_FailedIn(t *testing.T) {
	scriptsHere(t, "d/a-bad.txtar", "d/b.txtar", "d/c.txtar")
	runPart(t, planOf([]string{"a-bad", "b", "c"}, Part{}, nil), "out", outcomeOf, Trials{})
	find := func(s Selection) (*Plan, error) {
		s.FailedIn = "out"
		return s.Find(t.Context())
	}
	p, err := find(Selection{Paths: []string{"d"}})
	if err != nil || !slices.Equal(ids(p), []string{"d/a-bad.txtar"}) {
		t.Errorf("Find of what failed = %v, %v, want the one", p, err)
	}
	if p, err := find(Selection{Paths: []string{"d"}, Match: regexp.MustCompile("^b$")}); err != nil || len(p.Scripts) > 0 {
		t.Errorf("Find of what failed and is called b = %v, %v, want nothing", p, err)
	}
	if _, err := find(Selection{Paths: []string{"d"}, Match: regexp.MustCompile("^x$")}); !errors.Is(err, ErrNothing) {
		t.Errorf("Find of what is called x = %v, want %v", err, ErrNothing)
	}
	if err := os.Remove("d/a-bad.txtar"); err != nil {
		t.Fatal(err)
	}
	if _, err := find(Selection{Paths: []string{"d"}}); err == nil || !strings.Contains(err.Error(), "1 scenario failed in out and is not among the scripts here: d/a-bad.txtar") {
		t.Errorf("Find of what is gone = %v, want it named", err)
	}
	runPart(t, planOf([]string{"b"}, Part{}, nil), "good", outcomeOf, Trials{})
	p, err = Selection{FailedIn: "good/results.json"}.Find(t.Context())
	if err != nil || !p.NoneFailed || len(p.Scripts) > 0 || !strings.Contains(strings.Join(p.Notes(), "\n"), "nothing failed in good/results.json: ") {
		t.Errorf("Find of what failed in a success = %+v, %v, want nothing and why", p, err)
	}
	if _, err := (Selection{FailedIn: "d/b.txtar"}).Find(t.Context()); err == nil || !strings.Contains(err.Error(), "holds no results of scenarios") {
		t.Errorf("Find of what failed in a script = %v, want that it has no results", err)
	}
}

// What was planned and did not run is run again too.
func TestSelection_FailedInWhatWasStopped(t *testing.T) {
	scriptsHere(t, "d/a-bad.txtar", "d/b.txtar")
	plan := planOf([]string{"a-bad", "b"}, Part{}, nil)
	_, err := Run(t.Context(), quiet(), plan, Options{
		Prepare: func() (Runner, func() error, error) { return outcomeOf, func() error { return nil }, nil },
		Jobs:    1, FailFast: true, Form: scenarioresult.Forms()[0], Outcome: outDir("out"),
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Selection{Paths: []string{"d"}, FailedIn: "out"}.Find(t.Context())
	if diff := cmp.Diff([]string{"d/a-bad.txtar", "d/b.txtar"}, ids(p)); err != nil || diff != "" {
		t.Errorf("Find = %v (-want +got):\n%s", err, diff)
	}
}

func TestTrials_Check(t *testing.T) {
	for _, ok := range []Trials{{1, ""}, {1, "1"}, {5, "3"}, {5, "80%"}, {3, "1%"}, {3, "100%"}} {
		if err := ok.Check(); err != nil {
			t.Errorf("%v.Check() = %v", ok, err)
		}
	}
	for _, wrong := range []Trials{{0, ""}, {-1, ""}, {2, "3"}, {2, "-1"}, {2, "0"}, {2, "120%"}, {2, "0%"}, {2, "half"}, {2, "%"}} {
		if err := wrong.Check(); err == nil {
			t.Errorf("%v.Check() = nil, want an error", wrong)
		}
	}
}

// What a script comes to by all of its attempts; the log is that of the first failure.
func TestTrying(t *testing.T) {
	for _, tt := range []struct {
		outcomes      string // p passed, f failed, s skipped
		want, log     string
		passes, tried int
	}{
		{"ppp", scenarioresult.Passed, "", 3, 3},
		{"pff", scenarioresult.Flaky, "2", 1, 3},
		{"fff", scenarioresult.Failed, "1", 0, 3},
		{"sss", scenarioresult.Skipped, "1", 0, 0},
		{"psp", scenarioresult.Flaky, "2it ran before, and was skipped now\n", 2, 3},
	} {
		n := 0
		run := func(_ context.Context, s Script) scenarioresult.Script {
			outcome := map[byte]string{'p': scenarioresult.Passed, 'f': scenarioresult.Failed, 's': scenarioresult.Skipped}[tt.outcomes[n]]
			n++
			r := scenarioresult.Script{Name: s.Name, Outcome: outcome, Time: time.Second}
			if outcome != scenarioresult.Passed {
				r.Log = string(rune('0' + n))
			}
			return r
		}
		s := &suite{opts: Options{Trials: Trials{Repeat: 3}}}
		got := s.trying(run)(t.Context(), Script{Name: "a"})
		if got.Outcome != tt.want || got.Log != tt.log || got.Passes() != tt.passes || len(got.Attempts) != tt.tried {
			t.Errorf("%s: %s with %d of %d and the log %q, want %s with %d of %d and %q", tt.outcomes, got.Outcome, got.Passes(), len(got.Attempts), got.Log, tt.want, tt.passes, tt.tried, tt.log)
		}
	}
}

// A script that was to run more often passes no more when it is interrupted.
func TestTrying_Interrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	run := func(_ context.Context, s Script) scenarioresult.Script {
		cancel()
		return scenarioresult.Script{Name: s.Name, File: s.File, Outcome: scenarioresult.Passed}
	}
	s := &suite{opts: Options{Trials: Trials{Repeat: 3}}}
	if got := s.trying(run)(ctx, Script{Name: "a", File: "a"}); !got.Fails() || got.Log != "FAIL: a: interrupted\n" {
		t.Errorf("an interrupted script is %+v, want that it fails", got)
	}
}

func TestWatch_RunsWhatChanged(t *testing.T) {
	scriptsHere(t, "d/a.txtar", "d/b.txtar")
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan string, 10)
	run := func(_ context.Context, s Script) scenarioresult.Script {
		ran <- s.Name
		return scenarioresult.Script{Name: s.Name, File: s.File, Outcome: scenarioresult.Passed}
	}
	done := make(chan error, 1)
	go func() {
		done <- Watch(ctx, quiet(), func() (*Plan, error) { return Selection{Paths: []string{"d"}}.Find(ctx) }, Options{
			Prepare: func() (Runner, func() error, error) { return run, func() error { return nil }, nil },
			Jobs:    1, Form: scenarioresult.Forms()[0],
		})
	}()
	if a, b := <-ran, <-ran; a != "a" || b != "b" {
		t.Errorf("first %s and %s ran, want a and b", a, b)
	}
	if err := os.WriteFile("d/b.txtar", []byte("# changed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := <-ran; got != "b" {
		t.Errorf("%s ran, want b, which changed", got)
	}
	if err := os.WriteFile("d/c.txtar", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := <-ran; got != "c" {
		t.Errorf("%s ran, want c, which is new", got)
	}
	cancel()
	if err := <-done; err != nil || len(ran) > 0 {
		t.Errorf("Watch = %v with %d more runs, want neither", err, len(ran))
	}
}
