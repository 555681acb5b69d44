package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/harness/scenarios"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
)

// testScripts runs openagent test with a runner of its own over empty scripts
// of these names.
func testScripts(t *testing.T, run scenarios.Runner, names []string, args ...string) outcome {
	t.Helper()
	t.Setenv("CI", "")
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name+".txtar"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	p := &program{Process: process.Process{Out: &out, Err: &errs}, parts: Parts{Scripts: func() (scenarios.Runner, func() error, error) {
		return run, func() error { return nil }, nil
	}}}
	status := p.main(append([]string{"test", dir}, args...))
	return outcome{status, out.String(), errs.String()}
}

func passed(s scenarios.Script) scenarioresult.Script {
	return scenarioresult.Script{Name: s.Name, File: s.File, Outcome: scenarioresult.Passed}
}

// Results come in the order of the files, whichever script ends first.
func TestTest_ResultsInOrder(t *testing.T) {
	last := make(chan struct{})
	got := testScripts(t, func(_ context.Context, s scenarios.Script) scenarioresult.Script {
		if s.Name == "a" {
			<-last
		} else {
			close(last)
		}
		return passed(s)
	}, []string{"a", "b"}, "-j", "2")
	want := "ok    a  0.00s\nok    b  0.00s\n2 scripts: 2 passed in "
	if got.status != StatusOK || !strings.HasPrefix(got.out, want) {
		t.Errorf("openagent test = %+v, want 0 and %q", got, want)
	}
}

func TestTest_GivesScriptsWhatWasAskedFor(t *testing.T) {
	var mu sync.Mutex
	var scripts []scenarios.Script
	got := testScripts(t, func(_ context.Context, s scenarios.Script) scenarioresult.Script {
		mu.Lock()
		defer mu.Unlock()
		scripts = append(scripts, s)
		return passed(s)
	}, []string{"one", "two", "three"}, "--run", "^t", "--timeout", "7s", "--update")
	for i := range scripts {
		scripts[i].File, scripts[i].ID = filepath.Base(scripts[i].File), path.Base(scripts[i].ID)
	}
	slices.SortFunc(scripts, func(a, b scenarios.Script) int { return strings.Compare(a.Name, b.Name) })
	want := []scenarios.Script{
		{Name: "three", ID: "three.txtar", File: "three.txtar", Timeout: 7 * time.Second, Update: true},
		{Name: "two", ID: "two.txtar", File: "two.txtar", Timeout: 7 * time.Second, Update: true},
	}
	if diff := cmp.Diff(want, scripts); diff != "" || got.status != StatusOK {
		t.Errorf("openagent test = %+v, scripts (-want +got):\n%s", got, diff)
	}
}

// No more than -j scripts run at a time.
func TestTest_Jobs(t *testing.T) {
	var mu sync.Mutex
	running, most := 0, 0
	both := make(chan struct{}, 2)
	testScripts(t, func(_ context.Context, s scenarios.Script) scenarioresult.Script {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		both <- struct{}{} // blocks a third one until another has ended
		defer func() {
			<-both
			mu.Lock()
			running--
			mu.Unlock()
		}()
		return passed(s)
	}, []string{"a", "b", "c", "d", "e", "f"}, "-j", "2")
	if most > 2 || most == 0 {
		t.Errorf("openagent test -j 2 ran %d scripts at a time, want 2 at most", most)
	}
}

// Output that cannot be delivered ends the command with its own status.
func TestTest_OutputFails(t *testing.T) {
	for _, format := range []string{"human", "json", "junit", "test2json"} {
		var errs bytes.Buffer
		p := &program{Process: process.Process{Out: failingWriter{}, Err: &errs}, parts: Parts{Scripts: func() (scenarios.Runner, func() error, error) {
			return func(_ context.Context, s scenarios.Script) scenarioresult.Script { return passed(s) }, func() error { return nil }, nil
		}}}
		file := filepath.Join(t.TempDir(), "a.txtar")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := p.main([]string{"test", "--format", format, file}); got != StatusDelivery || !strings.Contains(errs.String(), "pipe is gone") {
			t.Errorf("openagent test --format %s = %d, %q, want 3 and the cause", format, got, errs.String())
		}
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("pipe is gone") }
