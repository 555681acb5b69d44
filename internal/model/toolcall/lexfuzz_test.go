package toolcall

import "testing"

// FuzzLex finds everything at every place of a text: what is found there ends
// behind it and in the text. Two hundred places are enough for a long one.
func FuzzLex(f *testing.F) {
	for _, text := range []string{`<tool_call id="1">`, "<function=a>\n</>", "“a\\”” b: 'c'", "\n> **TOOL_CALL**: {", "{a: [\"}\"]} x\u00a0", "\xff\"\\"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for i := range text[:min(len(text), 200)] {
			if tag, ok := TagAt(text, i); ok && (tag.End <= i+1 || tag.End > len(text) || text[tag.End-1] != '>') {
				t.Errorf("TagAt(%q, %d) = %+v", text, i, tag)
			}
			if q := QuotedAt(text, i); OpensQuoted(text, i) && (q.From <= i || q.To < q.From || q.End < q.To || q.End > len(text) || q.Closed == (q.End == q.To)) {
				t.Errorf("QuotedAt(%q, %d) = %+v", text, i, q)
			}
			if m, ok := MarkerAt(text, i); ok && (m.From > i || m.End <= i || m.End > len(text)) {
				t.Errorf("MarkerAt(%q, %d) = %+v", text, i, m)
			}
			if Nesting(text[i]) > 0 {
				if end, closed := Closing(text, i); end <= i || end > len(text) || !closed && end != len(text) {
					t.Errorf("Closing(%q, %d) = %d, %v", text, i, end, closed)
				}
			}
		}
	})
}
