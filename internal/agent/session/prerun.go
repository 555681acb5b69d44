package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/projection"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
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
	codePrompt            = "prompt_unreadable"
	codeSystem            = "system_prompt_unreadable"
	codeInstructions      = "instructions_unreadable"
	codeWorkspace         = "workspace_unreadable"
	codeWorkspaceNotEmpty = "workspace_not_empty"
	codeKey               = "key_unreadable"
	codeKeyMissing        = "key_missing"
	codeNetwork           = "network_refused"
	codePolicy            = "policy_invalid"
	codePrices            = "prices_invalid"
	codeMCPConfig         = "mcp_config_invalid"
	codeMCPServer         = "mcp_server_unusable"
	codeOutputSchema      = "output_schema_invalid"
	codeScript            = "script_invalid"
	codeCassette          = "cassette_invalid"
	codeState             = "state_unusable"
	codeHistory           = "history_unusable"
	codeRunExists         = "run_exists"
	codeResume            = "resume_refused"
	codeEvents            = "events_unusable"
	codeDemo              = "demo_unusable"
	codeSandbox           = "sandbox_unavailable"
	codeSandboxInvalid    = "sandbox_invalid"
	codeCancelled         = "cancelled" // a signal, and no mistake
	codeTimeout           = "timeout"
)

func before(code string, err error) *preRunError { return &preRunError{code: code, err: err} }

func (e *preRunError) or(hint string) *preRunError {
	e.hint = hint
	return e
}

// errTooLong is what ends a wait for something that a run needs to begin.
var errTooLong = errors.New("it took too long")

// neverBegan returns the reason for which a run ends before it began. When the
// context has ended, its cause is the reason, not the error that this caused in
// a step of the preparation.
func (s *setup) neverBegan(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTooLong):
		err = before(codeTimeout, fmt.Errorf("the run did not begin within --timeout %v: %w", s.Flags["timeout"], err))
	case cause != nil:
		err = before(codeCancelled, agent.ErrCancelled)
	}
	var early *preRunError
	if errors.As(err, &early) {
		return s.fail(early)
	}
	return err
}

// fail reports a failure before the run began: as the one line of a stream that
// has no run, or as an error for people.
func (s *setup) fail(f *preRunError) error {
	text := s.masks.String(f.Error())
	f.hint = cmp.Or(f.hint, hint.Of(f.err), s.Fix(f.err))
	if s.People != nil {
		if f.hint == "" {
			return errors.New(text)
		}
		return hint.With(errors.New(text), f.hint)
	}
	if f.hint != "" {
		term.Message(s.Err, "hint", s.masks.String(f.hint))
	}
	reason := "pre_run_error"
	if f.code == codeCancelled || f.code == codeTimeout {
		reason = f.code
	}
	err := projection.NewEmitter(s.Out).Emit(event.Event{
		Time: s.clock().Tick(),
		Data: event.RunEnd{ExitReason: reason, Error: &text, ErrorCode: &f.code, Steps: new(int64), ToolCalls: new(int64), DurationMS: new(int64)},
	})
	if err != nil {
		return &DeliveryError{err}
	}
	return ErrFailed
}
