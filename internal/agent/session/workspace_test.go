package session

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/openagent-ci/openagent/internal/agent/demo"
	"github.com/openagent-ci/openagent/internal/tool/git"
)

// The way out of a demo that cannot be made is that of its cause.
func TestDemoWorkspace_WaysOut(t *testing.T) {
	for name, tt := range map[string]struct {
		err        error
		code, hint string
	}{
		"taken":        {unfilled(fmt.Errorf("here %w", demo.ErrNotEmpty)), codeWorkspaceNotEmpty, "name a new or empty folder by --workspace, or none"},
		"full disk":    {unfilled(syscall.ENOSPC), codeDemo, ""},
		"no git":       {unmade(git.ErrNoGit), codeDemo, "the demo needs git on the PATH"},
		"full for git": {unmade(syscall.ENOSPC), codeDemo, ""},
	} {
		var got *preRunError
		if !errors.As(tt.err, &got) || got.code != tt.code || got.hint != tt.hint {
			t.Errorf("%s: error is %+v, want code %s and the hint %q", name, got, tt.code, tt.hint)
		}
	}
}
