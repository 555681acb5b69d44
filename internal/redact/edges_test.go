package redact

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTakeKey_RefusesADescriptorThatIsNone(t *testing.T) {
	for _, fd := range []string{"x", "-1", "0", "2", "3x", "999"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{"TEST_KEY=sk-test-0123456789", childVar + "=wipe", keyFD + "=" + fd}
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.HasPrefix(string(out), "error: ") || strings.Contains(string(out), "sk-test") {
			t.Errorf("TakeKey with %s=%s: %v, %q, want an error without the key", keyFD, fd, err, out)
		}
	}
}

func TestTakeKey_NoneIsNoError(t *testing.T) {
	for _, env := range [][]string{{"A=1"}, {"TEST_KEY="}} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(env, childVar+"=wipe")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "key=\n") {
			t.Errorf("TakeKey with %v: %v, %q, want no key", env, err, out)
		}
	}
}

// A key is handed on through a pipe that nobody reads yet.
func TestTakeKey_Bounds(t *testing.T) {
	for value, want := range map[string]string{
		" sk-test-0123456789\r\n":               "key=sk-test-0123456789\n",
		strings.Repeat("k", maxKeyBytes+1):      "error: take key: TEST_KEY is longer than 16384 bytes",
		strings.Repeat("k", maxKeyBytes) + "\n": "key=kkk",
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{"TEST_KEY=" + value, childVar + "=wipe"}
		if out, _ := cmd.CombinedOutput(); !strings.HasPrefix(string(out), want) {
			t.Errorf("TakeKey of %d bytes = %.100q, want %q", len(value), out, want)
		}
	}
}

func TestDescriptor_Names(t *testing.T) {
	for path, want := range map[string]int{
		"/dev/fd/3": 3, "/proc/self/fd/12": 12,
		"/dev/fd/2": -1, "/dev/fd/0": -1, "/dev/fd/": -1, "/dev/fd/-3": -1, "/dev/fd/3/x": -1, "/dev/fdx/3": -1, "3": -1, "key": -1,
	} {
		n, ok := descriptor(path)
		if !ok {
			n = -1
		}
		if n != want {
			t.Errorf("descriptor(%s) = %d, want %d", path, n, want)
		}
	}
}

func TestReadKeyFile_LongestKey(t *testing.T) {
	key := strings.Repeat("k", maxKeyBytes)
	path := filepath.Join(t.TempDir(), "key")
	for name, tt := range map[string]struct {
		text string
		ok   bool
	}{"as long as may be": {key, true}, "too long by its line end": {key + "\n", false}, "with a zero byte": {"sk-test\x00", false}, "with CR": {"sk\rtest", false}} {
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadKeyFile(path); (err == nil) != tt.ok || tt.ok && got.Key != key {
			t.Errorf("%s: ReadKeyFile = %d bytes, %v, want it read: %v", name, len(got.Key), err, tt.ok)
		}
	}
	if got, err := ReadKeyFile(filepath.Dir(path)); err == nil {
		t.Errorf("ReadKeyFile of a folder = %+v, want an error", got)
	}
}

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
	r := New([]string{"sk-test-abcdefgh"})
	for in, want := range map[string]string{
		`{"a":"<&> sk-test-abcdefgh","b":"\u003c\/é"}`:      `{"a":"<&> [redacted]","b":"\u003c\/é"}`,
		`["sk-test-abcdefgh","x\\","\"sk-test-abcdefgh\""]`: `["[redacted]","x\\","\"[redacted]\""]`,
		`"sk-test-abcdefgh"`:                                `"[redacted]"`,
		`{"sk-test-abcdefgh" : "x"}`:                        `{"[redacted]" : "x"}`,
		`{"a sk\u002dtest-abcdefgh":1,"A_KEY=x":2}`:         `{"a [redacted]":1,"A_KEY=x":2}`,
		"{\"sk-test-abcdefgh\"\t\n:\"x\"}":                  "{\"[redacted]\"\t\n:\"x\"}",
		`{"a":{"b":["sk-test-abcdefgh"]},"c":1}`:            `{"a":{"b":["[redacted]"]},"c":1}`,
		`123`:                                               `123`, `""`: `""`, `{}`: `{}`,
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

func TestWriter_TellsOfTheWriterBelow(t *testing.T) {
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
