// Package document holds what a report says as blocks, and writes them for a terminal,
// as Markdown and as HTML. Texts may be an agent's: each writer makes them harmless.
package document

import (
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// Block is a part of a document.
type Block interface {
	terminal(t *terminal)
	markdown(b *strings.Builder)
	html(b *strings.Builder)
}

// Tone says how a text is meant.
type Tone string

// The tones.
const (
	Plain Tone = ""
	Good  Tone = "ok"
	Bad   Tone = "bad"
	Warn  Tone = "warn"
	Muted Tone = "muted"
)

// Sign returns the mark of a tone in Markdown, which has no colors.
func (t Tone) sign() string {
	switch t {
	case Good:
		return "✅ "
	case Bad:
		return "❌ "
	case Warn:
		return "⚠️ "
	}
	return ""
}

func (t Tone) colour() term.Colour {
	return map[Tone]term.Colour{Good: term.Green, Bad: term.Red, Warn: term.Yellow, Muted: term.Grey}[t]
}

type (
	// Title is a heading; the first one of a document has the level 1.
	Title struct {
		Level int
		Tone  Tone
		Text  string
		ID    string // of the place in a page, empty for none
	}
	// Text is a paragraph; its lines stay apart. Label is written before it.
	Text struct {
		Tone  Tone
		Label string
		Text  string
	}
	// Facts are names with values.
	Facts []term.Row
	// Table is a table; a cell is one line. Link returns the address of what a row is
	// about, empty for none, Tone the tone of a cell; both may be nil. A page lets people
	// sort the rows of a Sortable one.
	Table struct {
		Name     string
		Head     []string
		Rows     [][]string
		Link     func(row int) string
		Tone     func(row, column int) Tone
		Sortable bool
	}
	// List is a list of lines.
	List []string
	// Fence is a text as it stands. Lang is text or diff.
	Fence struct{ Lang, Text string }
	// Answer is Markdown that a model wrote. Only a page renders it.
	Answer string
	// Link leads to an address that the program made.
	Link struct{ Text, URL string }
	// Fold is a part that can be folded. Note is written after the summary.
	Fold struct {
		ID, Summary, Note string
		Tone              Tone // of the note
		Code              bool // the summary is a title of a call
		Open              bool
		Body              []Block
	}
)

// Terminal writes blocks for a terminal of that width in cells, or for a log, which has
// the width 0.
func Terminal(w io.Writer, width int, colours bool, blocks ...Block) error {
	t := &terminal{width: width, colours: colours}
	t.all(blocks)
	_, err := io.WriteString(w, t.String())
	return err
}

// Markdown returns blocks as Markdown in which no text of an agent becomes a link, an
// image, a mention or any other markup.
func Markdown(blocks ...Block) string {
	var b strings.Builder
	for _, block := range blocks {
		block.markdown(&b)
	}
	return b.String()
}

// HTML returns blocks as HTML in which no text of an agent is markup, except what an
// Answer may have.
func HTML(blocks ...Block) string {
	var b strings.Builder
	for _, block := range blocks {
		block.html(&b)
	}
	return b.String()
}

// maxLine bounds a text of one line, in characters; a command that is cut could not be
// run.
const maxLine = 4096

func oneLine(s string) string { return term.OneLine(s, maxLine) }
