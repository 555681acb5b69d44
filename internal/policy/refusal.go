package policy

import (
	"errors"
	"fmt"
	"regexp"

	yaml "go.yaml.in/yaml/v4"
)

// sayings turn the library's messages about Go types into words for people who
// write policies.
var sayings = []struct {
	library *regexp.Regexp
	ours    string
}{
	{regexp.MustCompile("^field (.+) not found in type .+$"), `unknown key "$1"`},
	{regexp.MustCompile("^cannot construct !!\\w+ (`.*`) into int$"), `want a whole number, got $1`},
	{regexp.MustCompile("^cannot construct !!\\w+ (`.*`) into \\[\\].+$"), `want a list, got $1`},
	{regexp.MustCompile(`^cannot construct !!map into \[\].+$`), `want a list, got a mapping`},
	{regexp.MustCompile("^cannot construct !!\\w+(?: `.*`)? into policy\\..+$"), `want a mapping`},
	{regexp.MustCompile("^cannot construct !!(seq|map) into .+$"), `want one value, got a list or mapping`},
	{regexp.MustCompile("^yaml: expected single document, found multiple$"), `want one document, got several`},
}

// refusal says what is wrong in a policy as LINE: text. The line is that of the
// mistake where the library knows it, else the one given, else left out.
func refusal(line int, err error) error {
	text := err.Error()
	var known *yaml.LoadError
	if errors.As(err, &known) {
		text = known.Message
		if known.Mark.Line > 0 {
			line = known.Mark.Line
		}
	}
	for _, s := range sayings {
		if s.library.MatchString(text) {
			text = s.library.ReplaceAllString(text, s.ours)
			break
		}
	}
	if line == 0 {
		return errors.New(" " + text)
	}
	return fmt.Errorf("%d: %s", line, text)
}
