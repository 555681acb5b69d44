package job

import (
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// flagInputs are the flags of ci and test that are inputs of the action, by
// their names.
var flagInputs = []string{
	"agent", "agent-version", "allow-tools", "base-url", "cassette", "compare-with", "deny-tools", "events-file", "fail-on", "golden",
	"job", "max-cost", "max-steps", "mcp-config", "model", "output-schema", "pass-env", "policy", "prompt-file", "redact", "sandbox", "script",
	"strict", "timeout", "witness",
}

// argFlags are further flags that an error or a hint names, which the input args takes.
var argFlags = []string{"idle-timeout", "exit-grace", "evidence", "max-tokens", "network", "prices", "session", "shard", "plan", "compare-fail-on", "sandbox-read", "sandbox-write", "sandbox-preset", "repeat", "min-pass", "tool-calls", "allow-skip", "live", "recorded"}

// otherInputs are the inputs that say what a flag of another name does.
var otherInputs = map[string]string{"agent-arg": "agent-args", "api-key-file": "api-key", "resume": "resume-from", "workspace": "working-directory"}

const inArgs = " in input args"

// InputOf returns the input of the action that says what a flag does, empty for
// none.
func InputOf(flag string) string {
	if slices.Contains(flagInputs, flag) {
		return flag
	}
	return otherInputs[flag]
}

// flagWords find a flag, with its variable if that is named too, and the ways in
// which the key comes; what is quoted is somebody's value.
var flagWords = lazyregexp.New(`"(?:[^"\\]|\\.)*"|variable [A-Z_]+ \(for --([a-z-]+)\)|--([a-z-]+)( [0-9][0-9A-Za-z.%]*)?|` + key.Variable + `(?: or --api-key-file)?`)

// InputWords returns a text about a command line in the words of a workflow. One that
// names its input args already stays as it is.
func InputWords(text string) string {
	if strings.Contains(text, inArgs) {
		return text
	}
	return flagWords().ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, key.Variable) {
			return "input api-key"
		}
		m := flagWords().FindStringSubmatch(found)
		if input := InputOf(m[1] + m[2]); input != "" {
			return "input " + input + m[3]
		}
		if slices.Contains(argFlags, m[1]+m[2]) {
			return "--" + m[1] + m[2] + m[3] + inArgs
		}
		return found
	})
}

// InputHint returns a hint in the words of a workflow, empty for one that only
// a command line can follow.
func InputHint(hint string) string {
	hint = InputWords(hint)
	if strings.Count(hint, "--") > strings.Count(hint, inArgs) || strings.Contains(hint, "openagent ") {
		return ""
	}
	return hint
}
