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
	head, tail []string
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
	line := document.InHTML(term.OneLine(string(text[:min(len(text), maxShown)]), maxShown))
	if len(text) > maxShown {
		line += fmt.Sprintf("… (%d bytes)", len(text))
	}
	line = fmt.Sprintf("<li id=\"L%d\" value=\"%[1]d\">%s</li>\n", l.Number, line)
	if s.tail == nil && s.size+len(line) <= s.room {
		s.head, s.size = append(s.head, line), s.size+len(line)
		return
	}
	if s.tail == nil {
		s.size = 0
	}
	s.tail, s.size = append(s.tail, line), s.size+len(line)
	for ; s.size > s.room; s.left++ {
		s.size -= len(s.tail[0])
		s.tail = s.tail[1:]
	}
}

// writeLines writes the lines.
func (s *stream) writeLines(w io.Writer, file string) {
	if s.total == 0 {
		return
	}
	between := ""
	if s.left > 0 {
		between = fmt.Sprintf("</ol>\n<p class=\"muted\">%d lines are left out; %s has them.</p>\n<ol class=\"events\">\n", s.left, document.InHTML(term.OneLine(file, 400)))
	}
	fmt.Fprintf(w, "<details id=\"events\"><summary><span>All events</span> · <span class=\"note muted\">%d</span></summary>\n<ol class=\"events\">\n%s%s%s</ol>\n</details>\n",
		s.total, strings.Join(s.head, ""), between, strings.Join(s.tail, ""))
}
