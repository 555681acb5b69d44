package provider

import "strings"

// callList gathers tool calls from their pieces. What a piece costs does not
// grow with the calls and pieces before it: an endpoint decides how many come.
type callList struct {
	all     []*callParts
	byIndex map[int]*callParts // the latest of each index
	byID    map[string]*callParts
}

// callParts is a tool call while its pieces come in.
type callParts struct {
	index     *int
	id, name  string
	arguments strings.Builder
	nesting   nesting // of the arguments
}

// maxNamePieces is how long a name may grow by pieces, in bytes; endpoints
// accept no name half as long.
const maxNamePieces = 128

// add adds a piece of a tool call. The first id stays; a missing one stays
// empty, for the agent to name.
func (l *callList) add(d *deltaCall) {
	c := l.find(d)
	if c == nil || c.ended(d) {
		c = &callParts{index: d.Index}
		l.all = append(l.all, c)
	}
	if c.id == "" {
		c.id = d.ID
	}
	l.keep(c)
	c.addName(d.Function.Name)
	c.arguments.WriteString(string(d.Function.Arguments))
	c.nesting.follow(string(d.Function.Arguments))
}

// keep makes c the latest call of its index and id.
func (l *callList) keep(c *callParts) {
	if l.byIndex == nil {
		l.byIndex, l.byID = map[int]*callParts{}, map[string]*callParts{}
	}
	if c.index != nil {
		l.byIndex[*c.index] = c
	}
	if c.id != "" {
		l.byID[c.id] = c
	}
}

// find returns the call that a piece continues as far as index and id tell, nil
// when they are new. A piece that has neither, or an index where the call has
// none, continues the latest call unless it names a function anew.
func (l *callList) find(d *deltaCall) *callParts {
	if d.Index != nil {
		if c := l.byIndex[*d.Index]; c != nil {
			return c
		}
	}
	if d.ID != "" {
		if c := l.byID[d.ID]; c != nil && (c.index == nil || d.Index == nil) {
			return c
		}
		return nil
	}
	if len(l.all) == 0 {
		return nil
	}
	c := l.all[len(l.all)-1]
	if (c.index == nil || d.Index == nil) && (d.Function.Name == "" || c.name == "") {
		return c
	}
	return nil
}

// ended reports whether d begins another call although its index is the same:
// it has another id, or, where ids are missing, it brings a function and
// arguments when those of c are already whole.
func (c *callParts) ended(d *deltaCall) bool {
	if d.ID != "" && c.id != "" {
		return d.ID != c.id
	}
	return d.Function.Name != "" && strings.HasPrefix(string(d.Function.Arguments), "{") && c.nesting.closed()
}

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

// nesting follows JSON text in pieces as far as brackets and strings go.
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
