package flags

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// GoldenDiff holds the flags of golden diff.
type GoldenDiff struct {
	Roots  golden.Roots
	Calls  bool
	Update Update
}

// Register adds the flags to fs.
func (d *GoldenDiff) Register(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.StringVar(&d.Roots.Workspace, "workspace", "", "absolute `folder` of the workspace that paths may lie below")
	fs.StringVar(&d.Roots.State, "state-dir", "", "absolute `folder` of run records that paths may lie below")
	fs.BoolVar(&d.Calls, "calls", false, "compare the tool calls alone, whichever agents made them")
	fs.VarPF(&d.Update, "update", "", "rewrite WANT from GOT; refused where CI is set unless forced").NoOptDefVal = UpdateYes
}

// Check checks the command line; ci is the variable CI. Variables do not stand in
// for the flags: they are set for runs, and would change what two files are compared
// by.
func (d *GoldenDiff) Check(got, want, ci string) error {
	if want == "-" && (got == "-" || d.Update != "") {
		return usagef("WANT is standard input: name a file")
	}
	if d.Calls && d.Update != "" {
		return usagef("--update with --calls: a golden stream is rewritten whole, so give one of them")
	}
	for _, root := range []struct{ flag, path string }{{"workspace", d.Roots.Workspace}, {"state-dir", d.Roots.State}} {
		if root.path != "" && !filepath.IsAbs(root.path) && !strings.HasPrefix(root.path, "/") {
			return usagef("--%s is %q: want an absolute folder, as it stands in the streams", root.flag, redact.Shown(root.path))
		}
	}
	return CheckUpdate(d.Update, ci)
}

// CheckUpdate refuses to rewrite golden files in a job, where nobody would read the
// difference; ci is the variable CI.
func CheckUpdate(u Update, ci string) error {
	if u == UpdateYes && isCI(ci) {
		return &UsageError{hint.With(
			errors.New("--update rewrites golden files, and this is a CI job"), "give --update=force if you mean it")}
	}
	return nil
}

// isCI reports whether the variable CI marks a CI job.
func isCI(ci string) bool { return ci != "" && ci != "false" }
