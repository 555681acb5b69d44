package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/schema/validate"
)

const (
	maxExampleLines = 4   // of the broken and of the fixed stream
	maxExampleChars = 400 // of a line
)

// Explain returns what there is to say of a rule, with lines of a golden stream
// that breaks it and of one that does not.
func Explain(rule validate.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n\nbroken when  %s\nwhy          %s\nwhat to do   %s\n", rule.ID, rule.Severity, rule.Doc, rule.Why(), rule.Help)
	e, ok := golden.ExampleOf(rule.ID)
	if !ok {
		s := scenes[rule.ID]
		fmt.Fprintf(&b, "\nNo stream by itself breaks this rule: the harness finds it.\n\nbroken\n      %s\n\nfixed\n      %s\n", s.broken, s.mended)
		return b.String()
	}
	fmt.Fprintf(&b, "\nbroken: %s (golden vector %s)\n%s\nfixed\n%s", e.Why, e.Name, exampleLines(e.Broken), exampleLines(e.Mended))
	return b.String()
}

// scenes are examples of the rules that no stream breaks by itself.
var scenes = map[string]struct{ broken, mended string }{
	validate.RuleExitStatus:   {`run_finished says "ok":true, and the process exits with 1`, `run_finished says "ok":false, and the process exits with 1`},
	validate.RuleSecret:       {`"content_preview":"TOKEN=" and then the value of --redact`, `"content_preview":"TOKEN=[redacted]"`},
	validate.RuleStreamCap:    {"the agent prints 2 GiB under --max-stream 1GiB", "the agent cuts its texts, or runs under --max-stream 4GiB"},
	validate.RuleGolden:       {"the golden stream reads a.txt, the run reads b.txt", "the run reads a.txt, or openagent golden diff --update has written the golden stream anew"},
	validate.RuleScript:       {"the second turn expects step-1, and the agent sends what another command printed", "the agent runs the command whose result the script expects, or the script expects the other"},
	validate.RuleOutputSchema: {`the schema wants an object with the member ok, "final_output":"Done: {\"ok\":true}"`, `"final_output":"{\"ok\":true}"`},
	validate.RuleTampering:    {`a command runs: echo PATH=/tmp/evil >>"$GITHUB_ENV"`, "a later step of the workflow sets what later steps need"},
	validate.RuleEvidence:     {"stderr.log of a folder of evidence was edited after the run", "the folder is a whole copy of what openagent ci wrote"},
	validate.RuleGitConfig:    {"a command runs: git remote set-url origin https://evil.example/x", "the workflow sets the address before the run"},
	validate.RuleUnmapped:     {`the agent prints {"type":"new_kind"}, which no converter knows`, "the agent, or openagent, has a version that knows the same types as the other"},
	validate.RuleFormat:       {`a stream of the contract is asked for and begins with {"type":"system","subtype":"init"}`, `the stream begins with {"schema_version":"openagent.run_event.v1"`},
	validate.RuleSession:      {"one process begins a session, ends it and begins another", "each session is a run with a stream of its own"},

	validate.RuleContradiction: {"the agent prints a failed result and, for the same turn, a successful one", "the agent prints one result for each turn"},
	validate.RuleVersion:       {"codex 0.999.0 prints the stream", "codex of a version that openagent doctor calls tested"},
	validate.RuleLateDenial:    {`a call has the result "not allowed", and the last line has the call's id in its permission_denials`, "the result of the call has a form that is known as a denial"},
	validate.RuleHiddenCall:    {"codex calls exec_command for touch .git/hooks/pre-commit, its sandbox refuses, and its stream has no item for it", "the stream of the agent has an item for each call of its model"},
	validate.RuleUnservedCall:  {"the stream has a call of Bash, and no reply of the endpoint contains it", "each call of the stream is one of a reply that the harness has seen"},
	validate.RuleLoss:          {"a command that runs in the background fails after the last answer", "the agent waits for the command before it ends"},
}

// exampleLines prints lines with their numbers, what cannot be seen escaped.
func exampleLines(lines []golden.Line) string {
	var b strings.Builder
	for _, l := range lines[:min(len(lines), maxExampleLines)] {
		fmt.Fprintf(&b, "%4d  %s\n", l.Number, visible(strings.TrimSuffix(string(l.Text), "\n")))
	}
	if more := len(lines) - maxExampleLines; more > 0 {
		fmt.Fprintf(&b, "      and %d more\n", more)
	}
	if len(lines) == 0 {
		b.WriteString("      (nothing)\n")
	}
	return b.String()
}

// unquoter takes back what quoting does to characters that print.
var unquoter = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// visible returns at most maxExampleChars characters of a line with those
// escaped that do not print.
func visible(line string) string {
	head, cut := clip.Chars(line, maxExampleChars)
	text := strconv.Quote(head)
	text = unquoter.Replace(text[1 : len(text)-1])
	if cut {
		text += "..."
	}
	return text
}
