package document

import (
	"fmt"
	"html"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// escaper makes text of what begins a tag or an entity.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// InHTML returns a clean text as it stands between tags.
func InHTML(s string) string { return escaper.Replace(s) }

// text returns a text of one line as HTML.
func text(s string) string { return escaper.Replace(oneLine(s)) }

// textLines returns a text of several lines as HTML. The lines stay apart where no style
// is allowed.
func textLines(s string) string {
	return strings.ReplaceAll(escaper.Replace(strings.Join(term.Clean(s), "\n")), "\n", "<br>")
}

// attribute returns an attribute with its value, empty for no value.
func attribute(name, value string) string {
	if value == "" {
		return ""
	}
	return " " + name + `="` + html.EscapeString(value) + `"`
}

func (b Title) html(w *strings.Builder) {
	fmt.Fprintf(w, "<h%d%s%s>%s</h%[1]d>\n", b.Level, attribute("id", b.ID), attribute("class", string(b.Tone)), text(b.Text))
}

func (b Text) html(w *strings.Builder) {
	class, label := strings.TrimSpace("said "+string(b.Tone)), ""
	if b.Label != "" {
		class, label = string(b.Tone), "<b>"+text(b.Label)+":</b> "
	}
	fmt.Fprintf(w, "<p%s>%s%s</p>\n", attribute("class", class), label, textLines(b.Text))
}

func (b Facts) html(w *strings.Builder) {
	w.WriteString("<dl>\n")
	for _, r := range b {
		fmt.Fprintf(w, "<div><dt>%s</dt><dd>%s</dd></div>\n", text(r.Name), text(r.Value))
	}
	w.WriteString("</dl>\n")
}

func (b Table) html(w *strings.Builder) {
	class := "wide"
	if b.Sortable && len(b.Rows) > 1 {
		class += " sortable"
	}
	fmt.Fprintf(w, `<div class="%s" tabindex="0" role="group"%s><table><thead><tr>`, class, attribute("aria-label", b.Name))
	for _, cell := range b.Head {
		fmt.Fprintf(w, `<th scope="col">%s</th>`, text(cell))
	}
	w.WriteString("</tr></thead><tbody>\n")
	for at, row := range b.Rows {
		w.WriteString("<tr>")
		for i, cell := range row {
			name, cell := "td", text(cell)
			if i == 0 {
				name = `th scope="row"`
				if b.Link != nil && b.Link(at) != "" {
					cell = fmt.Sprintf(`<a%s rel="noreferrer">%s</a>`, attribute("href", b.Link(at)), cell)
				}
			}
			tone := Plain
			if b.Tone != nil {
				tone = b.Tone(at, i)
			}
			fmt.Fprintf(w, "<%s%s%s>%s</%s>", name, attribute("class", string(tone)), attribute("data-name", b.Head[i]), cell, name[:2])
		}
		w.WriteString("</tr>\n")
	}
	w.WriteString("</tbody></table></div>\n")
}

func (b List) html(w *strings.Builder) {
	w.WriteString("<ul>\n")
	for _, item := range b {
		fmt.Fprintf(w, "<li>%s</li>\n", text(item))
	}
	w.WriteString("</ul>\n")
}

func (b Fence) html(w *strings.Builder) {
	w.WriteString(`<pre wrap tabindex="0">`) // wrap counts where no style is allowed
	lines := term.Clean(b.Text)
	for i, line := range lines {
		if i > 0 {
			w.WriteByte('\n')
		}
		name := ""
		switch {
		case b.Lang != "diff":
		case strings.HasPrefix(line, "+"):
			name = "ins"
		case strings.HasPrefix(line, "-"):
			name = "del"
		}
		if name == "" {
			w.WriteString(escaper.Replace(line))
			continue
		}
		from, to := changed(lines, i)
		fmt.Fprintf(w, "<%s>%s", name, escaper.Replace(line[:from]))
		if from < to {
			fmt.Fprintf(w, "<mark>%s</mark>", escaper.Replace(line[from:to]))
		}
		fmt.Fprintf(w, "%s</%s>", escaper.Replace(line[to:]), name)
	}
	w.WriteString("</pre>\n")
}

// changed returns which part of a line of a diff differs from the only line that it takes
// the place of, or that takes its place; no part where there is no such line.
func changed(lines []string, at int) (from, to int) {
	mark := func(i int) byte {
		if i < 0 || i >= len(lines) || lines[i] == "" {
			return ' '
		}
		return lines[i][0]
	}
	other := at + 1
	if mark(at) == '+' {
		other = at - 1
	}
	first := min(at, other)
	if mark(first) != '-' || mark(first+1) != '+' || mark(first-1) == '-' || mark(first+2) == '+' {
		return 0, 0
	}
	a, b := []rune(lines[at][1:]), []rune(lines[other][1:])
	head, tail := 0, 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	from = 1 + len(string(a[:head]))
	return from, from + len(string(a[head:len(a)-tail]))
}

func (b Link) html(w *strings.Builder) {
	fmt.Fprintf(w, "<p><a%s rel=\"noreferrer\">%s</a></p>\n", attribute("href", b.URL), text(b.Text))
}

func (b Fold) html(w *strings.Builder) {
	open, tag := "", "span"
	if b.Open {
		open = " open"
	}
	if b.Code {
		tag = "code"
	}
	note := ""
	if b.Note != "" {
		note = fmt.Sprintf(" · <span%s>%s</span>", attribute("class", strings.TrimSpace("note "+string(b.Tone))), text(b.Note))
	}
	summary := fmt.Sprintf("<%[1]s>%[2]s</%[1]s>%[3]s", tag, text(b.Summary), note)
	if len(b.Body) == 0 {
		fmt.Fprintf(w, "<div%s class=\"leaf\">%s</div>\n", attribute("id", b.ID), summary)
		return
	}
	fmt.Fprintf(w, "<details%s%s><summary>%s</summary>\n<div class=\"inside\">\n%s</div></details>\n", attribute("id", b.ID), open, summary, HTML(b.Body...))
}
