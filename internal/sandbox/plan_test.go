//go:build unix

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// place makes folders and files below a temporary folder; a name that ends in / is
// a folder, one with " -> " a link.
func place(t *testing.T, names ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		name, target, link := strings.Cut(name, " -> ")
		at := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		switch {
		case err != nil:
		case link:
			err = os.Symlink(filepath.Join(root, target), at)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(at, 0o755)
		default:
			err = os.WriteFile(at, []byte("#!/bin/sh\n"), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func planOf(t *testing.T, p Policy) Plan {
	t.Helper()
	plan, err := p.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestPlan_OpensTheWorkspaceAndClosesTheHome(t *testing.T) {
	root := place(t, "home/.ssh/id", "home/work/", "home/.local/bin/tool", "home/.cargo/bin/cargo", "home/.nvm/versions/v20/bin/node", "home/.config/app/bin/tool", "opt/go/bin/go", "links/git -> opt/git/bin/git", "opt/git/bin/git", "opt/git/lib/x")
	at := func(name string) string { return filepath.Join(root, name) }
	plan := planOf(t, Policy{
		Workspace: at("home/work"),
		Environ: []string{"HOME=" + at("home"), "PATH=" + strings.Join([]string{at("home/.local/bin"), at("home/.cargo/bin"), at("home/.nvm/versions/v20/bin"), at("home/.config/app/bin"),
			at("opt/go/bin"), at("links"), "relative", at("missing"), "/usr/bin"}, ":")},
	})
	for path, want := range map[string]string{
		"home/work": "write", "home/work/sub": "write",
		"home": "", "home/.ssh/id": "", "home/.cargo": "", "home/.local/share": "", "home/.config/app/key": "",
		"home/.local/bin/tool": "read", "home/.cargo/bin/cargo": "read", // the folder on PATH, and not what is beside it
		"home/.nvm/versions/v20/lib": "read", "opt/go/src": "read", // all of a toolchain
		"opt/git/lib/x": "read", // by the link on PATH
	} {
		got := ""
		if plan.Writes(at(path)) {
			got = "write"
		} else if plan.Reads(at(path)) {
			got = "read"
		}
		if got != want {
			t.Errorf("commands may %q %s, want %q", got, path, want)
		}
	}
	for path, want := range map[string]bool{"/usr/lib": true, "/proc/meminfo": true, "/var/lib": false, "/": false, "/dev/mem": false, "/dev/pts": false} {
		if got := plan.Reads(path); got != want {
			t.Errorf("Reads(%s) = %t, want %t", path, got, want)
		}
	}
	for _, r := range plan.Rules {
		if !filepath.IsAbs(r.Path) {
			t.Errorf("rule for %q, which is what the working folder is", r.Path)
		}
	}
	if plan.Writes("/usr") || !plan.Writes("/dev/null") || len(plan.Unavailable) > 0 {
		t.Errorf("/usr writable: %t, /dev/null writable: %t, lost: %v", plan.Writes("/usr"), plan.Writes("/dev/null"), plan.Unavailable)
	}
}

// A path that would open what must stay hidden is refused, but for the workspace,
// which cannot be elsewhere.
func TestPlan_Hidden(t *testing.T) {
	root := place(t, "state/x", "work/evidence/x", "tools/bin/tool")
	at := func(name string) string { return filepath.Join(root, name) }
	hidden := []string{at("state"), at("work/evidence"), at("tools")}
	for _, p := range []Policy{{Read: []string{at("state/x")}}, {Write: []string{at("state")}}, {Read: []string{root}}} {
		p.Workspace, p.Hidden = at("work"), hidden
		if _, err := p.Plan(); !errors.Is(err, ErrContradiction) {
			t.Errorf("Plan with read %v, write %v: %v, want a contradiction", p.Read, p.Write, err)
		}
	}
	plan := planOf(t, Policy{Workspace: at("work"), Hidden: hidden, Environ: []string{"PATH=" + at("tools/bin")}})
	if plan.Reads(at("tools/bin/tool")) {
		t.Error("PATH opened a hidden folder")
	}
	if len(plan.StillReachable) != 1 || plan.StillReachable[0] != at("work/evidence") || !slices.Equal(plan.Covered, plan.StillReachable) || len(plan.bare()) > 0 {
		t.Errorf("exposed %q, covered %q, bare %q, want the evidence in the workspace in the first two", plan.StillReachable, plan.Covered, plan.bare())
	}
	plan = planOf(t, Policy{Workspace: at("work"), Hidden: hidden, Needed: []Rule{{Path: at("work/evidence/x"), Write: true}}})
	if len(plan.Covered) > 0 || len(plan.bare()) != 1 || !slices.Contains(plan.ReadOnly, at("work/evidence")) {
		t.Errorf("covered %q, bare %q, read-only %q, want what is needed in the evidence open", plan.Covered, plan.bare(), plan.ReadOnly)
	}
}

// What of ours commands cannot do without is open in the midst of what is hidden, and
// nothing beside it.
func TestPlan_Needed(t *testing.T) {
	root := place(t, "work/", "state/artifacts/", "state/prompt", "state/x")
	at := func(name string) string { return filepath.Join(root, name) }
	plan := planOf(t, Policy{
		Workspace: at("work"), Hidden: []string{at("state")},
		Needed: []Rule{{Path: at("state/artifacts"), Write: true}, {Path: at("state/prompt")}, {Path: at("state/none")}},
	})
	if !plan.Writes(at("state/artifacts/a")) || !plan.Reads(at("state/prompt")) || plan.Writes(at("state/prompt")) || plan.Reads(at("state/x")) {
		t.Errorf("rules %+v, want artifacts open, the prompt readable and nothing else of the folder", plan.Rules)
	}
}

func TestPlan_RefusesWhatCannotBe(t *testing.T) {
	root := place(t, "work/")
	work := filepath.Join(root, "work")
	for name, c := range map[string]struct {
		policy Policy
		is     error
		says   string
	}{
		"missing path":   {policy: Policy{Read: []string{filepath.Join(root, "none")}}, is: fs.ErrNotExist, says: "--sandbox-read"},
		"mode":           {policy: Policy{Mode: "on"}, says: "auto, require, off"},
		"network":        {policy: Policy{Network: "lo"}, says: "on, loopback, off"},
		"preset":         {policy: Policy{Presets: []string{"cobol"}}, says: "go, node, python, rust, java"},
		"relative":       {policy: Policy{Write: []string{"cache"}}, says: "not absolute"},
		"off with paths": {policy: Policy{Mode: Off, Read: []string{root}}, is: ErrContradiction, says: "paths"},
		"off, network":   {policy: Policy{Mode: Off, Network: NetworkOff}, is: ErrContradiction, says: "network"},
	} {
		c.policy.Workspace = work
		_, err := c.policy.Plan()
		if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", name, err, c.says)
		}
	}
}

// A state folder that is a link to nothing yet lies where the link leads.
func TestPlan_HiddenByALinkToNothing(t *testing.T) {
	root := place(t, "work/main.go", "elsewhere/")
	for link, target := range map[string]string{"absolute": filepath.Join(root, "elsewhere", "state"), "relative": "../elsewhere/state"} {
		if err := os.Symlink(target, filepath.Join(root, "work", link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range []string{"absolute", "relative"} {
		plan := planOf(t, Policy{Workspace: filepath.Join(root, "work"), Hidden: []string{filepath.Join(root, "work", link)}})
		if len(plan.StillReachable) > 0 {
			t.Errorf("the %s link exposes %q, want nothing in the workspace", link, plan.StillReachable)
		}
	}
	loop := filepath.Join(root, "work", "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	if got := existing(loop); got != loop {
		t.Errorf("existing(%s) is %s, want the link itself", loop, got)
	}
}

func TestPlan_SaysThatTheHomeIsOpen(t *testing.T) {
	root := place(t, "home/work/")
	for workspace, want := range map[string]string{"home": "the workspace is the home folder", ".": "the workspace opens the home folder"} {
		plan := planOf(t, Policy{Workspace: filepath.Join(root, workspace), Environ: []string{"HOME=" + filepath.Join(root, "home")}})
		if len(plan.Unavailable) != 1 || !strings.Contains(plan.Unavailable[0], want) {
			t.Errorf("lost %q, want %q", plan.Unavailable, want)
		}
	}
}

// Downloads are read where they are, what was built is not, and what there is none
// of is private.
func TestPlan_PresetGo(t *testing.T) {
	root := place(t, "work/", "home/go/pkg/mod/m@v1/", "home/.cache/go-build/00/", "home/.gitconfig", "go/bin/go")
	at := func(name string) string { return filepath.Join(root, name) }
	p := Policy{Workspace: at("work"), Presets: []string{"go"}, Environ: []string{"HOME=" + at("home"), "PATH=" + at("go/bin")}}
	plan := planOf(t, p)
	if !plan.Reads(at("home/go/pkg/mod/m@v1")) || plan.Writes(at("home/go/pkg/mod")) || plan.Reads(at("home/.cache/go-build")) {
		t.Errorf("rules are %v, want the modules readable and the builds closed", plan.Rules)
	}
	for _, want := range []string{"GOMODCACHE=" + at("home/go/pkg/mod"), "GOCACHE=" + HomeMark + "/.cache/go-build"} {
		if !slices.Contains(plan.Env, want) {
			t.Errorf("variables are %q, want %q", plan.Env, want)
		}
	}
	if !slices.Contains(plan.Links, Link{Name: ".gitconfig", Target: at("home/.gitconfig"), Copy: true}) {
		t.Errorf("links are %v, want a copy of .gitconfig", plan.Links)
	}
	p.Write = []string{at("home/.cache/go-build")}
	if plan = planOf(t, p); !slices.Contains(plan.Env, "GOCACHE="+at("home/.cache/go-build")) || !plan.Writes(at("home/.cache/go-build")) {
		t.Errorf("variables are %q, want the real build cache once it is opened", plan.Env)
	}
	p.Environ[1] = "PATH=" + at("none")
	if plan = planOf(t, p); len(plan.Unavailable) != 1 || !strings.Contains(plan.Unavailable[0], "preset go") {
		t.Errorf("lost %q, want the preset whose toolchain is missing", plan.Unavailable)
	}
}

// npm writes to its cache even to read from it, so without a network only what it
// finds there is the real one's.
func TestPlan_PresetNode(t *testing.T) {
	root := place(t, "work/", "home/.npm/_cacache/content-v2/", "home/.npm/_cacache/index-v5/", "home/.npm/_logs/", "bin/node")
	at := func(name string) string { return filepath.Join(root, name) }
	p := Policy{Workspace: at("work"), Presets: []string{"node"}, Environ: []string{"HOME=" + at("home"), "PATH=" + at("bin")}}
	for network, want := range map[Network]int{NetworkOn: 0, NetworkLoopback: 2, NetworkOff: 2} {
		p.Network = network
		plan := planOf(t, p)
		if !slices.Contains(plan.Env, "npm_config_cache="+HomeMark+"/.npm") || len(plan.Links) != want || plan.Reads(at("home/.npm/_logs")) {
			t.Errorf("network %s: variables %q, links %v, want a private cache with %d links", network, plan.Env, plan.Links, want)
		}
		if plan.Reads(at("home/.npm/_cacache/content-v2")) != (want > 0) || plan.Reads(at("home/.npm/_cacache/index-v5")) || plan.Writes(at("home/.npm/_cacache/index-v5")) {
			t.Errorf("network %s: rules %v", network, plan.Rules)
		}
	}
	p.Write = []string{at("home/.npm")}
	if plan := planOf(t, p); !slices.Contains(plan.Env, "npm_config_cache="+at("home/.npm")) {
		t.Errorf("variables %q, want the real cache once it is opened", plan.Env)
	}
}

func TestPlan_CopiesNoSettingsWithASecret(t *testing.T) {
	for text, want := range map[string]bool{
		"[user]\n\tname = A\n": true, "[url \"https://user:pw@host/\"]": false, "//host/:_authToken=x": false, "[http]\nextraheader = x": false, "PASSWORD = x": false,
	} {
		root := place(t, "work/", "home/")
		if err := os.WriteFile(filepath.Join(root, "home", ".gitconfig"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		plan := planOf(t, Policy{Workspace: filepath.Join(root, "work"), Environ: []string{"HOME=" + filepath.Join(root, "home")}})
		if got := len(plan.Links) == 1; got != want {
			t.Errorf("%q is copied: %t, want %t", text, got, want)
		}
	}
}
