//go:build unix

package job

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/openagent-ci/openagent/internal/platform/process"
)

// exchange is one thing that a command can do to the files of the runner, which
// lie in a folder by the names of their variables.
type exchange struct {
	name string
	do   func(dir string) error
}

func replaced(dir, file string, by func(path string) error) error {
	path := filepath.Join(dir, file)
	if err := os.Remove(path); err != nil {
		return err
	}
	return by(path)
}

func exchanges() []exchange {
	var list []exchange
	add := func(name string, do func(dir string) error) { list = append(list, exchange{name, do}) }
	each := func(name string, by func(dir, path string) error) {
		for _, file := range process.CommandFiles() {
			add(file+": "+name, func(dir string) error {
				return replaced(dir, file, func(path string) error { return by(dir, path) })
			})
		}
	}
	for _, a := range process.CommandFiles() {
		for _, b := range process.CommandFiles() {
			if a != b {
				add(a+" is a hard link to "+b, func(dir string) error {
					return replaced(dir, a, func(path string) error { return os.Link(filepath.Join(dir, b), path) })
				})
				add(a+" is a link to "+b, func(dir string) error {
					return replaced(dir, a, func(path string) error { return os.Symlink(filepath.Join(dir, b), path) })
				})
			}
		}
		add(a+" has a second name", func(dir string) error {
			return os.Link(filepath.Join(dir, a), filepath.Join(dir, "second"))
		})
		add(a+" has 200 MB", func(dir string) error { return os.Truncate(filepath.Join(dir, a), 200<<20) })
	}
	each("a hard link to a file of the agent", func(dir, path string) error { return os.Link(filepath.Join(dir, "evil"), path) })
	each("a link to a file of the agent", func(dir, path string) error { return os.Symlink(filepath.Join(dir, "evil"), path) })
	each("a link to nothing", func(dir, path string) error { return os.Symlink(filepath.Join(dir, "none"), path) })
	each("a link to a device", func(_, path string) error { return os.Symlink("/dev/zero", path) })
	each("a pipe", func(_, path string) error { return syscall.Mkfifo(path, 0o644) })
	each("a socket", func(_, path string) error {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			return err
		}
		l.SetUnlinkOnClose(false)
		return l.Close()
	})
	each("a folder that holds something", func(_, path string) error { return os.MkdirAll(filepath.Join(path, "full"), 0o755) })
	each("a folder that cannot be emptied", func(_, path string) error {
		if err := os.MkdirAll(filepath.Join(path, "shut", "full"), 0o755); err != nil {
			return err
		}
		return os.Chmod(filepath.Join(path, "shut"), 0)
	})
	each("gone", func(string, string) error { return nil })
	each("renamed into its place", func(dir, path string) error { return os.Rename(filepath.Join(dir, "evil"), path) })
	add("all gone with their folder", os.RemoveAll)
	return list
}

// Whatever a command does to the files of the runner, none of its lines is left
// in them, ours stand where they belong, nothing of the agent's was written to,
// and there is a word about it.
func TestPublish_Exchanges(t *testing.T) {
	before := map[string]string{
		"GITHUB_ENV": "A=1\n", "GITHUB_OUTPUT": "mine=1\n", "GITHUB_PATH": "/mine\n", "GITHUB_STATE": "", "GITHUB_STEP_SUMMARY": "# mine\n",
	}
	for _, x := range exchanges() {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			// The path of a socket is short.
			dir, err := os.MkdirTemp("", "x")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
			dir = filepath.Join(dir, "f")
			var vars []string
			for name, content := range before {
				vars = append(vars, name, filepath.Join(dir, name))
				write(t, filepath.Join(dir, name), content, 0o644)
			}
			write(t, filepath.Join(dir, "evil"), "ok=true\n", 0o644)
			var log bytes.Buffer
			j := Begin(env(vars...), &log)
			if err := x.do(dir); err != nil {
				t.Fatal(err)
			}
			r := result()
			r.Summary = []byte("## ours")
			j.Publish(r)
			for name, want := range before {
				path := filepath.Join(dir, name)
				info, err := os.Lstat(path)
				if err != nil || !info.Mode().IsRegular() || info.Sys().(*syscall.Stat_t).Nlink != 1 {
					t.Fatalf("%s is %v, %v, want a regular file of one name", name, info, err)
				}
				got, err := os.ReadFile(path)
				if name == "GITHUB_OUTPUT" {
					if out := parse(t, string(got)); out["ok"] != "false" || out["mine"] != "1" || len(out) != len(outputNames())+1 {
						t.Errorf("outputs are %v, want ours and what was there before", out)
					}
					continue
				}
				if name == "GITHUB_STEP_SUMMARY" {
					want += "## ours\n"
				}
				if string(got) != want || err != nil {
					t.Errorf("%s holds %q, %v, want %q", name, got, err, want)
				}
			}
			for _, name := range []string{"evil", "second"} {
				got, err := os.ReadFile(filepath.Join(dir, name))
				if err == nil && strings.Contains(string(got), "verdict") {
					t.Errorf("what was written is found in %s", name)
				}
			}
			if anew := strings.Contains(log.String(), "it was made anew"); anew == strings.HasSuffix(x.name, " has 200 MB") {
				t.Errorf("the log says that a file was made anew: %v", anew)
			}
			if got := strings.Count(log.String(), "::warning::the agent "); got == 0 || got > 5 {
				t.Errorf("the log has %d warnings about the agent, want one for each file it changed:\n%s", got, &log)
			}
		})
	}
}

// A file that could not be read before the agent began is not compared with later.
func TestNoteFile_Unreadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "env")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString("A=b\n"); err != nil {
		t.Fatal(err)
	}
	f := &commandFile{name: "GITHUB_ENV", path: path}
	f.err = f.adopt(file)
	tampering, err := f.restore(nil, nil)
	text, readErr := os.ReadFile(path)
	if f.err == nil || tampering != "" || err != nil || readErr != nil || string(text) != "A=b\n" {
		t.Errorf("adopt() = %v, restore() = %q, %v, the file is %q, %v; want an error, nothing, and the file as it was", f.err, tampering, err, text, readErr)
	}
}
