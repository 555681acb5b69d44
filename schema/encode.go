package schema

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// Encode returns e as one line of the stream, its LF included: members in the
// order of the contract, HTML characters as they are, and everything escaped
// that a job log could act on. A payload that is missing or does not encode as
// an object is an error.
func Encode(e Event) ([]byte, error) {
	if e.Data == nil {
		return nil, errors.New("encode event: no data")
	}
	var b bytes.Buffer
	if err := jsontext.Write(&b, e); err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.Type, err)
	}
	line := inert(b.Bytes())
	if !bytes.HasPrefix(line[bytes.Index(line, dataKey):], dataObject) {
		return nil, fmt.Errorf("encode event %s: data is %T, want an object", e.Type, e.Data)
	}
	return line, nil
}

// The text before an event's payload; no member before it can hold these
// bytes, quotes in strings being escaped.
var (
	dataKey    = []byte(`,"data":`)
	dataObject = []byte(`,"data":{`)
)

// inert escapes in encoded JSON what a terminal or a job log could act on and
// encoding/json leaves as it is: DEL, the C1 controls, and the first # of the
// command marker ##[. U+2028, U+2029 and C0 controls are escaped already. All
// of these can stand in strings only.
func inert(line []byte) []byte {
	i := nextActive(line, 0)
	if i == len(line) {
		return line
	}
	out := make([]byte, 0, len(line)+64)
	done := 0
	for ; i < len(line); i = nextActive(line, done) {
		r, size := utf8.DecodeRune(line[i:])
		out = append(out, line[done:i]...)
		out = fmt.Appendf(out, `\u%04x`, r)
		done = i + size
	}
	return append(out, line[done:]...)
}

// nextActive returns the index of the next byte at or after from that inert
// must escape, or len(line).
func nextActive(line []byte, from int) int {
	for i := from; i < len(line); i++ {
		switch line[i] {
		case 0x7f:
			return i
		case 0xc2: // first byte of U+0080 to U+00BF; the C1 controls end at U+009F
			if i+1 < len(line) && line[i+1] < 0xa0 {
				return i
			}
		case '#':
			if bytes.HasPrefix(line[i:], []byte("##[")) {
				return i
			}
		}
	}
	return len(line)
}
