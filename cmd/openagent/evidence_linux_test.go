package main_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/schema"
)

// A job that is cancelled is killed ten seconds after its first signal.
const slowestEvidence = 7 * time.Second

// However many files an agent leaves, the evidence is complete soon after a
// signal: before the agent has ended, and while its files are being kept.
func TestEvidence_ManyFilesAndASignal(t *testing.T) {
	n := times(2000, 100_000)
	r := rand.New(rand.NewPCG(seed(t), 0))
	for _, role := range []string{"litter and wait", "litter"} {
		l := harnessed(t, "--", os.Args[0])
		disk := t.TempDir() // more files than a folder in memory may hold
		l.cmd.Env = append(l.cmd.Env, roleVariable+"="+role, litterVariable+"="+strconv.Itoa(n), "TMPDIR="+disk)
		if err := l.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if role == "litter" {
			l.await(t, "evidence/artifacts") // it is copying them
			time.Sleep(time.Duration(r.Int64N(int64(100 * time.Millisecond))))
		} else {
			l.awaitStream(t)
		}
		began := time.Now()
		_ = l.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		l.wait(t)
		elapsed := time.Since(began)
		m := l.manifest(t)
		t.Logf("%s: %d files, evidence %v after the signal: %s, %d files kept, %d entries left out",
			role, n, elapsed, m.Verdict, len(m.Files), len(m.LeftOut))
		if elapsed > slowestEvidence {
			t.Errorf("%s: evidence was complete %v after the signal, want %v at most", role, elapsed, slowestEvidence)
		}
		if role != "litter" && m.Verdict != "cancelled" || len(m.Files)+len(m.LeftOut) < 8 {
			t.Errorf("%s: verdict %s with %d files, %d left out, want cancelled with what there was", role, m.Verdict, len(m.Files), len(m.LeftOut))
		}
		if left, _ := os.ReadDir(disk); len(left) > 0 {
			t.Errorf("%s: the harness left %v in its folder for temporary files", role, left[0].Name())
		}
	}
}

// await waits until the path is there.
func (l *life) await(t *testing.T, path string) {
	t.Helper()
	for over := time.Now().Add(4 * patience); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(l.path(path)); err == nil {
			return
		}
		if time.Now().After(over) {
			t.Fatalf("%s is not there:\n%s", path, &l.stderr)
		}
	}
}

// awaitStream waits until the harness has received an event.
func (l *life) awaitStream(t *testing.T) {
	t.Helper()
	l.await(t, "evidence/events.jsonl")
	for over := time.Now().Add(4 * patience); len(l.stream(t)) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(over) {
			t.Fatalf("no event came:\n%s", &l.stderr)
		}
	}
}

func (l *life) manifest(t *testing.T) (m schema.Manifest) {
	t.Helper()
	text, err := os.ReadFile(l.path("evidence", "manifest.json"))
	if err != nil {
		t.Fatalf("evidence: %v\n%s%s", err, &l.stdout, &l.stderr)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatalf("manifest: %v\n%s", err, text)
	}
	return m
}

// Of all files of the evidence the manifest alone, which has the digests of the
// others, is waited for until it is on the disk.
func TestEvidence_OneSync(t *testing.T) {
	l := harnessed(t, "--sandbox=off", "--", "cat", "../good.jsonl")
	if err := os.WriteFile(l.path("good.jsonl"), []byte(goodStream), 0o600); err != nil {
		t.Fatal(err)
	}
	synced := &failing{kind: "sync", below: []string{l.path("evidence")}}
	end := synced.start(t, l.cmd)
	status := l.wait(t)
	end()
	if status != 0 || synced.count != 1 {
		t.Errorf("status %d, %d syncs, want 0 with one\n%s", status, synced.count, &l.stderr)
	}
}
