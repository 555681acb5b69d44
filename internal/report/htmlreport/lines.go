package htmlreport

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/text/lines"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
)

const (
	// maxLine bounds a line that is read, maxShown one that is shown, in bytes.
	maxLine  = 64 << 10
	maxShown = 8 << 10
)

// stream reads the lines of a run, anew each time that they are needed: a page holds one
// of them at most.
type stream func() (io.ReadCloser, error)

// each calls f with every line: its number, its beginning, and its size.
func (s stream) each(f func(n int, text []byte, size int)) (err error) {
	if s == nil {
		return nil
	}
	file, err := s()
	if err != nil {
		return fmt.Errorf("read stream for the page: %w", err)
	}
	defer file.Close()
	in := lines.NewReader(file, maxLine, maxLine)
	for n := 1; ; n++ {
		text, err := in.Next()
		size := len(text)
		if err == lines.ErrLong {
			text = append([]byte(nil), text[:maxShown]...) // what is skipped takes its place
			var rest int64
			rest, err = in.Rest()
			size += int(rest)
		}
		if size > 0 {
			f(n, text, size)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read stream for the page: %w", err)
		}
	}
}

// turns writes the turns of the run.
func (s stream) turns(w io.Writer, v report.View, room int) error {
	if s == nil {
		return nil
	}
	file, err := s()
	if err != nil {
		return fmt.Errorf("read stream for the page: %w", err)
	}
	defer file.Close()
	page := report.NewPageTurns(v, room)
	_, err = runner.Scan(context.Background(), file, evidence.ScanAgain(page))
	return errors.Join(err, page.Write(w))
}

// excerpt says which lines of a stream a page has: those before head and from tail on.
type excerpt struct{ head, tail, total int }

// choose reads a stream and chooses as many lines of both ends as there is room for.
func (s stream) choose(room int) (e excerpt, err error) {
	before, sizes := room/2, []int{} // of the last lines
	after := room - before
	e.head, e.tail = 1, 1
	err = s.each(func(n int, text []byte, _ int) {
		e.total = n
		size := document.SizeInHTML(string(text[:min(len(text), maxShown)])) + lineCost
		if before -= size; before >= 0 {
			e.head, e.tail = n+1, n+1
			return
		}
		before = -1
		sizes = append(sizes, size)
		for after -= size; after < 0; e.tail++ {
			after += sizes[0]
			sizes = sizes[1:]
		}
	})
	return e, err
}

// lineCost is what a line takes on a page besides its text, in bytes.
const lineCost = 40

// write writes the lines that were chosen.
func (s stream) write(b io.Writer, e excerpt, file string) error {
	if e.total == 0 {
		return nil
	}
	fmt.Fprintf(b, "<details id=\"events\"><summary><span>All events</span> · <span class=\"note muted\">%d</span></summary>\n<ol class=\"events\">\n", e.total)
	err := s.each(func(n int, text []byte, size int) {
		if n == e.head && n < e.tail {
			fmt.Fprintf(b, "</ol>\n<p class=\"muted\">%d lines are left out; %s has them.</p>\n<ol class=\"events\">\n", e.tail-e.head, document.InHTML(term.OneLine(file, 400)))
		}
		if n < e.head || n >= e.tail {
			fmt.Fprintf(b, "<li id=\"L%d\" value=\"%[1]d\">%s</li>\n", n, shown(text, size))
		}
	})
	_, _ = io.WriteString(b, "</ol>\n</details>\n")
	return err
}

// shown returns a line as the page shows it.
func shown(text []byte, size int) string {
	line := document.InHTML(term.OneLine(string(text[:min(len(text), maxShown)]), maxShown))
	if size > maxShown {
		line += fmt.Sprintf("… (%d bytes)", size)
	}
	return line
}
