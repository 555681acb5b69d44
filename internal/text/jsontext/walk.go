package jsontext

import "iter"

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

// Parts yields the names, decoded, and the values of an object, or the items of a list
// without names; nothing of any other value. A fault ends it.
func Parts[T ~[]byte](v T) iter.Seq2[T, T] {
	return func(yield func(name, value T) bool) {
		r := Reader[[]byte]{Src: v, Room: MaxDepth}
		value := func(name []byte) bool {
			at := r.Pos
			return r.Skip() && yield(name, v[at:r.Pos])
		}
		switch r.Peek() {
		case '{':
			for name := range r.Members() {
				if !value(name) {
					return
				}
			}
		case '[':
			for range r.Items() {
				if !value(nil) {
					return
				}
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
