package document

import (
	"bytes"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// html renders the Markdown of an answer: raw HTML and images are left out, and a link
// is shown as its text with its target, which cannot be followed.
func (b Answer) html(w *strings.Builder) {
	text := strings.Join(term.Clean(string(b)), "\n")
	var out bytes.Buffer
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(inert{}, 1))))
	if md.Convert([]byte(text), &out) != nil { // which writing to memory never does
		Fence{"text", text}.html(w)
		return
	}
	w.WriteString("<div class=\"answer\">\n" + out.String() + "</div>\n")
}

// inert renders what loads something or leads away as text.
type inert struct{}

// RegisterFuncs registers the nodes.
func (inert) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindLink, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			_, _ = w.WriteString(" (<span class=\"target\">" + html.EscapeString(string(n.(*ast.Link).Destination)) + "</span>)")
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindAutoLink, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString(html.EscapeString(string(n.(*ast.AutoLink).Label(source))))
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindImage, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			_, _ = w.WriteString(" (image <span class=\"target\">" + html.EscapeString(string(n.(*ast.Image).Destination)) + "</span>)")
		}
		return ast.WalkContinue, nil
	})
	raw := func(lines func(ast.Node, []byte) string) renderer.NodeRendererFunc {
		return func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering {
				_, _ = w.WriteString(html.EscapeString(lines(n, source)))
			}
			return ast.WalkSkipChildren, nil
		}
	}
	r.Register(ast.KindRawHTML, raw(func(n ast.Node, source []byte) string { return string(n.(*ast.RawHTML).Segments.Value(source)) }))
	r.Register(ast.KindHTMLBlock, raw(func(n ast.Node, source []byte) string {
		block := n.(*ast.HTMLBlock)
		text := string(block.Lines().Value(source))
		if block.HasClosure() {
			text += string(block.ClosureLine.Value(source))
		}
		return text
	}))
}
