package result

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/tool"
)

var testCall = tool.Call{ID: "c1", Step: 2, Index: 0}

func stream(text string) Stream {
	return Stream{Bytes: int64(len(text)), Lines: int64(strings.Count(text, "\n")), Head: []byte(text)}
}

func TestReceipt_ErrorHintDetails(t *testing.T) {
	err := tool.NewError(tool.KindPathOutsideWorkspace, "workdir is outside the workspace",
		tool.Detail{Name: "workdir", Value: "../x"}, tool.Detail{Name: "example", Value: map[string]string{"path": "<a>"}}).WithHint("stay inside")
	_, got := show(t, probe(Options{}), tool.Failed(err))
	want := "Error (path_outside_workspace): workdir is outside the workspace\nHint: stay inside\nworkdir: ../x\nexample: {\"path\":\"<a>\"}"
	if got != want {
		t.Errorf("Render(...) = %q, want %q", got, want)
	}
}

func TestReceipt_LargeDetailsAreCondensed(t *testing.T) {
	message := strings.Repeat("m", 1000)
	err := tool.NewError(tool.KindGitFailed, message, tool.Detail{Name: "stderr", Value: numbered(200)})
	res, text := show(t, probe(Options{}), tool.Failed(err))
	if len(text) > receiptBudget || !strings.Contains(text, message) || !strings.Contains(text, "sha256 ") || !strings.Contains(text, "begin: stderr: line 1 of") {
		t.Errorf("Render(...) = %d bytes %q, want the message whole and the details condensed", len(text), text)
	}
	if !strings.Contains(string(res.Error.Details), "line 200") {
		t.Error("the canonical details were cut below the budget of their family")
	}
}

func TestReceipt_WideMessageLeavesNoRoomForDetails(t *testing.T) {
	message := strings.Repeat("€", 1000)
	_, text := show(t, probe(Options{}), tool.Failed(tool.NewError(tool.KindGitFailed, message, tool.Detail{Name: "a", Value: 1})))
	if !strings.Contains(text, message) || !strings.Contains(text, "Hint: ") || strings.Contains(text, "a: 1") {
		t.Errorf("Render(...) = %q, want message and hint whole, no details", text)
	}
}

func TestProject_DetailsBeyondTheFamilysBudget(t *testing.T) {
	err := tool.NewError(tool.KindIO, "m", tool.Detail{Name: "x", Value: strings.Repeat("\x01", 5000)})
	res, _ := show(t, probe(Options{}), tool.Failed(err))
	if len(res.Error.Details) > probeBudget || !strings.Contains(string(res.Error.Details), `"sha256"`) {
		t.Errorf("Project(...).Error.Details has %d bytes, want at most %d with a digest", len(res.Error.Details), probeBudget)
	}
}

// What the record could not keep whole is told once, by its own size.
func TestReceipt_DetailsCondensedForTheRecord(t *testing.T) {
	err := tool.NewError(tool.KindIO, "m", tool.Detail{Name: "x", Value: strings.Repeat("y", 100_000)})
	_, text := show(t, probe(Options{}), tool.Failed(err))
	if !strings.Contains(text, "\ndetails: 100008 bytes, sha256 ") || !strings.Contains(text, "\nbegin: {\"x\":\"yyy") || strings.Count(text, "sha256") != 1 {
		t.Errorf("Render(...) = %q, want size and begin of the details themselves", text)
	}
}

func TestProject_DefectsOfTools(t *testing.T) {
	fine := tool.Done(probed{path: "x"})
	for name, out := range map[string]tool.Output{
		"both":          {Summary: "s", Project: fine.Project, Err: tool.NewError(tool.KindIO, "m")},
		"neither":       {Summary: "s"},
		"no summary":    {Project: fine.Project},
		"empty message": {Summary: "s", Err: &tool.Error{Kind: tool.KindIO}},
		"no object":     {Summary: "s", Project: func() tool.Payload { return line("x") }},
	} {
		t.Run(name, func(t *testing.T) {
			res, _ := show(t, probe(Options{}), out)
			if res.Error == nil || res.Error.Kind != tool.KindToolPanicked || res.ToolName != "probe" {
				t.Errorf("Project(%+v) = %+v, want kind %s", out, res, tool.KindToolPanicked)
			}
		})
	}
}

// line is a payload that is no object.
type line string

func (l line) Text() string { return string(l) }

func TestProject_NamesThatAModelMadeUp(t *testing.T) {
	for give, want := range map[string]string{"": "(no name)", "a\xffb": "a\ufffdb", strings.Repeat("n", 5000): strings.Repeat("n", 256)} {
		unknown, _ := tool.NewRegistry().Lookup(give)
		res, text := show(t, unknown, tool.Failed(tool.NewError(tool.KindUnknownTool, "no such tool")))
		if res.ToolName != want || !strings.HasPrefix(text, "Error (unknown_tool): no such tool\n") {
			t.Errorf("Project(%.20q).ToolName = %q, %q, want %q", give, res.ToolName, text, want)
		}
	}
}

func TestRender_LoadedResultIsBounded(t *testing.T) {
	res := tool.Result{ToolName: "probe", Status: tool.StatusSuccess, SummaryText: "s"}
	res.Result = json.RawMessage(`{"path":"x","preview":"` + strings.Repeat("x", 1<<20) + `"}`)
	if got := Render(probe(Options{}), res); len(got) > probeBudget+frameRoom || len(got) < probeBudget {
		t.Errorf("Render(...) has %d bytes, want at most %d", len(got), probeBudget+frameRoom)
	}
	res.Result = json.RawMessage(`{"path":5}`)
	if got := Render(probe(Options{}), res); got != "s" {
		t.Errorf("Render(payload of another shape) = %q, want the summary", got)
	}
}
