package htmlreport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
)

// maxShown bounds a line that is shown, in bytes.
const maxShown = 8 << 10

// stream is what a page has of the stream of a run: its turns, and as many lines of both
// ends as there is room for.
type stream struct {
	*report.PageTurns
	room       int // for each end
	head, tail []shown
	size       int // of the end that grows
	left       int // lines that are left out between both
	total      int
}

// read reads the stream of a run, if there is one.
func (r Run) read(roomForTurns, roomForEvents int) (*stream, error) {
	s := &stream{PageTurns: report.NewPageTurns(r.View, roomForTurns), room: roomForEvents / 2}
	if r.Stream == nil {
		return s, nil
	}
	file, err := r.Stream()
	if err == nil {
		_, err = runner.Scan(context.Background(), file, evidence.ScanAgain(runner.Lines(s.line)))
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		err = fmt.Errorf("read stream for the page: %w", err)
	}
	return s, err
}

// line takes a line.
func (s *stream) line(l runner.Line) {
	s.PageTurns.Line(l)
	text := bytes.TrimSuffix(l.Raw, []byte("\n"))
	if len(text) == 0 {
		return
	}
	s.total++
	line := shown{l.Number, len(text), string(text[:min(len(text), maxShown)])}
	if s.tail == nil && s.size+line.room() <= s.room {
		s.head, s.size = append(s.head, line), s.size+line.room()
		return
	}
	if s.tail == nil {
		s.size = 0
	}
	s.tail, s.size = append(s.tail, line), s.size+line.room()
	for ; s.size > s.room; s.left++ {
		s.size -= s.tail[0].room()
		s.tail = s.tail[1:]
	}
}

// shown is a line of a stream, cut where it is long.
type shown struct {
	number, bytes int
	text          string
}

// room is how many bytes the line takes on a page at most.
func (l shown) room() int {
	return len(l.text) + 4*strings.Count(l.text, "&") + 3*strings.Count(l.text, "<") + 3*strings.Count(l.text, ">") + len(`<li id="L10000" value="10000"></li>`)
}

func (l shown) html() string {
	text := document.InHTML(term.OneLine(l.text, maxShown))
	if l.bytes > maxShown {
		text += fmt.Sprintf("… (%d bytes)", l.bytes)
	}
	return fmt.Sprintf("<li id=\"L%d\" value=\"%[1]d\">%s</li>\n", l.number, text)
}

// writeLines writes the lines.
func (s *stream) writeLines(w io.Writer, file string) {
	if s.total == 0 {
		return
	}
	fmt.Fprintf(w, "<details id=\"events\"><summary><span>All events</span> · <span class=\"note muted\">%d</span></summary>\n<ol class=\"events\">\n", s.total)
	for _, l := range s.head {
		_, _ = io.WriteString(w, l.html())
	}
	if s.left > 0 {
		fmt.Fprintf(w, "</ol>\n<p class=\"muted\">%d lines are left out; %s has them.</p>\n<ol class=\"events\">\n", s.left, document.InHTML(term.OneLine(file, 400)))
	}
	for _, l := range s.tail {
		_, _ = io.WriteString(w, l.html())
	}
	_, _ = io.WriteString(w, "</ol>\n</details>\n")
}
