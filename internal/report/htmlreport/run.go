package htmlreport

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

// Run is one run of a page.
type Run struct {
	report.View
	// Name is what the run is called, Base leads from the page to its folder: empty
	// for the same one, else with a final slash.
	Name, Base string
	// Manifest is as far as it is known.
	Manifest schema.Manifest
	// Doubted says that a note refutes what the manifest says, Unchecked that the
	// findings are not known.
	Doubted, Unchecked bool
	// Stream opens the lines of the run, nil for none.
	Stream func() (io.ReadCloser, error)
}

// Add adds a run. After an error of its stream it is not on the page, and others can be
// added.
func (p *Writer) Add(r Run) error {
	if doubt := ", not proven"; r.Doubted && !strings.HasSuffix(r.View.Run.Verdict, doubt) { // as after an error
		r.View.Run.Verdict += doubt
	}
	lines, err := r.read(roomForTurns/max(p.o.Runs, 1), roomForEvents/max(p.o.Runs, 1))
	if err != nil {
		return err
	}
	if n := r.Manifest.Counts.Events; r.Stream != nil && n > 0 && n != lines.total {
		r.Notes = append(r.Notes, fmt.Sprintf("the manifest counts %s, and the stream here has %s", term.Counted(n, "event"), term.Counted(lines.total, "line")))
	}
	if r.Unchecked {
		r.Facts = append(r.Facts, term.Row{Name: "findings", Value: "not known: openagent check " + r.Base + "events.jsonl finds them"})
	}
	p.names = append(p.names, r.Name)
	row := append([]string{r.Name}, r.View.Run.Figures()...)
	row[1] = report.Heading(row[1], len(r.Lost) == 0)
	p.table.Rows = append(p.table.Rows, append(row, fmt.Sprint(r.Total)))
	var w io.Writer = &p.runs
	if p.single() {
		p.begin()
		w = p.w
	}
	fmt.Fprintf(w, "<section id=\"run-%d\" aria-label=\"%s\">\n", len(p.names), html.EscapeString(term.OneLine(r.Name, 200)))
	begin := p.runs.Len()
	above, below := r.Page()
	head := document.Title{Level: 1, Text: r.Headline(), Tone: r.Tone()}
	if p.o.Runs > 1 || p.o.Results != nil {
		head.Level = 2
	}
	blocks := []document.Block{head}
	if p.o.Runs > 1 {
		blocks = append(blocks, document.Text{Tone: document.Muted, Text: r.Name})
	}
	_, _ = io.WriteString(w, document.HTML(append(blocks, above...)...))
	_ = lines.Write(w)
	_, _ = io.WriteString(w, document.HTML(below...))
	lines.writeLines(w, r.Base+r.EventsFile)
	_, _ = io.WriteString(w, document.HTML(r.files()...))
	if n := len(p.names); n > 1 { // no text begins a tag
		text := ids().ReplaceAll(p.runs.Bytes()[begin:], fmt.Appendf(nil, "${0}run-%d-", n))
		p.runs.Truncate(begin)
		p.runs.Write(text)
	}
	_, err = io.WriteString(w, "</section>\n") // which fails after any write that failed
	return err
}

// ids finds where the id of an element begins, which is its first attribute.
var ids = lazyregexp.New(`<[a-z0-9]+ id="`)

// files are the files of the evidence.
func (r Run) files() (blocks []document.Block) {
	m := r.Manifest
	if len(m.Files) == 0 {
		return nil
	}
	table := document.Table{Name: "Files with their digests", Head: []string{"file", "bytes", "SHA-256"}, Link: func(row int) string { return report.Address(r.Base + m.Files[row].Path) }}
	const most = 500
	for _, f := range m.Files[:min(len(m.Files), most)] {
		table.Rows = append(table.Rows, []string{f.Path, fmt.Sprint(f.Bytes), f.SHA256})
	}
	body := []document.Block{table}
	if more := len(m.Files) - most; more > 0 {
		body = append(body, document.Text{Tone: document.Muted, Text: fmt.Sprintf("and %d more in manifest.json", more)})
	}
	for _, l := range m.LeftOut[:min(len(m.LeftOut), report.MaxSummaryItems)] {
		body = append(body, document.Text{Label: "left out", Text: l.Path + ": " + l.Why})
	}
	return []document.Block{document.Fold{ID: "files", Summary: "Files", Note: fmt.Sprint(len(m.Files)), Tone: document.Muted, Body: body}}
}
