package validate

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/schema"
)

// wild is a number whose value is never computed, nor by the schema library: one
// of more than maxDigits digits or with an exponent, which can be of any size.
type wild string

const (
	maxDigits = 20
	// maxBuilt bounds the items of a list that are built; such a list is far
	// above its bound of items anyway.
	maxBuilt = 1024
)

// build reads the value at pos, which another scan has found valid, as nil,
// bool, string, json.Number, wild, []any or map[string]any. Members of objects
// whose name is not in names are left out, so that what no rule looks at costs
// no more than reading it. The others have their name from there.
func (s *scan) build(names map[string]string) any {
	at := s.pos
	switch c := s.peek(); c {
	case '{':
		object := map[string]any{}
		for name := range s.members() {
			if name, ok := names[string(name)]; ok {
				object[name] = s.build(names)
			} else {
				s.skip()
			}
		}
		return object
	case '[':
		return s.buildList(names)
	case '"':
		s.skip()
		return string(unquote(s.src[at:s.pos]))
	case 't', 'f':
		s.skip()
		return c == 't'
	case 'n':
		s.skip()
		return nil
	}
	s.number()
	return buildNumber(string(s.src[at:s.pos]))
}

// buildList builds the items of a list, up to one more than maxBuilt: enough to
// see that there are too many.
func (s *scan) buildList(names map[string]string) []any {
	list := []any{}
	s.pos++
	for s.blanks(); !s.take(']'); s.blanks() {
		if len(list) <= maxBuilt {
			list = append(list, s.build(names))
		} else {
			s.skip()
		}
		s.blanks()
		s.take(',')
	}
	return list
}

// members yields the name of each member of the object at pos; the caller
// reads or skips its value.
func (s *scan) members() func(yield func(name []byte) bool) {
	return func(yield func(name []byte) bool) {
		s.pos++
		for s.blanks(); !s.take('}'); s.blanks() {
			at := s.pos
			s.skip()
			name := unquote(s.src[at:s.pos])
			s.blanks()
			s.take(':')
			s.blanks()
			if !yield(name) {
				return
			}
			s.blanks()
			s.take(',')
		}
	}
}

// skip moves over the value at pos.
func (s *scan) skip() {
	depth := 0
	for {
		switch c := s.peek(); c {
		case '"':
			s.skipText()
		case '{', '[':
			depth++
			s.pos++
		case '}', ']':
			depth--
			s.pos++
		case 't', 'n':
			s.pos += len("true")
		case 'f':
			s.pos += len("false")
		case ',', ':', ' ':
			s.pos++
		default:
			s.number()
		}
		if depth == 0 {
			return
		}
	}
}

// skipText moves over a string; a backslash takes the byte behind it along.
func (s *scan) skipText() {
	for s.pos++; s.src[s.pos] != '"'; s.pos++ {
		if s.src[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos++
}

// buildNumber tells wild numbers from others by their text alone.
func buildNumber(text string) any {
	digits := 0
	for i := range len(text) {
		if digit(text[i]) {
			digits++
		}
		if text[i]|0x20 == 'e' {
			return wild(text)
		}
	}
	if digits > maxDigits {
		return wild(text)
	}
	return json.Number(text)
}

// tame returns v with 0 in the place of each wild number.
func tame(v any) any {
	switch v := v.(type) {
	case wild:
		return json.Number("0")
	case json.Number:
		if _, ok := buildNumber(string(v)).(wild); ok {
			return json.Number("0")
		}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = tame(v[i])
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for name := range v {
			object[name] = tame(v[name])
		}
		return object
	}
	return v
}

// below reports whether a whole number lies below min, also one that is larger
// than whole can tell. Of a wild number schema/number speaks.
func below(v any, min int) bool {
	if n, _, ok := whole(v); ok {
		return n < int64(min)
	}
	text, _ := v.(json.Number)
	return strings.HasPrefix(string(text), "-")
}

// whole returns the whole number that v stands for when it lies within 2^53,
// and whether it is written with digits alone.
func whole(v any) (n int64, plain, ok bool) {
	text, isNumber := v.(json.Number)
	if !isNumber {
		return 0, false, false
	}
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n, text != "-0", n <= schema.MaxSafeInteger && n >= -schema.MaxSafeInteger
	}
	f, err := text.Float64()
	if err != nil || f > schema.MaxSafeInteger || f < -schema.MaxSafeInteger || f != float64(int64(f)) {
		return 0, false, false
	}
	return int64(f), false, true
}
