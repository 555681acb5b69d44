package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

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

// mostFiles is above what a run has open while a command runs, and below what its
// commands would leave open if each left one file.
const mostFiles = 45

// Two runs at a time of many commands each, a thousand with OPENAGENT_TEST_LONG, leave
// no process, no file in the temporary folder, no mount and no control group, and do
// with the few files that they may have open.
func TestThousand_CommandsLeaveNothing(t *testing.T) {
	walls(t)
	n := times(60, 1000)
	script := commandsScript(t, n)
	mounts, groups := readIfThere("/proc/self/mountinfo"), controlGroups()
	var both sync.WaitGroup
	for range 2 {
		l := newLifeIn(t, t.TempDir(), "run", "--output=json", "--sandbox=require",
			"--max-steps="+fmt.Sprint(n+1), "--max-tool-calls=0", "--script="+script, "go")
		l.cmd.Env = append(l.cmd.Env, "OPENAGENT_MAX_STEPS=")
		l.cmd.Args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, mostFiles), l.cmd.Path}, l.cmd.Args[1:]...)
		l.cmd.Path = "/bin/sh"
		both.Go(func() { l.manyCommands(t, n) })
	}
	both.Wait()
	if now := readIfThere("/proc/self/mountinfo"); now != mounts {
		t.Errorf("mounts are now\n%s, want\n%s", now, mounts)
	}
	left := slices.DeleteFunc(controlGroups(), func(group string) bool { return slices.Contains(groups, group) }) // another run's may go
	if len(left) > 0 {
		t.Errorf("the control groups %q are left, want none", left)
	}
}

// manyCommands runs a life of n commands and checks what it leaves.
func (l *life) manyCommands(t *testing.T, n int) {
	if err := l.cmd.Run(); err != nil {
		t.Errorf("the run ended with %v\n%s", err, &l.stderr)
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
