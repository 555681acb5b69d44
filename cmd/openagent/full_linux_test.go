package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// onFullDisk runs a command of the shell in a folder on a disk on which nothing
// is free, with files there that were written before it was full, and returns
// its output. $OPENAGENT is the program.
func onFullDisk(t *testing.T, files map[string]string, command string) string {
	t.Helper()
	return onDisk(t, "64k", files, "cat /dev/zero >fill 2>&-; "+command)
}

// onDisk is onFullDisk for a disk of a size.
func onDisk(t *testing.T, size string, files map[string]string, command string) string {
	t.Helper()
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	shell := func(script string) *exec.Cmd {
		// The disk is seen by this shell alone and ends with it. What finds no room
		// there stays in the temporary folder.
		cmd := exec.CommandContext(t.Context(), "unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "OPENAGENT="+program, "OPENAGENT_STATE_DIR="+t.TempDir(), "HOME="+t.TempDir(), "TMPDIR="+t.TempDir(), "CI=", "GITHUB_ACTIONS=")
		return cmd
	}
	mount := "mkdir -p disk && mount -t tmpfs -o size=" + size + " none disk"
	if out, err := shell(mount).CombinedOutput(); err != nil {
		t.Skipf("no disk of our own can be mounted here: %v: %s", err, out)
	}
	const copies = "for f in *; do test -d $f || cp -p $f disk/; done; cd disk"
	out, err := shell(fmt.Sprintf("%s\n%s\n%s", mount, copies, command)).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// A person's file is as it was when there is no room for what should take its
// place, and nothing lies beside it.
func TestFull_FilesAreAsTheyWere(t *testing.T) {
	event := `{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"r","step":0,"type":"run_finished","data":{"exit_reason":"ok","ok":true,"final_output":"%s","error":null}}` + "\n"
	const lock = `{"schema":"openagent.schema_lock.v1","pins":[{"version":"old","revision":1,"digest":"old"}]}`
	long := fmt.Sprintf(event, strings.Repeat("x", 8000))
	for name, tt := range map[string]struct{ text, command string }{
		"s.txtar": {"exec seq 1 5000\ncmp stdout want\n-- want --\nold\n", "$OPENAGENT test --update s.txtar"},
		"t.txtar": {"stream-cmp got want\n-- got --\n" + long + "-- want --\n" + fmt.Sprintf(event, "old"), "$OPENAGENT test --update t.txtar"},
		"golden":  {fmt.Sprintf(event, "old"), "$OPENAGENT golden diff --update ../got golden"},
		"lock":    {lock, "$OPENAGENT schema lock --file lock"},
	} {
		t.Run(name, func(t *testing.T) {
			got := onFullDisk(t, map[string]string{name: tt.text, "got": long},
				"rm got; cat /dev/zero >fill2 2>&-; "+tt.command+" && exit 9; ls -A; cmp "+name+" ../"+name+"; stat -c %a "+name)
			if !strings.Contains(got, "no space left on device") || !strings.HasSuffix(got, "fill\nfill2\n"+name+"\n640\n") {
				t.Errorf("%s: %s\nwant it to say that no space is left, the file as it was and nothing beside it", tt.command, got)
			}
		})
	}
}

// What is new is there whole or not at all, so that the next try finds nothing
// in its way.
func TestFull_NothingIsThereByHalf(t *testing.T) {
	got := onFullDisk(t, nil, "$OPENAGENT init && exit 9; find . -type f")
	if !strings.Contains(got, "no space left on device") || !strings.HasSuffix(got, "./fill\n") || strings.Contains(got, "txtar\n") {
		t.Errorf("init: %s\nwant it to say that no space is left, and no file", got)
	}
}

// ciOfShell runs an agent that prints a good stream after a command.
const ciOfShell = `$OPENAGENT ci --fail-on never --sandbox off --out e -- sh -c '%s; cat ../good' 2>&1; echo "status $?"; grep evidence_complete e/manifest.json; ls -A e`

const goodStream = `{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"r","step":0,"type":"run_started","data":{}}
{"schema_version":"openagent.run_event.v1","sequence":2,"ts":"2026-03-03T20:11:12Z","run_id":"r","step":0,"type":"run_finished","data":{"exit_reason":"ok","ok":true,"final_output":"","error":null}}
`

// An agent that fills the disk with what is evidence leaves room for a manifest
// that says so.
func TestFull_ArtifactsThatFindNoRoom(t *testing.T) {
	got := onDisk(t, "8m", map[string]string{"good": goodStream}, fmt.Sprintf(ciOfShell, `head -c 7000000 /dev/zero >"$OPENAGENT_ARTIFACTS_DIR/a"`))
	for _, want := range []string{"verdict: success", "a: no space left on device; what the agent left stays in /", "status 3", `"evidence_complete": false`} {
		if !strings.Contains(got, want) {
			t.Errorf("artifacts that find no room: %s\nwant in it %s", got, want)
		}
	}
}

// Of a disk that has little room the harness takes nothing for its end: the
// agent may need it.
func TestFull_TheAgentComesFirst(t *testing.T) {
	got := onDisk(t, "3m", map[string]string{"good": goodStream}, fmt.Sprintf(ciOfShell, "head -c 2500000 /dev/zero >big && test -z \"$(ls -A e | grep reserve)\""))
	for _, want := range []string{"status 0", `"evidence_complete": true`} {
		if !strings.Contains(got, want) || strings.Contains(got, "No space left") {
			t.Errorf("an agent that needs 2.5 of 3 MB: %s\nwant in it %s", got, want)
		}
	}
}

// What an agent left, and its only copy that takes all of a small disk, do not
// cost the manifest that says so.
func TestFull_ArtifactsLeaveRoomForTheManifest(t *testing.T) {
	t.Parallel()
	for _, size := range []string{"200k", "400k"} {
		artifactsOnADisk(t, size)
	}
}

func artifactsOnADisk(t *testing.T, size string) {
	t.Helper()
	got := onDisk(t, size, nil, `$OPENAGENT ci --out e -- sh -c 'for i in $(seq 100); do head -c 16000 /dev/zero >$OPENAGENT_ARTIFACTS_DIR/$i; done'; echo status $?; grep evidence_complete e/manifest.json; ls e`)
	for _, want := range []string{"status 3\n", `"evidence_complete": false`, "summary.md\n", "the evidence is not complete"} {
		if !strings.Contains(got, want) {
			t.Errorf("ci on a disk of %s: %s\nwant %q in it", size, got, want)
		}
	}
}

// A disk that is full once the page is written costs the page alone: the verdict is the
// same, the evidence is complete, and manifest, terminal and job page say what is not
// there.
func TestFull_NoRoomForThePage(t *testing.T) {
	for size, leftOut := range map[string]bool{"84k": true, "1m": false} {
		got := onDisk(t, size, map[string]string{"good": goodStream}, "export GITHUB_ACTIONS=true GITHUB_EVENT_NAME=push GITHUB_ACTOR=ann GITHUB_REPOSITORY=octo/repo GITHUB_STEP_SUMMARY=../sum GITHUB_OUTPUT=../outputs; : >../sum; : >../outputs\n"+
			"$OPENAGENT ci --out e -- cat good; echo status $?; cat ../sum e/manifest.json; ls e")
		for _, want := range []string{"status 0\n", `"evidence_complete": true`, `"verdict": "success"`, "summary.md\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("ci on a disk of %s: %s\nwant %q in it", size, got, want)
			}
		}
		for _, want := range []string{"left out     report.html: no space left on device", "left out: report.html: no space left on device", `"why": "no space left on device"`} {
			if strings.Contains(got, want) != leftOut {
				t.Errorf("ci on a disk of %s: %s\nwant %q in it: %v", size, got, want, leftOut)
			}
		}
		if strings.Contains(got, "report.html\n") == leftOut {
			t.Errorf("ci on a disk of %s: %s\nwant a page: %v", size, got, !leftOut)
		}
	}
}
