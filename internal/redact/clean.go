package redact

import (
	"bytes"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// maxNesting is how deep a line may be nested to be looked through quickly.
const maxNesting = 1000

// clean reports for certain that JSONLine has nothing to replace. One search for
// the forms as they stand does for nearly every line; besides, only strings with
// escapes, or with what is no ordinary letter, can hide one.
func (r *Redactor) clean(line []byte) bool {
	if isIn(r.finder, line) {
		return false
	}
	at := run(line, 0)
	if len(bytes.TrimSuffix(line[at:], []byte("\n"))) == 0 {
		return true
	}
	if whole := (jsontext.Reader[[]byte]{Src: line, Room: maxNesting}); !whole.Whole() {
		return false
	}
	// What was run over has no backslash, so its quotes begin and end strings.
	for from := 0; at < len(line); at = run(line, from) {
		if bytes.Count(line[from:at], quote)%2 == 0 { // a blank between two values
			from = at + 1
			continue
		}
		begin := from + bytes.LastIndexByte(line[from:at], '"')
		text := jsontext.Reader[[]byte]{Src: line, Pos: begin}
		if !text.Skip() || r.holds(string(jsontext.Unquote(line[begin:text.Pos]))) {
			return false
		}
		from = text.Pos
	}
	return true
}

var quote = []byte{'"'}
