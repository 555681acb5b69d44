package toolcall

import "strings"

// MaxTag bounds the length of a tag with its attributes.
const MaxTag = 256

// Tag is a tag as XML has them, or one that carries a value: <name=value>.
type Tag struct {
	Name           string // without slash; with the equals sign, if it carries a value
	Value          string // on one line
	End            int
	Closing, Empty bool
}

// TagAt reads the tag at s[i].
func TagAt(s string, i int) (t Tag, ok bool) {
	if i >= len(s) || s[i] != '<' {
		return t, false
	}
	last := min(len(s), i+MaxTag) - 1
	for t.End = i + 1; t.End < last && s[t.End] != '<' && s[t.End] != '>'; {
		t.End++
	}
	if t.End > last || s[t.End] != '>' {
		return t, false
	}
	inner := s[i+1 : t.End]
	t.End++
	inner, t.Closing = strings.CutPrefix(inner, "/")
	whole := inner
	inner, t.Empty = strings.CutSuffix(inner, "/")
	t.Name = strings.TrimSpace(inner)
	switch n := strings.IndexAny(t.Name, " \t\r\n="); {
	case n < 0:
	case t.Name[n] == '=':
		t.Name = t.Name[:n+1]
		if _, value, _ := strings.Cut(whole, "="); !strings.Contains(value, "\n") {
			t.Value = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	default:
		t.Name = t.Name[:n]
	}
	return t, t.Closing || inner != "" && (WordByte(inner[0]) || inner[0] == '|')
}

// Opens reports whether t opens an element and carries a value.
func (t Tag) Opens() bool { return !t.Closing && t.Value != "" }
