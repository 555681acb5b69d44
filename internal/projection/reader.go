package projection

import (
	"encoding/json"
	"strconv"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/schema"
)

// reader takes typed, bounded values out of an internal event and notes the
// texts that it cut. A value of another type counts as absent.
type reader struct {
	data event.Data
	cuts []schema.TruncatedField
}

func (r *reader) noteCut(field string, size int) {
	r.cuts = append(r.cuts, schema.TruncatedField{Field: field, OriginalBytes: int64(size)})
}

func (r *reader) cut() schema.Cuts { return schema.Cuts{TruncatedFields: r.cuts} }

// raw returns the first of keys that holds a string, made valid UTF-8.
func (r *reader) raw(keys ...string) (string, bool) {
	for _, k := range keys {
		if s, ok := r.data[k].(string); ok {
			return clip.UTF8(s), true
		}
	}
	return "", false
}

// text returns a string of at most max bytes, nil when there is none; the
// first of keys is the member's name.
func (r *reader) text(max int, keys ...string) *string {
	s, ok := r.raw(keys...)
	if !ok {
		return nil
	}
	head, cut := clip.Prefix(s, max)
	if cut {
		r.noteCut(keys[0], len(s))
	}
	return &head
}

// word returns a string under the bound of ordinary members.
func (r *reader) word(keys ...string) *string { return r.text(schema.MaxStringBytes, keys...) }

// chars returns a string of at most max characters.
func (r *reader) chars(max int, key string) *string {
	s, ok := r.raw(key)
	if !ok {
		return nil
	}
	head, cut := clip.Chars(s, max)
	if cut {
		r.noteCut(key, len(s))
	}
	return &head
}

// oneLine returns a string as one line of at most max characters.
func (r *reader) oneLine(max int, key string) *string {
	s, ok := r.raw(key)
	if !ok {
		return nil
	}
	head, cut := clip.OneLine(s, max)
	if cut {
		r.noteCut(key, len(s))
	}
	return &head
}

// integer returns a whole number within 2^53, nil when there is none.
func (r *reader) integer(key string) *int64 {
	n, ok := whole(r.data[key])
	if !ok || n > schema.MaxSafeInteger || n < -schema.MaxSafeInteger {
		return nil
	}
	return &n
}

// count returns a whole number that is not negative.
func (r *reader) count(key string) *int64 {
	n := r.integer(key)
	if n != nil && *n < 0 {
		return nil
	}
	return n
}

func whole(v any) (int64, bool) {
	switch n := v.(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	case json.Number:
		i, err := strconv.ParseInt(n.String(), 10, 64)
		return i, err == nil
	}
	return 0, false
}

func (r *reader) boolean(key string) *bool {
	if b, ok := r.data[key].(bool); ok {
		return &b
	}
	return nil
}

// words returns a list of strings under the bounds of lists, nil when there is
// none. An item that is no string makes it no list.
func (r *reader) words(key string) []string {
	items, ok := stringList(r.data[key])
	if !ok {
		return nil
	}
	out, size, cut := []string{}, 0, false
	for _, item := range items {
		item = clip.UTF8(item)
		size += len(item)
		head, short := clip.Prefix(item, schema.MaxStringBytes)
		cut = cut || short || len(out) == schema.MaxListItems || size > schema.MaxListBytes
		if len(out) < schema.MaxListItems && size <= schema.MaxListBytes {
			out = append(out, head)
		}
	}
	if cut {
		r.noteCut(key, size)
	}
	return out
}

func stringList(v any) ([]string, bool) {
	switch list := v.(type) {
	case []string:
		return list, true
	case []any:
		out := make([]string, len(list))
		for i, item := range list {
			s, ok := item.(string)
			if !ok {
				return nil, false
			}
			out[i] = s
		}
		return out, true
	}
	return nil, false
}

// object returns a nested object.
func (r *reader) object(key string) (*reader, bool) {
	switch m := r.data[key].(type) {
	case map[string]any:
		return &reader{data: m}, true
	case event.Data:
		return &reader{data: m}, true
	}
	return nil, false
}

// optional tells absent, null and present apart for an additive member: the
// value found, or null where the event holds null.
func optional[T any](r *reader, key string, v *T) schema.Optional[T] {
	if v != nil {
		return schema.Some(*v)
	}
	if null, ok := r.data[key]; ok && null == nil {
		return schema.Null[T]()
	}
	return schema.Optional[T]{}
}
