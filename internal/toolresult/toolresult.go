// Package toolresult turns the complete output of a tool into its canonical
// result, and a canonical result into the text that the model sees. Both steps
// bound what they make, and both give the same for the same input: a tool
// never builds the model's text, and a provider only passes it on.
package toolresult

import (
	"encoding/json"
	"fmt"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/internal/tool"
)

// defaultCommandOutput is the budget of a command's streams when no other is
// set, in bytes.
const defaultCommandOutput = 32 << 10

// Budgets of the other families, in bytes of model-visible text.
const (
	fileBudget    = 32 << 10
	listBudget    = 16 << 10
	summaryBudget = 8 << 10
	gitBudget     = 8 << 10
	historyBudget = 12 << 10
	taskBudget    = 8 << 10
	confirmBudget = 1 << 10
	receiptBudget = 2 << 10
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
	// Mask takes secrets out of the text of a file before it is cut; nil for
	// none.
	Mask func(string) string
}

func (o Options) commandBudget() int {
	if o.MaxCommandOutput > 0 {
		return o.MaxCommandOutput
	}
	return defaultCommandOutput
}

// family projects and renders the results of tools whose output is alike.
type family struct {
	budget  func(Options) int
	project func(tool.Call, any, Options) (any, error)
	render  func(json.RawMessage) (string, error)
}

// families has one row for each tool. Results of other tools are confirmed by
// their summary.
var families = map[string]family{
	"create_directory":      familyOf(fixed(confirmBudget), asIs[tool.FolderCreated], renderCreated),
	"delete_file":           familyOf(fixed(confirmBudget), asIs[tool.FileDeleted], renderDeleted),
	"execute_command":       commandFamily(),
	"get_workspace_summary": familyOf(fixed(summaryBudget), projectSummary, renderSummary),
	"git_commit":            familyOf(fixed(gitBudget), projectCommit, renderCommit),
	"git_status":            familyOf(fixed(gitBudget), projectStatus, renderStatus),
	"list_files":            familyOf(fixed(listBudget), projectList, renderList),
	"read_file":             familyOf(fixed(fileBudget), projectFile, renderFile),
	"search_history":        familyOf(fixed(historyBudget), projectHistory, HistoryText),
	"task_output":           familyOf(fixed(taskBudget), projectTask, renderTask),
	"task_stop":             familyOf(fixed(taskBudget), projectTask, renderTask),
	"write_file":            familyOf(fixed(confirmBudget), asIs[tool.FileWritten], renderWritten),
}

func fixed(n int) func(Options) int { return func(Options) int { return n } }

func asIs[T any](_ tool.Call, payload T, _ Options) T { return payload }

// familyOf gives typed functions the form of the table.
func familyOf[In, Out any](budget func(Options) int, project func(tool.Call, In, Options) Out, render func(Out) string) family {
	return family{
		budget: budget,
		project: func(call tool.Call, payload any, opts Options) (any, error) {
			in, ok := payload.(In)
			if !ok {
				return nil, fmt.Errorf("payload is %T, want %T", payload, in)
			}
			return project(call, in, opts), nil
		},
		render: func(raw json.RawMessage) (string, error) {
			var out Out
			if err := json.Unmarshal(raw, &out); err != nil {
				return "", err
			}
			return render(out), nil
		},
	}
}

// Project returns the canonical result of a call from the tool's complete
// output: previews within their budgets, and in opts.Artifacts the whole of
// what did not fit. An output that breaks the rules of results, which is a
// defect of its tool, becomes an error of kind tool_panicked, so the result is
// always valid. The name may be whatever a model made up.
func Project(call tool.Call, name string, out tool.Output, opts Options) tool.Result {
	name = usableName(name)
	res, err := project(call, name, out, opts)
	if err == nil {
		err = res.Validate()
	}
	if err != nil {
		return failure(name, tool.Failed(tool.NewError(tool.KindToolPanicked, "tool gave no usable output: "+err.Error())))
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

func project(call tool.Call, name string, out tool.Output, opts Options) (tool.Result, error) {
	switch {
	case out.Payload != nil && out.Err != nil:
		return tool.Result{}, fmt.Errorf("both a payload and an error")
	case out.Err != nil:
		out.Err = boundDetails(out.Err, budgetOf(name, opts))
		return failure(name, out), nil
	case out.Payload == nil:
		return tool.Result{}, fmt.Errorf("neither a payload nor an error")
	}
	payload := out.Payload
	if f, ok := families[name]; ok {
		var err error
		if payload, err = f.project(call, payload, opts); err != nil {
			return tool.Result{}, err
		}
	}
	raw, err := jsontext.Marshal(payload)
	if err != nil {
		return tool.Result{}, err
	}
	if ended, ok := endedEarly(payload, out.Summary, raw); ok {
		return failure(name, ended), nil
	}
	return tool.Result{ToolName: name, Status: tool.StatusSuccess, SummaryText: out.Summary, Result: raw}, nil
}

func failure(name string, out tool.Output) tool.Result {
	return tool.Result{ToolName: name, Status: tool.StatusError, SummaryText: out.Summary, Error: out.Err}
}

func budgetOf(name string, opts Options) int {
	if f, ok := families[name]; ok {
		return f.budget(opts)
	}
	return confirmBudget
}

// Render returns the model-visible text of a canonical result. It looks at
// nothing else, so a result that was loaded reads as it did when it was new. A
// loaded result whose previews exceed the budgets of opts is cut.
func Render(res tool.Result, opts Options) string {
	text, _ := clip.Prefix(clip.UTF8(render(res)), budgetOf(res.ToolName, opts)+frameRoom)
	return text
}

func render(res tool.Result) string {
	if res.Error != nil {
		return renderError(res.Error)
	}
	if f, ok := families[res.ToolName]; ok {
		if text, err := f.render(res.Result); err == nil {
			return text
		}
	}
	return res.SummaryText
}
