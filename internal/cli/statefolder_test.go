package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestStateFolder_Places(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the user's folder is another here")
	}
	home, temp, xdg := t.TempDir(), t.TempDir(), t.TempDir()
	for name, tt := range map[string]struct{ named, job, temp, xdg, want string }{
		"named":             {"here", "true", temp, xdg, "here"},
		"job":               {"", "true", temp, xdg, filepath.Join(temp, "openagent", "state")},
		"job without temp":  {"", "true", "", xdg, filepath.Join(xdg, "openagent")},
		"temp without job":  {"", "", temp, xdg, filepath.Join(xdg, "openagent")},
		"user":              {"", "", "", "", filepath.Join(home, ".local", "state", "openagent")},
		"user, not a place": {"", "", "", "relative", filepath.Join(home, ".local", "state", "openagent")},
	} {
		for variable, value := range map[string]string{"GITHUB_ACTIONS": tt.job, "RUNNER_TEMP": tt.temp, "XDG_STATE_HOME": tt.xdg, "HOME": home} {
			t.Setenv(variable, value)
		}
		if got, err := stateFolder(tt.named); err != nil || got != tt.want {
			t.Errorf("%s: stateFolder = %s, %v, want %s", name, got, err, tt.want)
		}
	}
	for _, variable := range []string{"GITHUB_ACTIONS", "RUNNER_TEMP", "XDG_STATE_HOME", "HOME"} {
		t.Setenv(variable, "")
	}
	if got, err := stateFolder(""); err == nil || !strings.HasPrefix(err.Error(), "find state folder: ") {
		t.Errorf("stateFolder without HOME = %s, %v, want an error", got, err)
	}
}

func TestAgentRun_StateOutsideTheWorkspace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the user's folder is another here")
	}
	home, temp := t.TempDir(), t.TempDir()
	usual := filepath.Join(home, ".local", "state", "openagent")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	for variable, value := range map[string]string{"GITHUB_ACTIONS": "", "XDG_STATE_HOME": "", "HOME": home, "TMPDIR": temp} {
		t.Setenv(variable, value)
	}
	for name, tt := range map[string]struct {
		root, named, session string
		want                 string // how the path begins, empty for an error
	}{
		"beside":             {filepath.Join(home, "w"), "", "", usual},
		"of that name":       {filepath.Join(home, ".local", "state", "open"), "", "", usual},
		"home":               {home, "", "", filepath.Join(temp, "openagent-state-")},
		"home by a link":     {link, "", "", filepath.Join(temp, "openagent-state-")},
		"state itself":       {usual, "", "", filepath.Join(temp, "openagent-state-")},
		"asked for":          {home, filepath.Join(home, "s"), "", filepath.Join(home, "s")},
		"session goes on":    {home, "", "nightly", ""},
		"all is a workspace": {"/", "", "", ""},
	} {
		r, _ := newAgentRun(t, "", func(f *runFlags) { f.stateDir, f.session = tt.named, identifier(tt.session) })
		var told bytes.Buffer
		r.root, r.process.err = tt.root, &told
		got, err := r.stateFolder()
		if tt.want == "" {
			if err == nil || !strings.Contains(err.Error(), "lies inside the workspace") {
				t.Errorf("%s: stateFolder = %s, %v, want an error that says why", name, got, err)
			}
			continue
		}
		if err != nil || !strings.HasPrefix(got, tt.want) || strings.Contains(told.String(), got) != strings.HasPrefix(got, temp) {
			t.Errorf("%s: stateFolder = %s, %v, told %q, want %s and another place told", name, got, err, &told, tt.want)
		}
		if again, err := r.stateFolder(); again != got || err != nil {
			t.Errorf("%s: stateFolder again = %s, %v, want %s", name, again, err, got)
		}
	}
}
