package testscript

import (
	"context"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/internal/tool/git"
)

// repoFolder is where the command repo puts the copy.
const repoFolder = "repo"

// repoTimeout bounds one call of git that copies a large repository.
const repoTimeout = 10 * time.Minute

// repo is repo [-commit REV] [-submodules] [PATH]: the folder repo gets the files of the
// repository that the script was started in, or of a folder of it, as they are in a
// commit, and the script goes on there.
func repo(ctx context.Context) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		const usage = "usage: repo [-commit REV] [-submodules] [PATH]"
		set := flag.NewFlagSet("repo", flag.ContinueOnError)
		set.SetOutput(io.Discard)
		rev, submodules := set.String("commit", "", ""), set.Bool("submodules", false, "")
		if err := set.Parse(args); err != nil || set.NArg() > 1 {
			ts.Fatalf(usage)
		}
		started := ts.Getenv("REPO")
		top, err := git.Top(started)
		if err != nil {
			ts.Fatalf("%s lies in no git repository", started)
		}
		below := ""
		if set.NArg() == 1 {
			below, err = filepath.Rel(top, filepath.Join(started, set.Arg(0)))
			if err != nil || !filepath.IsLocal(below) {
				ts.Fatalf("%q is no folder of the repository %s", set.Arg(0), top)
			}
		}
		dir := filepath.Join(ts.Getenv("WORK"), repoFolder)
		if err := os.Mkdir(dir, 0o755); errors.Is(err, fs.ErrExist) {
			ts.Fatalf("the folder repo is there already: a script has one copy, and its own files need another name")
		}
		date := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		from, err := git.New(top, git.Options{Timeout: repoTimeout, Now: func() time.Time { return date }, Path: ts.Getenv("PATH")})
		ts.Check(err)
		if below == "." {
			below = ""
		}
		ts.Check(from.CopyTo(ctx, dir, git.Copy{Rev: *rev, Path: filepath.ToSlash(below), Submodules: *submodules}))
		ts.Check(ts.Chdir(dir))
	}
}
