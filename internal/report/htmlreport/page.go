// Package htmlreport writes one or several runs as a single HTML file that loads
// nothing.
package htmlreport

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/openagent-ci/openagent/schema"
)

// maxData bounds the data of a page, in bytes.
const maxData = 8 << 20

// The parts of the page. The markup names the places of all else.
var (
	//go:embed page.html
	markup string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Form is the name of the data in a page.
const Form = "openagent.report.v1"

// Options say what a page is about.
type Options struct {
	// Version is that of this program.
	Version string
	// Runs is how many runs will be added: each has an equal part of the room for
	// data, and what it leaves of that is there for the others.
	Runs int
	// Results are shown beside the runs, nil for none.
	Results *schema.TestResults
}

// Writer writes a page with several runs, one after another, and holds no more than
// one of them.
type Writer struct {
	w         io.Writer
	err       error
	rest      string // of the markup
	room      int    // for data
	runs      int    // that are still to come
	separator string // of the next run from those before
}

// NewWriter begins a page.
func NewWriter(w io.Writer, o Options) *Writer {
	p := &Writer{w: w, rest: markup, room: maxData, runs: o.Runs}
	// Nothing but its own script and style, by their digests.
	policy := "default-src 'none'; script-src " + digest(script) + "; style-src " + digest(style) + "; base-uri 'none'; form-action 'none'"
	p.write(p.upTo("{policy}"), policy, p.upTo("{style}"), style, p.upTo("{data}"))
	p.write(`{"form":"`, Form, `","made":`)
	p.value(schema.Agent{Name: "openagent", Version: o.Version})
	p.write(`,"results":`)
	p.value(cutResults(o.Results, p.room/4))
	p.write(`,"runs":[`)
	return p
}

// Add writes a run. After an error of its stream it is not on the page, and others
// can be added.
func (p *Writer) Add(r Run) error {
	room := max(p.room, 0) / max(p.runs, 1)
	p.runs--
	text, err := r.encode(room)
	if err != nil {
		return err
	}
	marks := r.marks()
	found, err := choose(r.Stream, r.Manifest.Counts.Events, marks, room-len(text))
	if err != nil {
		return err
	}
	p.write(p.separator)
	p.separator = ",\n"
	p.data(text[:len(text)-1]) // its members go on
	p.data([]byte(`,"lines":[`))
	for i, l := range found.chosen {
		if text = text[:0]; i > 0 {
			text = append(text, ",\n"...)
		}
		text = l.append(text)
		p.data(text)
	}
	p.data(fmt.Appendf(nil, `],"total_lines":%d,"total_flagged":%d,"flagged":%d}`, found.total, marks.Total, found.flagged))
	return p.err
}

// Close writes the end of the page.
func (p *Writer) Close() error {
	p.write("]}", p.upTo("{script}"), script, p.rest)
	return p.err
}

// write writes texts unless there was an error before.
func (p *Writer) write(texts ...string) {
	for _, text := range texts {
		if p.err == nil {
			_, p.err = io.WriteString(p.w, text)
		}
	}
}

// data writes a part of the data.
func (p *Writer) data(text []byte) {
	p.room -= len(text)
	if p.err == nil {
		_, p.err = p.w.Write(text)
	}
}

func (p *Writer) value(v any) {
	text, err := encode(v)
	if p.err == nil {
		p.err = err
	}
	p.data(text)
}

// upTo returns the markup before the place, and goes on behind it.
func (p *Writer) upTo(place string) string {
	head, rest, _ := strings.Cut(p.rest, place)
	p.rest = rest
	return head
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// encode returns a value as JSON that is nothing but text to HTML.
func encode(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode data of the page: %w", err)
	}
	return harmless(text), nil
}

// harmless returns JSON without a <, so that neither an end tag nor a comment begins
// in it.
func harmless(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte("<"), []byte(`\u003c`))
}
