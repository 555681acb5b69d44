package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/schema/validate"
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
			rule, ok := validate.RuleByID(args[0])
			if !ok {
				var known []string
				for _, r := range validate.Rules() {
					known = append(known, r.ID)
				}
				return &flags.UsageError{Err: hint.With(fmt.Errorf("unknown rule %q%s", redact.Shown(args[0]), nearest.Hint(args[0], known)), "docs/contract.md lists the rules")}
			}
			return p.say("%s", report.Explain(rule))
		},
	}
}
