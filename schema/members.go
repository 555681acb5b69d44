package schema

import (
	"iter"
	"reflect"
	"strings"
)

// Members returns the names of the members of a payload or a part of one, a pointer to
// a struct, in order, with pointers to them. It leaves out those of Cuts.
func Members(of any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for field, value := range reflect.ValueOf(of).Elem().Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name != "" && !yield(name, value.Addr().Interface()) {
				return
			}
		}
	}
}
