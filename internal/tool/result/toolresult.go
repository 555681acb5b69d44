// Package result turns a tool's complete output into its canonical result, and that
// into the text the model sees; both are bounded and deterministic.
package result

import (
	"errors"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/tool"
)

// defaultCommandOutput is the budget of a command's streams when no other is
// set, in bytes.
const defaultCommandOutput = 32 << 10

const (
	// receiptBudget bounds the receipt of an error, unknownBudget the details
	// of one for a tool that does not exist, in bytes.
	receiptBudget = 2 << 10
	unknownBudget = 1 << 10
	maxName       = 256
	// frameRoom is for what stands around a preview: the outcome, headings,
	// references, and the longest message and hint of an error.
	frameRoom = 6 << 10
)

// Options are the bounds of a run. The zero value has the default budget and
// keeps no artifacts.
type Options struct {
	// MaxCommandOutput is what the streams of one command may fill together,
	// in bytes; defaultCommandOutput when 0.
	MaxCommandOutput int
	// Artifacts takes the whole of what was cut; nil for nowhere.
	Artifacts *Artifacts
	// Watch shows the output of a command while it runs; nil for nobody.
	Watch *Watch
	// Mask takes secrets out of the text of a file before it is cut; nil for
	// none.
	Mask func(string) string
}

// CommandBudget returns what the streams of one command may fill together.
func (o Options) CommandBudget() int {
	if o.MaxCommandOutput > 0 {
		return o.MaxCommandOutput
	}
	return defaultCommandOutput
}

// Project returns the canonical result of a call of t from its complete output:
// previews within their budgets, and in the run's artifacts the whole of what
// did not fit. An output that breaks the rules of results, which is a defect of
// its tool, becomes an error of kind tool_panicked, so the result is always
// valid. The name of t may be whatever a model made up.
func Project(t tool.Tool, out tool.Output) tool.Result {
	name := usableName(t.Spec.Name)
	res, err := project(t, out)
	res.ToolName = name
	if err == nil {
		err = res.Validate()
	}
	if err != nil {
		res = failure(tool.Failed(tool.NewError(tool.KindToolPanicked, "tool gave no usable output: "+err.Error())))
		res.ToolName = name
	}
	return res
}

// usableName bounds a name that no tool may have and gives the empty one a text.
func usableName(name string) string {
	name, _ = clip.Prefix(clip.UTF8(name), maxName)
	if name == "" {
		return "(no name)"
	}
	return name
}

func project(t tool.Tool, out tool.Output) (tool.Result, error) {
	switch {
	case out.Project != nil && out.Err != nil:
		return tool.Result{}, errors.New("both a payload and an error")
	case out.Err != nil:
		out.Err = boundDetails(out.Err, budget(t))
		return failure(out), nil
	case out.Project == nil:
		return tool.Result{}, errors.New("neither a payload nor an error")
	}
	payload := out.Project()
	raw, err := jsontext.Marshal(payload)
	if err != nil {
		return tool.Result{}, err
	}
	if f, ok := payload.(tool.Failing); ok && f.Failure() != "" {
		failed := tool.NewError(f.Failure(), out.Summary)
		failed.Details = raw
		return failure(tool.Failed(failed)), nil
	}
	return tool.Result{Status: tool.StatusSuccess, SummaryText: summaryLine(out.Summary), Result: raw}, nil
}

func failure(out tool.Output) tool.Result {
	return tool.Result{Status: tool.StatusError, SummaryText: summaryLine(out.Summary), Error: out.Err}
}

func summaryLine(s string) string {
	line, _ := clip.OneLine(s, tool.MaxSummary)
	return line
}

func budget(t tool.Tool) int {
	if t.Spec.Budget > 0 {
		return t.Spec.Budget
	}
	return unknownBudget
}

// Render returns the model-visible text of a canonical result of t. It looks at
// nothing else, so a result that was loaded reads as it did when it was new. A
// loaded result whose previews exceed the budget is cut.
func Render(t tool.Tool, res tool.Result) string {
	text, _ := clip.Prefix(clip.UTF8(render(t, res)), budget(t)+frameRoom)
	return text
}

func render(t tool.Tool, res tool.Result) string {
	if res.Error != nil {
		return renderError(t, res.Error)
	}
	if t.Payload != nil {
		if payload, err := t.Payload(res.Result); err == nil {
			return payload.Text()
		}
	}
	return res.SummaryText // of a loaded result that is not of this tool's making
}
