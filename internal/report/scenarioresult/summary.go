package scenarioresult

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// maxScriptLog bounds the log of one script in a summary; the reports have the
// rest. So many of them fit into a summary.
const maxScriptLog = 12 << 10

// Write writes what running scripts came to in one of the forms of
// Forms, by its name, as a whole.
func Write(w io.Writer, form string, t Totals) error {
	f := FormOf(form)
	for _, s := range t.Scripts {
		if f.Each == nil {
			break
		}
		if err := f.Each(w, s); err != nil {
			return err
		}
	}
	return f.Done(w, t)
}

// WriteSummary writes what running scripts came to as Markdown for the job page: a table
// with the failed scenarios first, and of each why, with the end of its log. The results
// are those of the same scripts.
func WriteSummary(w io.Writer, v runner.Verdict, t Totals, r schema.TestResults, u report.Upload) error {
	tone := document.Bad
	if v == runner.VerdictSuccess {
		tone = document.Good
	}
	blocks := []document.Block{
		document.Title{Level: 1, Tone: tone, Text: fmt.Sprintf("openagent %s: %s", t.command(), v)},
		document.Text{Text: fmt.Sprintf("%s, in %s.", countScripts(t), term.Spoken(t.Time))},
		document.Facts(u.Rows()),
	}
	blocks = append(append(blocks, faultBlocks(t.Faults)...), agentsBlocks(t)...)
	blocks = append(blocks, t.Comparison.Blocks(strings.Clone)...)
	r.Scenarios = slices.Clone(r.Scenarios)
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		s.Evidence = nil // the job page has no such file
		if from := len(s.Log) - maxScriptLog; from > 0 {
			s.Log = clip.UTF8(s.Log[from:])
			if _, rest, found := strings.Cut(s.Log, "\n"); found {
				s.Log = rest
			}
		}
	}
	_, err := io.WriteString(w, document.Markdown(append(blocks, Scenarios(r, report.MaxSummaryItems, maxLogs)...)...))
	return err
}

// faultBlocks say why the results are not whole.
func faultBlocks(faults []Fault) []document.Block {
	if len(faults) == 0 {
		return nil
	}
	var list document.List
	for i, f := range faults {
		if i == report.MaxSummaryItems {
			list = append(list, fmt.Sprintf("and %d more", len(faults)-i))
			break
		}
		list = append(list, f.File+": "+f.Message)
	}
	return []document.Block{document.Text{Text: "The results are not those of all that was planned:"}, list}
}

func failure(s Script) (line int, message string) { return report.Failure(s.File, s.Log) }
