//go:build unix

package companion

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/testkit/testenv"
)

func TestMain(m *testing.M) {
	testenv.Clean()
	os.Exit(m.Run())
}

// run runs a shell script as the second program and returns its output.
func run(t *testing.T, ctx context.Context, script string, args ...string) (out, diagnostics string, status int, err error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "second"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	p := &process.Process{Env: process.Env{Dir: dir, Vars: []string{"PATH=" + dir + ":/bin:/usr/bin", "NAME=value"}}, Out: &stdout, Err: &stderr}
	status, err = Run(ctx, p, "second", args...)
	return stdout.String(), stderr.String(), status, err
}

func TestRun_PassesOn(t *testing.T) {
	out, diagnostics, status, err := run(t, t.Context(), `printf '<%s>' "$@" "$NAME" "$(pwd -P)"; echo diagnostics >&2; exit 7`, "add", "a b", "")
	if err != nil || status != 7 || !strings.HasPrefix(out, "<add><a b><><value></") || diagnostics != "diagnostics\n" {
		t.Errorf("Run = %q, %q, %d, %v, want arguments, environment, folder and status passed on", out, diagnostics, status, err)
	}
}

func TestRun_EndedBySignal(t *testing.T) {
	if _, _, status, err := run(t, t.Context(), "kill -9 $$"); err != nil || status != 128+9 {
		t.Errorf("Run of a program that is killed = %d, %v, want 137", status, err)
	}
}

// A program that is told to end says itself how it does.
func TestRun_IsAskedToEnd(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(300*time.Millisecond, func() { cancel(errors.New("over")) })
	out, _, status, err := run(t, ctx, `trap 'echo ended; exit 5' TERM; while :; do sleep 0.01; done`)
	if err != nil || status != 5 || out != "ended\n" {
		t.Errorf("Run that is cancelled = %q, %d, %v, want what the program does at SIGTERM", out, status, err)
	}
}

func TestRun_NotInstalled(t *testing.T) {
	p := &process.Process{Env: process.Env{Dir: t.TempDir(), Vars: []string{"PATH=:."}}}
	if err := os.WriteFile(filepath.Join(p.Dir, "second"), []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), p, "second"); err == nil || !strings.Contains(err.Error(), "second is not installed") {
		t.Errorf("Run without the program = %v, want that it is not installed", err)
	}
}
