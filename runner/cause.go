package runner

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// cause finds in what an agent writes to stderr why it ended: the first line that begins
// with an error, and the message that follows it, else the first that has the word, else
// the last line of text.
type cause struct {
	split                   splitter
	first, then, word, last string
}

// maxCause bounds what is read of a line, in bytes.
const maxCause = 4 << 10

// noCause begins lines of a stack trace, of a usage text and of advice.
var noCause = []string{"at ", "-", "Usage", "usage", "Options:", "Commands:", "For more information", "note: ", "(node:", "(Use `node"}

// errorFirst is the start of a line that names an error, such as TypeError or [ERROR].
var errorFirst = lazyregexp.New(`(?i)^\W*\w*error\b`)

func newCause() *cause {
	c := &cause{}
	c.split = splitter{max: maxCause, emit: c.line}
	return c
}

func (c *cause) line(raw []byte, _ int64) {
	text := strings.TrimSpace(clip.UTF8(string(raw)))
	text = strings.TrimSpace(text[strings.LastIndexByte(text, '\r')+1:])
	said, isMessage := strings.CutPrefix(strings.Trim(text, `",`), "message")
	switch begins := func(s string) bool { return strings.HasPrefix(text, s) }; {
	case c.first != "" && c.then == "" && isMessage && strings.HasPrefix(strings.TrimLeft(said, `"`), ":"):
		c.then = strings.Trim(said, "\"'`:, ")
	case slices.ContainsFunc(noCause, begins), !strings.ContainsFunc(text, unicode.IsLetter):
	case c.first == "" && errorFirst().MatchString(text):
		c.first = strings.TrimRight(text, " {[(:")
	case strings.Contains(strings.ToLower(text), "error"):
		c.word = cmp.Or(c.word, text)
	default:
		c.last = text
	}
}

// String returns what was found, also in a last line without LF.
func (c *cause) String() string {
	c.split.close()
	switch {
	case c.first == "":
		return cmp.Or(c.word, c.last)
	case c.then == "" || strings.Contains(c.first, c.then):
		return c.first
	}
	return c.first + ": " + c.then
}
