//go:build unix

package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// trap puts a program into the folder that leaves a mark when it runs.
func (s *sandbox) trap() (program string) {
	s.t.Helper()
	program = filepath.Join(s.root, "..", "trap.sh")
	script := "#!/bin/sh\necho \"$0 $*\" >> '" + filepath.Join(s.root, "..", "sprung") + "'\ncat\nexit 0\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		s.t.Fatal(err)
	}
	return program
}

func (s *sandbox) sprung() string {
	mark, _ := os.ReadFile(filepath.Join(s.root, "..", "sprung"))
	return string(mark)
}

// add appends to a file of the sandbox.
func (s *sandbox) add(name, content string) {
	s.t.Helper()
	before, err := os.ReadFile(filepath.Join(s.root, name))
	if err != nil {
		s.t.Fatal(err)
	}
	s.put(name, string(before)+content)
}

var hooks = []string{
	"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction", "post-index-change",
	"pre-auto-gc", "fsmonitor-watchman", "post-rewrite",
}

func TestHostileConfiguration_NothingRuns(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{
		"hooks folder":     "[core]\n\thooksPath = HOOKS\n",
		"own hooks":        "",
		"fsmonitor":        "[core]\n\tfsmonitor = TRAP\n",
		"editor":           "[core]\n\teditor = TRAP\n\tpager = TRAP\n[sequence]\n\teditor = TRAP\n",
		"ssh and transfer": "[core]\n\tsshCommand = TRAP\n\tgitProxy = TRAP\n\taskPass = TRAP\n[credential]\n\thelper = TRAP\n",
		"signing":          "[gpg]\n\tprogram = TRAP\n[commit]\n\tgpgSign = true\n[tag]\n\tgpgSign = true\n[user]\n\tsigningKey = x\n",
		"diff":             "[diff]\n\texternal = TRAP\n[diff \"x\"]\n\tcommand = TRAP\n\ttextconv = TRAP\n",
		"alias":            "[alias]\n\tstatus = !TRAP\n\tupdate-index = !TRAP\n\tcommit-tree = !TRAP\n",
		"included":         "[include]\n\tpath = INCLUDED\n",
		"work tree":        "[core]\n\tworktree = ELSEWHERE\n",
		"bare":             "[core]\n\tbare = true\n",
		"promisor":         "[remote \"p\"]\n\turl = ext::TRAP\n\tpromisor = true\n\tpartialclonefilter = blob:none\n[extensions]\n\tpartialClone = p\n[protocol \"ext\"]\n\tallow = always\n",
		"maintenance":      "[gc]\n\tauto = 1\n[maintenance]\n\tauto = true\n",
		"filter":           "[filter \"x\"]\n\tclean = TRAP\n\tsmudge = TRAP\n\tprocess = TRAP\n\trequired = true\n",
		"included if":      "[includeIf \"gitdir:**\"]\n\tpath = INCLUDED\n[includeIf \"onbranch:**\"]\n\tpath = INCLUDED\n",
		"own config":       "[extensions]\n\tworktreeConfig = true\n",
		"credentials":      "[credential]\n\thelper = !TRAP\n[credential \"https://x\"]\n\thelper = !TRAP\n",
		"other programs":   "[core]\n\talternateRefsCommand = TRAP\n[interactive]\n\tdiffFilter = TRAP\n[merge \"x\"]\n\tdriver = TRAP\n[uploadpack]\n\tpackObjectsHook = TRAP\n[gpg \"ssh\"]\n\tdefaultKeyCommand = TRAP\n[trailer \"x\"]\n\tcmd = TRAP\n",
		"attributes":       "[core]\n\tattributesFile = ATTRIBUTES\n[filter \"x\"]\n\tclean = TRAP\n[diff \"x\"]\n\tcommand = TRAP\n\ttextconv = TRAP\n",
		"remote programs":  "[remote \"p\"]\n\turl = x\n\tvcs = TRAP\n\tuploadpack = TRAP\n\tpromisor = true\n[extensions]\n\tpartialClone = p\n[submodule \"x\"]\n\tupdate = !TRAP\n",
		"merge driver":     "[merge]\n\ttool = x\n[mergetool \"x\"]\n\tcmd = TRAP\n[difftool \"x\"]\n\tcmd = TRAP\n[merge \"\"]\n\tdriver = TRAP\n[diff \"\"]\n\ttextconv = TRAP\n",
		"odd filter":       "[filter \"a=b.c\"]\n\tclean = TRAP\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := newRepo(t)
			trap := s.trap()
			elsewhere, hooksDir, included := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "config")
			for _, dir := range []string{hooksDir, filepath.Join(s.root, ".git", "hooks")} {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				for _, hook := range hooks {
					if err := os.Symlink(trap, filepath.Join(dir, hook)); err != nil {
						t.Fatal(err)
					}
				}
			}
			attributes := filepath.Join(t.TempDir(), "attributes")
			fill := strings.NewReplacer("TRAP", trap, "ATTRIBUTES", attributes, "HOOKS", hooksDir, "INCLUDED", included, "ELSEWHERE", elsewhere)
			if err := os.WriteFile(included, []byte(fill.Replace("[core]\n\tfsmonitor = TRAP\n\thooksPath = HOOKS\n")), 0o644); err != nil {
				t.Fatal(err)
			}
			s.add(".git/config", fill.Replace(config))
			if err := os.WriteFile(attributes, []byte("* diff=x merge=x\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			s.put(".git/config.worktree", fill.Replace("[core]\n\tfsmonitor = TRAP\n\thooksPath = HOOKS\n"))
			s.put(".gitattributes", "*.x diff=x merge=x\n")
			s.put("a.x", "1\n")
			s.put("base", "changed\n")

			ctx := context.Background()
			if _, err := s.repo.Status(ctx); err != nil {
				t.Errorf("Status() = %v", err)
			}
			if state, err := s.repo.State(ctx); err != nil || !state.Dirty {
				t.Errorf("State() = %+v, %v, want dirty true", state, err)
			}
			if status, err := s.repo.Status(ctx); err != nil || len(status.Entries) != 3 {
				t.Errorf("Status() = %+v, %v, want three changes", status, err)
			}
			s.committed([]string{".gitattributes", "a.x", "base"})
			if mark := s.sprung(); mark != "" {
				t.Errorf("the repository ran a program: %s", mark)
			}
		})
	}
}

// The traps of the tests above must work, or they would prove nothing.
func TestHostileConfiguration_TrapSpringsForPlainGit(t *testing.T) {
	s := newRepo(t)
	trap := s.trap()
	s.git("config", "core.fsmonitor", trap)
	cmd := exec.Command("git", "status")
	cmd.Dir = s.root
	_ = cmd.Run()
	if s.sprung() == "" {
		t.Error("plain git did not run the monitor, want a mark")
	}
}

func TestHostileFilter_PathIsNotCommitted(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"x", "a=b.c"} {
		s := newRepo(t)
		trap := s.trap()
		s.git("config", "filter."+name+".clean", trap)
		s.git("config", "filter."+name+".required", "true")
		s.put(".gitattributes", "*.bin filter="+name+"\n*.lfs filter=lfs\n*.raw -filter\n*.on filter\n")
		s.put("a.bin", "data")
		s.put("b.raw", "data")
		s.put("c.on", "data")
		s.put("d.lfs", "data") // the user's configuration may have this one
		var gitErr *Error
		for file, named := range map[string][]string{"a.bin": nil, "d.lfs": {"b.raw", "d.lfs"}} {
			if _, err := s.commit("m", named...); !errors.As(err, &gitErr) || !strings.Contains(gitErr.Text, file+" goes through the content filter") || !strings.Contains(gitErr.Hint, "workflow") {
				t.Errorf("Commit(%q) with filter %s = %v, want a refusal of %s", named, name, err, file)
			}
		}
		s.committed([]string{".gitattributes", "b.raw", "c.on"}, "b.raw", "c.on", ".gitattributes")
		if mark := s.sprung(); mark != "" {
			t.Errorf("the filter %s ran: %s", name, mark)
		}
	}
}

func TestHostileSubmodule_IsNotLookedInto(t *testing.T) {
	t.Parallel()
	s := newRepo(t)
	trap := s.trap()
	sub := &sandbox{t: t, root: filepath.Join(s.root, "sub")}
	sub.put("f", "1")
	sub.git("init", "--quiet")
	sub.git("add", "f")
	sub.git("commit", "--quiet", "-m", "m")
	s.git("add", "sub")
	s.git("commit", "--quiet", "-m", "with a repository inside")
	nested := &sandbox{t: t, root: filepath.Join(s.root, "nested")}
	nested.put("f", "1")
	nested.git("init", "--quiet")
	for _, in := range []*sandbox{sub, nested} {
		in.git("config", "core.fsmonitor", trap)
		in.put("f", "changed")
	}
	s.put("a", "1")
	if _, err := s.repo.State(context.Background()); err != nil {
		t.Errorf("State() = %v", err)
	}
	s.committed([]string{"a"})
	if mark := s.sprung(); mark != "" {
		t.Errorf("a repository inside ran a program: %s", mark)
	}
}

func TestFind_NothingOfTheWorkspace(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	place := func(dir string) string {
		path := filepath.Join(dir, "git")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	evil, good := place(filepath.Join(root, "bin")), place(outside)
	linked := t.TempDir()
	if err := os.Symlink(evil, filepath.Join(linked, "git")); err != nil {
		t.Fatal(err)
	}
	aside := filepath.Join(t.TempDir(), "dirlink")
	if err := os.Symlink(filepath.Join(root, "bin"), aside); err != nil {
		t.Fatal(err)
	}
	plain := t.TempDir()
	if err := os.WriteFile(filepath.Join(plain, "git"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	path := strings.Join([]string{".", "bin", "", filepath.Join(root, "bin"), root, linked, aside, plain, outside}, ":")
	if got, err := find(path, root); got != good || err != nil {
		t.Errorf("find(%s) = %s, %v, want %s", path, got, err, good)
	}
	link := filepath.Join(t.TempDir(), "root")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	if got, err := find(path, link); got != good || err != nil {
		t.Errorf("find(%s) for a link to the folder = %s, %v, want %s", path, got, err, good)
	}
	if repo, err := New(link, Options{Path: path}); err != nil || repo.root != root {
		t.Errorf("New(link) = %+v, %v, want the folder behind it", repo, err)
	}
	if got, err := find(".:"+linked, root); !errors.Is(err, ErrNoGit) {
		t.Errorf("find(only the workspace's) = %s, %v, want %v", got, err, ErrNoGit)
	}
}

func TestHostileFilter_DoesNotRunForAComparison(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"clean", "process"} {
		s := newRepo(t)
		trap := s.trap()
		s.put(".gitattributes", "base filter=x\n")
		s.committed([]string{".gitattributes"})
		s.git("config", "filter.x."+key, trap)
		s.put("base", "BASE\n") // the same size: only the content tells
		if state, err := s.repo.State(context.Background()); err != nil || !state.Dirty {
			t.Errorf("State() with a %s filter = %+v, %v, want dirty true", key, state, err)
		}
		if mark := s.sprung(); mark != "" {
			t.Errorf("the %s filter ran: %s", key, mark)
		}
	}
}

func TestCommit_KindsOfChange(t *testing.T) {
	t.Parallel()
	s := newRepo(t)
	s.put("file", "x")
	s.put("dir/in", "x")
	s.committed([]string{"dir/in", "file"})
	s.remove("file")
	s.put("file/now/a/folder", "x")
	s.remove("dir")
	if err := os.Symlink("/etc/passwd", filepath.Join(s.root, "dir")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(s.root, "base"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.committed([]string{"base", "dir", "dir/in", "file", "file/now/a/folder"})
	if tree := s.git("ls-tree", "HEAD", "dir", "base"); !strings.Contains(tree, "120000 blob") || !strings.Contains(tree, "100755 blob") {
		t.Errorf("git ls-tree = %q, want a link and a program", tree)
	}
	if got := s.git("cat-file", "blob", "HEAD:dir"); got != "/etc/passwd" {
		t.Errorf("committed link = %q, want its target's name", got)
	}
}

func TestCommit_HostileNames(t *testing.T) {
	s := newRepo(t)
	names := []string{" lead", "*", "--all", "-n", ":!x", ":(glob)*", "HEAD", "a\nb", "a b", "q\"uote", "äöü"}
	for _, name := range names {
		s.put(name, "1")
	}
	s.put("other", "1")
	s.committed(names, names...)
	if status := s.git("status", "--porcelain"); status != "?? other\n" {
		t.Errorf("git status = %q, want other left alone", status)
	}
	if _, err := s.commit("m", names...); !errors.Is(err, ErrNothingToCommit) {
		t.Errorf("Commit(unchanged) = %v, want %v", err, ErrNothingToCommit)
	}
}

// Attributes that are not part of the tree name filters as well.
func TestHostileFilter_OfTheRepositorysOwnAttributes(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"clean", "process"} {
		s := newRepo(t)
		trap := s.trap()
		s.git("config", "filter.x."+key, trap)
		s.put(".git/info/attributes", "base filter=x diff=x\n")
		s.put("base", "BASE\n")
		s.put("other", "1")
		ctx := context.Background()
		if state, err := s.repo.State(ctx); err != nil || !state.Dirty {
			t.Errorf("State() = %+v, %v, want dirty true", state, err)
		}
		if status, err := s.repo.Status(ctx); err != nil || len(status.Entries) != 2 {
			t.Errorf("Status() = %+v, %v, want two changes", status, err)
		}
		var gitErr *Error
		if _, err := s.commit("m"); !errors.As(err, &gitErr) || !strings.Contains(gitErr.Text, "base goes through the content filter") {
			t.Errorf("Commit() = %v, want a refusal of base", err)
		}
		s.committed([]string{"other"}, "other")
		if mark := s.sprung(); mark != "" {
			t.Errorf("the %s filter ran: %s", key, mark)
		}
	}
}

// What the tree brings as a repository is as hostile as .git/config.
func TestHostileRepository_FromTheTree(t *testing.T) {
	t.Parallel()
	traps := func(s *sandbox, config string) string {
		trap := s.trap()
		s.put(config, "[core]\n\tfsmonitor = "+trap+"\n\tpager = "+trap+"\n[filter \"x\"]\n\tclean = "+trap+"\n")
		return trap
	}
	ctx := context.Background()
	t.Run("bare inside", func(t *testing.T) {
		s := newRepo(t)
		s.git("init", "-q", "--bare", "bare.git")
		traps(s, "bare.git/config")
		s.put("a", "1")
		if _, err := s.repo.Status(ctx); err != nil {
			t.Errorf("Status() = %v", err)
		}
		s.committed([]string{"a"}, "a")
		s.committed([]string{"bare.git/config"}, "bare.git/config")
		if mark := s.sprung(); mark != "" {
			t.Errorf("the repository ran a program: %s", mark)
		}
	})
	t.Run("bare as the root", func(t *testing.T) {
		s := newSandbox(t)
		s.git("init", "-q", "--bare", ".")
		traps(s, "config")
		if _, err := s.repo.Status(ctx); !errors.Is(err, ErrNoRepository) {
			t.Errorf("Status() = %v, want %v", err, ErrNoRepository)
		}
		if _, err := s.commit("m"); !errors.Is(err, ErrNoRepository) {
			t.Errorf("Commit() = %v, want %v", err, ErrNoRepository)
		}
		if mark := s.sprung(); mark != "" {
			t.Errorf("the repository ran a program: %s", mark)
		}
	})
	t.Run("file named .git", func(t *testing.T) {
		s := newRepo(t)
		if err := os.Rename(filepath.Join(s.root, ".git"), filepath.Join(s.root, "store")); err != nil {
			t.Fatal(err)
		}
		s.put(".git", "gitdir: store\n")
		trap := traps(s, "store/config")
		for _, hook := range hooks {
			s.put("store/hooks/"+hook, "#!/bin/sh\n"+trap+"\n")
			if err := os.Chmod(filepath.Join(s.root, "store/hooks", hook), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		s.put("a", "1")
		s.committed([]string{"a"}, "a")
		if _, err := s.repo.Status(ctx); err != nil {
			t.Errorf("Status() = %v", err)
		}
		if _, err := s.repo.Status(ctx); err != nil {
			t.Errorf("Status() = %v", err)
		}
		if mark := s.sprung(); mark != "" {
			t.Errorf("the repository ran a program: %s", mark)
		}
	})
}

func TestHostileEnvironment_NothingRuns(t *testing.T) {
	s := newRepo(t)
	trap := s.trap()
	for name, value := range map[string]string{
		"GIT_EXTERNAL_DIFF": trap, "GIT_SSH_COMMAND": trap, "GIT_SSH": trap, "GIT_EDITOR": trap, "GIT_SEQUENCE_EDITOR": trap,
		"GIT_PAGER": trap, "GIT_ASKPASS": trap, "GIT_PROXY_COMMAND": trap, "EDITOR": trap, "VISUAL": trap, "PAGER": trap,
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": trap,
		"GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='" + trap + "'", "GIT_TRACE": s.root + "/trace", "GIT_TRACE2_EVENT": s.root + "/trace2",
		"GIT_EXEC_PATH": filepath.Dir(trap), "GIT_OBJECT_DIRECTORY": s.root + "/objects", "GIT_NAMESPACE": "attack", "GIT_TEMPLATE_DIR": s.root,
		"GIT_WORK_TREE": "/", "GIT_COMMON_DIR": "/nowhere", "GIT_CEILING_DIRECTORIES": "/", "GIT_ATTR_SOURCE": "HEAD", "GIT_DEFAULT_HASH": "sha256",
	} {
		t.Setenv(name, value)
	}
	s.put("a", "1")
	ctx := context.Background()
	if status, err := s.repo.Status(ctx); err != nil || len(status.Entries) != 1 {
		t.Errorf("Status() = %+v, %v, want the file a", status, err)
	}
	if state, err := s.repo.State(ctx); err != nil || !state.Dirty {
		t.Errorf("State() = %+v, %v, want dirty true", state, err)
	}
	s.committed([]string{"a"})
	if mark := s.sprung(); mark != "" {
		t.Errorf("the environment ran a program: %s", mark)
	}
	if entries, _ := os.ReadDir(s.root); len(entries) != 3 {
		t.Errorf("the folder holds %v, want .git, a and base", entries)
	}
}

// A pipe holds a call of git up until its time is over; no call is made.
func TestHostileConfiguration_PipesAreNotRead(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]struct{ pipe, config string }{
		"config":       {".git/config", ""},
		"HEAD":         {".git/HEAD", ""},
		"included":     {".git/more", "[include] path = more\n"},
		"included if":  {".git/more", "[includeIf \"gitdir:**\"]\npath = \"mo\\\nre\" # x\n"},
		"config's own": {".git/config.worktree", "[extensions]\nworktreeConfig = true\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newRepo(t)
			s.add(".git/config", set.config)
			at := filepath.Join(s.root, set.pipe)
			_ = os.Remove(at)
			if err := syscall.Mkfifo(at, 0o600); err != nil {
				t.Fatal(err)
			}
			repo, err := New(s.root, Options{Timeout: 2 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			want := "read repository: " + set.pipe + " is no regular file"
			if _, err := repo.Status(context.Background()); err == nil || err.Error() != want {
				t.Errorf("Status() = %v, want %s", err, want)
			}
			if _, err := repo.State(context.Background()); err == nil || err.Error() != want {
				t.Errorf("State() = %v, want %s", err, want)
			}
			if got := Credentials(s.root, ""); len(got) > 0 {
				t.Errorf("Credentials = %q, want none", got)
			}
		})
	}
}
