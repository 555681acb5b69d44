package document_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// evil are texts that try to be more than text.
var evil = []string{
	"` | ![i](http://evil.test/i.png) <img src=x> [l](http://evil.test) www.evil.test @octocat\n\n# heading\n| a |",
	"</details></summary><script>alert(1)</script>", "```\n~~~\n</pre>\n<!-- ", "::error::forged\n##[error]x\x1b[31m\u202e", "[a]: http://evil.test\n[a]",
	"*b* _i_ ~~s~~ **B** __u__ $x$ $y$ `c` &lt;img&gt; &#64;all", "1. one\n- two\n+ three\n    code\n> quote\n===\n---\n|-|-|\n/close\n#12 GH-12 gh-1", "\\*\\[x\\](http://evil.test)",
	"http://evil.test https://evil.test mailto:a@evil.test ftp://evil.test", "\"><a href=x>", "' onload='x", strings.Repeat("`", 500), strings.Repeat("[", 5000), "", "\x00\xff",
}

// all are blocks of every kind, with s in every text.
func all(s string) []document.Block {
	return []document.Block{
		document.Title{Level: 1, Tone: document.Bad, Text: s}, document.Text{Text: s}, document.Text{Label: "label", Text: s}, document.Facts{{Name: "name", Value: s}, {Name: "b", Value: s}},
		document.Table{Head: []string{"a", "b"}, Rows: [][]string{{s, s}, {s, s}}}, document.Table{Head: []string{"a", "b"}, Rows: [][]string{{s, s}}}, document.List{s, s},
		document.Fence{Lang: "text", Text: s}, document.Fence{Lang: "diff", Text: "+" + s}, document.Answer(s),
		document.Fold{ID: "x", Summary: s, Note: s, Code: true, Body: []document.Block{document.Text{Text: s}}}, document.Fold{Summary: s, Note: s},
	}
}

// No text becomes markup: what a reader of GitHub's Markdown finds in a document is the
// same whatever the texts are.
func TestMarkdown_TextsAreInert(t *testing.T) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	shape := func(s string) (kinds []string) {
		source := []byte(document.Markdown(all(s)...))
		_ = ast.Walk(md.Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n.Kind() {
			case ast.KindText, ast.KindString, ast.KindHTMLBlock:
			default:
				if entering {
					kinds = append(kinds, n.Kind().String())
				}
			}
			return ast.WalkContinue, nil
		})
		return kinds
	}
	want := shape("plain")
	for _, s := range evil {
		if strings.TrimSpace(term.OneLine(s, 100)) == "" {
			continue
		}
		got := shape(s)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("with %q the document is another one (-want +got):\n%s\n%s", s, diff, document.Markdown(all(s)...))
		}
		text := document.Markdown(document.Title{Level: 1, Text: s}, document.Text{Text: s}, document.Fold{Summary: s})
		for _, bad := range []string{"://", "@o", "@a", "www.e", "<i", "<s", "#1", "H-1", "h-1", "\x1b", "\u202e"} {
			if strings.Contains(text, bad) {
				t.Errorf("with %q the document has %q:\n%s", s, bad, text)
			}
		}
	}
}

func TestEscape_LeavesPlainTextAlone(t *testing.T) {
	for in, want := range map[string]string{
		"internal/my_file.go -> b (+50 %)": "internal/my_file.go -> b (+50 %)", "$0.05 · 3.8 s": "$0.05 · 3.8 s", "a_ _b": `a\_ \_b`, "": "–", "1. x": `1\. x`, "v1.2": "v1.2", "C#": `C\#`,
	} {
		if got := document.Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

// tags returns the tags of HTML.
func tags(html string) (found []string) {
	for _, part := range strings.Split(html, "<")[1:] {
		tag, _, _ := strings.Cut(part, ">")
		found = append(found, tag)
	}
	return found
}

func TestHTML_TextsAreInert(t *testing.T) {
	blocks := func(s string) []document.Block {
		list := all(s)
		return append(list[:9:9], list[10:]...) // an answer is markup
	}
	want := tags(document.HTML(blocks("plain")...))
	for _, s := range evil {
		html := document.HTML(blocks(s)...)
		got := tags(html)
		if strings.ContainsAny(html, "\x1b\u202e\x00") {
			t.Errorf("with %q the page has control characters", s)
		}
		// A diff has a tag for each of its lines.
		if lines := len(term.Clean("+" + s)); lines == 1 && len(got) != len(want) && s != "" {
			t.Errorf("with %q the tags are %q, want %q", s, got, want)
		}
		for _, tag := range got {
			if strings.HasPrefix(tag, "script") || strings.HasPrefix(tag, "img") || strings.HasPrefix(tag, "a ") || strings.Contains(tag, "onload") {
				t.Errorf("with %q there is the tag %q", s, tag)
			}
		}
	}
}

// The Markdown of an answer is rendered without what loads something, leads away or is
// HTML of its own; a link is shown with its target.
func TestHTML_Answer(t *testing.T) {
	got := document.HTML(document.Answer("# T\n\n*a* `b` [l](http://evil.test \"t\") ![i](http://evil.test/i.png) <http://auto.test> www.x.test <b onclick=x>c</b>\n\n<script>alert(1)</script>\n\n| a | b |\n|---|---|\n| 1 | [x](javascript:alert) |\n\n```go\nx <y>\n```\n"))
	want := `<div class="answer">
<h1>T</h1>
<p><em>a</em> <code>b</code> l (<span class="target">http://evil.test</span>) i (image <span class="target">http://evil.test/i.png</span>) http://auto.test www.x.test &lt;b onclick=x&gt;c&lt;/b&gt;</p>
&lt;script&gt;alert(1)&lt;/script&gt;
<table>
<thead>
<tr>
<th>a</th>
<th>b</th>
</tr>
</thead>
<tbody>
<tr>
<td>1</td>
<td>x (<span class="target">javascript:alert</span>)</td>
</tr>
</tbody>
</table>
<pre><code class="language-go">x &lt;y&gt;
</code></pre>
</div>
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("HTML (-want +got):\n%s", diff)
	}
	allowed := map[string]bool{}
	for _, name := range strings.Fields("div h1 h2 h3 h4 h5 h6 p em strong del code pre ul ol li table thead tbody tr th td span blockquote hr br") {
		allowed[name] = true
	}
	for _, s := range evil {
		for _, tag := range tags(document.HTML(document.Answer(s))) {
			name, attributes, _ := strings.Cut(strings.Trim(tag, "/ "), " ")
			if !allowed[name] || strings.Contains(attributes, "on") && !strings.HasPrefix(attributes, "class=") {
				t.Errorf("the answer %q has the tag %q", s, tag)
			}
		}
	}
}

func TestTerminal_WrapsAndKeepsTheLeft(t *testing.T) {
	var b bytes.Buffer
	long := "one two three four five six seven " + strings.Repeat("x", 50)
	err := document.Terminal(&b, 30, true, document.Text{Text: long}, document.Facts{{Name: "name", Value: long}}, document.Fence{Lang: "diff", Text: "+new\n-old\n same"})
	want := "one two three four five six\nseven xxxxxxxxxxxxxxxxxxxxxxxx\nxxxxxxxxxxxxxxxxxxxxxxxxxx\n" +
		"name  one two three four five\n      six seven xxxxxxxxxxxxxx\n      xxxxxxxxxxxxxxxxxxxxxxxx\n      xxxxxxxxxxxx\n" +
		"| \x1b[32m+new\x1b[0m\n| \x1b[31m-old\x1b[0m\n|  same\n"
	if diff := cmp.Diff(want, b.String()); diff != "" || err != nil {
		t.Errorf("Terminal = %v (-want +got):\n%s", err, diff)
	}
	for _, s := range evil {
		b.Reset()
		_ = document.Terminal(&b, 0, false, all(s)...)
		for line := range strings.Lines(b.String()) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "::") || strings.Contains(line, "##[") || strings.ContainsAny(line, "\x1b\u202e\r") {
				t.Errorf("with %q there is the line %q", s, line)
			}
		}
	}
	for _, width := range []int{1, 20, 33} {
		if err := document.Terminal(&b, width, false, all(fmt.Sprint(strings.Repeat("漢", 100), "é"))...); err != nil {
			t.Error(err)
		}
	}
}
