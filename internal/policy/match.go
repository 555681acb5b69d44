package policy

import (
	"fmt"
	"regexp"
	"strings"
)

// glob matches whole names: * any run without a slash, ** any run, ? one
// character but a slash.
type glob struct{ re *regexp.Regexp }

func newGlob(pattern string) glob {
	var b strings.Builder
	b.WriteString(`(?s)^`)
	for i := 0; i < len(pattern); i++ {
		switch {
		case strings.HasPrefix(pattern[i:], "**"):
			b.WriteString(`.*`)
			i++
		case pattern[i] == '*':
			b.WriteString(`[^/]*`)
		case pattern[i] == '?':
			b.WriteString(`[^/]`)
		default:
			j := i + 1
			for j < len(pattern) && pattern[j] != '*' && pattern[j] != '?' {
				j++
			}
			b.WriteString(regexp.QuoteMeta(pattern[i:j]))
			i = j - 1
		}
	}
	b.WriteString(`$`)
	return glob{regexp.MustCompile(b.String())}
}

func (g glob) match(s string) bool { return g.re.MatchString(s) }

// Match reports whether a tool's name matches a name or glob.
func Match(pattern, tool string) bool { return newGlob(pattern).match(tool) }

func matchesAny(globs []glob, s string) bool {
	for _, g := range globs {
		if g.match(s) {
			return true
		}
	}
	return false
}

// condition asks something of one argument.
type condition struct {
	line int // in the file
	arg  string
	test func(value string) bool
}

// holds reports whether the condition is true. A condition on an argument that
// is absent or no string is not.
func (c condition) holds(args map[string]any) bool {
	s, ok := args[c.arg].(string)
	return ok && c.test(s)
}

const operators = "starts_with, contains, equals, glob, matches"

func newCondition(arg, op, value string) (condition, error) {
	switch op {
	case "starts_with":
		return condition{0, arg, func(s string) bool { return strings.HasPrefix(s, value) }}, nil
	case "contains":
		return condition{0, arg, func(s string) bool { return strings.Contains(s, value) }}, nil
	case "equals":
		return condition{0, arg, func(s string) bool { return s == value }}, nil
	case "glob":
		return condition{0, arg, newGlob(value).match}, nil
	case "matches":
		re, err := regexp.Compile(value)
		if err != nil {
			return condition{}, fmt.Errorf("value %q is no RE2 expression: %w", value, err)
		}
		return condition{0, arg, re.MatchString}, nil
	}
	return condition{}, fmt.Errorf("unknown op %q; known: %s", op, operators)
}
