package harness

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// walledRun is a run whose agent is to be within a wall, with evidence of its own.
func walledRun(t *testing.T, o Options) *run {
	t.Helper()
	o.Wall, o.Workspace, o.StateDir = sandbox.Policy{Mode: sandbox.Auto}, t.TempDir(), t.TempDir()
	r := newRun(t, "", o)
	var err error
	if r.folder, err = evidence.Open(evidence.Options{Dir: filepath.Join(t.TempDir(), "evidence"), Redactor: redact.New(nil)}); err != nil {
		t.Fatal(err)
	}
	return r
}

// An agent has what it cannot do without, and evidence, state and the runner's folder
// are closed to it.
func TestRun_WallPolicy(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("commands are walled in on Linux alone")
	}
	t.Setenv("RUNNER_TEMP", t.TempDir())
	codex, err := adapter.ByName("codex")
	if err != nil {
		t.Fatal(err)
	}
	packages := filepath.Join(t.TempDir(), "lib", "node_modules")
	program := filepath.Join(packages, "codex", "bin", "codex.js")
	if err := os.MkdirAll(filepath.Dir(program), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "codex")
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	if packages, err = filepath.EvalSymlinks(packages); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		options Options
		needs   needs
		env     []string
		want    []sandbox.Rule // beside the artifacts
	}{
		"command":         {Options{Outcome: Outcome{Dir: "e"}, Command: []string{link}, PromptFile: "/p"}, needs{}, nil, []sandbox.Rule{{Path: packages}, {Path: "/p"}}},
		"private home":    {Options{Foreign: &Foreign{Agent: codex, Preset: true}}, needs{program: link, home: "/h"}, nil, []sandbox.Rule{{Path: packages}, {Path: "tmp", Write: true}, {Path: "agent"}, {Path: "/h", Write: true}}},
		"user's home":     {Options{Foreign: &Foreign{Agent: codex, Preset: true}}, needs{program: link}, []string{"HOME=/u"}, []sandbox.Rule{{Path: packages}, {Path: "tmp", Write: true}, {Path: "agent"}, {Path: "/u/.codex", Write: true}}},
		"folder of login": {Options{Foreign: &Foreign{Agent: codex, Preset: true}}, needs{program: link}, []string{"HOME=/u", "CODEX_HOME=/c"}, []sandbox.Rule{{Path: packages}, {Path: "tmp", Write: true}, {Path: "agent"}, {Path: "/c", Write: true}}},
	} {
		r := walledRun(t, tt.options)
		r.needs = tt.needs
		got, err := r.wallPolicy(runner.Config{Command: tt.options.Command, Env: tt.env})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := append([]sandbox.Rule{{Path: r.artifactsDir(), Write: true}}, terminals...)
		for _, rule := range tt.want {
			if !filepath.IsAbs(rule.Path) {
				rule.Path = filepath.Join(r.temp, rule.Path)
			}
			want = append(want, rule)
		}
		if diff := cmp.Diff(want, got.Needed); diff != "" {
			t.Errorf("%s: open (-want +got):\n%s", name, diff)
		}
		own := r.folder.Path()
		if tt.options.Dir == "" {
			own = filepath.Dir(own) // earlier runs have theirs beside it
		}
		for _, dir := range []string{own, r.temp, os.Getenv("RUNNER_TEMP"), r.opts.StateDir} {
			if !slices.Contains(got.Hidden, dir) {
				t.Errorf("%s: hidden is %q, want %s in it", name, got.Hidden, dir)
			}
		}
		if name == "user's home" && !slices.Contains(r.needs.env, "HOME=/u") {
			t.Errorf("%s: variables that stay are %q, want HOME", name, r.needs.env)
		}
	}
}

// What confines a run is what the harness made, and else what the agent says.
func TestRun_Confined(t *testing.T) {
	said := &schema.SandboxStatus{Level: "full"}
	r := newRun(t, "", Options{})
	if got := r.confined(&runner.Execution{}); got != nil {
		t.Errorf("without a word it is %+v, want nothing", got)
	}
	if got := r.confined(&runner.Execution{RunStarted: &schema.RunStarted{SandboxStatus: said}}); got != said {
		t.Errorf("as the agent says it is %+v, want that", got)
	}
}

// An agent that may not begin without a sandbox does not where there is none.
func TestRun_WallIsRequired(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("commands are walled in on Linux alone")
	}
	r := walledRun(t, other("true"))
	r.opts.Wall.Mode, r.opts.Workspace = sandbox.Require, t.TempDir()
	err := r.buildWall(&runner.Config{Command: []string{"true"}, Env: []string{"HOME=" + r.opts.Workspace}}) // which commands may change
	if err == nil || !strings.HasPrefix(err.Error(), "sandbox_unavailable: ") || r.wall != nil {
		t.Errorf("buildWall = %v, want that something is missing", err)
	}
}
