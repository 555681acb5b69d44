package cli

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/nearest"
	"github.com/openagent-ci/openagent/schema/validate"
)

const (
	maxExampleLines = 4   // of the broken and of the mended stream
	maxExampleChars = 400 // of a line
)

func (p *program) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain RULE",
		Short: "Explain a rule of the contract, with an example",
		Long: `Explain what breaks a rule, why it is one and what to do about it, with lines of
a stream that breaks it and of one that does not.`,
		Example: `  openagent explain stream/sequence-gap`,
		Args:    operands(1, 1, "RULE"),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := explain(args[0])
			if err != nil {
				return err
			}
			return p.say("%s", text)
		},
	}
}

// explain returns what there is to say of a rule. An unknown one is a mistake
// of the command line.
func explain(id string) (string, error) {
	rule, ok := validate.RuleByID(id)
	if !ok {
		var known []string
		for _, r := range validate.Rules() {
			known = append(known, r.ID)
		}
		return "", &statusError{StatusUsage, hint.With(fmt.Errorf("unknown rule %q%s", id, nearest.Hint(id, known)), "docs/rules.md lists the rules")}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n\nbroken when  %s\nwhy          %s\nwhat to do   %s\n", rule.ID, rule.Severity, rule.Doc, rule.Stage.Why(), rule.Help)
	e, ok := golden.ExampleOf(id)
	if !ok {
		b.WriteString("\nNo stream by itself breaks this rule: the harness finds it.\n")
		return b.String(), nil
	}
	fmt.Fprintf(&b, "\nbroken: %s (golden vector %s)\n%s\nmended\n%s", e.Why, e.Name, exampleLines(e.Broken), exampleLines(e.Mended))
	return b.String(), nil
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

// visible returns at most maxExampleChars characters of a line with those
// escaped that do not print.
func visible(line string) string {
	var b strings.Builder
	for n := 0; line != ""; n++ {
		if n == maxExampleChars {
			return b.String() + "..."
		}
		r, size := utf8.DecodeRuneInString(line)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, line[0])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		line = line[size:]
	}
	return b.String()
}
