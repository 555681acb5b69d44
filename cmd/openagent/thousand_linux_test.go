package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/schema"
)

// commandsScript writes a script of n commands, every tenth of which leaves processes
// behind that would live on, and files in the private folders.
func commandsScript(t *testing.T, n int) string {
	t.Helper()
	var s strings.Builder
	for i := range n {
		line := fmt.Sprintf("echo %d >count", i)
		if i%10 == 9 {
			line = `setsid sleep 999 >/dev/null 2>&1 & sleep 999 >/dev/null 2>&1 & mkdir -p ~/a/b && touch ~/a/b/c "$TMPDIR/x" && chmod 500 ~/a/b ~/a`
		}
		fmt.Fprintf(&s, "- tool_calls: [{tool: execute_command, arguments: {command: %q}}]\n", line)
	}
	s.WriteString("- text: done\n")
	path := filepath.Join(t.TempDir(), "commands.yaml")
	if err := os.WriteFile(path, []byte(s.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// filesOfACommand is above what a command has open while it runs, by which two looks
// differ, and below what half of the commands would leave if each left one.
const filesOfACommand = 12

// Two runs at a time of many commands each, a thousand with OPENAGENT_TEST_LONG, leave
// no process, no file in the temporary folder, no mount and no control group, and
// open no more files at the end than at the begin.
func TestThousand_CommandsLeaveNothing(t *testing.T) {
	walls(t)
	n := times(60, 1000)
	script := commandsScript(t, n)
	mounts, groups := readIfThere("/proc/self/mountinfo"), controlGroups()
	var both sync.WaitGroup
	for range 2 {
		l := newLifeIn(t, t.TempDir(), "run", "--output=json", "--sandbox=require", "--limit-open-files=200",
			"--max-steps="+fmt.Sprint(n+1), "--max-tool-calls=0", "--script="+script, "go")
		l.cmd.Env = append(l.cmd.Env, "OPENAGENT_MAX_STEPS=")
		both.Go(func() { l.manyCommands(t, n) })
	}
	both.Wait()
	if now := readIfThere("/proc/self/mountinfo"); now != mounts {
		t.Errorf("mounts are now\n%s, want\n%s", now, mounts)
	}
	if now := controlGroups(); !slices.Equal(now, groups) {
		t.Errorf("control groups are now %q, want %q", now, groups)
	}
}

// manyCommands runs a life of n commands and checks what it leaves.
func (l *life) manyCommands(t *testing.T, n int) {
	if err := l.cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	done := make(chan error, 1)
	go func() { done <- l.cmd.Wait() }()
	var open []int
	for ended := false; !ended; {
		select {
		case err := <-done:
			if ended = true; err != nil {
				t.Errorf("the run ended with %v\n%s", err, &l.stderr)
			}
		case <-time.After(20 * time.Millisecond):
			if list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", l.cmd.Process.Pid)); err == nil && len(list) > 0 {
				open = append(open, len(list))
			}
		}
	}
	if len(open) < 4 {
		t.Errorf("open files were counted %d times, want more", len(open))
	} else if first, last := slices.Max(open[:len(open)/2]), slices.Max(open[len(open)/2:]); last > first+filesOfACommand {
		t.Errorf("at most %d files were open in the first half of the run, %d in the second", first, last)
	}
	if got := strings.Count(l.stdout.String(), `"type":"`+string(schema.TypeToolExecFinished)+`"`); got != n {
		t.Errorf("%d commands ended, want %d\n%s", got, n, &l.stderr)
	}
	l.deserted(t)
	if left, err := os.ReadDir(l.path("tmp")); err != nil || len(left) > 0 {
		t.Errorf("the temporary folder holds %v, %v, want nothing", left, err)
	}
}

// controlGroups returns those that are called as ours are.
func controlGroups() []string {
	var all []string
	for _, pattern := range []string{"/sys/fs/cgroup/openagent-*", "/sys/fs/cgroup/*/openagent-*", "/sys/fs/cgroup/*/*/openagent-*"} {
		found, _ := filepath.Glob(pattern)
		all = append(all, found...)
	}
	return all
}
