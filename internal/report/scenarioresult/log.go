package scenarioresult

import (
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema/validate"
)

// What is kept of the log of a script, in bytes: its begin, and its end, where
// it says what failed.
const (
	logHead = 4 << 10
	logTail = 16 << 10
)

// CutLog returns the head and the tail of a log that is longer than both, with
// a line between that counts what is left out. The start of the last message of
// a failure is in the tail.
func CutLog(log string) string {
	if len(log) <= logHead+logTail {
		return log
	}
	head, _ := clip.Prefix(log, logHead)
	head = head[:strings.LastIndexByte(head, '\n')+1]
	from := len(log) - logTail
	if at := strings.LastIndex(log, "\nFAIL: "); at >= len(head) && at < from {
		from = at + 1
	} else if at := strings.IndexByte(log[from:], '\n'); at >= 0 && from+at+1 < len(log) {
		from += at + 1
	}
	tail, cut := clip.Prefix(log[from:], logTail)
	text := fmt.Sprintf("%s... %d bytes left out ...\n%s", head, from-len(head), clip.UTF8(tail))
	if cut {
		text += fmt.Sprintf("\n... %d bytes left out ...\n", len(log)-from-len(tail))
	}
	return text
}

// maxRecap bounds the failures that are listed once more.
const maxRecap = 50

// recap lists once more what failed and what was flaky, each in a line: the first may
// have gone off the screen.
func recap(t Totals) string {
	var failed, flaky []validate.Finding
	for _, f := range Findings(t) {
		if f.Severity == validate.SeverityError {
			failed = append(failed, f)
		} else {
			flaky = append(flaky, f)
		}
	}
	return listed("failed", failed) + listed("flaky, and passed often enough", flaky)
}

func listed(title string, found []validate.Finding) string {
	if len(found) == 0 {
		return ""
	}
	text := title + ":\n"
	for i, f := range found {
		if i == maxRecap {
			text += fmt.Sprintf("  and %d more\n", len(found)-i)
			break
		}
		place := f.File
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		message, _, _ := strings.Cut(f.Message, "\n")
		text += "  " + term.OneLine(place+": "+strings.TrimSuffix(message, ":"), report.MaxFinding) + "\n"
	}
	return text
}
