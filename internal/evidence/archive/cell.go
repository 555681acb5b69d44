package archive

import (
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

const (
	maxWord     = 256 // characters of what is no text
	maxSentence = 1024
)

// cells makes values of columns from foreign ones. What looks like a secret is masked
// once more, and nothing is left that a terminal or a job log acts upon: the answer of
// a query is printed somewhere.
type cells struct {
	masks *redact.Redactor
}

func newCells(masks *redact.Redactor) *cells {
	if masks == nil {
		masks = redact.New(nil)
	}
	return &cells{masks}
}

// word returns a name, an id or the like.
func (c *cells) word(s string) string { return c.line(s, maxWord) }

// line returns a text as one line of at most that many characters.
func (c *cells) line(s string, max int) string {
	return term.OneLine(c.masks.String(clip.UTF8(s)), max)
}

// wordOf returns the word that there may be.
func (c *cells) wordOf(s *string) *string { return made(s, c.word) }

// sentenceOf returns the sentence that there may be.
func (c *cells) sentenceOf(s *string) *string {
	return made(s, func(s string) string { return c.line(s, maxSentence) })
}

// previewOf returns the text that there may be, with its lines.
func (c *cells) previewOf(s *string) *string {
	return made(s, func(s string) string {
		head, _ := clip.Prefix(s, schema.MaxPreviewBytes) // of a stream that breaks the bound
		return strings.Join(term.Clean(c.masks.String(clip.UTF8(head))), "\n")
	})
}

// given returns a word, nil where it is empty.
func (c *cells) given(s string) *string {
	if s == "" {
		return nil
	}
	return new(c.word(s))
}

func made[T, U any](v *T, as func(T) U) *U {
	if v == nil {
		return nil
	}
	return new(as(*v))
}

// The times that rows may have: some engines read no others, and no run has them.
var (
	earliest = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)

// instant returns a time of a column, nil where it is none that a run can have.
func instant(t time.Time) *time.Time {
	t = t.UTC().Truncate(time.Microsecond)
	if t.Before(earliest) || !t.Before(latest) {
		return nil
	}
	return &t
}

// timestamp returns the time that an event bears.
func timestamp(ts string) *time.Time {
	t, err := time.Parse(time.RFC3339Nano, ts)
	if err != nil {
		return nil
	}
	return instant(t)
}

// between returns the milliseconds from one time to another, nil where these are not
// known or out of order.
func between(from, to *time.Time) *int64 {
	if from == nil || to == nil || to.Before(*from) {
		return nil
	}
	return new(to.Sub(*from).Milliseconds())
}
