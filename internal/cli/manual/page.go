package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// page returns the help of all commands as one page for man.
func page(root *cobra.Command, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH OPENAGENT 1 \"\" \"openagent %s\" \"User Commands\"\n", roff(version))
	fmt.Fprintf(&b, ".SH NAME\nopenagent \\- %s\n.SH SYNOPSIS\n.B openagent\nCOMMAND [ARGUMENT...]\n.SH DESCRIPTION\n", roff(root.Short))
	literal(&b, root.Long)
	b.WriteString(".PP\nA flag that is not given takes its value from a variable: OPENAGENT_MAX_STEPS stands in for \\-\\-max\\-steps.\n.SH COMMANDS\n")
	writeCommands(&b, root)
	return b.String()
}

// writeCommands writes the part of each command below cmd that does something.
func writeCommands(b *strings.Builder, cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		if c.HasSubCommands() {
			writeCommands(b, c)
			continue
		}
		fmt.Fprintf(b, ".SS %s\n", roff(c.UseLine()))
		text := c.Long
		if text == "" {
			text = c.Short + "."
		}
		literal(b, text)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			value, meaning := pflag.UnquoteUsage(f)
			name := "--" + f.Name
			if f.Shorthand != "" {
				name = "-" + f.Shorthand + ", " + name
			}
			if f.DefValue != "" && f.DefValue != "false" && !strings.Contains(meaning, "(default") {
				meaning += " (default " + f.DefValue + ")"
			}
			fmt.Fprintf(b, ".TP\n%s\n%s\n", roff(strings.TrimSpace(name+" "+value)), roff(meaning))
		})
		if c.Example != "" {
			b.WriteString(".PP\nExamples:\n")
			literal(b, c.Example)
		}
	}
}

// literal writes a text whose lines stay as they are.
func literal(b *strings.Builder, text string) {
	fmt.Fprintf(b, ".PP\n.nf\n%s\n.fi\n", roff(text))
}

// roff returns a text with nothing in it that roff would act on.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}
