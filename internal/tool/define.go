package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/openagent-ci/openagent/internal/clip"
)

// Define makes a tool of a function over decoded arguments. T is a struct with
// the tags that Decode documents; Spec.Parameters and Spec.PathArguments are
// made from them and must be empty in spec. A panic in run becomes an output
// of kind KindToolPanicked; with a context that has ended run is not called.
func Define[T any](spec Spec, run func(context.Context, Call, T) Output) Tool {
	d := decoder{fields: fieldsOf(reflect.TypeFor[T]())}
	spec.Parameters = parametersOf(d.fields)
	spec.PathArguments = pathArguments(d.fields)
	return Tool{Spec: spec, Prepare: func(raw json.RawMessage) (Prepared, *Error) {
		var args T
		if err := d.decode(raw, reflect.ValueOf(&args).Elem()); err != nil {
			return Prepared{}, err
		}
		return Prepared{
			Arguments: mustEncode(args),
			Run: func(ctx context.Context, call Call) Output {
				if ctx.Err() != nil {
					return Failed(NewError(KindCancelled, "the run is ending; nothing was done"))
				}
				return guarded(func() Output { return run(ctx, call, args) })
			},
		}, nil
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

func pathArguments(fields []field) []string {
	var names []string
	for _, f := range fields {
		if f.path {
			names = append(names, f.name)
		}
	}
	return names
}
