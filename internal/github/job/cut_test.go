package job

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// inGit runs git in a folder, as nobody in particular, and returns what it prints.
func inGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), gitNobody()...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func gitNobody() []string {
	return []string{
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid",
	}
}

// releasing is a repository that a release can be cut in, and its origin. Its build.sh
// only lists a file.
type releasing struct{ dir, origin string }

const (
	cutScript   = ".github/release/cut.sh"
	majorScript = ".github/release/major.sh"
	tryScript   = ".github/release/try.sh"
	reusable    = ".github/workflows/matrix.yml"
)

// release returns a fresh repository with a detached HEAD.
func release(t *testing.T) releasing {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the scripts need a POSIX shell")
	}
	r := releasing{filepath.Join(t.TempDir(), "a clone"), filepath.Join(t.TempDir(), "origin")}
	for _, script := range []string{cutScript, majorScript, tagScript} {
		write(t, filepath.Join(r.dir, script), readRoot(t, script), 0o755)
	}
	write(t, filepath.Join(r.dir, buildScript), "#!/bin/sh\nset -e\nmkdir \"$2\"\necho \"sum  $1/x\" >\"$(dirname \"$0\")/checksums.txt\"\n", 0o755)
	write(t, filepath.Join(r.dir, "CHANGELOG.md"), "# Changelog\n\n## v1.2.3 (2026-01-31)\n\n## v1.2.4-rc.1 (2026-01-31)\n\n## v2.0.0 (2026-01-31)\n", 0o644)
	write(t, filepath.Join(r.dir, "go.mod"), "module example.invalid/x\n", 0o644)
	write(t, filepath.Join(r.dir, reusable), "jobs:\n  a:\n    steps:\n      - uses: openagent-ci/openagent@main # pin\n      - uses: actions/checkout@v1\n", 0o644)
	commit(t, r.dir)
	inGit(t, r.dir, "clone", "-q", "--bare", r.dir, r.origin)
	inGit(t, r.dir, "remote", "add", "origin", r.origin)
	inGit(t, r.dir, "switch", "-q", "--detach")
	return r
}

// run runs one of the scripts.
func (r releasing) run(t *testing.T, script string, args ...string) (log string, ok bool) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{filepath.Join(r.dir, script)}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), gitNobody()...)
	out, err := cmd.CombinedOutput()
	t.Logf("%s %q: %v\n%s", script, args, err, out)
	return string(out), err == nil
}

// The commit of the tag names the action by the commit before, which has the same
// checksums: so a reusable workflow runs the action of its own release.
func TestCut_ContentThenWorkflowThenTag(t *testing.T) {
	r := release(t)
	before := inGit(t, r.dir, "rev-parse", "HEAD")
	if log, ok := r.run(t, cutScript, "v1.2.3", "dist"); !ok || !strings.Contains(log, "git push origin v1.2.3") {
		t.Fatalf("cut.sh: succeeded %v, want the tag and how to push it", ok)
	}
	content := inGit(t, r.dir, "rev-parse", "v1.2.3^{commit}~1")
	if got := inGit(t, r.dir, "rev-parse", content+"~1"); got != before {
		t.Errorf("the commits of the release follow %s, want %s", got, before)
	}
	if got := inGit(t, r.dir, "show", content+":.github/release/checksums.txt"); got != "sum  v1.2.3/x" {
		t.Errorf("the first commit lists %q, want the release", got)
	}
	want := "      - uses: openagent-ci/openagent@" + content + " # v1.2.3\n      - uses: actions/checkout@v1"
	if got := inGit(t, r.dir, "show", "v1.2.3:"+reusable); !strings.Contains(got, want) {
		t.Errorf("the workflow of the tag is\n%s\nwant in it\n%s", got, want)
	}
	if got := inGit(t, r.dir, "diff", "--name-only", content, "v1.2.3"); got != reusable {
		t.Errorf("the second commit changes %q, want the workflow alone", got)
	}
	if got := inGit(t, r.dir, "ls-remote", "--tags", "origin"); got != "" {
		t.Errorf("origin has the tags %q, want nothing pushed", got)
	}
}

func TestCut_Refuses(t *testing.T) {
	tests := []struct {
		name, tag string
		prepare   func(r releasing)
		want      string
	}{
		{"no version", "v1.2", func(releasing) {}, "not like v1.2.3"},
		{"a dirty tree", "v1.2.3", func(r releasing) { write(t, filepath.Join(r.dir, "x.go"), "", 0o644) }, "?? x.go"},
		{"a changed file", "v1.2.3", func(r releasing) { write(t, filepath.Join(r.dir, "go.mod"), "", 0o644) }, "M go.mod"},
		{"a branch", "v1.2.3", func(r releasing) { inGit(t, r.dir, "switch", "-qc", "x") }, "HEAD is a branch"},
		{"a tag that is here", "v1.2.3", func(r releasing) { inGit(t, r.dir, "tag", "v1.2.3") }, "is there already"},
		{"a tag that origin has", "v1.2.3", func(r releasing) { inGit(t, r.origin, "tag", "v1.2.3", "HEAD") }, "origin has the tag v1.2.3 already"},
		{"no origin", "v1.2.3", func(r releasing) { inGit(t, r.dir, "remote", "remove", "origin") }, "origin does not say"},
		{"no heading", "v1.2.5", func(releasing) {}, `no heading of the form "## v1.2.5 (`},
		{"another heading", "v1.2.4", func(releasing) {}, `no heading of the form "## v1.2.4 (`},
		{"a version of another module", "v2.0.0", func(releasing) {}, "names no module of v2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := release(t)
			tt.prepare(r)
			head, tags := inGit(t, r.dir, "rev-parse", "HEAD"), inGit(t, r.dir, "tag")
			if log, ok := r.run(t, cutScript, tt.tag, "dist"); ok || !strings.Contains(log, tt.want) {
				t.Errorf("cut.sh %s succeeded: %v, want a refusal: %s", tt.tag, ok, tt.want)
			}
			if got := inGit(t, r.dir, "rev-parse", "HEAD"); got != head || inGit(t, r.dir, "tag") != tags {
				t.Error("a refusal left a commit or a tag")
			}
		})
	}
	// A tag of another name is no reason.
	r := release(t)
	inGit(t, r.origin, "tag", "v1.2.30", "HEAD")
	if _, ok := r.run(t, cutScript, "v1.2.3", "dist"); !ok {
		t.Error("cut.sh refuses v1.2.3 since origin has v1.2.30")
	}
}

// v1 is the newest final version of its major, whatever is tagged when.
func TestMajor_MovesToTheNewestAlone(t *testing.T) {
	r := release(t)
	at := func(tag string) string {
		sum, _, _ := strings.Cut(inGit(t, r.dir, "ls-remote", "origin", "refs/tags/"+tag), "\t")
		return sum
	}
	tagged := func(tag string) string {
		inGit(t, r.dir, "commit", "-q", "--allow-empty", "-m", tag)
		inGit(t, r.dir, "tag", "-m", tag, tag)
		inGit(t, r.dir, "push", "-q", "origin", tag)
		return inGit(t, r.dir, "rev-parse", "HEAD")
	}
	move := func(tag, say string, ok bool) {
		t.Helper()
		if log, got := r.run(t, majorScript, tag); got != ok || !strings.Contains(log, say) {
			t.Errorf("major.sh %s: succeeded %v, want %v and %q", tag, got, ok, say)
		}
	}
	first := tagged("v1.2.3")
	move("v1.2.3", "v1 is v1.2.3 now", true)
	move("v1.2.3", "v1 is v1.2.3 already", true)
	tenth := tagged("v1.10.0")
	move("v1.2.3", "not that of the tag v1.2.3", false)
	move("v1.10.0", "v1 is v1.10.0 now", true)
	tagged("v1.9.1")
	move("v1.9.1", "v1.10.0 is newer than v1.9.1", true)
	tagged("v1.11.0-rc.1")
	move("v1.11.0-rc.1", "no final version", true)
	move("v1.12.0", "origin has no tag v1.12.0", false)
	move("v1", "not like v1.2.3", false)
	if got := at("v1"); got != tenth || tenth == first {
		t.Errorf("v1 is %s, want v1.10.0, %s", got, tenth)
	}
	second := tagged("v2.0.0")
	move("v2.0.0", "v2 is v2.0.0 now", true)
	if at("v1") != tenth || at("v2") != second {
		t.Errorf("v1 is %s and v2 %s, want %s and %s", at("v1"), at("v2"), tenth, second)
	}
}

// What is not as the list says is not tried.
func TestTry_RefusesOtherFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script needs a POSIX shell")
	}
	const good = "#!/bin/sh\necho openagent v1.0.0\n"
	for name, tt := range map[string]struct{ listed, has, more, want string }{
		"a tampered file": {good, good + ":", "", "not as SHA256SUMS has it"},
		"another version": {"#!/bin/sh\necho openagent v0.9.0\n", "", "", "want openagent v1.0.0"},
		"a file too many": {good, "", "openagent_linux", "does not list openagent_linux"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if tt.has == "" {
				tt.has = tt.listed
			}
			var sums string
			for _, name := range []string{"openagent_linux_amd64", "openagent_linux_arm64", "openagent_darwin_arm64", "openagent_darwin_amd64"} {
				sums += checksum(name, tt.listed)
				write(t, filepath.Join(dir, name), tt.has, 0o755)
			}
			write(t, filepath.Join(dir, "SHA256SUMS"), sums, 0o644)
			if tt.more != "" {
				write(t, filepath.Join(dir, tt.more), "", 0o644)
			}
			out, err := exec.Command("sh", filepath.Join(root, tryScript), "v1.0.0", dir).CombinedOutput()
			if err == nil || !strings.Contains(string(out), tt.want) {
				t.Errorf("try.sh: %v, %q, want a refusal: %s", err, out, tt.want)
			}
		})
	}
}

// The workflow of releases starts for versions alone: for v1, which it moves, it would
// start again.
func TestRelease_StartsForVersionsAlone(t *testing.T) {
	var w struct {
		On struct{ Push struct{ Tags []string } }
	}
	readYAML(t, ".github/workflows/release.yml", &w)
	if want := []string{"v[0-9]+.[0-9]+.[0-9]+*"}; !slices.Equal(w.On.Push.Tags, want) {
		t.Errorf("the workflow starts for the tags %q, want %q", w.On.Push.Tags, want)
	}
}
