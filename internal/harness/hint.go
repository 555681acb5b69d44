package harness

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// maxHint bounds the hint of an agent, in bytes.
const maxHint = 1 << 10

// hintPrefix begins the line of a hint on stderr.
const hintPrefix = "openagent: hint: "

// hintFinder finds the last hint in the stderr of the built-in agent, which
// would else be a line among others.
type hintFinder struct {
	pieces
	text string
}

// add looks through a piece of stderr.
func (h *hintFinder) add(piece []byte) {
	h.each(piece, len(hintPrefix)+maxHint, func(line string) {
		if text, ok := strings.CutPrefix(line, hintPrefix); ok {
			h.text = term.OneLine(text, maxHint)
		}
	})
}

// ruleHint returns what to do about a broken rule: for a stream that was converted
// advice for the person who runs the agent, not for the author of a stream.
func ruleHint(source *runner.Source, rule validate.Rule) string {
	if source == nil || rule.Stage == validate.StageProcess && rule.ID != validate.RuleFormat {
		return rule.Help
	}
	a, err := adapter.ByName(source.Agent)
	switch {
	case err != nil:
		return rule.Help
	case rule.ID == "line/too-long":
		return "raise --max-line, or have " + a.Name + " read smaller files"
	case rule.ID == "line/utf8":
		return "have the shell that redirects the stream write UTF-8, as PowerShell 7 does"
	case rule.Stage == validate.StageLine:
		return fmt.Sprintf("run %s with %s and nothing else on its stdout; %s can print there", a.Name, a.Prints, cmp.Or(a.Noise, "a wrapper"))
	case rule.ID == validate.RuleFormat:
		return fmt.Sprintf("name the agent that printed the stream by --agent, or run %s with %s", a.Name, a.Prints)
	case rule.ID == "stream/terminal-missing":
		return a.Name + " ended before its last event: its stderr may show why"
	}
	return "the conversion is at fault: report it with source.jsonl"
}

// pieces are lines that come in pieces, which may end anywhere.
type pieces struct{ line []byte }

// each calls do with the start of each line that a piece ends, max bytes of it.
func (p *pieces) each(piece []byte, max int, do func(line string)) {
	for len(piece) > 0 {
		line, rest, ended := bytes.Cut(piece, []byte("\n"))
		p.line = append(p.line, line[:min(len(line), max-len(p.line))]...)
		if piece = rest; !ended {
			return
		}
		do(string(p.line))
		p.line = p.line[:0]
	}
}
