package projection

import (
	"iter"
	"reflect"
	"strings"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/schema"
)

// limit is how a text is cut, and to what length.
type limit struct {
	cut func(s string, max int) (string, bool)
	max int
}

// limits are those of members by name; ordinary is that of all others.
var (
	limits = map[string]limit{
		"arguments_preview": {clip.Prefix, schema.MaxPreviewBytes},
		"content_preview":   {clip.Prefix, schema.MaxPreviewBytes},
		"error":             {clip.Prefix, schema.MaxPreviewBytes},
		"reason":            {clip.Prefix, schema.MaxReasonBytes},
		"summary_text":      {clip.Chars, schema.MaxSummaryChars},
		"message_short":     {clip.OneLine, schema.MaxMessageChars},
	}
	ordinary = limit{clip.Prefix, schema.MaxStringBytes}
)

// bounded makes a payload keep the bounds of the contract and returns it: texts
// are made valid UTF-8 and cut, numbers that a reader could not hold are left
// out, and the members that were cut are named.
func bounded(payload any) any {
	var b, end bounds
	switch p := payload.(type) {
	case *schema.ToolExecFinished:
		p.OriginalBytes = nil
		if p.ContentPreview != nil {
			*p.ContentPreview, p.OriginalBytes = preview(*p.ContentPreview)
		}
		p.Truncated = p.OriginalBytes != nil
	case *schema.RunFinished:
		end.outcome(p)
	}
	for name, member := range members(payload) {
		b.member(name, member)
	}
	cuts := reflect.ValueOf(payload).Elem().FieldByName("Cuts").Addr().Interface().(*schema.Cuts)
	cuts.TruncatedFields = append(b.cuts, end.cuts...)
	return payload
}

// members returns the names of the members of a struct, in order, with pointers
// to them.
func members(of any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for field, value := range reflect.ValueOf(of).Elem().Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name != "" && !yield(name, value.Addr().Interface()) {
				return
			}
		}
	}
}

// preview returns the beginning of a text and the size of the whole, nil when
// that is all of it.
func preview(s string) (head string, size *int64) {
	s = clip.UTF8(s)
	head, cut := clip.Prefix(s, schema.MaxPreviewBytes)
	if cut {
		size = new(int64(len(s)))
	}
	return head, size
}

// bounds notes the texts that it cuts.
type bounds struct{ cuts []schema.TruncatedField }

func (b *bounds) note(name string, size int) {
	b.cuts = append(b.cuts, schema.TruncatedField{Field: name, OriginalBytes: int64(size)})
}

func (b *bounds) member(name string, member any) {
	switch m := member.(type) {
	case **string:
		if *m != nil {
			*m = new(b.text(name, **m))
		}
	case *schema.Optional[string]:
		if s, ok := m.Get(); ok {
			*m = schema.Some(b.text(name, s))
		}
	case **int64:
		if *m != nil && !exact(name, **m) {
			*m = nil
		}
	case *schema.Optional[int64]:
		if n, ok := m.Get(); ok && !exact(name, n) {
			*m = schema.Optional[int64]{}
		}
	case *[]string:
		*m = b.words(name, *m)
	case *schema.Texts:
		*m = b.words(name, *m)
	case *[]schema.Artifact:
		*m = b.artifacts(name, *m)
	case **schema.Agent:
		if *m != nil {
			*m = &schema.Agent{Name: b.text(name, (*m).Name), Version: b.text(name, (*m).Version)}
		}
	case *schema.Optional[schema.Usage]:
		if u, ok := m.Get(); ok {
			for name, member := range members(&u) {
				b.member(name, member)
			}
			*m = schema.Some(u)
		}
	}
}

// text returns s within the limit of the member of that name.
func (b *bounds) text(name, s string) string {
	l, ok := limits[name]
	if !ok {
		l = ordinary
	}
	s = clip.UTF8(s)
	head, cut := l.cut(s, l.max)
	if cut {
		b.note(name, len(s))
	}
	return head
}

// exact reports whether every reader holds n as it is, and n can be what the
// name says: an exit status, or else a count.
func exact(name string, n int64) bool {
	return n <= schema.MaxSafeInteger && (n >= 0 || name == "exit_status" && n >= -schema.MaxSafeInteger)
}

// words returns a list under the bounds of lists, nil for nil.
func (b *bounds) words(name string, items []string) []string {
	if items == nil {
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
		b.note(name, size)
	}
	return out
}

// artifacts returns the references that fit the bounds of lists, nil for nil.
func (b *bounds) artifacts(name string, refs []schema.Artifact) []schema.Artifact {
	if refs == nil {
		return nil
	}
	out, size := []schema.Artifact{}, 0
	for _, ref := range refs {
		path := clip.UTF8(ref.Path)
		size += len(path)
		if len(path) <= schema.MaxStringBytes && len(out) < schema.MaxListItems && size <= schema.MaxListBytes {
			out = append(out, schema.Artifact{Path: path})
		}
	}
	if len(out) < len(refs) {
		b.note(name, size)
	}
	return out
}
