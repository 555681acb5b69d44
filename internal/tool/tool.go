// Package tool says what a tool is: its description for the model, the strict
// decoding of its arguments, the complete output it returns, and the canonical
// result that records, events and the model-visible text are made from.
package tool

import (
	"context"
	"encoding/json"
)

// Spec describes a tool to the model and to the agent's guards.
type Spec struct {
	Name        string
	Description string
	// Parameters is a JSON Schema of the arguments object.
	Parameters json.RawMessage
	// SideEffects reports that the tool can change the workspace.
	SideEffects bool
	// PathArguments names the arguments that hold workspace paths.
	PathArguments []string
	// Writes reports that the tool writes or deletes at its path arguments.
	Writes bool
}

// Call identifies one execution of a tool within a run.
type Call struct {
	ID string
	// Step is the model turn (from 1) and Index the call's place in it (from 0).
	Step, Index int
	// PathAllowed reports that a rule of the policy allows just this path.
	PathAllowed bool
}

// Tool is a named action that a model may ask for.
type Tool struct {
	Spec Spec
	// Prepare decodes arguments strictly. Nothing has happened when it
	// returns an error; running the prepared call is the only way on.
	Prepare func(arguments json.RawMessage) (Prepared, *Error)
}

// Prepared is a call whose arguments were understood.
type Prepared struct {
	// Arguments are the arguments as used: defaults filled in, ranges
	// clamped, members in a fixed order.
	Arguments json.RawMessage
	// Run executes the call. It returns when ctx ends, with what there is.
	Run func(ctx context.Context, call Call) Output
}

// Output is what a tool returns: the complete outcome, before any bound.
// Exactly one of Payload and Err is set.
type Output struct {
	// Summary is one line, at most 200 characters.
	Summary string
	// Payload is the family's complete output, one of this package's types.
	Payload any
	Err     *Error
}
