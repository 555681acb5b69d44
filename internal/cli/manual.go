package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// WriteManual writes what a release has for people's machines into a folder:
// the manual page openagent.1, and for each shell the script that completes
// commands. The program itself does not call it, so the linker leaves it out.
func WriteManual(folder, version string) error {
	root := (&program{}).root()
	root.InitDefaultHelpCmd()
	files := map[string]string{"openagent.1": manualPage(root, version)}
	for _, s := range shells {
		var script strings.Builder
		if err := s.write(root, &script); err != nil {
			return fmt.Errorf("write completion for %s: %w", s.name, err)
		}
		files[s.file] = script.String()
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("write manual: %w", err)
		}
	}
	return nil
}

// manualPage returns the help of all commands as one page for man.
func manualPage(root *cobra.Command, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH OPENAGENT 1 \"\" \"openagent %s\" \"User Commands\"\n", roff(version))
	fmt.Fprintf(&b, ".SH NAME\nopenagent \\- %s\n.SH SYNOPSIS\n.B openagent\nCOMMAND [ARGUMENT...]\n.SH DESCRIPTION\n", roff(root.Short))
	literal(&b, root.Long)
	b.WriteString(".PP\nA flag that is not given takes its value from a variable: OPENAGENT_MAX_STEPS stands in for \\-\\-max\\-steps.\n.SH COMMANDS\n")
	manualCommands(&b, root)
	return b.String()
}

// manualCommands writes the part of each command below cmd that does something.
func manualCommands(b *strings.Builder, cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		if c.HasSubCommands() {
			manualCommands(b, c)
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
