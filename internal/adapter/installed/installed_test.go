//go:build unix

package installed_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/installed"
	"github.com/openagent-ci/openagent/internal/testkit/testenv"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

func TestMain(m *testing.M) {
	testenv.Clean()
	os.Exit(m.Run())
}

func codex(t *testing.T) *adapter.Agent {
	t.Helper()
	a, err := adapter.ByName("codex")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// program writes a shell script as the program of codex into a folder.
func program(t *testing.T, dir, script string) string {
	t.Helper()
	path := filepath.Join(dir, "codex")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFind_AsksTheProgram(t *testing.T) {
	for name, tt := range map[string]struct{ script, want string }{
		"a version":          {`echo "codex-cli 0.169.0"`, "0.169.0"},
		"on stderr":          {`echo "warning" >&2; echo "v1.2.3-beta.1." >&2`, "1.2.3-beta.1"},
		"none":               {`echo hello`, ""},
		"fails":              {`exit 3`, ""},
		"in a home":          {`[ "$CODEX_HOME" = "$HOME/.codex" ] && [ "$PWD" = "$HOME" ] && echo 1.0.0`, "1.0.0"},
		"what it was given":  {`echo "$GIVEN"`, "9.9.9"},
		"more than is read":  {`i=0; while [ $i -lt 2000 ]; do echo 7.7.7; i=$((i+1)); done`, "7.7.7"},
		"leaves one running": {`sleep 60 & echo 2.0.0`, "2.0.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := program(t, dir, tt.script)
			got, err := installed.Find(context.Background(), codex(t), installed.Where{Path: "/nonexistent:" + dir, Env: []string{"PATH=/usr/bin:/bin", "GIVEN=9.9.9"}})
			if err != nil || got.Path != path || got.Version != tt.want {
				t.Errorf("Find() = %+v, %v, want %s and version %q", got, err, path, tt.want)
			}
		})
	}
}

// The package that a program belongs to says its version, and nothing is started.
func TestFind_ReadsThePackage(t *testing.T) {
	dir := t.TempDir()
	mark := filepath.Join(dir, "started")
	path := program(t, filepath.Join(dir, "lib", "node_modules", "@openai", "codex", "bin"), "touch "+mark)
	for name, text := range map[string]string{
		"lib/node_modules/@openai/codex/bin/package.json": `{"type":"module"}`,
		"lib/node_modules/@openai/codex/package.json":     `{"name":"@openai/codex","version":"0.42.0"}`,
		"package.json": `{"name":"mine","version":"3.0.0"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(bin, "codex")); err != nil {
		t.Fatal(err)
	}
	got, err := installed.Find(context.Background(), codex(t), installed.Where{Path: "bin", Dir: dir})
	if err != nil || got.Version != "0.42.0" || got.Path != filepath.Join(bin, "codex") {
		t.Errorf("Find() = %+v, %v, want version 0.42.0 of the link in bin", got, err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the program was started")
	}
}

func TestFind_SaysHowToInstall(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "codex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := installed.Find(context.Background(), codex(t), installed.Where{Path: dir + ":" + filepath.Join(dir, "codex")})
	if err == nil || err.Error() != "codex is not installed: no codex on PATH" || !strings.Contains(hint.Of(err), "npm install -g @openai/codex@"+newest(codex(t))) {
		t.Errorf("Find() = %v, hint %q, want how to install it", err, hint.Of(err))
	}
}

// A program that hangs is ended with all that it has started, and its home is
// removed.
func TestFind_EndsAProgramThatHangs(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	program(t, dir, `exec 3>"`+fifo+`"; echo "$HOME" >&3; (trap "" TERM; sleep 300) & trap "" TERM; wait`)
	ctx, cancel := context.WithCancel(t.Context())
	found := make(chan installed.Program)
	go func() {
		p, _ := installed.Find(ctx, codex(t), installed.Where{Path: dir, Env: []string{"PATH=/usr/bin:/bin"}})
		found <- p
	}()
	held, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	says := bufio.NewReader(held)
	home, err := says.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := says.ReadByte(); err != io.EOF { // once nobody holds the other end
		t.Errorf("reading on = %v, want EOF", err)
	}
	if p := <-found; p.Path == "" || p.Version != "" {
		t.Errorf("Find() = %+v, want the program without a version", p)
	}
	if _, err := os.Stat(strings.TrimSpace(home)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("home %s: %v, want it removed", home, err)
	}
}

// newest is the version that is installed where none is named.
func newest(a *adapter.Agent) string { return a.Tested[len(a.Tested)-1] }
