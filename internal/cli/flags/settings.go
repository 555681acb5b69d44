package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Setting is one of the values that a flag sets by name.
type Setting struct {
	Name  string
	Value pflag.Value
	given bool
}

// Settings is a flag value of NAME=VALUE with commas between, each name a value of its
// own; given several times, the lists add up.
type Settings []Setting

func (s *Settings) Type() string { return "NAME=VALUE" }

// String lists the values that were given, and those that are set without that.
func (s *Settings) String() string {
	var all []string
	for _, one := range *s {
		if text := one.Value.String(); one.given || text != "" && text != "0" {
			all = append(all, one.Name+"="+text)
		}
	}
	return strings.Join(all, ",")
}

func (s *Settings) Set(text string) error {
	var names []string
	for _, one := range *s {
		names = append(names, one.Name)
	}
	for item := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == '\n' }) {
		name, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		at := slices.Index(names, name)
		if at < 0 {
			return fmt.Errorf("want NAME=VALUE, with a NAME of %s%s", strings.Join(names, ", "), nearest.Hint(name, names))
		}
		if err := (*s)[at].Value.Set(value); err != nil {
			return fmt.Errorf("%s is %q: %w", name, redact.Shown(value), err)
		}
		(*s)[at].given = true
	}
	return nil
}
