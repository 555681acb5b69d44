package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// glob matches whole texts: * any run of characters, ? one of them, neither a
// slash; ** any run, with a slash behind it any folders, be it none.
type glob struct{ re *regexp.Regexp }

func newGlob(pattern string) glob { return globOf(pattern, `[^/]`) }

// globOf makes a glob of which character is what * and ? match.
func globOf(pattern, character string) glob {
	return glob{regexp.MustCompile(`(?s)^` + Expression(pattern, character) + `$`)}
}

// Expression returns the regular expression of a glob, in which a dot is any character.
func Expression(pattern, character string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch rest := pattern[i:]; {
		case strings.HasPrefix(rest, "**/") && (i == 0 || pattern[i-1] == '/'):
			b.WriteString(`(?:.*/)?`)
			i += 2
		case strings.HasPrefix(rest, "**"):
			b.WriteString(`.*`)
			i++
		case rest[0] == '*':
			b.WriteString(character + `*`)
		case rest[0] == '?':
			b.WriteString(character)
		default:
			end := strings.IndexAny(rest, "*?")
			if end < 0 {
				end = len(rest)
			}
			b.WriteString(regexp.QuoteMeta(rest[:end]))
			i += end - 1
		}
	}
	return b.String()
}

func (g glob) match(s string) bool { return g.re.MatchString(s) }

// Match reports whether a tool's name matches a name or glob.
func Match(pattern, tool string) bool { return newGlob(pattern).match(tool) }

func matchesAny(globs []glob, s string) bool {
	return slices.ContainsFunc(globs, func(g glob) bool { return g.match(s) })
}

// condition asks something of one argument.
type condition struct {
	line int // in the file
	arg  string
	test func(value string) bool
	// ofPath takes the place of test where the argument is a path.
	ofPath func(value string) bool
	// unclean tells that no cleaned path can pass.
	unclean bool
}

// holds reports whether the condition is true. A condition on an argument that
// is absent or no string is not.
func (c condition) holds(req Request) bool {
	s, ok := req.Args[c.arg].(string)
	if ok && slices.Contains(req.PathArgs, c.arg) {
		return c.ofPath(s)
	}
	return ok && c.test(s)
}

// operators are those of conditions.
func operators() []string { return []string{"starts_with", "contains", "equals", "glob", "matches"} }

// newCondition returns a condition by one of the operators.
func newCondition(arg, op, value string) (condition, error) {
	// A begin may end with a slash, a whole path does not.
	begin := cleanPath(value+"x") != value+"x"
	whole := cleanPath(value) != value
	same := func(test func(string) bool, unclean bool) (condition, error) {
		return condition{arg: arg, test: test, ofPath: test, unclean: unclean}, nil
	}
	switch op {
	case "starts_with":
		return same(func(s string) bool { return strings.HasPrefix(s, value) }, begin)
	case "contains":
		return same(func(s string) bool { return strings.Contains(s, value) }, false)
	case "equals":
		return same(func(s string) bool { return s == value }, whole)
	case "glob":
		text := globOf(value, `.`) // to which a slash is a character like any other
		return condition{arg: arg, test: text.match, ofPath: newGlob(value).match, unclean: whole}, nil
	case "matches":
		re, err := regexp.Compile(value)
		if err != nil {
			return condition{}, fmt.Errorf("value %q is no RE2 expression: %w", value, err)
		}
		return same(re.MatchString, false)
	}
	return condition{}, fmt.Errorf("there is no operator %q", op)
}
