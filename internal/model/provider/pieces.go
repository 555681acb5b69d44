package provider

import (
	"encoding/json"
	"slices"
	"strings"
)

// joiner puts a text together of pieces that may have been cut inside a
// character: between its bytes, or between the escapes of a surrogate pair.
type joiner struct {
	held   []byte // the inside of JSON strings that may lack the end of a character
	pieces int    // of held
}

// maxHeldPieces is how many pieces can lack the end of one character.
const maxHeldPieces = 3

// add returns what follows in the text with the next piece, which is nothing
// while the end of that may belong to the one after it.
func (j *joiner) add(t text) string {
	switch {
	case t.string == "":
		return ""
	case t.came == nil:
		return j.end() + t.string
	}
	j.held = append(j.held, t.came...)
	j.pieces++
	if j.pieces <= maxHeldPieces && strings.HasSuffix(j.rest(), "\ufffd") {
		return ""
	}
	return j.end()
}

// end returns what is held back, and holds it no longer.
func (j *joiner) end() string {
	rest := j.rest()
	j.held, j.pieces = nil, 0
	return rest
}

// rest returns what is held back. A part of a character is U+FFFD.
func (j *joiner) rest() (s string) {
	if j.held != nil {
		_ = json.Unmarshal(slices.Concat([]byte{'"'}, j.held, []byte{'"'}), &s) // pieces of JSON strings are one
	}
	return s
}

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

// addArguments adds a piece of the arguments.
func (c *callParts) addArguments(piece arguments) {
	s := c.joiner.add(text(piece))
	c.arguments.WriteString(s)
	c.nesting.follow(s)
}

// text returns the arguments as far as they came.
func (c *callParts) text() string { return c.arguments.String() + c.joiner.rest() }

// nesting follows brackets and strings through a text in pieces, so that none is
// read twice. Unlike a reader of JSON it also finds the end of arguments that
// are no JSON, which the agent may mend.
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
