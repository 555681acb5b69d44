package policy

import (
	"errors"
	"fmt"
	"regexp"

	yaml "go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/text/nearest"
)

// messages turn the library's messages about Go types into words for people who
// write policies.
var messages = []struct {
	library string // a regular expression, compiled when there is something to say
	ours    string
}{
	{"^cannot construct !!\\w+ (`.*`) into int$", `want a whole number, got $1`},
	{"^cannot construct !!\\w+ (`.*`) into \\[\\].+$", `want a list, got $1`},
	{`^cannot construct !!map into \[\].+$`, `want a list, got a mapping`},
	{"^cannot construct !!\\w+(?: `.*`)? into policy\\..+$", `want a mapping`},
	{"^cannot construct !!(seq|map) into .+$", `want one value, got a list or mapping`},
	{"^yaml: expected single document, found multiple$", `want one document, got several`},
}

// lineError is what we found at a line before the library read the file.
type lineError struct {
	line int
	text string
}

func (e *lineError) Error() string { return e.text }

// refusal says what is wrong in a policy as LINE: text. The line is that of the
// mistake where the library knows it, else the one given, else left out.
func refusal(line int, err error) error {
	text := err.Error()
	var ours *lineError
	var loadErr *yaml.LoadError
	switch {
	case errors.As(err, &ours):
		line = ours.line
	case errors.As(err, &loadErr):
		text = inOurWords(loadErr.Message)
		if loadErr.Mark.Line > 0 {
			line = loadErr.Mark.Line
		}
	}
	if line == 0 {
		return errors.New(" " + text)
	}
	return fmt.Errorf("%d: %s", line, text)
}

// keysOf are the keys of each mapping, by the type that the library names.
var keysOf = map[string][]string{
	"policy.file":          {"version", "default", "rules", "sandbox"},
	"policy.fileSandbox":   {"mode", "network", "read", "write", "presets"},
	"policy.fileRule":      {"tool", "decision", "when", "reason"},
	"policy.fileCondition": {"arg", "op", "value"},
}

const unknownKey = "^field (.+) not found in type (.+)$"

// inOurWords says what a message of the library says, without quoting what may
// stand in a file that is no policy.
func inOurWords(text string) string {
	if key := regexp.MustCompile(unknownKey).FindStringSubmatch(text); key != nil {
		return "unknown key " + nearest.Quote(key[1]) + nearest.Hint(key[1], keysOf[key[2]])
	}
	for _, s := range messages {
		if library := regexp.MustCompile(s.library); library.MatchString(text) {
			return library.ReplaceAllString(text, s.ours)
		}
	}
	return nearest.Unquoted(text)
}
