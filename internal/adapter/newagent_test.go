package adapter

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/schema"
)

// goose is a whole agent, to start a new one from. Its program and its stream are
// made up.
var goose = &Agent{
	Name: "goose", Package: "goose", Binary: "goose", VersionArgs: []string{"--version"}, Tested: []string{"1.0.0"},
	Format: "goose", Mapping: "goose/1", Time: "source", Gaps: Gaps{Decisions: true, Usage: true, Steps: true},
	Keys: []string{"GOOSE_API_KEY"}, Options: map[string]string{"session": `"--resume=ID"`}, Owned: map[string]string{"--json": ""},
	start:     func(l Launch) Start { return Start{Args: append([]string{"--json"}, l.Args...), Stdin: l.Prompt} },
	begins:    func(line object) bool { return line.Get("goose").Is('"') },
	converter: func(e *emit.Emitter) emit.Converter { return &gooseStream{e} },
}

type gooseStream struct{ *emit.Emitter }

func (g *gooseStream) Convert(line object) bool {
	g.StampText(line.Str("at"))
	switch line.Str("type") {
	case "hello":
		if g.InSession(line.Str("goose")) {
			g.StartStep(schema.StepStarted{})
		}
	case "call":
		g.Run(emit.Call{ID: line.Str("id"), Tool: line.Str("tool"), Args: line.Get("with")})
	case "result":
		g.FinishTool(emit.Call{ID: line.Str("id")}, schema.ToolExecFinished{OK: line.Get("ok").Truth(), ContentPreview: line.Get("text").Optional()})
	case "bye":
		g.SetFinal(line.Str("text"))
		g.End(emit.Terminal{Reason: schema.ExitOK})
	default:
		return false
	}
	return true
}

func (g *gooseStream) Close(emit.End) {}

// An agent is what its one file says: the table needs no more than its name.
func TestNewAgent_IsOneFile(t *testing.T) {
	var types []schema.Type
	conv := goose.New(emit.Options{RunID: "run-1", Now: time.Now, Saved: true, Emit: func(e schema.Event, _ []byte) { types = append(types, e.Type) }})
	for line := range strings.Lines(`{"type":"hello","goose":"s1","at":"2026-11-20T20:00:00Z"}
{"type":"call","id":"c1","tool":"shell","with":{"command":"true"}}
{"type":"result","id":"c1","ok":true,"text":""}
{"type":"bye","text":"done"}
`) {
		conv.Line([]byte(line))
	}
	got := conv.Close(emit.End{ExitStatus: new(0)})
	if want := (emit.Result{Class: emit.Success, Observed: true, Version: emit.UnknownVersion, Final: "done"}); got != want {
		t.Errorf("result: got %+v, want %+v", got, want)
	}
	want := []schema.Type{
		schema.TypeRunStarted, schema.TypeStepStarted, schema.TypeToolCallDetected, schema.TypeToolDecision,
		schema.TypeToolExecStarted, schema.TypeToolExecFinished, schema.TypeRunFinished,
	}
	if !slices.Equal(types, want) {
		t.Errorf("events: got %v, want %v", types, want)
	}
	if s := goose.Start(Launch{Prompt: "p", Args: []string{"-x"}}); !slices.Equal(s.Args, []string{"--json", "-x"}) || s.Stdin != "p" {
		t.Errorf("start: got %+v, want the row's option before the user's", s)
	}
}
