package htmlreport

import (
	"fmt"
	"io"

	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/text/lines"
	"github.com/openagent-ci/openagent/internal/text/term"
)

const (
	// maxLine bounds a line that is read, maxShown one that is shown, in bytes.
	maxLine  = 64 << 10
	maxShown = 8 << 10
)

// line is one line of a stream with its number: the beginning of it, and its size.
type line struct {
	n, size int
	text    string
}

// excerpt has the first and the last lines of a stream.
type excerpt struct {
	head, tail []line
	total      int
}

// choose reads a stream and keeps as many lines of both ends as there is room for.
func choose(stream io.Reader, room int) (e excerpt, err error) {
	if stream == nil {
		return e, nil
	}
	in := lines.NewReader(stream, maxLine, maxLine)
	head, tail := room/2, room/2
	for {
		text, err := in.Next()
		size := len(text)
		if err == lines.ErrLong {
			text = append([]byte(nil), text[:maxShown]...) // what is skipped takes its place
			var rest int64
			rest, err = in.Rest()
			size += int(rest)
		}
		if size > 0 {
			e.total++
			l := line{e.total, size, string(text[:min(len(text), maxShown)])}
			if head -= len(l.text); head >= 0 {
				e.head = append(e.head, l)
			} else {
				e.tail = append(e.tail, l)
				for tail -= len(l.text); tail < 0; e.tail = e.tail[1:] {
					tail += len(e.tail[0].text)
				}
			}
		}
		if err == io.EOF {
			return e, nil
		}
		if err != nil {
			return e, fmt.Errorf("read stream for the page: %w", err)
		}
	}
}

// shown returns the line as the page shows it.
func (l line) shown() string {
	text := document.InHTML(term.OneLine(l.text, maxShown))
	if l.size > maxShown {
		text += fmt.Sprintf("… (%d bytes)", l.size)
	}
	return text
}

// html writes the lines.
func (e excerpt) html(b io.Writer, base string) {
	if e.total == 0 {
		return
	}
	fmt.Fprintf(b, "<details id=\"events\"><summary><span>All events</span> <span class=\"note muted\">%d</span></summary>\n<ol class=\"events\">\n", e.total)
	for i, l := range append(e.head, e.tail...) {
		if i == len(e.head) && l.n > i+1 {
			fmt.Fprintf(b, "</ol>\n<p class=\"muted\">%d lines are left out; %sevents.jsonl has them.</p>\n<ol class=\"events\">\n", l.n-i-1, document.InHTML(term.OneLine(base, 400)))
		}
		fmt.Fprintf(b, "<li id=\"L%d\" value=\"%[1]d\">%s</li>\n", l.n, l.shown())
	}
	_, _ = io.WriteString(b, "</ol>\n</details>\n")
}
