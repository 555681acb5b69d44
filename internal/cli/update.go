package cli

import (
	"errors"
	"fmt"

	"github.com/openagent-ci/openagent/internal/hint"
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
		return &statusError{StatusUsage, hint.With(
			errors.New("--update rewrites golden files, and this is a CI job"), "give --update=force if you mean it")}
	}
	return nil
}
