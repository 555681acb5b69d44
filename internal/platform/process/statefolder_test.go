package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestUsualState_Places(t *testing.T) {
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
		if got, err := (Env{}).UsualState(tt.named); err != nil || got != tt.want {
			t.Errorf("%s: UsualState = %s, %v, want %s", name, got, err, tt.want)
		}
	}
	for _, variable := range []string{"GITHUB_ACTIONS", "RUNNER_TEMP", "XDG_STATE_HOME", "HOME"} {
		t.Setenv(variable, "")
	}
	if got, err := (Env{}).UsualState(""); err == nil || !strings.HasPrefix(err.Error(), "find state folder: ") {
		t.Errorf("UsualState without HOME = %s, %v, want an error", got, err)
	}
}

// setHome makes home and temp those of the user, and returns the usual state
// folder.
func setHome(t *testing.T, home, temp string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the user's folder is another here")
	}
	for variable, value := range map[string]string{"GITHUB_ACTIONS": "", "XDG_STATE_HOME": "", "HOME": home, "TMPDIR": temp} {
		t.Setenv(variable, value)
	}
	return filepath.Join(home, ".local", "state", "openagent")
}

func TestStateFolder_OutsideTheWorkspace(t *testing.T) {
	home, temp := t.TempDir(), t.TempDir()
	usual := setHome(t, home, temp)
	moved := filepath.Join(temp, fmt.Sprintf("openagent-state-%d", os.Getuid()))
	t.Chdir(home)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ workspace, named, want string }{
		"beside":             {filepath.Join(home, "w"), "", usual},
		"of that name":       {filepath.Join(home, ".local", "state", "open"), "", usual},
		"home":               {home, "", moved},
		"home by a link":     {link, "", moved},
		"home as it is here": {".", "", moved},
		"state itself":       {usual, "", moved},
		"asked for":          {home, filepath.Join(home, "s"), filepath.Join(home, "s")},
		"all is a workspace": {"/", "", usual},
	} {
		if got, err := (Env{}).StateFolder(tt.named, tt.workspace); err != nil || got != tt.want {
			t.Errorf("%s: StateFolder = %s, %v, want %s", name, got, err, tt.want)
		}
	}
}

// A folder that others can look into, or that is none, keeps no state.
func TestStateFolder_OnlyPrivateOnes(t *testing.T) {
	home := t.TempDir()
	for name, spoil := range map[string]func(dir string) error{
		"open":   func(dir string) error { return os.Chmod(dir, 0o755) },
		"a link": func(dir string) error { return errors.Join(os.Remove(dir), os.Symlink(t.TempDir(), dir)) },
		"a file": func(dir string) error { return errors.Join(os.Remove(dir), os.WriteFile(dir, nil, 0o600)) },
	} {
		usual := setHome(t, home, t.TempDir())
		moved, err := (Env{}).StateFolder("", home)
		if err != nil || moved == usual {
			t.Fatalf("%s: StateFolder = %s, %v, want another place", name, moved, err)
		}
		if err := spoil(moved); err != nil {
			t.Fatal(err)
		}
		if got, err := (Env{}).StateFolder("", home); err != nil || got != usual {
			t.Errorf("%s: StateFolder = %s, %v, want %s", name, got, err, usual)
		}
	}
}
