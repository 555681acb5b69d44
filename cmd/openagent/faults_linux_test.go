package main_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/openagent-ci/openagent/schema"
)

// Whatever fails of what is done to the evidence, the run record, the session or the
// output of the agent, ci ends, and either the evidence is whole or ci fails as a
// harness; it never ends with 0 when something is missing, and blames nothing on the
// agent. Without OPENAGENT_TEST_LONG=1 a few calls of each
// kind fail, with it each of them in turn.
func TestFaults_EvidenceIsWholeOrTheHarnessFails(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script.yaml")
	const text = "- tool_calls: [{tool: execute_command, arguments: {command: seq 1 20000}}, {tool: write_file, arguments: {path: a, content: b}}]\n- text: done\n"
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	opened := &failing{kind: "open"}
	_, whole := fault(t, script, opened)
	if opened.count == 0 && os.Geteuid() != 0 {
		t.Skip("only root can look at the files of the program here")
	}
	if !slices.Contains(whole, "artifacts/r/run.json") || !slices.Contains(whole, "artifacts/r/artifacts/1-0-stdout.log") {
		t.Fatalf("without a fault the evidence is %v, want the record with an artifact in it", whole)
	}
	r := rand.New(rand.NewPCG(seed(t), 0))
	for _, name := range []string{"open", "read", "write", "sync", "rename", "mkdir", "getdents", "stat", "read output"} {
		kind, pipes := strings.CutSuffix(name, " output")
		errno := unix.EIO
		if kind == "write" || kind == "mkdir" {
			errno = unix.ENOSPC
		}
		t.Run(name, func(t *testing.T) {
			count := &failing{kind: kind, pipes: pipes}
			fault(t, script, count)
			moments := make([]int, count.count+times(0, 20)) // threads do not always do the same
			for i := range moments {
				moments[i] = i + 1
			}
			r.Shuffle(len(moments), func(i, j int) { moments[i], moments[j] = moments[j], moments[i] })
			moments = moments[:min(times(3, len(moments)), len(moments))]
			if !slices.Contains(moments, 1) {
				moments[0] = 1 // the only call that every run surely makes
			}
			statuses, failed := map[int]int{}, 0
			for _, nth := range moments {
				f := &failing{kind: kind, nth: nth, errno: errno, pipes: pipes}
				status, files := fault(t, script, f)
				statuses[status]++
				if f.what != "" {
					failed++
				}
				if diff := cmp.Diff(whole, files); status == 0 && diff != "" {
					t.Errorf("after %s failed (%d): status 0, evidence (-want +got):\n%s", f.what, nth, diff)
				}
			}
			t.Logf("%d of %d calls failed, statuses %v", failed, count.count, statuses)
			if failed == 0 {
				t.Error("no call failed")
			}
		})
	}
}

// fault runs ci with one fault, and returns its status and the names of the
// evidence, which are none unless all of it is as the manifest says.
func fault(t *testing.T, script string, f *failing) (status int, files []string) {
	t.Helper()
	l := harnessed(t, "--script="+script, "--run-id=r", "--session=s", "go")
	const earlier = `{"v":1,"ts":"2026-03-03T20:11:12Z","session":"s","run_id":"q","role":"user","content":"hello"}` + "\n"
	for name, text := range map[string]string{"s.jsonl": earlier, "s.meta.json": `{"v":1,"summary":"they spoke","cursor":0}` + "\n"} {
		path := l.path("state", "sessions", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	l.cmd.Env = append(l.cmd.Env, "GODEBUG=asyncpreemptoff=1")
	f.below = []string{l.path("evidence"), l.path("tmp"), l.path("state")}
	end := f.start(t, l.cmd)
	status = l.wait(t)
	end()
	if status != 0 && status != 1 && status != 3 {
		t.Fatalf("after %s failed (%d): status %d\n%s%s", f.what, f.nth, status, &l.stdout, &l.stderr)
	}
	moved, _ := filepath.Glob(l.path("state", "sessions", "*foreign*"))
	summary := readIfThere(l.path("state", "sessions", "s.meta.json"))
	text := l.stdout.String() + l.stderr.String() + readIfThere(l.path("evidence", "findings.json"))
	blamed := strings.Contains(text, "run/tampering") || strings.Contains(text, "verdict: violation") || f.pipes && strings.Contains(text, "verdict: crash")
	if blamed || len(moved) > 0 || summary == "" {
		t.Errorf("after %s failed (%d): status %d, moved %q, summary %q, want the agent blamed for nothing\n%s%s", f.what, f.nth, status, moved, summary, &l.stdout, &l.stderr)
	}
	if status == 3 {
		if m := l.path("evidence", "manifest.json"); strings.Contains(readIfThere(m), `"evidence_complete": true`) && !strings.Contains(l.stderr.String(), "close folder") {
			t.Errorf("after %s failed (%d): status 3 with evidence that is complete\n%s", f.what, f.nth, &l.stderr)
		}
		if !strings.Contains(l.stderr.String(), "openagent: error: ") {
			t.Errorf("after %s failed (%d): status 3 without a reason\n%s", f.what, f.nth, &l.stderr)
		}
		return status, nil
	}
	m := l.manifest(t)
	if !m.EvidenceComplete {
		t.Errorf("after %s failed (%d): status %d, evidence is not complete\n%s", f.what, f.nth, status, &l.stderr)
	}
	files = l.listed(t, m, f)
	for _, left := range m.LeftOut {
		if left.Path == "report.html" && left.Why != "" { // listed, it need not be there
			files = append(files, left.Path)
		}
	}
	const output = "artifacts/r/artifacts/1-0-stdout.log"
	if !slices.Contains(files, output) && strings.Contains(readIfThere(l.path("evidence", "events.jsonl")), `"type":"tool_retry"`) {
		files = append(files, output) // the command did not begin, and the agent was told
	}
	slices.Sort(files)
	return status, files
}

func readIfThere(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

// listed returns the names of the files of a manifest, provided that they are
// what the folder holds.
func (l *life) listed(t *testing.T, m schema.Manifest, f *failing) (names []string) {
	t.Helper()
	for _, file := range m.Files {
		text, err := os.ReadFile(l.path("evidence", file.Path))
		sum := sha256.Sum256(text)
		if err != nil || hex.EncodeToString(sum[:]) != file.SHA256 {
			t.Errorf("after %s failed (%d): %s is not as in the manifest, %v", f.what, f.nth, file.Path, err)
		}
		names = append(names, file.Path)
	}
	found := 0
	err := fs.WalkDir(os.DirFS(l.path("evidence")), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && name != "manifest.json" {
			found++
		}
		return err
	})
	if err != nil || found != len(names) {
		t.Errorf("after %s failed (%d): %d files, %v, the manifest lists %v", f.what, f.nth, found, err, names)
	}
	slices.Sort(names)
	return names
}
