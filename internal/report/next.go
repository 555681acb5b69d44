package report

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// Next returns the commands that show what is behind a verdict, the most
// telling one first. evidence is the folder that they look into.
func Next(e *runner.Execution, evidence string) []string {
	if evidence == "" || e.StartError != "" {
		return nil // the reason has it all
	}
	commands := []string{"openagent show " + ShellWord(evidence)}
	if e.Verdict == runner.VerdictViolation {
		commands = append(commands, explainFirst(e.Findings)...)
		if e.Bytes > 0 {
			commands = append(commands, "openagent check "+ShellWord(filepath.Join(evidence, "events.jsonl")))
		}
	}
	return commands
}

// explainFirst explains the rule of the first error.
func explainFirst(findings []validate.Finding) []string {
	for _, f := range findings {
		if _, ok := validate.RuleByID(f.Rule); ok && f.Severity == validate.SeverityError {
			return []string{"openagent explain " + f.Rule}
		}
	}
	return nil
}

// harmless is a word that a shell takes as it is.
var harmless = lazyregexp.New(`^[A-Za-z0-9@%_+=:,./-]+$`)

// ShellWord returns s as one word of a shell.
func ShellWord(s string) string {
	if harmless().MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Address returns the address of a file as seen from the page.
func Address(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	path = strings.Join(parts, "/")
	if strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || strings.HasPrefix(path, "/") {
		return path
	}
	return "./" + path
}
