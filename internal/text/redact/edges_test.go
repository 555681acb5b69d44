package redact

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// A secret with signs that JSON writers may escape is known in both spellings.
func TestString_SecretWithSignsOfHTML(t *testing.T) {
	r := New([]string{`sk<test>&"0123`})
	for _, text := range []string{`sk<test>&\"0123`, `sk\u003ctest\u003e\u0026\"0123`} {
		if got := r.String("a " + text + " b"); got != "a "+Mask+" b" {
			t.Errorf("String(%s) = %s, want it masked", text, got)
		}
	}
}

// What stands around a secret keeps its bytes, also where it could be written
// in another way.
func TestJSON_TextAroundSecrets(t *testing.T) {
	r := New([]string{"sk-test-abcdefgh", "sk-test-ijklmnop", "sk-test-qrstuvwx"})
	for in, want := range map[string]string{
		`{"a":"<&> sk-test-abcdefgh","b":"\u003c\/é"}`:      `{"a":"<&> [redacted]","b":"\u003c\/é"}`,
		`["sk-test-abcdefgh","x\\","\"sk-test-abcdefgh\""]`: `["[redacted]","x\\","\"[redacted]\""]`,
		`"sk-test-abcdefgh"`:                                `"[redacted]"`,
		`{"sk-test-abcdefgh" : "x"}`:                        `{"[redacted]" : "x"}`,
		`{"a sk\u002dtest-abcdefgh":1,"A_KEY=x":2}`:         `{"a [redacted]":1,"A_KEY=x":2}`,
		"{\"sk-test-abcdefgh\"\t\n:\"x\"}":                  "{\"[redacted]\"\t\n:\"x\"}",
		`{"a":{"b":["sk-test-abcdefgh"]},"c":1}`:            `{"a":{"b":["[redacted]"]},"c":1}`,
		`{"sk-test-abcdefgh":1,"sk-test-ijklmnop":{"sk-test-abcdefgh":2,"x sk-test-qrstuvwx":3},"x sk-test-ijklmnop":4}`: `{"[redacted]":1,"[redacted 2]":{"[redacted]":2,"x [redacted]":3},"x [redacted 2]":4}`,
		`{"[redacted]":1,"sk-test-abcdefgh":2,"[redacted 2]":3}`:                                                         `{"[redacted]":1,"[redacted 2]":2,"[redacted 2 2]":3}`,
		`{"sk-test-abcdefgh":1,"[redacted]":2}`:                                                                          `{"[redacted]":1,"[redacted 2]":2}`,
		`123`:                                                                                                            `123`, `""`: `""`, `{}`: `{}`,
	} {
		if got := string(r.JSON([]byte(in))); got != want {
			t.Errorf("JSON(%s) = %s, want %s", in, got, want)
		}
		if got, _ := r.JSONLine([]byte(in)); string(got) != want {
			t.Errorf("JSONLine(%s) = %s, want %s", in, got, want)
		}
	}
	if got, n := New(nil).JSONLine([]byte(`{"a":"A_KEY=x"}`)); n != 0 || string(got) != `{"a":"A_KEY=x"}` {
		t.Errorf("JSONLine without secrets = %s, %d, want the line as it is", got, n)
	}
	if got, n := r.JSONLine([]byte("no JSON, no secret")); n != 0 || string(got) != "no JSON, no secret" {
		t.Errorf("JSONLine of plain text = %s, %d, want it as it is", got, n)
	}
}

func TestKnown_CountsWhatItReplaced(t *testing.T) {
	r := New([]string{"sk-test-abcdefgh"})
	for in, want := range map[string]int{
		"": 0, "plain": 0, Mask: 0, "sk-test-abcdefgh": 1, Mask + " sk-test-abcdefgh, sk-test-abcdefgh": 2,
	} {
		if got, n := r.Known(in); n != want || strings.Count(got, Mask) != want+strings.Count(in, Mask) {
			t.Errorf("Known(%q) = %q, %d, want %d replaced", in, got, n, want)
		}
	}
	var none *Redactor
	if got := none.String("A_KEY=x sk-test-abcdefgh"); got != "A_KEY="+Mask+" sk-test-abcdefgh" {
		t.Errorf("String of no Redactor = %q, want the patterns alone", got)
	}
}

// broken takes no bytes.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestWriter_ReportsTheErrorOfTheWriterBelow(t *testing.T) {
	gone := errors.New("gone")
	w := NewWriter(broken{gone}, New(nil))
	if n, err := w.Write([]byte("half")); n != 4 || err != nil {
		t.Errorf("Write of half a line = %d, %v, want it held", n, err)
	}
	if n, err := w.Write([]byte(" a line\n")); n != 8 || !errors.Is(err, gone) {
		t.Errorf("Write of its end = %d, %v, want the error below", n, err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("Close = %v, want nothing held", err)
	}
	if _, err := w.Write([]byte("rest")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); !errors.Is(err, gone) {
		t.Errorf("Close = %v, want the error below", err)
	}
}

// Lines go on as soon as they are whole, half ones when the end is known.
func TestWriter_HoldsHalfLinesBack(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, New([]string{"sk-test-abcdefgh"}))
	for _, tt := range []struct{ in, want string }{
		{"one\ntw", "one\n"}, {"o", "one\n"}, {"\n", "one\ntwo\n"}, {"", "one\ntwo\n"}, {"sk-test-", "one\ntwo\n"},
		{"abcdefgh\nx", "one\ntwo\n" + Mask + "\n"},
	} {
		if n, err := w.Write([]byte(tt.in)); n != len(tt.in) || err != nil || out.String() != tt.want {
			t.Errorf("Write(%q) = %d, %v, then %q, want %q", tt.in, n, err, out.String(), tt.want)
		}
	}
	for range 2 {
		if err := w.Close(); err != nil || out.String() != "one\ntwo\n"+Mask+"\nx" {
			t.Errorf("Close = %v, then %q, want the half line once", err, out.String())
		}
	}
}

// Output that holds nothing to mask is not touched; what hides a secret from a
// search does not make it such output.
func TestWriter_SecretBehindWhatIsNotShown(t *testing.T) {
	for give, want := range map[string]string{
		"a sk-test-\x00\x00\x000123 z\n":        "a [redacted] z\n",
		"a sk-te\x1b[1mst-0123 z\n":             "a [redacted] z\n",
		"\x1b[1mbold\x1b[0m and \x00 zeros\n":   "\x1b[1mbold\x1b[0m and \x00 zeros\n",
		"bEaReR 0123456789\n":                   "bEaReR [redacted]\n",
		"a line as it is: token, =, KEY, ://\n": "a line as it is: token, =, KEY, ://\n",
	} {
		var out strings.Builder
		w := NewWriter(&out, New([]string{"sk-test-0123"}))
		if _, err := w.Write([]byte(give)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil || out.String() != want {
			t.Errorf("Write(%q) = %q, %v, want %q", give, out.String(), err, want)
		}
	}
}
