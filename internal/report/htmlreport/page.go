// Package htmlreport writes one or several runs as a single HTML file that loads
// nothing and is complete without scripts.
package htmlreport

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

// The parts of the page.
var (
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Bounds of a page, which is to have four megabytes at most, in bytes.
const (
	// RoomForTexts is for the texts of a run that its harness holds: those that the page
	// does not read again.
	RoomForTexts = 1 << 17
	// roomForTurns is for the transcripts of all runs, roomForEvents for the lines of
	// their streams.
	roomForTurns  = 2200 << 10
	roomForEvents = 1400 << 10
)

// Options say what a page is about.
type Options struct {
	// Version is that of this program.
	Version string
	// Runs is how many runs will be added: each has an equal part of the room.
	Runs int
	// Results are shown next to the runs, nil for none.
	Results *schema.TestResults
	// Comparison stands below the title of the results: how they differ from earlier ones.
	Comparison []document.Block
}

// Writer writes a page with several runs. A single one is written as it comes.
type Writer struct {
	w     *bufio.Writer
	o     Options
	runs  bytes.Buffer
	table document.Table // of the runs
	names []string
}

// NewWriter returns a Writer that writes to w when it is closed.
func NewWriter(w io.Writer, o Options) *Writer {
	return &Writer{w: bufio.NewWriterSize(w, 64<<10), o: o, table: document.Table{Name: "Runs", Sortable: true, Head: []string{"run", "verdict", "turns", "calls", "tokens", "cost", "time", "findings"}}}
}

// single reports whether the page is of one run alone.
func (p *Writer) single() bool { return p.o.Runs == 1 && p.o.Results == nil }

// Close writes the page, or the end of one of a single run.
func (p *Writer) Close() error {
	if !p.single() || len(p.names) == 0 {
		p.begin()
	}
	_, _ = p.runs.WriteTo(p.w)
	_, _ = p.w.WriteString("</main>\n<script>" + script + "</script>\n</body>\n</html>\n")
	return p.w.Flush()
}

// begin writes what stands above the runs.
func (p *Writer) begin() {
	// Nothing but its own script and style, by their digests.
	policy := "default-src 'none'; script-src " + digest(script) + "; style-src " + digest(style) + "; base-uri 'none'; form-action 'none'"
	title := "Results of scenarios"
	switch len(p.names) {
	case 0:
	case 1:
		title = p.names[0]
	default:
		title = term.Counted(len(p.names), "run")
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>%s - openagent report</title>
<style>%s</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header><span class="brand">openagent report</span> <span class="muted">%s</span><span id="tools"></span></header>
<main id="main">
`, policy, html.EscapeString(term.OneLine(title, 200)), style, html.EscapeString(term.OneLine(p.o.Version, 80)))
	if len(p.names) > 1 || p.o.Results != nil && len(p.names) > 0 {
		b.WriteString(document.HTML(document.Title{Level: 1, Text: title}))
		p.table.Link = func(row int) string { return fmt.Sprintf("#run-%d", row+1) }
		b.WriteString(document.HTML(p.table))
	}
	if p.o.Results != nil {
		level := 1
		if len(p.names) > 0 {
			level = 2
		}
		b.WriteString(document.HTML(scenarioresult.Page(*p.o.Results, level, p.o.Comparison)...))
	}
	_, _ = p.w.WriteString(b.String())
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
