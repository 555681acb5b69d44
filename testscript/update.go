package testscript

import (
	"errors"
	"flag"
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
	ci := getenv("CI")
	switch f.Value.String() {
	case "force":
		return true, nil
	case "true":
		if ci != "" && ci != "false" {
			return false, errors.New("-update rewrites golden files, and this is a CI job: give -update=force if you mean it")
		}
		return true, nil
	}
	return false, nil
}
