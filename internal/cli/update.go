package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/atomicfile"
)

// The values of --update.
const (
	updateYes   = "yes"
	updateForce = "force"
)

// updateMode is a flag value that asks for golden files to be rewritten, empty
// when they are not.
type updateMode string

func (u *updateMode) Type() string   { return updateYes + "|" + updateForce }
func (u *updateMode) String() string { return string(*u) }

func (u *updateMode) Set(text string) error {
	if text != updateYes && text != updateForce {
		return fmt.Errorf("want %s or %s", updateYes, updateForce)
	}
	*u = updateMode(text)
	return nil
}

// allowed refuses to rewrite golden files in a job, where nobody would read
// the difference; ci is the variable CI.
func (u *updateMode) allowed(ci string) error {
	if *u == updateYes && ci != "" && ci != "false" {
		return &statusError{StatusUsage, withHint(
			errors.New("--update rewrites golden files, and this is a CI job"), "give --update=force if you mean it")}
	}
	return nil
}

// replaceFile writes a file whole or leaves it as it was. A file that exists
// keeps its mode, a link stays one and its target is written; what is no file,
// such as a device, is refused: it would be replaced by one.
func replaceFile(name string, text []byte) error {
	perm := fs.FileMode(0o644)
	switch info, err := os.Stat(name); {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", name)
	case err == nil:
		perm = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	} else if _, err := os.Lstat(name); err == nil {
		return fmt.Errorf("%s is a link to nothing", name)
	}
	return atomicfile.WriteIn(filepath.Dir(name), filepath.Base(name), text, perm)
}
