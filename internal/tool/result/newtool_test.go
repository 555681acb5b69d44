package result

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/control"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/tool"
)

// All of a tool stands in this file, as CONTRIBUTING.md says: what it is asked,
// what it did, how that is bounded, and what the model sees of it. It is the
// tool of the other tests, too.

// probeBudget bounds what a probe shows, in bytes of text.
const probeBudget = 8 << 10

type probeArgs struct {
	Path string `json:"path" arg:"required,path" doc:"What to probe." example:"door"`
}

// probed is what a probe printed: complete, before any bound.
type probed struct {
	path    string
	printed Stream
	late    bool // it was ended early
}

// probeResult is the canonical payload of a probe.
type probeResult struct {
	Path      string          `json:"path"`
	Preview   *string         `json:"preview"`
	Truncated bool            `json:"truncated"`
	Late      bool            `json:"late"`
	Artifacts []tool.Artifact `json:"artifacts"`
	// PrintedArtifact is an index in Artifacts.
	PrintedArtifact *int `json:"printed_artifact"`
}

// probe defines the tool. What it prints is its path, many times over.
func probe(opts Options) tool.Tool {
	spec := tool.Spec{Name: "probe", Description: "Probe a thing.\n", Budget: probeBudget}
	return tool.Define(spec, func(_ context.Context, call tool.Call, args probeArgs) (probed, *tool.Error) {
		switch args.Path {
		case "none":
			return probed{}, tool.NewError(tool.KindNotFound, "there is no such thing", tool.Detail{Name: "path", Value: args.Path})
		case "late":
			return probed{path: args.Path, printed: stream("so far\n"), late: true}, nil
		}
		c := NewCapture(call, "printed", opts)
		_, _ = c.Write([]byte(strings.Repeat(args.Path+"\n", 2000)))
		return probed{path: args.Path, printed: c.Stream()}, nil
	})
}

func (p probed) Summary() string {
	if p.late {
		return "took too long"
	}
	return "probed " + p.path
}

func (p probed) Project() probeResult {
	preview := p.printed.Preview(probeBudget - NoteRoom)
	r := probeResult{Path: p.path, Preview: preview.Text, Truncated: preview.Cut, Late: p.late, Artifacts: []tool.Artifact{}}
	r.PrintedArtifact = preview.Refer(&r.Artifacts)
	return r
}

func (r probeResult) Text() string {
	return strings.TrimSuffix("Probed "+control.Printable(r.Path)+"\n"+r.FailureText(), "\n")
}

func (r probeResult) Failure() tool.ErrorKind {
	if r.Late {
		return tool.KindCommandTimedOut
	}
	return ""
}

func (r probeResult) FailureText() string {
	return Section("printed", r.Preview) + References(r.Artifacts, func(int) string { return "" })
}

// called runs one call of a tool to its canonical result and text: the way of
// every call.
func called(t *testing.T, x tool.Tool, arguments string) (tool.Result, string) {
	t.Helper()
	prepared, refused := x.Prepare(json.RawMessage(arguments))
	if refused != nil {
		return show(t, x, tool.Failed(refused))
	}
	return show(t, x, prepared.Run(t.Context(), testCall))
}

// show projects, validates through JSON and renders.
func show(t *testing.T, x tool.Tool, out tool.Output) (tool.Result, string) {
	t.Helper()
	res := Project(x, out)
	raw, err := jsontext.Marshal(res)
	if err != nil {
		t.Fatalf("Marshal(%+v) = %v", res, err)
	}
	var loaded tool.Result
	err = json.Unmarshal(raw, &loaded)
	if err == nil {
		err = loaded.Validate()
	}
	if err != nil {
		t.Fatalf("%s = %v, want a valid result", raw, err)
	}
	if again, err := jsontext.Marshal(loaded); err != nil || !bytes.Equal(again, raw) {
		t.Errorf("the loaded result is %s, %v, want %s", again, err, raw)
	}
	return res, Render(x, loaded)
}

func TestNewTool_FromCallToCompaction(t *testing.T) {
	x := probe(Options{MaxCommandOutput: 100, Artifacts: NewArtifacts(t.TempDir(), nil)})
	res, text := called(t, x, `{"path":"door"}`)
	var payload probeResult
	if err := json.Unmarshal(res.Result, &payload); err != nil || *payload.PrintedArtifact != 0 {
		t.Fatalf("Project(probe) = %s, %v, want the artifact by its role", res.Result, err)
	}
	facts := tool.Facts{OK: true, OutputTruncated: true, Artifacts: []tool.Artifact{{Path: "artifacts/2-0-printed.log"}}}
	if diff := cmp.Diff(facts, res.Facts()); diff != "" {
		t.Errorf("Facts() (-want +got):\n%s", diff)
	}
	want := "Probed door\n\nprinted:\n" + strings.TrimSuffix(*payload.Preview, "\n") + "\n\nArtifacts:\nartifacts/2-0-printed.log"
	if text != want || !strings.HasPrefix(*payload.Preview, "door\ndoor\n") || len(text) > probeBudget {
		t.Errorf("Render(probe) = %q, want %q within %d bytes", text, want, probeBudget)
	}
	if got, want := Compact(res), "Earlier result, shortened: probe (success): probed door\npath: door\nartifact: artifacts/2-0-printed.log"; got != want {
		t.Errorf("Compact(probe) = %q, want %q", got, want)
	}
}

func TestNewTool_Errors(t *testing.T) {
	x := probe(Options{})
	hint := func(res tool.Result) string { return *res.Error.RecoveryHint }
	for _, test := range []struct{ arguments, text, compact string }{
		{`{"path":"none"}`, "Error (not_found): there is no such thing\nHint: %s\npath: none",
			"Earlier result, shortened: probe (error): there is no such thing\nError (not_found): there is no such thing\nHint: %s\nretryable: false\npath: none"},
		{`{"path":"late"}`, "Error (command_timed_out): took too long\nHint: %s\n\nprinted:\nso far",
			"Earlier result, shortened: probe (error): took too long\nError (command_timed_out): took too long\nHint: %s\nretryable: true\npath: late"},
	} {
		res, text := called(t, x, test.arguments)
		if want := fmt.Sprintf(test.text, hint(res)); text != want {
			t.Errorf("Render(probe(%s)) = %q, want %q", test.arguments, text, want)
		}
		if want := fmt.Sprintf(test.compact, hint(res)); Compact(res) != want {
			t.Errorf("Compact(probe(%s)) = %q, want %q", test.arguments, Compact(res), want)
		}
	}
	if _, text := called(t, x, `{"path":7}`); !strings.HasPrefix(text, `Error (invalid_tool_input): argument "path" must be a string, got 7; example: {"path":"door"}`) {
		t.Errorf("Render(probe(7)) = %q, want the argument and an example", text)
	}
}
