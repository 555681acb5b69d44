package runner

import (
	"slices"
	"strings"
	"unicode"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

// cause finds in what an agent writes to stderr why it ended: the first line with the
// word error and the message that follows it, if any, else the last line of text.
type cause struct {
	split             splitter
	first, then, last string
}

// maxCause bounds what is read of a line, in bytes.
const maxCause = 4 << 10

// noCause begins lines of a stack trace and of a usage text.
var noCause = []string{"at ", "-", "Usage", "usage", "Options:", "Commands:", "For more information"}

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
	case c.first == "" && strings.Contains(strings.ToLower(text), "error"):
		c.first = strings.TrimRight(text, " {[(:")
	default:
		c.last = text
	}
}

// String returns what was found, also in a last line without LF.
func (c *cause) String() string {
	c.split.close()
	switch {
	case c.first == "":
		return c.last
	case c.then == "" || strings.Contains(c.first, c.then):
		return c.first
	}
	return c.first + ": " + c.then
}
