package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/schema/validate"
)

const (
	maxExampleLines = 4   // of the broken and of the mended stream
	maxExampleChars = 400 // of a line
)

// Explain returns what there is to say of a rule, with lines of a golden stream
// that breaks it and of one that does not.
func Explain(rule validate.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n\nbroken when  %s\nwhy          %s\nwhat to do   %s\n", rule.ID, rule.Severity, rule.Doc, rule.Stage.Why(), rule.Help)
	e, ok := golden.ExampleOf(rule.ID)
	if !ok {
		b.WriteString("\nNo stream by itself breaks this rule: the harness finds it.\n")
		return b.String()
	}
	fmt.Fprintf(&b, "\nbroken: %s (golden vector %s)\n%s\nmended\n%s", e.Why, e.Name, exampleLines(e.Broken), exampleLines(e.Mended))
	return b.String()
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
