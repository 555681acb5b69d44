// Package tool defines a tool: its description for the model, strict decoding of
// arguments, its output, and the canonical result.
package tool

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
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
	// Budget bounds a result's text and an error's details, in bytes. It is a
	// matter of results: what describes the tool to others leaves it out.
	Budget int `json:"-"`
}

// Call identifies one execution of a tool within a run.
type Call struct {
	ID string
	// Step is the model turn (from 1) and Index the call's place in it (from 0).
	Step, Index int
	// PathAllowed reports that a rule of the policy allows just this path.
	PathAllowed bool
}

// Tool is a named action that a model may ask for. Define makes one.
type Tool struct {
	Spec Spec
	// Prepare decodes arguments strictly. Nothing has happened when it
	// returns an error; running the prepared call is the only way on.
	Prepare func(arguments json.RawMessage) (Prepared, *Error)
	// Payload reads the payload of a canonical result of this tool.
	Payload func(result json.RawMessage) (Payload, error)
}

// Prepared is a call whose arguments were understood.
type Prepared struct {
	// Arguments are the arguments as used: defaults filled in, ranges
	// clamped, members in a fixed order.
	Arguments json.RawMessage
	// Run executes the call. It returns when ctx ends, with what there is.
	Run func(ctx context.Context, call Call) Output
}

// Complete is the complete output of a tool, before any bound. Where all of it
// fits the budget by its nature, it can be its own payload.
type Complete[P Payload] interface {
	// Summary says in one line what was done.
	Summary() string
	// Project bounds the output into the payload, the same for the same output.
	Project() P
}

// Payload is the payload of a canonical result: a struct whose json tags name
// the members. Those that Facts reads mean the same in the payloads of all tools.
type Payload interface {
	// Text is what the model sees of the result.
	Text() string
}

// Failing is a payload that can be the details of an error instead.
type Failing interface {
	Payload
	// Failure returns the kind of the error, empty for a success.
	Failure() ErrorKind
	// FailureText is what the model sees of the details.
	FailureText() string
}

// Output is what a tool returns: its complete output, ready to be bounded, or
// an error. Exactly one of Project and Err is set.
type Output struct {
	// Summary is whole: secrets are masked before it is made one line and cut.
	Summary string
	// Project bounds the complete output into the payload.
	Project func() Payload
	Err     *Error
}

// MaxName is the longest name of a tool that endpoints accept.
const MaxName = 64

// CleanName returns a name in which every character that endpoints do not accept is
// an underscore: letters, digits, underscores and dashes of ASCII stay.
func CleanName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' && r < 128 {
			return r
		}
		return '_'
	}, name)
}

// Registry finds tools by name.
type Registry struct{ byName map[string]Tool }

// NewRegistry returns a registry of tools; a later tool replaces an earlier
// one of the same name. A tool without a text for the model, which Define does
// not make, is a programmer's error and panics.
func NewRegistry(tools ...Tool) *Registry {
	r := &Registry{byName: make(map[string]Tool, len(tools))}
	for _, t := range tools {
		if t.Payload == nil {
			panic("tool: " + t.Spec.Name + " has no text")
		}
		r.byName[t.Spec.Name] = t
	}
	return r
}

// Lookup returns the tool of that name. For a name that no tool has it is one
// that has the name alone: enough for the result of a refused call.
func (r *Registry) Lookup(name string) (Tool, bool) {
	t, ok := r.byName[name]
	if !ok {
		t.Spec.Name = name
	}
	return t, ok
}

// Specs returns the specs of all tools, sorted by name.
func (r *Registry) Specs() []Spec {
	specs := make([]Spec, 0, len(r.byName))
	for _, name := range slices.Sorted(maps.Keys(r.byName)) {
		specs = append(specs, r.byName[name].Spec)
	}
	return specs
}
