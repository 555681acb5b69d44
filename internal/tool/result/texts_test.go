package result

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/tool"
)

func TestTail_KeepsTheLastBytesInLittleMemory(t *testing.T) {
	for _, size := range []int{1, 3, 7, 10, 11, 25} {
		r := tail{max: 10}
		var all []byte
		for i := range 100 {
			p := bytes.Repeat([]byte{byte('a' + i%26)}, size)
			r.write(p)
			all = append(all, p...)
			for _, n := range []int{10, 3, 99} {
				if want := all[max(0, len(all)-min(n, 10)):]; !bytes.Equal(r.last(n), want) {
					t.Fatalf("last(%d) after %d writes of %d = %q, want %q", n, i+1, size, r.last(n), want)
				}
			}
			if len(r.buf) > 20 {
				t.Fatalf("tail after %d writes of %d holds %d bytes, want at most twice its size", i+1, size, len(r.buf))
			}
		}
	}
}

func TestSizeNote(t *testing.T) {
	for size, want := range map[int64]string{
		100:                             " (100 bytes)",
		ArtifactHead + ArtifactTail:     " (68157440 bytes)",
		ArtifactHead + ArtifactTail + 1: " (68157441 bytes; the file holds the first 67108864 and the last 1048576)",
	} {
		if got := SizeNote(size); got != want {
			t.Errorf("SizeNote(%d) = %q, want %q", size, got, want)
		}
	}
}

func TestReference_SaysWhatTheFileHolds(t *testing.T) {
	ref := &tool.Artifact{Path: "artifacts/a"}
	for _, test := range []struct {
		stream Stream
		want   string
	}{
		{Stream{Bytes: 10}, ""},
		{Stream{Bytes: ArtifactHead + ArtifactTail, Artifact: ref}, "whole output: artifacts/a"},
		{Stream{Bytes: ArtifactHead + ArtifactTail + 1, Artifact: ref}, "begin and end: artifacts/a"},
	} {
		if got := reference(test.stream); got != test.want {
			t.Errorf("reference(%d bytes) = %q, want %q", test.stream.Bytes, got, test.want)
		}
	}
}

func TestOmission(t *testing.T) {
	if got, want := omission(4711, 131072, "whole output: artifacts/x"), "[... 4711 lines, 131072 bytes omitted; whole output: artifacts/x ...]"; got != want {
		t.Errorf("omission(...) = %q, want %q", got, want)
	}
	if got, want := omission(0, 5, ""), "[... 0 lines, 5 bytes omitted ...]"; got != want {
		t.Errorf("omission(...) = %q, want %q", got, want)
	}
}

func TestDetailLines(t *testing.T) {
	for give, want := range map[string]string{
		``:                            "",
		`null`:                        "",
		`{}`:                          "",
		`{"b":1,"a":"x"}`:             "b: 1\na: x\n",
		`{"text":"two\nlines\n"}`:     "text: two\nlines\n",
		`{"o":{"k": [1, "<b>"]}}`:     "o: {\"k\":[1,\"<b>\"]}\n",
		`{"n":null,"f":false}`:        "n: null\nf: false\n",
		`[1, 2]`:                      "details: [1,2]\n",
		`"text"`:                      "details: \"text\"\n",
		`{"id":12345678901234567890}`: "id: 12345678901234567890\n",
	} {
		if got := detailLines(json.RawMessage(give)); got != want {
			t.Errorf("detailLines(%s) = %q, want %q", give, got, want)
		}
	}
}

func TestReceiptDetails_FitOrAreCondensed(t *testing.T) {
	details, err := jsontext.Marshal(map[string]string{"x": strings.Repeat("ä", 996)})
	if err != nil {
		t.Fatal(err)
	}
	// 996 characters and "x: " and the newline make exactly 1000.
	if got := receiptDetails(details, 4000); !strings.HasPrefix(got, "x: ä") || utf8.RuneCountInString(got) != 1000 {
		t.Errorf("receiptDetails(1000 characters) = %q, want them whole", got)
	}
	for _, room := range []int{1990, 1200, 300, 120} {
		got := receiptDetails(details, room)
		if len(got) > room || len(got) > maxDetails || !strings.HasPrefix(got, "details: 2000 bytes, sha256 ") || !utf8.ValidString(got) {
			t.Errorf("receiptDetails(..., %d) = %d bytes %q, want size, digest and begin", room, len(got), got)
		}
	}
	if got := receiptDetails(details, 50); got != "" {
		t.Errorf("receiptDetails(..., 50) = %q, want nothing where nothing fits", got)
	}
}

func TestLineEnds(t *testing.T) {
	for _, test := range []struct{ give, head, tail string }{
		{"", "", ""},
		{"abc", "abc", "abc"},
		{"aaaa\nb", "aaaa\n", "aaaa\nb"},
		{"a\nbbbb", "a\nbbbb", "bbbb"},
		{"aa\nbb\ncc", "aa\nbb\n", "bb\ncc"},
		{"aa\n", "aa\n", "aa\n"},
	} {
		if got := string(lineHead([]byte(test.give))); got != test.head {
			t.Errorf("lineHead(%q) = %q, want %q", test.give, got, test.head)
		}
		if got := string(lineTail([]byte(test.give))); got != test.tail {
			t.Errorf("lineTail(%q) = %q, want %q", test.give, got, test.tail)
		}
	}
}

func TestFit_CodePointsStayWhole(t *testing.T) {
	for _, test := range []struct {
		give       string
		max        int
		head, tail int
	}{
		{"abc", 2, 2, 2}, {"abc", 9, 3, 3}, {"aß€", 3, 3, 3}, {"aß€", 2, 1, 0}, {"€€", 5, 3, 3},
		{"\xff\xff", 3, 1, 1}, {"\xff\xff", 5, 1, 1}, {"\xff\xff", 6, 2, 2}, {"", 5, 0, 0},
	} {
		if got := fitHead([]byte(test.give), test.max); got != test.head {
			t.Errorf("fitHead(%q, %d) = %d, want %d", test.give, test.max, got, test.head)
		}
		if got := fitTail([]byte(test.give), test.max); got != test.tail {
			t.Errorf("fitTail(%q, %d) = %d, want %d", test.give, test.max, got, test.tail)
		}
	}
}

func TestTextSize(t *testing.T) {
	for _, test := range []struct {
		stream Stream
		want   int
	}{
		{stream("abc"), 3},
		{stream("a\xff"), 4}, // an invalid byte takes three
		{Stream{Bytes: 5000, Head: []byte("abc")}, 5000},
		{Stream{Bytes: 1 << 50, Head: []byte("abc")}, 1<<31 - 1},
	} {
		if got := textSize(test.stream); got != test.want {
			t.Errorf("textSize(%d bytes) = %d, want %d", test.stream.Bytes, got, test.want)
		}
	}
}
