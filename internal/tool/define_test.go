package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// said is a payload of tests: one line, which fits any budget.
type said struct {
	Line string `json:"line"`
}

func (s said) Summary() string { return s.Line }
func (s said) Project() said   { return s }
func (s said) Text() string    { return "It says: " + s.Line }

func defineSample(run func(sampleArgs) said) Tool {
	spec := Spec{Name: "sample", Description: "A sample.\n", Budget: 100}
	return Define(spec, func(_ context.Context, _ Call, args sampleArgs) (said, *Error) { return run(args), nil })
}

func TestDefine_ParametersFollowTags(t *testing.T) {
	got := defineSample(nil).Spec
	want := `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"What to read.","minLength":1},` +
		`"content":{"type":"string"},` +
		`"max":{"type":"integer","minimum":1,"maximum":100,"default":10},` +
		`"offset":{"type":"integer"},` +
		`"deep":{"type":"boolean","default":true},` +
		`"files":{"type":"array","items":{"type":"string","minLength":1}}},` +
		`"required":["path","content"],"additionalProperties":false}`
	if string(got.Parameters) != want {
		t.Errorf("Define(...).Spec.Parameters =\n%s\nwant\n%s", got.Parameters, want)
	}
	if diff := cmp.Diff([]string{"path", "files"}, got.PathArguments); diff != "" {
		t.Errorf("Define(...).Spec.PathArguments (-want +got):\n%s", diff)
	}
}

func TestDefine_NoArguments(t *testing.T) {
	tool := Define(Spec{Name: "none", Budget: 1}, func(context.Context, Call, struct{}) (said, *Error) { return said{"ok"}, nil })
	want := `{"type":"object","properties":{},"required":[],"additionalProperties":false}`
	if got := string(tool.Spec.Parameters); got != want {
		t.Errorf("Define(...).Spec.Parameters = %s, want %s", got, want)
	}
	if _, err := tool.Prepare(nil); err != nil {
		t.Errorf("Prepare(nil) = %q, want no error", err.Message)
	}
	if _, err := tool.Prepare(json.RawMessage(`{"x":1}`)); err == nil || !strings.Contains(err.Message, "the arguments are: none") {
		t.Errorf("Prepare({x}) = %+v, want a refusal", err)
	}
}

func TestDefine_ArgumentsAsUsed(t *testing.T) {
	prepared, err := defineSample(nil).Prepare(json.RawMessage(`{"content":"<a>","max":"500","path":"x"}`))
	if err != nil {
		t.Fatalf("Prepare(...) = %q, want no error", err.Message)
	}
	want := `{"path":"x","content":"<a>","max":100,"deep":true}`
	if string(prepared.Arguments) != want {
		t.Errorf("Prepare(...).Arguments = %s, want %s", prepared.Arguments, want)
	}
}

func TestDefine_PanicBecomesOutput(t *testing.T) {
	prepared, _ := defineSample(func(sampleArgs) said { panic("boom") }).Prepare(json.RawMessage(`{"path":"x","content":""}`))
	out := prepared.Run(context.Background(), Call{})
	if out.Err == nil || out.Err.Kind != KindToolPanicked || out.Project != nil {
		t.Fatalf("Run() = %+v, want an error of kind %s", out, KindToolPanicked)
	}
	if want := "tool panicked: boom"; out.Summary != want || out.Err.Message != want {
		t.Errorf("Run() = %q, %q, want %q", out.Summary, out.Err.Message, want)
	}
}

func TestDefine_NothingRunsAfterTheEnd(t *testing.T) {
	ran := false
	prepared, _ := defineSample(func(sampleArgs) said { ran = true; return said{"ok"} }).Prepare(json.RawMessage(`{"path":"x","content":""}`))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if out := prepared.Run(ctx, Call{}); ran || out.Err == nil || out.Err.Kind != KindCancelled {
		t.Errorf("Run(ended context) = %+v, ran %v, want %s and nothing done", out, ran, KindCancelled)
	}
	if out := prepared.Run(context.Background(), Call{}); !ran || out.Err != nil {
		t.Errorf("Run() = %+v, ran %v, want it done", out, ran)
	}
}

func TestDefine_WhatCameOfACall(t *testing.T) {
	sample := defineSample(func(args sampleArgs) said { return said{"read " + args.Path + "\nand " + strings.Repeat("ü", 300)} })
	prepared, _ := sample.Prepare(json.RawMessage(`{"path":"x","content":""}`))
	out := prepared.Run(context.Background(), Call{})
	if !strings.HasPrefix(out.Summary, "read x\nand ü") || out.Err != nil {
		t.Errorf("Run() = %q, %v, want the whole summary and no error", out.Summary, out.Err)
	}
	payload, err := sample.Payload(jsontext.MustMarshal(out.Project()))
	if want := out.Project().Text(); err != nil || payload.Text() != want || !strings.HasPrefix(want, "It says: read x\n") {
		t.Errorf("Payload(...).Text() = %v, %v, want %q as before it was written", payload, err, want)
	}
	if _, err := sample.Payload(json.RawMessage(`{"line":1}`)); err == nil {
		t.Error("Payload(of another type) = no error, want one")
	}
	failing := Define(Spec{Name: "failing", Budget: 1}, func(context.Context, Call, struct{}) (said, *Error) { return said{"no"}, NewError(KindIO, "disk") })
	prepared, _ = failing.Prepare(nil)
	if out := prepared.Run(context.Background(), Call{}); out.Project != nil || out.Err == nil || out.Summary != "disk" {
		t.Errorf("Run() = %+v, want the error alone", out)
	}
}

// define defines a tool with arguments of a type, as far as it can be.
func define[A any](budget int) func() {
	return func() {
		Define(Spec{Name: "x", Budget: budget}, func(context.Context, Call, A) (said, *Error) { return said{}, nil })
	}
}

func TestDefine_ProgrammersErrors(t *testing.T) {
	define[struct{}](1)() // nothing is wrong with that one
	for name, define := range map[string]func(){
		"no struct":   define[int](1),
		"no json tag": define[struct{ A string }](1),
		"type": define[struct {
			A float64 `json:"a"`
		}](1),
		"arg tag": define[struct {
			A string `json:"a" arg:"needed"`
		}](1),
		"no budget":     define[struct{}](0),
		"not defined":   func() { NewRegistry(Tool{Spec: Spec{Name: "x"}}) },
		"unlisted kind": func() { NewError("other", "x") },
		"detail":        func() { NewError(KindIO, "x", Detail{"f", func() {}}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("Define(...) did not panic, want a panic")
				}
			}()
			define()
		})
	}
}
