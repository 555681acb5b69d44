package testscript

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/rogpeppe/go-internal/testscript"
)

const updateFlag = "update"

// updateValue is the flag -update of a test binary: true, false or force.
type updateValue string

func (u *updateValue) String() string { return string(*u) }

// IsBoolFlag lets -update stand without a value.
func (u *updateValue) IsBoolFlag() bool { return true }

// Set takes the flag's value.
func (u *updateValue) Set(text string) error {
	switch text {
	case "true", "false", "force":
		*u = updateValue(text)
		return nil
	}
	return errors.New("want true, false or force")
}

// defineUpdate adds -update to the flags of the test binary, unless a test has
// a flag of that name already, which then serves.
func defineUpdate(fs *flag.FlagSet) {
	if fs.Lookup(updateFlag) == nil {
		fs.Var(new(updateValue), updateFlag, "rewrite golden files in scripts; in a CI job only when `force`")
	}
}

// updating reports whether golden files are to be rewritten. In a job nobody
// would read the difference, so there it must be forced.
func updating(fs *flag.FlagSet, getenv func(string) string) (bool, error) {
	f := fs.Lookup(updateFlag)
	if f == nil {
		return false, nil
	}
	switch f.Value.String() {
	case "force":
		return true, nil
	case "true":
		if process.IsCI(getenv("CI")) {
			return false, errors.New("-update rewrites golden files, and this is a CI job: give -update=force if you mean it")
		}
		return true, nil
	}
	return false, nil
}

// runUpdating is Run for scripts that are to be updated.
func runUpdating(t *testing.T, p Params) {
	t.Helper()
	scripts, err := filepath.Glob(filepath.Join(p.Dir, "*.txt*"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := copyScripts(scripts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.remove) // after the last script
	p.Dir = c.dir
	p.Deadline, _ = t.Deadline()
	testscript.RunT(updater{t, c}, p)
}

// updater is a test whose subtests are scripts, each of which is updated when
// it has passed.
type updater struct {
	*testing.T
	copies *copies
}

// Run runs a script as a subtest.
func (u updater) Run(name string, run func(testscript.T)) {
	u.T.Run(name, func(t *testing.T) {
		t.Cleanup(func() {
			for path := range u.copies.scripts {
				if filepath.Base(path) != name+filepath.Ext(path) || t.Failed() || t.Skipped() {
					continue
				}
				if err := u.copies.update(path); err != nil {
					t.Error(err)
				}
			}
		})
		run(updater{t, u.copies})
	})
}

// Log logs with the names of the scripts in place of their copies'.
func (u updater) Log(args ...any) { u.T.Log(u.copies.named(fmt.Sprint(args...))) }

// Verbose asks for the log of what went well too.
func (u updater) Verbose() bool { return testing.Verbose() }
