package cli

import (
	_ "embed"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/schema/validate"
)

// wordsFile has a line for each word that is no rule: its kind, the word, what it
// means, and what to do, with tabs between.
//
//go:embed words.txt
var wordsFile string

// word is a line of wordsFile.
type word struct{ kind, name, meaning, fix string }

func words() (all []word) {
	for line := range strings.Lines(wordsFile) {
		if c := strings.Split(strings.TrimSpace(line), "\t"); len(c) == 4 {
			all = append(all, word{c[0], c[1], c[2], c[3]})
		}
	}
	return all
}

func (p *program) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [WORD]",
		Short: "Explain a rule, verdict, exit reason, status, error code or term",
		Long: `Explain a word that openagent prints: a rule of the contract, with lines of a stream
that breaks it and of one that does not; a verdict, an exit reason, an exit status, the
status of a scenario or a call, an error code or a failure class, with what to do;
or a term of the documentation, with its page.
Without a word it lists all of them.

Exit status: 0 explained, 2 wrong command line or no such word, 3 the text could not be
printed.`,
		Example: `  openagent explain
  openagent explain violation
  openagent explain stream/sequence-gap`,
		Args: operands(0, 1, "one WORD at most"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return p.listWords()
			}
			return p.explain(args[0])
		},
	}
}

func (p *program) listWords() error {
	table := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	for _, w := range words() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", w.kind, w.name, w.meaning)
	}
	for _, r := range validate.Rules() {
		fmt.Fprintf(table, "rule\t%s\t%s\n", r.ID, r.Doc)
	}
	return delivery("print the words", table.Flush())
}

// explain prints what there is to say of a word, in each of its meanings.
func (p *program) explain(name string) error {
	if rule, ok := validate.RuleByID(name); ok {
		return p.say("%s", report.Explain(rule))
	}
	var known, texts []string
	for _, w := range words() {
		known = append(known, w.name)
		if w.name == name {
			texts = append(texts, fmt.Sprintf("%s (%s)\n\nmeaning      %s\nwhat to do   %s\n", w.name, w.kind, w.meaning, w.fix))
		}
	}
	if len(texts) > 0 {
		return p.say("%s", strings.Join(texts, "\n"))
	}
	for _, r := range validate.Rules() {
		known = append(known, r.ID)
	}
	return &flags.UsageError{Err: hint.With(fmt.Errorf("unknown word %q%s", redact.Shown(name), nearest.Hint(name, known)),
		"run openagent explain to list all words, or search docs/README.md")}
}
