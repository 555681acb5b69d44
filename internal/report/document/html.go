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

// SizeInHTML returns how many bytes InHTML makes of a text.
func SizeInHTML(s string) int {
	return len(s) + 4*strings.Count(s, "&") + 3*strings.Count(s, "<") + 3*strings.Count(s, ">")
}

// text returns a text of one line as HTML.
func text(s string) string { return escaper.Replace(oneLine(s)) }

// textLines returns a text of several lines as HTML.
func textLines(s string) string { return escaper.Replace(strings.Join(term.Clean(s), "\n")) }

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
	fmt.Fprintf(w, `<div class="wide" tabindex="0" role="group"%s><table><thead><tr>`, attribute("aria-label", b.Name))
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
			fmt.Fprintf(w, "<%s%s>%s</%s>", name, attribute("data-name", b.Head[i]), cell, name[:2])
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
	w.WriteString(`<pre tabindex="0">`)
	for i, line := range term.Clean(b.Text) {
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
		if line = escaper.Replace(line); name != "" {
			line = "<" + name + ">" + line + "</" + name + ">"
		}
		w.WriteString(line)
	}
	w.WriteString("</pre>\n")
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
		note = fmt.Sprintf(" <span%s>%s</span>", attribute("class", strings.TrimSpace("note "+string(b.Tone))), text(b.Note))
	}
	summary := fmt.Sprintf("<%[1]s>%[2]s</%[1]s>%[3]s", tag, text(b.Summary), note)
	if len(b.Body) == 0 {
		fmt.Fprintf(w, "<div%s class=\"leaf\">%s</div>\n", attribute("id", b.ID), summary)
		return
	}
	fmt.Fprintf(w, "<details%s%s><summary>%s</summary>\n<div class=\"inside\">\n%s</div></details>\n", attribute("id", b.ID), open, summary, HTML(b.Body...))
}
