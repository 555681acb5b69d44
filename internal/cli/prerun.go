package cli

import (
	"errors"
	"fmt"

	"github.com/openagent-ci/openagent/internal/hint"
)

// preRunError is a failure after the command line was understood and before
// the run began. code is fixed per cause, for programs.
type preRunError struct {
	code string
	err  error
	hint string
}

func (e *preRunError) Error() string { return e.err.Error() }
func (e *preRunError) Unwrap() error { return e.err }

// The causes.
const (
	codePrompt         = "prompt_unreadable"
	codeSystem         = "system_prompt_unreadable"
	codeWorkspace      = "workspace_unreadable"
	codeWorkspaceTaken = "workspace_not_empty"
	codeKey            = "key_unreadable"
	codeKeyMissing     = "key_missing"
	codeNetwork        = "network_refused"
	codePolicy         = "policy_invalid"
	codeScript         = "script_invalid"
	codeCassette       = "cassette_invalid"
	codeState          = "state_unusable"
	codeHistory        = "history_unusable"
	codeRunExists      = "run_exists"
	codeEvents         = "events_unusable"
	codeDemo           = "demo_unusable"
	codeCancelled      = "cancelled" // a signal, and no mistake
	codeTimeout        = "timeout"
)

func before(code string, err error) *preRunError { return &preRunError{code: code, err: err} }

func (e *preRunError) or(hint string) *preRunError {
	e.hint = hint
	return e
}

// withHintFrom returns text as an error with the hint of e, if it has one.
func withHintFrom(text string, e *preRunError) error {
	if e.hint == "" {
		return errors.New(text)
	}
	return hint.With(fmt.Errorf("%s", text), e.hint)
}
