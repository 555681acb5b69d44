package process

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// passedOn are the variables that every command may have; a name that ends in
// an asterisk is a prefix.
var passedOn = []string{"PATH", "HOME", "LANG", "LC_*", "TMPDIR"}

// passedOnWindows are those without which programs there do not start.
var passedOnWindows = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA",
	"LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
}

// neverPassed are refused even when asked for: the model's key, what is said to
// this program alone, where its traces go, and what lets a command steer or impersonate the workflow.
var neverPassed = []string{
	"OPENAI_API_KEY", "OPENAGENT_*", "OTEL_*", "ACTIONS_*",
}

// CommandFiles returns the variables that name the files by which a step of a job acts
// on later ones.
func CommandFiles() []string {
	return []string{"GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"}
}

// CheckPassEnv returns what is wrong with names of variables that commands are
// to get, or nil.
func CheckPassEnv(names []string) error {
	for _, name := range names {
		if listed(append(CommandFiles(), neverPassed...), name) {
			return fmt.Errorf("variable %q is never passed to commands; remove it from the list", name)
		}
		if name == "" || strings.ContainsAny(name, "=*") || strings.ContainsFunc(name, notInName) {
			return fmt.Errorf("%q is not the name of a variable", name)
		}
	}
	return nil
}

// notInName reports what no name of a variable has: a blank between two names is
// a comma that was forgotten.
func notInName(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// IsCI reports whether this value of the variable CI marks a CI job.
func IsCI(ci string) bool { return !slices.Contains([]string{"", "0", "false"}, strings.ToLower(ci)) }

// variableName is how a variable that is passed on by name is called.
var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// IsVariable reports whether the name is one of a variable that Passed returns.
func IsVariable(name string) bool { return variableName().MatchString(name) }

// Passed returns the variables of those names, as NAME=VALUE, with the key where
// that is meant; one that is not set stays so.
func (p *Process) Passed(names []string) []string {
	var env []string
	for _, name := range names {
		value, set := os.LookupEnv(name)
		if name == key.Variable && p.Key != "" {
			value, set = p.Key, true
		}
		if set {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// CommandEnviron builds the environment of commands from nothing: the listed
// variables of environ, and those named in extra.
func CommandEnviron(environ, extra []string) ([]string, error) {
	if err := CheckPassEnv(extra); err != nil {
		return nil, err
	}
	env := Chosen(environ, func(name string) bool {
		return name != "TERM" && (PassedOn(name) || slices.Contains(extra, name))
	})
	env = append(env, "TERM=dumb")
	slices.Sort(env)
	return env, nil
}

// PassedOn reports whether every command may have the variable of that name.
func PassedOn(name string) bool {
	return listed(passedOn, name) || runtime.GOOS == "windows" && listed(passedOnWindows, name)
}

// listed reports whether name is in the list. Case matters where the system
// says so.
func listed(list []string, name string) bool {
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
	}
	return slices.ContainsFunc(list, func(entry string) bool {
		prefix, isPrefix := strings.CutSuffix(entry, "*")
		return name == entry || isPrefix && strings.HasPrefix(name, prefix)
	})
}
