package proc_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/platform/proc"
)

// role returns a command in which the test binary plays the role name.
func role(t *testing.T, name string) proc.Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := []string{roleVar + "=" + name, quickEnd}
	if root := os.Getenv("SYSTEMROOT"); root != "" {
		env = append(env, "SYSTEMROOT="+root)
	}
	return proc.Command{Path: self, Args: []string{self}, Env: env}
}

// start starts c, and kills it when the test ends before it.
func start(t *testing.T, c proc.Command) *proc.Process {
	t.Helper()
	p, err := proc.Start(c)
	if err != nil {
		t.Fatalf("Start(%s): %v", c.Path, err)
	}
	t.Cleanup(func() {
		p.Kill()
		p.Wait(context.Background())
	})
	return p
}

func TestWait_StatusAndOutput(t *testing.T) {
	var stdout, stderr bytes.Buffer
	c := role(t, "lines")
	c.Stdout, c.Stderr = &stdout, &stderr
	exit := start(t, c).Wait(context.Background())
	if exit.Status != 0 || exit.Signal != "" || exit.Interrupted || exit.OutputErr != nil {
		t.Errorf("Wait = %+v, want status 0 and nothing else", exit)
	}
	if exit.Duration <= 0 {
		t.Errorf("Wait: duration is %v, want more than 0", exit.Duration)
	}
	lines := strings.Split(stdout.String(), "\n")
	if len(lines) != 20001 || lines[19999] != "line 19999" {
		t.Errorf("stdout has %d lines, want 20000 up to line 19999", len(lines)-1)
	}
	if got, want := stderr.String(), "done\n"; got != want {
		t.Errorf("stderr = %q, want %q", got, want)
	}
}

func TestWait_NonZeroStatus(t *testing.T) {
	p := start(t, role(t, "status"))
	exit := p.Wait(context.Background())
	if exit.Status != 7 {
		t.Errorf("Wait: status is %d, want 7", exit.Status)
	}
	p.Kill()
	if diff := cmp.Diff(exit, p.Wait(context.Background())); diff != "" {
		t.Errorf("second Wait differs (-first +second):\n%s", diff)
	}
}

// A program that looks a variable up sees the first of two entries, so the entry
// that was replaced must not be there at all.
func TestStart_LastEntryOfANameCounts(t *testing.T) {
	var stdout bytes.Buffer
	c := role(t, "env")
	c.Env = append(append([]string{"HOME=/old", "HOME=/older"}, c.Env...), "OTHER=a=b", "HOME=/new")
	c.Stdout = &stdout
	start(t, c).Wait(context.Background())
	var got []string
	for line := range strings.Lines(stdout.String()) {
		if strings.HasPrefix(line, "HOME=") || strings.HasPrefix(line, "OTHER=") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	if diff := cmp.Diff([]string{"OTHER=a=b", "HOME=/new"}, got); diff != "" {
		t.Errorf("environment of the command (-want +got):\n%s", diff)
	}
}

func TestStart_InheritsNoEnvironment(t *testing.T) {
	t.Setenv("PROC_TEST_LEAK", "sk-test-leak")
	var out bytes.Buffer
	c := role(t, "env")
	c.Stdout = &out
	start(t, c).Wait(context.Background())
	if got := out.String(); strings.Contains(got, "PROC_TEST_LEAK") || !strings.Contains(got, roleVar) {
		t.Errorf("environment of the child = %q, want only what the command names", got)
	}
}

func TestStart_MissingProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none")
	_, err := proc.Start(proc.Command{Path: path, Args: []string{path}, Stdout: new(bytes.Buffer)})
	if !errors.Is(err, os.ErrNotExist) || strings.Count(err.Error(), path) != 1 {
		t.Errorf("Start(%s) = %v, want the path once and %v", path, err, os.ErrNotExist)
	}
}

func TestStart_FolderIsNone(t *testing.T) {
	c := role(t, "status")
	for _, dir := range []string{filepath.Join(t.TempDir(), "none"), c.Path} {
		c.Dir = dir
		if _, err := proc.Start(c); err == nil || !strings.Contains(err.Error(), dir+":") {
			t.Errorf("Start in %s = %v, want an error that names the folder", dir, err)
		}
	}
}

// failing fails with one error after the other.
type failing []error

func (f *failing) Write([]byte) (int, error) {
	err := (*f)[0]
	*f = (*f)[1:]
	return 0, err
}

func TestWait_FailingWriterDoesNotBlock(t *testing.T) {
	full := errors.New("disk full")
	c := role(t, "lines")
	c.Stdout = &failing{full}
	exit := start(t, c).Wait(context.Background())
	if exit.Status != 0 || !errors.Is(exit.OutputErr, full) {
		t.Errorf("Wait = %+v, want status 0 and output error %v", exit, full)
	}
}
