package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func defineSample(run func(sampleArgs) Output) Tool {
	return Define(Spec{Name: "sample", Description: "A sample."}, func(_ context.Context, _ Call, args sampleArgs) Output {
		return run(args)
	})
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
	tool := Define(Spec{Name: "none"}, func(context.Context, Call, struct{}) Output { return Done("ok", struct{}{}) })
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
	prepared, _ := defineSample(func(sampleArgs) Output { panic("boom") }).Prepare(json.RawMessage(`{"path":"x","content":""}`))
	out := prepared.Run(context.Background(), Call{})
	if out.Err == nil || out.Err.Kind != KindToolPanicked || out.Payload != nil {
		t.Fatalf("Run() = %+v, want an error of kind %s", out, KindToolPanicked)
	}
	if want := "tool panicked: boom"; out.Summary != want || out.Err.Message != want {
		t.Errorf("Run() = %q, %q, want %q", out.Summary, out.Err.Message, want)
	}
}

func TestDefine_NothingRunsAfterTheEnd(t *testing.T) {
	ran := false
	prepared, _ := defineSample(func(sampleArgs) Output { ran = true; return Done("ok", sampleArgs{}) }).Prepare(json.RawMessage(`{"path":"x","content":""}`))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if out := prepared.Run(ctx, Call{}); ran || out.Err == nil || out.Err.Kind != KindCancelled {
		t.Errorf("Run(ended context) = %+v, ran %v, want %s and nothing done", out, ran, KindCancelled)
	}
	if out := prepared.Run(context.Background(), Call{}); !ran || out.Err != nil {
		t.Errorf("Run() = %+v, ran %v, want it done", out, ran)
	}
}

func TestDefine_ProgrammersErrors(t *testing.T) {
	for name, define := range map[string]func(){
		"no struct":   func() { Define(Spec{}, func(context.Context, Call, int) Output { return Output{} }) },
		"no json tag": func() { Define(Spec{}, func(context.Context, Call, struct{ A string }) Output { return Output{} }) },
		"type": func() {
			Define(Spec{}, func(context.Context, Call, struct {
				A float64 `json:"a"`
			}) Output {
				return Output{}
			})
		},
		"arg tag": func() {
			Define(Spec{}, func(context.Context, Call, struct {
				A string `json:"a" arg:"needed"`
			}) Output {
				return Output{}
			})
		},
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
