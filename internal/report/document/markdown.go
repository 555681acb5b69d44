package document

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// mark is a blank without any width. It keeps a sign from being acted upon.
const mark = "\u200b"

// links are what becomes a link or a mention by itself.
var links = strings.NewReplacer("@", "@"+mark, "://", ":"+mark+"//", "www.", "www"+mark+".",
	"#0", "#"+mark+"0", "#1", "#"+mark+"1", "#2", "#"+mark+"2", "#3", "#"+mark+"3", "#4", "#"+mark+"4",
	"#5", "#"+mark+"5", "#6", "#"+mark+"6", "#7", "#"+mark+"7", "#8", "#"+mark+"8", "#9", "#"+mark+"9")

// issues are the other names of issues that become links, as GH-1.
var issues = lazyregexp.New(`(?i)(gh)(-[0-9])`)

// unlinked returns s without what becomes a link or a mention by itself.
func unlinked(s string) string {
	return issues().ReplaceAllString(links.Replace(s), "${1}"+mark+"${2}")
}

// Escape returns a text of one line as Markdown that is nothing but text.
func Escape(s string) string {
	s = oneLine(s)
	if s == "" {
		return "–"
	}
	var b strings.Builder
	if strings.ContainsRune("+-=/:>", rune(s[0])) {
		b.WriteString(mark)
	}
	math := strings.Count(s, "$") > 1
	digits := strings.TrimLeft(s, "0123456789")
	at := func(i int) rune {
		if i < 0 || i >= len(s) {
			return ' '
		}
		return rune(s[i])
	}
	for i, r := range s {
		switch {
		case r == '<':
			b.WriteString("&lt;")
			continue
		case r == '&':
			b.WriteString("&amp;")
			continue
		case strings.ContainsRune("\\`*[]~|!", r), r == '#', r == '$' && math,
			r == '_' && !(isWord(at(i-1)) && isWord(at(i+1))),
			(r == '.' || r == ')') && i > 0 && i == len(s)-len(digits) && at(i+1) == ' ': // the number of a list
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return unlinked(b.String())
}

// isWord reports whether an underscore next to r is a part of a word.
func isWord(r rune) bool { return r >= utf8.RuneSelf || unicode.IsLetter(r) || unicode.IsDigit(r) }

func (b Title) markdown(w *strings.Builder) {
	fmt.Fprintf(w, "%s %s%s\n\n", strings.Repeat("#", b.Level+1), b.Tone.sign(), Escape(b.Text))
}

func (b Text) markdown(w *strings.Builder) {
	if b.Label != "" {
		fmt.Fprintf(w, "**%s:** %s\n\n", b.Label, Escape(b.Text))
		return
	}
	var lines []string
	for _, line := range term.Clean(b.Text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, Escape(line))
		}
	}
	if len(lines) > 0 {
		w.WriteString(strings.Join(lines, "  \n") + "\n\n")
	}
}

func (b Facts) markdown(w *strings.Builder) {
	var rows [][]string
	for _, r := range b {
		rows = append(rows, []string{r.Name, r.Value})
	}
	Table{Head: []string{"", ""}, Rows: rows}.markdown(w)
}

// maxColumns is how many columns of short texts a narrow screen shows.
const maxColumns = 3

// markdown writes a table, or a line where it has a single row. Of many columns all but
// the first are one, each cell with the name of its own.
func (b Table) markdown(w *strings.Builder) {
	row := func(cells []string) {
		for _, cell := range cells {
			if cell != "" {
				cell = Escape(cell)
			}
			w.WriteString("| " + cell + " ")
		}
		w.WriteString("|\n")
	}
	joined := func(head, cells []string, separator string) string {
		var parts []string
		for i, cell := range cells {
			if cell != "" {
				parts = append(parts, strings.TrimSpace(head[i]+" "+cell))
			}
		}
		return strings.Join(parts, separator)
	}
	head, rows := b.Head, b.Rows
	switch {
	case len(rows) == 0:
		return
	case len(rows) == 1 && head[0] == "":
		w.WriteString(Escape(joined(head, rows[0], ": ")) + "\n\n")
		return
	case len(rows) == 1:
		w.WriteString(Escape(joined(head, rows[0], " · ")) + "\n\n")
		return
	case len(head) > maxColumns:
		head, rows = []string{head[0], ""}, nil
		for _, cells := range b.Rows {
			rows = append(rows, []string{cells[0], joined(b.Head[1:], cells[1:], " · ")})
		}
	}
	row(head)
	w.WriteString(strings.Repeat("| --- ", len(head)) + "|\n")
	for _, cells := range rows {
		row(cells)
	}
	w.WriteByte('\n')
}

func (b List) markdown(w *strings.Builder) {
	for _, item := range b {
		w.WriteString("- " + Escape(item) + "\n")
	}
	w.WriteByte('\n')
}

func (b Fence) markdown(w *strings.Builder) {
	text := strings.Join(term.Clean(b.Text), "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	run := longestRun(text, '`')
	if run > maxRun {
		text, run = strings.ReplaceAll(text, "`", "'"), 0
	}
	fence := strings.Repeat("`", max(3, run+1))
	fmt.Fprintf(w, "%s%s\n%s\n%s\n\n", fence, b.Lang, text, fence)
}

// maxRun is how many backticks in a row may stand in a fence.
const maxRun = 100

func (b Answer) markdown(w *strings.Builder) { Fence{"text", string(b)}.markdown(w) }

func (b Link) markdown(w *strings.Builder) { fmt.Fprintf(w, "[%s](%s)\n\n", Escape(b.Text), b.URL) }

func (b Fold) markdown(w *strings.Builder) {
	summary := inHTML(b.Summary)
	if b.Code {
		summary = "<code>" + summary + "</code>"
	}
	if b.Note != "" {
		summary += " · " + b.Tone.sign() + inHTML(b.Note)
	}
	if len(b.Body) == 0 {
		fmt.Fprintf(w, "<p>%s</p>\n\n", summary)
		return
	}
	open := ""
	if b.Open {
		open = " open"
	}
	fmt.Fprintf(w, "<details%s><summary>%s</summary>\n\n%s</details>\n\n", open, summary, Markdown(b.Body...))
}

// inHTML returns a text of one line as HTML within Markdown.
func inHTML(s string) string { return unlinked(text(s)) }

// longestRun returns the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
