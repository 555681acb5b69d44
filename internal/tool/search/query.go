// Package search finds lines in a tree's files by text or regular expression, with
// bounded memory.
package search

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/tool/policy"
)

// Options say what to look for. Only Text is required.
type Options struct {
	// Text is the text to find within a line, with Regex an expression of RE2.
	Text       string
	Regex      bool
	IgnoreCase bool
	// Glob leaves out files: one without a slash is for their names, one with a
	// slash for the path from the root.
	Glob string
	// Context is how many lines before and after a match are returned.
	Context int
	// Max is how many matches are returned, the first by path and line.
	Max int
	// Mask takes secrets out of a line before it is cut; nil shows all.
	Mask func(string) string
	// Hidden leaves out files and folders by their paths from the root; nil for none.
	Hidden func(path string) bool
}

// Query is a search that is ready to run.
type Query struct {
	opts Options
	glob *regexp.Regexp // nil for all files
	// index returns where in a line the text is found first, -1 for nowhere.
	index func(line []byte) int
}

// errLines reports a text of several lines, which no line holds.
var errLines = errors.New("it has a line end, and lines are searched one by one; search for a part of one line")

// Compile checks what is asked for. Its error says what is wrong with Text.
func Compile(o Options) (*Query, error) {
	if strings.ContainsAny(o.Text, "\r\n") {
		return nil, errLines
	}
	q := &Query{opts: o}
	if o.Glob != "" {
		q.glob = globOf(o.Glob)
	}
	if q.opts.Mask == nil {
		q.opts.Mask = func(s string) string { return s }
	}
	if !o.Regex {
		q.index = func(text []byte) int { return bytes.Index(text, []byte(o.Text)) }
		if want := []rune(strings.Map(fold, o.Text)); o.IgnoreCase {
			q.index = func(text []byte) int { return indexFold(text, want) }
		}
		return q, nil
	}
	// The expression alone first, so that an error repeats what was given.
	re, err := regexp.Compile(o.Text)
	if err == nil && o.IgnoreCase {
		re, err = regexp.Compile("(?i:" + o.Text + ")")
	}
	if err != nil {
		return nil, err
	}
	q.index = func(line []byte) int {
		if at := re.FindIndex(line); at != nil {
			return at[0]
		}
		return -1
	}
	return q, nil
}

// fold returns the least of the characters that differ from c in case alone.
func fold(c rune) rune {
	for {
		next := unicode.SimpleFold(c)
		if next <= c {
			return next
		}
		c = next
	}
}

// indexFold returns where a text that is folded is found first in any case, -1 for
// nowhere.
func indexFold(text []byte, want []rune) int {
	for i := 0; i < len(text); {
		at := i
		for n, c := range want {
			got, size := utf8.DecodeRune(text[at:])
			if size == 0 || fold(got) != c {
				break
			}
			if at += size; n == len(want)-1 {
				return i
			}
		}
		_, size := utf8.DecodeRune(text[i:])
		i += size
	}
	return -1
}

// wants reports whether a file may be searched as far as its path goes.
func (q *Query) wants(path string) bool {
	return (q.glob == nil || q.glob.MatchString(path)) && !q.hides(path)
}

func (q *Query) hides(path string) bool { return q.opts.Hidden != nil && q.opts.Hidden(path) }

// globOf makes an expression for paths of a glob: * is any run of characters but a
// slash and ? one of them, ** any run and **/ any folders or none, {a,b} one of
// these.
func globOf(glob string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)^`)
	if !strings.Contains(glob, "/") {
		b.WriteString(`(?:.*/)?`)
	}
	glob = strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/")
	choices, open := balanced(glob), 0
	for glob != "" {
		end := strings.IndexAny(glob, "{},")
		if end < 0 {
			b.WriteString(policy.Expression(glob, `[^/]`))
			break
		}
		b.WriteString(policy.Expression(glob[:end], `[^/]`))
		switch c := glob[end]; {
		case c == '{' && choices:
			b.WriteString(`(?:`)
			open++
		case c == '}' && open > 0:
			b.WriteString(`)`)
			open--
		case c == ',' && open > 0:
			b.WriteString(`|`)
		default:
			b.WriteString(regexp.QuoteMeta(glob[end : end+1]))
		}
		glob = glob[end+1:]
	}
	b.WriteString(`$`)
	return regexp.MustCompile(b.String())
}

// balanced reports whether each brace of a glob has its other one.
func balanced(glob string) bool {
	open := 0
	for _, c := range glob {
		switch c {
		case '{':
			open++
		case '}':
			if open--; open < 0 {
				return false
			}
		}
	}
	return open == 0
}
