package textedit

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestApply_Replaces(t *testing.T) {
	for _, test := range []struct {
		name, text string
		edit       Edit
		want       string
		line       int64
	}{
		{"once", "a\nb\nc\n", Edit{Old: "b", New: "x"}, "a\nx\nc\n", 2},
		{"lines", "a\nb\nc\n", Edit{Old: "b\nc\n", New: ""}, "a\n", 2},
		{"three times", "x = x + x", Edit{Old: "x", New: "yy", Count: 3}, "yy = yy + yy", 1},
		{"the whole", "all", Edit{Old: "all", New: "other"}, "other", 1},
		{"no line end at the end", "a\nb", Edit{Old: "b", New: "b\n"}, "a\nb\n", 2},
		{"bytes that are no text stay", "\xff a \xfe", Edit{Old: "a", New: "ä"}, "\xff ä \xfe", 1},
		{"CRLF, old text with LF", "a\r\nb\r\nc\r\n", Edit{Old: "a\nb\n", New: "a\nx\ny\n"}, "a\r\nx\r\ny\r\nc\r\n", 1},
		{"CRLF, one line becomes two", "a\r\nb\r\n", Edit{Old: "b", New: "b\nc"}, "a\r\nb\r\nc\r\n", 2},
		{"CRLF, begins with an LF", "a\r\nb\r\n", Edit{Old: "\nb", New: "!"}, "a!\r\n", 1},
		{"CRLF, old text has its own", "a\r\nb\r\n", Edit{Old: "\r\n", New: "\n", Count: 2}, "a\nb\n", 1},
		{"CRLF, old text has some", "a\r\nb\r\nc\r\n", Edit{Old: "a\r\nb\nc", New: "x\ny"}, "x\r\ny\r\n", 1},
		{"mixed ends are as they are", "a\r\nb\nc\n", Edit{Old: "b\nc", New: "x\ny"}, "a\r\nx\ny\n", 2},
		{"CR alone is no line end", "a\rb\n", Edit{Old: "a\rb", New: "c\nd"}, "c\nd\n", 1},
	} {
		test.edit.Count, test.edit.Max = max(test.edit.Count, 1), 100
		got, err := Apply([]byte(test.text), test.edit)
		if err != nil || string(got.Text) != test.want || got.FirstLine != test.line {
			t.Errorf("%s: Apply(%q, %+v) = %q at line %d, %v, want %q at line %d", test.name, test.text, test.edit, got.Text, got.FirstLine, err, test.want, test.line)
		}
	}
}

func TestApply_AnotherNumberOfTimes(t *testing.T) {
	for _, test := range []struct {
		text, old string
		count     int64
		want      Ambiguous
		words     string
	}{
		{"a b\na\n\na", "a", 1, Ambiguous{3, false, []int64{1, 2, 4}}, "it is there 3 times"},
		{"a a\na", "a", 2, Ambiguous{3, false, []int64{1, 2}}, "it is there 3 times"},
		{"a\nb", "a", 2, Ambiguous{1, false, []int64{1}}, "it is there once"},
		{"x\naaa", "aa", 1, Ambiguous{1, true, []int64{2}}, "it is there once, and places of it overlap"},
		{"\n\n\n\n", "\n\n", 2, Ambiguous{2, true, []int64{1, 3}}, "it is there 2 times, and places of it overlap"},
		{strings.Repeat("a\n", 30), "a", 1, Ambiguous{30, false, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}}, "it is there 30 times"},
	} {
		_, err := Apply([]byte(test.text), Edit{Old: test.old, New: "x", Count: test.count, Max: 1000})
		var got *Ambiguous
		if !errors.As(err, &got) {
			t.Errorf("Apply(%q, %q) = %v, want it ambiguous", test.text, test.old, err)
			continue
		}
		if diff := cmp.Diff(&test.want, got); diff != "" || err.Error() != test.words {
			t.Errorf("Apply(%q, %q) = %q, want %q (-want +got):\n%s", test.text, test.old, err, test.words, diff)
		}
	}
}

func TestApply_TooLarge(t *testing.T) {
	edit := Edit{Old: "a", New: "aaa", Count: 5, Max: 15}
	if got, err := Apply([]byte("aaaaa"), edit); err != nil || len(got.Text) != 15 {
		t.Errorf("Apply that makes 15 bytes = %d, %v, want these", len(got.Text), err)
	}
	edit.Max = 14
	if _, err := Apply([]byte("aaaaa"), edit); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Apply that makes 15 bytes of 14 = %v, want %v", err, ErrTooLarge)
	}
	edit.New = ""
	if _, err := Apply([]byte("aaaaa"), edit); err != nil {
		t.Errorf("Apply that makes no bytes = %v", err)
	}
}

const source = "package a\n\nfunc add(a, b int) int {\n\tif a > 0 {\n\t\treturn a + b\n\t}\n\treturn b\n}\n\nfunc sub(a, b int) int { return a - b }\n"

func TestApply_DiffersOnlyInWhiteSpace(t *testing.T) {
	for _, test := range []struct {
		name, text, old string
		want            Near
	}{
		{"indentation", source, "    if a > 0 {\n        return a + b\n", Near{4, 5, "\tif a > 0 {\n\t\treturn a + b", false}},
		{"within a line", source, "func sub( a, b int ) int", Near{10, 10, "func sub(a, b int) int { return a - b }", false}},
		{"at the end of a line", "one  \ntwo\n", "one\ntwo\n", Near{1, 2, "one  \ntwo", false}},
		{"blank line", source, "\treturn b\n}\nfunc sub", Near{7, 10, "\treturn b\n}\n\nfunc sub(a, b int) int { return a - b }", false}},
		{"line ends, mixed", "a one\r\na two\r\nb\n", "a one\na two\n", Near{1, 2, "a one\r\na two", true}},
		{"line ends, CRLF asked for", "a one\na two\n", "a one\r\na two\r\n", Near{1, 2, "a one\na two", true}},
	} {
		_, err := Apply([]byte(test.text), Edit{Old: test.old, Count: 1, Max: 1000})
		var absent *Absent
		if !errors.As(err, &absent) || absent.Near == nil {
			t.Errorf("%s: Apply(%q) = %v, want a passage near it", test.name, test.old, err)
			continue
		}
		if diff := cmp.Diff(test.want, *absent.Near); diff != "" {
			t.Errorf("%s: nearest to %q (-want +got):\n%s", test.name, test.old, diff)
		}
	}
}

func TestApply_NothingLikeIt(t *testing.T) {
	for _, old := range []string{"import java.util.Map;", "Func Add(a, b int)", "return a * b", "\n\n\n\n\n", "}}", " \t "} {
		_, err := Apply([]byte(source), Edit{Old: old, Count: 1, Max: 1000})
		if want := "it is not there, even if white space is ignored"; err == nil || err.Error() != want {
			t.Errorf("Apply(%q) = %v, want %q", old, err, want)
		}
	}
}

func TestAbsent_SaysWhere(t *testing.T) {
	for want, n := range map[string]Near{
		"it is not there; line 3 differs only in white space":    {FirstLine: 3, LastLine: 3},
		"it is not there; lines 3 to 5 differ only in line ends": {FirstLine: 3, LastLine: 5, LineEnds: true},
	} {
		if got := (&Absent{&n}).Error(); got != want {
			t.Errorf("Absent{%+v} = %q, want %q", n, got, want)
		}
	}
}

// An edit that is made is what strings.Replace makes, at as many places as were
// said, and no text and passage get the search for the nearest out of step.
func FuzzApply(f *testing.F) {
	f.Add("a\r\nb\r\n", "b\n", "c\n", int64(1))
	f.Add(source, "\tReturn b", "x", int64(2))
	f.Add("aaa", "aa", "", int64(1))
	f.Add("\xff\n\n", "\n \n", "", int64(1))
	f.Fuzz(func(t *testing.T, text, before, after string, count int64) {
		if before == "" {
			return
		}
		got, err := Apply([]byte(text), Edit{Old: before, New: after, Count: count, Max: 1 << 20})
		var absent *Absent
		switch {
		case err == nil && strings.Contains(text, "\r"):
		case err == nil:
			if want := strings.ReplaceAll(text, before, after); string(got.Text) != want || int64(strings.Count(text, before)) != count {
				t.Errorf("Apply(%q, %q, %q) = %q, want %q", text, before, after, got.Text, want)
			}
		case errors.As(err, &absent):
			n := absent.Near
			if strings.Contains(text, before) || n != nil && (n.FirstLine < 1 || n.LastLine < n.FirstLine || n.LastLine > int64(strings.Count(text, "\n"))+1 || !strings.Contains(text, n.Text)) {
				t.Errorf("Apply(%q, %q) = %v, %+v, want a passage of the text", text, before, err, n)
			}
		}
	})
}
