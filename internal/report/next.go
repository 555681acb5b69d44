package report

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// next returns the commands that show what is behind a verdict, the most
// telling one first. evidence is the folder that they look into.
func next(e *runner.Execution, evidence string) []string {
	file := func(name string) string { return shellWord(filepath.Join(evidence, name)) }
	switch {
	case evidence == "" || e.StartError != "":
		return nil // the reason has it all
	case e.Verdict == runner.VerdictSuccess && e.RunFinished.FinalOutput != "":
		return []string{"cat " + file("final_output.md")}
	case e.Verdict == runner.VerdictViolation:
		return append(brokenLine(e, file("events.jsonl")), "openagent check "+file("events.jsonl"))
	case e.Verdict == runner.VerdictSuccess:
		return nil
	}
	last := []string{"tail -n 3 " + file("events.jsonl"), "tail " + file("stderr.log")}
	if e.Verdict == runner.VerdictCrash {
		last[0], last[1] = last[1], last[0] // what crashes says so there
	}
	return last
}

// brokenLine shows the first line with an error.
func brokenLine(e *runner.Execution, events string) []string {
	for _, f := range e.Findings {
		if f.Line > 0 && f.Severity == validate.SeverityError {
			return []string{fmt.Sprintf("sed -n %dp %s", f.Line, events)}
		}
	}
	return nil
}

// harmless is a word that a shell takes as it is.
var harmless = regexp.MustCompile(`^[A-Za-z0-9@%_+=:,./-]+$`)

// shellWord returns s as one word of a shell.
func shellWord(s string) string {
	if harmless.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
