package jsontext

import (
	"bytes"
	"iter"
)

// Repeats reports whether an object of the JSON text v has a name twice, of which
// encoding/json would take the last.
func Repeats[T Text](v T) bool {
	r := Reader[T]{Src: v, Room: maxRepeatsDepth, Notes: &Notes{}}
	r.Whole()
	return r.Notes.Repeated > 0
}

// maxRepeatsDepth bounds how deep Repeats looks, far beyond what encoding/json decodes
// into the types of this module.
const maxRepeatsDepth = 64

// Parts yields the names, decoded, and the values of an object that a Reader has
// read, or the items of a list without names; nothing of any other value. It
// checks nothing again, which takes a third of the time.
func Parts[T ~[]byte](v T) iter.Seq2[T, T] {
	return func(yield func(name, value T) bool) {
		if len(v) == 0 || v[0] != '{' && v[0] != '[' {
			return
		}
		for i := token(v, 1); i < len(v) && v[i] != '}' && v[i] != ']'; i = token(v, i) {
			var name T
			if v[0] == '{' {
				raw := v[i:end(v, i)]
				if name = raw[1 : len(raw)-1]; bytes.IndexByte(name, '\\') >= 0 {
					name = T(Unquote([]byte(raw)))
				}
				i = token(v, i+len(raw))
			}
			at := i
			if i = end(v, i); i == at || !yield(name, v[at:i]) {
				return
			}
		}
	}
}

// Members is Parts for the members of an object alone.
func Members[T ~[]byte](v T) iter.Seq2[T, T] {
	if len(v) == 0 || v[0] != '{' {
		return func(func(name, value T) bool) {}
	}
	return Parts(v)
}

// Items is Parts for the items of a list alone.
func Items[T ~[]byte](v T) iter.Seq[T] {
	return func(yield func(T) bool) {
		if len(v) == 0 || v[0] != '[' {
			return
		}
		for _, item := range Parts(v) {
			if !yield(item) {
				return
			}
		}
	}
}

// token returns where the next token is at or behind i that is no comma or colon.
func token[T ~[]byte](v T, i int) int {
	for i < len(v) && (Blank(v[i]) || v[i] == ',' || v[i] == ':') {
		i++
	}
	return i
}

// end returns where the value at i ends.
func end[T ~[]byte](v T, i int) int {
	for depth := 0; i < len(v); {
		switch v[i] {
		case '"':
			i = endOfText(v, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		default:
			for i++; i < len(v) && v[i] > ' ' && v[i] != ',' && v[i] != '}' && v[i] != ']'; i++ {
				continue // a number or a literal
			}
		}
		if depth <= 0 {
			return i
		}
		i = token(v, i)
	}
	return i
}

// endOfText returns where the string at i ends.
func endOfText[T ~[]byte](v T, i int) int {
	for i++; ; i++ {
		n := bytes.IndexByte(v[i:], '"')
		if n < 0 {
			return len(v)
		}
		i += n
		first := i
		for v[first-1] == '\\' {
			first--
		}
		if (i-first)%2 == 0 {
			return i + 1
		}
	}
}
