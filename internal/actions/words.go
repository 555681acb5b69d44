package actions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/key"
)

// flagInputs are the flags of ci and test that are inputs of the action, by
// their names.
var flagInputs = []string{
	"allow-tools", "annotations", "api", "base-url", "cassette", "deny-tools", "events-file", "fail-on", "golden",
	"idle-timeout", "max-steps", "max-tokens", "model", "policy", "prompt-file", "redact", "script", "session",
	"strict", "summary", "timeout", "tool-calls",
}

// flagWords find a flag, with its variable if that is named too, and the ways in
// which the key comes; what is quoted is somebody's value.
var flagWords = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|variable [A-Z_]+ \(for --([a-z-]+)\)|--([a-z-]+)|` + key.Variable + `(?: or --api-key-file)?`)

// InputWords returns a text about a command line in the words of a workflow.
func InputWords(text string) string {
	return flagWords.ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, key.Variable) {
			return "input api-key"
		}
		m := flagWords.FindStringSubmatch(found)
		if name := m[1] + m[2]; slices.Contains(flagInputs, name) {
			return "input " + name
		}
		return found
	})
}

// InputHint returns a hint in the words of a workflow, empty for one that only
// a command line can follow.
func InputHint(hint string) string {
	hint = InputWords(hint)
	if strings.Contains(hint, "--") || strings.Contains(hint, "openagent ") {
		return ""
	}
	return hint
}
