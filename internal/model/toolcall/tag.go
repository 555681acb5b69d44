package toolcall

import "strings"

// MaxTag bounds the length of a tag with its attributes.
const MaxTag = 256

// Tag is a tag as XML has them.
type Tag struct {
	Name           string // without slash and attributes
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
	inner, t.Empty = strings.CutSuffix(inner, "/")
	t.Name = strings.TrimSpace(inner)
	if n := strings.IndexAny(t.Name, " \t\r\n"); n >= 0 {
		t.Name = t.Name[:n]
	}
	return t, t.Closing || inner != "" && (WordByte(inner[0]) || inner[0] == '|')
}
