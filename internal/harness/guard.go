package harness

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/early/guard"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/platform/process"
)

// The time for an agent whose harness was killed to end by itself, and for the
// guard to end the others.
const (
	guardGrace = 1500 * time.Millisecond
	guardTime  = 5 * time.Second
)

// EndLeft ends who has entry in the environment, and then removes the temporary
// folder of the run, nil for none. It is what a guard does once its harness has
// ended.
func EndLeft(entry string, temp *os.Root) {
	proc.EndMarked(entry, guardGrace, guardTime)
	if temp != nil && strings.HasPrefix(filepath.Base(temp.Name()), tempPrefix) {
		removeLeft(temp)
	}
}

// removeLeft removes a folder and what is in it. It follows no link, and leaves
// alone what has taken the folder's name since it was opened.
func removeLeft(dir *os.Root) {
	list, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return
	}
	for _, e := range list {
		_ = dir.RemoveAll(e.Name()) // what cannot be removed stays
	}
	opened, err := dir.Stat(".")
	named, nameErr := os.Lstat(dir.Name())
	if err == nil && nameErr == nil && os.SameFile(opened, named) {
		_ = os.Remove(dir.Name()) // not if something is left in it
	}
}

// startGuard starts the guard of an agent that is not ours and of the temporary
// folder, where the system has no better means; stop ends it. Without one the
// agent runs all the same.
func (r *run) startGuard() (stop func()) {
	if r.opts.Builtin != nil || r.opts.Stream != "" || !r.opts.Guard || runtime.GOOS != "linux" {
		return func() {}
	}
	life, end := io.Pipe() // without bytes: it ends with the run
	self, err := os.Executable()
	var g *proc.Process
	if err == nil {
		g, err = proc.Start(proc.Command{
			Path: self, Args: []string{self},
			Env: []string{
				guard.Variable + "=" + process.ArtifactsVariable + "=" + r.artifactsDir(), guard.FolderVariable + "=" + r.temp,
				"GOMAXPROCS=1", // for a thread that waits
			},
			Stdin: life, Outlives: true, Childless: true,
		})
	}
	if err != nil {
		r.Logger().Warn("no guard is set, so a killed harness could leave processes behind", "error", err)
		return func() {}
	}
	return func() {
		g.Kill()
		end.Close()
		g.Wait(context.Background())
	}
}
