package provider

import "strings"

// maxNamePieces is how long a name may grow by pieces, in bytes: twice what
// endpoints accept.
const maxNamePieces = 128

// addName adds what a piece says of the name. Endpoints send it whole in the
// first piece, repeat it in every piece, or send it in pieces too; it is whole
// when the arguments begin.
func (c *callParts) addName(piece string) {
	switch {
	case c.name != "" && c.arguments.Len() > 0:
	case strings.HasPrefix(piece, c.name):
		c.name = piece
	case len(c.name)+len(piece) <= maxNamePieces:
		c.name += piece
	}
}

// nesting follows JSON text in pieces as far as brackets and strings go, so that
// no piece is read twice.
type nesting struct {
	depth           int
	begun           bool
	inText, escaped bool
}

func (n *nesting) follow(piece string) {
	for i := range len(piece) {
		switch c := piece[i]; {
		case n.escaped:
			n.escaped = false
		case c == '"':
			n.inText = !n.inText
		case n.inText:
			n.escaped = c == '\\'
		case c == '{' || c == '[':
			n.depth++
			n.begun = true
		case c == '}' || c == ']':
			n.depth--
		}
	}
}

// closed reports whether the text is as deep as it began: whole, if it is JSON.
func (n *nesting) closed() bool { return n.begun && n.depth <= 0 }
