package testscript

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/internal/harness/scenarios"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
)

const streamScript = `stream-cmp got.jsonl want.jsonl
stream-cmp got.jsonl want.jsonl

-- got.jsonl --
{"sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"a","step":0,"type":"run_finished","data":{"final_output":"new"}}
-- want.jsonl --
{"sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"b","step":0,"type":"run_finished","data":{"final_output":"old"}}
-- last.txt --
stays
`

// fakeT lets a script fail without failing the test that runs it.
type fakeT struct {
	log    strings.Builder
	failed bool
}

// stopped ends a script.
type stopped struct{}

func (f *fakeT) Skip(args ...any)  { panic(stopped{}) }
func (f *fakeT) Fatal(args ...any) { f.Log(args...); f.FailNow() }
func (f *fakeT) Parallel()         {}
func (f *fakeT) Log(args ...any) {
	for _, a := range args {
		f.log.WriteString(a.(string))
	}
}
func (f *fakeT) FailNow() { f.failed = true; panic(stopped{}) }
func (f *fakeT) Run(_ string, run func(testscript.T)) {
	defer func() {
		if p := recover(); p != nil && p != (stopped{}) {
			panic(p)
		}
	}()
	run(f)
}
func (f *fakeT) Verbose() bool { return true }
func (f *fakeT) Failed() bool  { return f.failed }
func (f *fakeT) Skipped() bool { return false }

// script runs a text as a script and returns what became of it.
func script(t *testing.T, text string, update bool) (*fakeT, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.txtar")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f := &fakeT{}
	p := Params{Dir: filepath.Dir(path), UpdateScripts: update}
	Setup(&p)
	f.Run("", func(ts testscript.T) { testscript.RunT(ts, p) })
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return f, string(after)
}

func TestStreamCmp_NamesTheDifference(t *testing.T) {
	f, after := script(t, streamScript, false)
	want := `line 1 (sequence 1) /data/final_output: got "new", want "old"`
	if !f.failed || !strings.Contains(f.log.String(), want) {
		t.Errorf("stream-cmp: failed %v, want %s:\n%s", f.failed, want, f.log.String())
	}
	if after != streamScript {
		t.Errorf("stream-cmp changed the script without being asked:\n%s", after)
	}
}

func TestStreamCmp_UpdateRewritesTheGoldenFileAlone(t *testing.T) {
	f, after := script(t, streamScript, true)
	if f.failed {
		t.Fatalf("stream-cmp with update failed:\n%s", f.log.String())
	}
	old := `{"sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"b","step":0,"type":"run_finished","data":{"final_output":"old"}}`
	now := `{"sequence":1,"ts":"2000-01-01T00:00:00.001Z","run_id":"run","step":0,"type":"run_finished","data":{"final_output":"new"}}`
	if diff := cmp.Diff(strings.Replace(streamScript, old, now, 1), after); diff != "" {
		t.Errorf("script after update (-want +got):\n%s", diff)
	}
	if f, again := script(t, after, true); f.failed || again != after {
		t.Errorf("a second update changes the script again:\n%s", again)
	}
}

// Of a script that did not pass nothing is written: writing may be what failed.
func TestRun_UpdatesScriptsThatPass(t *testing.T) {
	dir := t.TempDir()
	const fails = "stream-cmp got.jsonl want.jsonl\nexists no.such\n"
	_, rest, _ := strings.Cut(streamScript, "\n")
	files := map[string]string{"good.txtar": streamScript, "bad.txtar": fails + rest, "cmp.txt": "exec echo new\ncmp stdout want\n-- want --\nold\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{"good.txtar": true, "bad.txtar": false, "cmp.txt": true} {
		file := filepath.Join(dir, name)
		got := runScript(t.Context(), t.TempDir(), scenarios.Script{Name: name, File: file, Update: true, Timeout: time.Minute})
		text, err := os.ReadFile(file)
		if err != nil || (string(text) != files[name]) != want || (got.Outcome == scenarioresult.Passed) != want {
			t.Errorf("%s: %v, script %q, %v, want it updated: %v\n%s", name, got.Outcome, text, err, want, got.Log)
		}
		if got.File != file || strings.Contains(got.Log, "openagent-update") {
			t.Errorf("%s: the result names a copy: %+v", name, got)
		}
		if err := os.WriteFile(file, []byte(files[name]), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "bad.txtar")); err != nil {
		t.Fatal(err)
	}
	t.Run("as tests", func(t *testing.T) {
		p := Params{Dir: dir, UpdateScripts: true}
		Setup(&p)
		runUpdating(t, p)
	})
	for _, name := range []string{"good.txtar", "cmp.txt"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) == files[name] {
			t.Errorf("%s as a test: %q, %v, want it updated", name, text, err)
		}
	}
}

func TestStreamCmp_UpdateAddsAGoldenFile(t *testing.T) {
	text := strings.Replace(streamScript, "want.jsonl", "new.jsonl", 2)
	f, after := script(t, text, true)
	want := text + "-- new.jsonl --\n" + `{"sequence":1,"ts":"2000-01-01T00:00:00.001Z","run_id":"run","step":0,"type":"run_finished","data":{"final_output":"new"}}` + "\n"
	if diff := cmp.Diff(want, after); f.failed || diff != "" {
		t.Errorf("script after update: failed %v, (-want +got):\n%s%s", f.failed, diff, f.log.String())
	}
}

func TestStreamCmp_UpdateRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"a file that is not the script's": "cp want.jsonl other.jsonl\nstream-cmp got.jsonl other.jsonl\n" + streamScript[strings.Index(streamScript, "\n-- got"):],
		"a wrong ! expectation":           "! stream-cmp got.jsonl got.jsonl\n" + streamScript[strings.Index(streamScript, "\n-- got"):],
	} {
		if f, after := script(t, text, true); !f.failed || after != text {
			t.Errorf("stream-cmp of %s: failed %v, want it to, and the script as it was:\n%s", name, f.failed, f.log.String())
		}
	}
}

func TestUpdating_ForcedInAJob(t *testing.T) {
	for _, tt := range []struct {
		args, ci  string
		want, bad bool
	}{
		{"", "", false, false}, {"-update", "", true, false}, {"-update=false", "true", false, false},
		{"-update", "true", false, true}, {"-update", "false", true, false}, {"-update", "0", true, false}, {"-update=force", "true", true, false},
	} {
		fs := flag.NewFlagSet("", flag.ContinueOnError)
		defineUpdate(fs)
		defineUpdate(fs) // a second definition would panic
		if err := fs.Parse(strings.Fields(tt.args)); err != nil {
			t.Fatal(err)
		}
		got, err := updating(fs, func(string) string { return tt.ci })
		if got != tt.want || (err != nil) != tt.bad {
			t.Errorf("updating with %q and CI=%q = %v, %v, want %v, error %v", tt.args, tt.ci, got, err, tt.want, tt.bad)
		}
	}
	if got, err := updating(flag.NewFlagSet("", flag.ContinueOnError), func(string) string { return "" }); got || err != nil {
		t.Errorf("updating without the flag = %v, %v, want false", got, err)
	}
}
