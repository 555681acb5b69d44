package cli

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
)

// A run is kept where nobody looks for it only after saying so, once.
func TestStateFolder_AnotherPlaceIsToldOnce(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the user's folder is another here")
	}
	home := t.TempDir()
	for variable, value := range map[string]string{"GITHUB_ACTIONS": "", "XDG_STATE_HOME": "", "HOME": home, "TMPDIR": t.TempDir()} {
		t.Setenv(variable, value)
	}
	for workspace, want := range map[string]int{home: 1, t.TempDir(): 0} {
		r, _ := newAgentRun(t, "", nil)
		var told bytes.Buffer
		r.root, r.program.Err = workspace, &told
		first, err := r.stateFolder()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := r.stateFolder(); err != nil || again != first {
			t.Errorf("stateFolder again = %s, %v, want %s", again, err, first)
		}
		if n := strings.Count(told.String(), "folder="+first); n != want {
			t.Errorf("stateFolder of a run in %s told %q, want another place told %d times", workspace, &told, want)
		}
	}
}
