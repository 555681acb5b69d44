package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Define makes a tool of a function over decoded arguments. A is a struct with
// the tags that decoder documents; Spec.Parameters and Spec.PathArguments are
// made from them and must be empty in spec. C is the complete output and P the
// payload it is bounded into, whose text the model sees: there is no tool
// without one, nor one without a budget, which panics. A panic in run becomes an output of kind
// KindToolPanicked; with a context that has ended run is not called.
func Define[A any, C Complete[P], P Payload](spec Spec, run func(context.Context, Call, A) (C, *Error)) Tool {
	if spec.Budget <= 0 {
		panic(fmt.Sprintf("tool: %s has no budget", spec.Name))
	}
	about := argumentsOf(reflect.TypeFor[A]())
	d := decoder{fields: about.fields}
	spec.Description = strings.TrimSpace(spec.Description)
	spec.Parameters, spec.PathArguments = about.parameters, about.paths
	return defined(spec, func(raw json.RawMessage) (A, json.RawMessage, *Error) {
		var args A
		if err := d.decode(raw, reflect.ValueOf(&args).Elem()); err != nil {
			return args, nil, err
		}
		return args, jsontext.MustMarshal(args), nil
	}, run)
}

// DefineBy is Define for a tool whose arguments only its schema describes: spec has
// Parameters, and check returns the arguments object as it is used, or what is wrong.
func DefineBy[C Complete[P], P Payload](
	spec Spec, check func(json.RawMessage) (json.RawMessage, *Error), run func(context.Context, Call, json.RawMessage) (C, *Error),
) Tool {
	return defined(spec, func(raw json.RawMessage) (json.RawMessage, json.RawMessage, *Error) {
		used, err := check(raw)
		return used, used, err
	}, run)
}

// defined makes a tool: decode returns the arguments, and their JSON as they are used.
func defined[A any, C Complete[P], P Payload](
	spec Spec, decode func(json.RawMessage) (A, json.RawMessage, *Error), run func(context.Context, Call, A) (C, *Error),
) Tool {
	prepare := func(raw json.RawMessage) (Prepared, *Error) {
		args, used, err := decode(raw)
		if err != nil {
			return Prepared{}, err
		}
		return Prepared{Arguments: used, Run: func(ctx context.Context, call Call) Output {
			if ctx.Err() != nil {
				return Failed(NewError(KindCancelled, "the run is ending; nothing was done"))
			}
			return guarded(func() Output {
				out, err := run(ctx, call, args)
				if err != nil {
					return Failed(err)
				}
				return Done(out)
			})
		}}, nil
	}
	return Tool{Spec: spec, Prepare: prepare, Payload: func(result json.RawMessage) (Payload, error) {
		var p P
		err := json.Unmarshal(result, &p)
		return p, err
	}}
}

// guarded calls run and turns a panic into an output. The stack goes into the
// details: it is the only trace of a defect in a run record.
func guarded(run func() Output) (out Output) {
	defer func() {
		if p := recover(); p != nil {
			stack, _ := clip.Prefix(clip.UTF8(string(debug.Stack())), 4096)
			out = Failed(NewError(KindToolPanicked, fmt.Sprintf("tool panicked: %v", p), Detail{"stack", stack}))
		}
	}()
	return run()
}

// arguments is what the type of a tool's arguments says.
type arguments struct {
	fields     []field
	parameters json.RawMessage
	paths      []string
}

// argumentsOf reads the type of a tool's arguments.
func argumentsOf(t reflect.Type) arguments {
	fields := fieldsOf(t)
	return arguments{fields, parametersOf(fields), pathArguments(fields)}
}

func pathArguments(fields []field) []string {
	var names []string
	for _, f := range fields {
		if f.path {
			names = append(names, f.name)
		}
	}
	return names
}
