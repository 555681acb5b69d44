package sandbox_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openagent-ci/openagent/internal/sandbox"
)

// opened is the wall of a policy round a new workspace.
func opened(t *testing.T, p sandbox.Policy) (*sandbox.Wall, string) {
	t.Helper()
	if p.Workspace == "" {
		p.Workspace = t.TempDir()
	}
	if p.Environ == nil {
		p.Environ = os.Environ()
	}
	w, err := sandbox.Open(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return w, p.Workspace
}

func TestWall_PrivateFolders(t *testing.T) {
	temp := t.TempDir()
	w, dir := opened(t, sandbox.Policy{Temp: temp})
	said, status := walled(t, w, dir, `echo $HOME $TMPDIR && touch ~/x $TMPDIR/y here && mkdir -p ~/ro/ro && chmod 500 ~/ro/ro ~/ro`)
	if want := w.Home() + " " + w.Temp(); status != 0 || said != want {
		t.Fatalf("status %d, printed %q, want %q", status, said, want)
	}
	if said, status := walled(t, w, dir, "touch "+temp+"/z"); status == 0 {
		t.Errorf("the folder above the private ones is open: %s", said)
	}
	if err := w.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v, want nothing", left, err)
	}
}

// A command keeps its exit status, its streams and its arguments.
func TestWall_ACommandIsAsWithout(t *testing.T) {
	w, dir := opened(t, sandbox.Policy{})
	said, status := walledArgs(t, w, dir, "/bin/sh", "a name", "-c", `echo "$0|$1|$2"; pwd; echo err >&2; exit 7`, "zero", "one two", "")
	if want := "zero|one two|\n" + dir + "\nerr"; status != 7 || said != want {
		t.Errorf("status %d, printed %q, want 7 and %q", status, said, want)
	}
	if said, _ := walled(t, w, dir, "kill -TERM $$"); said != "" {
		t.Errorf("a signal to itself printed %q", said)
	}
	// The descriptors of the role do not reach the command.
	off, _ := opened(t, sandbox.Policy{Mode: sandbox.Off})
	want, _ := walled(t, off, dir, "ls /proc/self/fd")
	if said, _ := walled(t, w, dir, "ls /proc/self/fd"); said != want {
		t.Errorf("descriptors are %q, want %q", said, want)
	}
}

// The first commands of a run may well be several at a time.
func TestWall_SeveralAtATime(t *testing.T) {
	s := newScene(t)
	s.fill(t)
	w, dir := opened(t, s.policy())
	var commands sync.WaitGroup
	for range 8 {
		commands.Go(func() {
			if said, status := walled(t, w, dir, "touch .git/hooks/x && echo planted; test -e main.c"); status != 0 || strings.Contains(said, "planted") && slices.ContainsFunc(w.Status().Mechanisms, mounted) {
				t.Errorf("status %d, printed %q", status, said)
			}
		})
	}
	commands.Wait()
}

func mounted(m sandbox.Mechanism) bool { return m.Name == sandbox.Mounts && m.Have }

func TestWall_ACommandThatCannotStart(t *testing.T) {
	w, dir := opened(t, sandbox.Policy{})
	entry, err := w.Enter(filepath.Join(dir, "none"), []string{"none"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Cmd{Path: entry.Path, Args: entry.Args, Env: entry.Env, ExtraFiles: entry.Files}
	_ = cmd.Run()
	if err := entry.Failure(); err == nil || !strings.Contains(err.Error(), "none: no such file") || cmd.ProcessState.ExitCode() != 125 {
		t.Errorf("Failure is %v with status %d, want the missing program and 125", err, cmd.ProcessState.ExitCode())
	}
}

// A thousand commands leave no descriptor, no process and no file.
func TestWall_LeavesNothing(t *testing.T) {
	temp := t.TempDir()
	w, dir := opened(t, sandbox.Policy{Temp: temp})
	count := 1000
	if testing.Short() {
		count = 100
	}
	files := func() int { list, _ := os.ReadDir("/proc/self/fd"); return len(list) }
	walled(t, w, dir, "true")
	before := files()
	for range count {
		if said, status := walled(t, w, dir, "true"); status != 0 {
			t.Fatal(said)
		}
	}
	if after := files(); after != before {
		t.Errorf("%d descriptors are open, %d before", after, before)
	}
	for _, name := range []string{w.Home(), w.Temp(), dir} {
		if list, err := os.ReadDir(name); err != nil || len(list) > 0 && name != w.Home() {
			t.Errorf("%s holds %v, %v", name, list, err)
		}
	}
}

// Whatever is missing, Require refuses and Auto says it.
func TestOpen_Missing(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		policy sandbox.Policy
		says   string
	}{
		"no temporary folder": {sandbox.Policy{Temp: filepath.Join(dir, "none")}, "private folders"},
		"no toolchain":        {sandbox.Policy{Presets: []string{"rust"}, Environ: []string{"PATH=" + dir}}, "preset rust: none of cargo, rustc"},
		"the home is open":    {sandbox.Policy{Environ: []string{"HOME=" + dir}}, "the workspace is the home folder"},
	} {
		c.policy.Workspace, c.policy.Mode = dir, sandbox.Require
		_, err := sandbox.Open(c.policy)
		if unavailable := new(sandbox.UnavailableError); !errors.As(err, &unavailable) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: Require: %v, want an error that says %q", name, err, c.says)
		}
		c.policy.Mode = sandbox.Auto
		w, _ := opened(t, c.policy)
		if s := w.Status(); s.Level == sandbox.LevelFull || len(s.Missing) != 1 || !strings.Contains(s.Missing[0], c.says) {
			t.Errorf("%s: Auto: status %+v, want one thing missing: %q", name, s, c.says)
		}
	}
}

// Inside a sandbox, as in a container, nothing can be mounted. The wall stands all
// the same, hooks are put back instead, and loopback becomes none.
func TestOpen_WhereNamespacesAreRefused(t *testing.T) {
	s := newScene(t)
	s.fill(t)
	policy := s.policy()
	if policy.Temp = s.at("work/tmp"); os.Mkdir(policy.Temp, 0o755) != nil {
		t.Fatal("no temporary folder")
	}
	policy.Hidden = nil
	policy.Write = []string{s.at("work/.git/hooks")} // else the outer wall holds it
	said, status := s.run(t, policy, "status inside", s.at("work"))
	if want := "partial: landlock 7, seccomp, network off, 1 missing"; status != 0 || said[:strings.Index(said+"\n", "\n")] != want {
		t.Errorf("status %d, printed %q, want %q", status, said, want)
	}
	for _, want := range []string{"read-only mounts false no mount namespace", "network: loopback needs namespaces", "planted and put back"} {
		if !strings.Contains(said, want) {
			t.Errorf("printed\n%s\nwant %q in it", said, want)
		}
	}
}

// statusWithin prints what a wall within a wall reaches, and plants a hook in it.
func statusWithin(workspace string) error {
	policy := sandbox.Policy{Workspace: workspace, Temp: filepath.Join(workspace, "tmp"), Network: sandbox.NetworkLoopback, Environ: []string{"PATH=/usr/bin:/bin"}}
	w, err := sandbox.Open(policy)
	if err != nil {
		return err
	}
	defer w.Close()
	guarded, err := w.Guard()
	if err != nil {
		return err
	}
	defer guarded.Close()
	entry, err := w.Enter("/bin/sh", []string{"sh", "-c", "echo evil >.git/hooks/pre-commit && echo planted"}, w.Environ(os.Environ()))
	if err != nil {
		return err
	}
	cmd := exec.Cmd{Path: entry.Path, Args: entry.Args, Env: entry.Env, Dir: workspace, ExtraFiles: entry.Files, Stderr: os.Stderr}
	out, err := cmd.Output()
	if err == nil {
		err = entry.Failure()
	}
	s := w.Status()
	os.Stdout.WriteString(s.Text() + "\n" + strings.Join(s.Missing, "\n") + "\n")
	for _, m := range s.Mechanisms {
		if !m.Have {
			os.Stdout.WriteString(m.Name + " false " + m.Detail + "\n")
		}
	}
	if slices.ContainsFunc(s.Mechanisms, func(m sandbox.Mechanism) bool { return m.Name == sandbox.Landlock && !m.Have }) {
		return errors.New("no Landlock in Landlock")
	}
	if changes := guarded.Check(); len(changes) == 1 && changes[0].Err == nil {
		os.Stdout.WriteString(strings.TrimSpace(string(out)) + " and put back\n")
	}
	return err
}

func TestWall_SandboxUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	dir := openDir(t)
	if err := os.Chown(dir, 4242, 4243); err != nil {
		t.Fatal(err)
	}
	w, _ := opened(t, sandbox.Policy{Workspace: dir, User: &sandbox.User{UID: 4242, GID: 4243}, Temp: openDir(t), Mode: sandbox.Require})
	said, status := walled(t, w, dir, `id -u; id -g; id -G; grep -E 'Cap(Inh|Prm|Eff|Amb)|NoNewPrivs' /proc/self/status | tr -d '\t'; touch here ~/x`)
	want := "4242\n4243\n4243\nCapInh:0000000000000000\nCapPrm:0000000000000000\nCapEff:0000000000000000\nCapAmb:0000000000000000\nNoNewPrivs:1"
	if status != 0 || said != want {
		t.Errorf("status %d, printed\n%s\nwant\n%s", status, said, want)
	}
	if s := w.Status(); s.User != "4242:4243" {
		t.Errorf("the status names user %q", s.User)
	}
}

func TestWall_RootGivesUpRights(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has rights to give up")
	}
	w, dir := opened(t, sandbox.Policy{})
	// chown, dac_override, fowner, fsetid, kill, setgid, setuid, net_bind_service.
	const capabilities = "00000000000004fb"
	said, _ := walled(t, w, dir, `grep -E 'Cap(Prm|Eff|Bnd|Amb)' /proc/self/status | tr -d '\t'`)
	if want := "CapPrm:" + capabilities + "\nCapEff:" + capabilities + "\nCapBnd:" + capabilities + "\nCapAmb:0000000000000000"; said != want {
		t.Errorf("capabilities are\n%s\nwant\n%s", said, want)
	}
}

func TestWall_Limits(t *testing.T) {
	w, dir := opened(t, sandbox.Policy{Limits: sandbox.Limits{OpenFiles: 64, FileSize: 1 << 20, Memory: 512 << 20}})
	if said, _ := walled(t, w, dir, "ulimit -n"); said != "64" {
		t.Errorf("open files are bounded by %s, want 64", said)
	}
	if said, status := walled(t, w, dir, "exec head -c 2000000 /dev/zero >big"); status != -1 {
		t.Errorf("a large file: status %d, %s, want death by SIGXFSZ", status, said)
	}
	if info, err := os.Stat(filepath.Join(dir, "big")); err != nil || info.Size() != 1<<20 {
		t.Errorf("the file is %v, %v, want 1 MiB of it", info, err)
	}
	if hits := w.Hits("SIGXFSZ"); !slices.Equal(hits, []string{"file size"}) {
		t.Errorf("Hits = %q, want the file size", hits)
	}
}

func TestWall_Loopback(t *testing.T) {
	s := newScene(t)
	s.fill(t)
	for _, c := range []struct {
		network sandbox.Network
		own     bool
	}{{sandbox.NetworkOn, true}, {sandbox.NetworkLoopback, true}, {sandbox.NetworkOff, false}} {
		policy := s.policy()
		policy.Mode, policy.Network = sandbox.Auto, c.network
		w, err := sandbox.Open(policy)
		if err != nil {
			t.Fatal(err)
		}
		reached := w.Status().Network
		w.Close()
		if reached != c.network {
			t.Skip("this machine refuses network namespaces")
		}
		if said, status := s.run(t, policy, "serve itself", ""); (status == 0) != c.own {
			t.Errorf("network %s: to itself: status %d, %s", c.network, status, said)
		}
		if said, status := s.run(t, policy, "reach a service of the machine", s.service); (status == 0) != (c.network == sandbox.NetworkOn) {
			t.Errorf("network %s: to the machine: status %d, %s", c.network, status, said)
		}
	}
}

// A program that a version manager has stands on PATH as a shim, which finds the
// version without a preset; what only looks like one opens nothing.
func TestWall_FindsWhatAShimStarts(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		".rbenv/shims/tool":            "#!/bin/sh\nexec \"${RBENV_ROOT:-$HOME/.rbenv}/versions/3.4/bin/tool\"\n",
		".rbenv/versions/3.4/bin/tool": "#!/bin/sh\necho version 3.4\n",
		".local/shims/other":           "#!/bin/sh\ncat \"$(dirname \"$0\")/../share/key\"\n",
		".local/share/key":             "secret\n",
	} {
		at := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(home, ".rbenv/shims") + ":" + filepath.Join(home, ".local/shims") + ":/usr/bin:/bin"
	w, dir := opened(t, sandbox.Policy{Environ: []string{"HOME=" + home, "PATH=" + path}})
	if said, status := walled(t, w, dir, filepath.Join(home, ".rbenv/shims/tool")); status != 0 || said != "version 3.4" {
		t.Errorf("the shim ends with %d: %s", status, said)
	}
	if said, status := walled(t, w, dir, filepath.Join(home, ".local/shims/other")); status == 0 || strings.Contains(said, "secret") {
		t.Errorf("what looks like a shim opens the folder above it: %s", said)
	}
}
