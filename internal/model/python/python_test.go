package python

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func asIs(s string) string { return s }

// What Python 3 prints for the same values, numbers apart, which keep their
// digits.
func TestCall_AsPythonPrintsIt(t *testing.T) {
	for _, c := range []struct{ name, arguments, want string }{
		{"shell", `{"cmd": "ls -la"}`, `shell(cmd='ls -la')`},
		{"f", `{"a": "it's", "b": "say \"hi\"", "c": "it's \"x\""}`, `f(a="it's", b='say "hi"', c='it\'s "x"')`},
		{"f", `{"a": true, "b": false, "c": null}`, `f(a=True, b=False, c=None)`},
		{"f", `{"z": [1, "a"], "a": {"k": "v"}}`, `f(z=[1, 'a'], a={'k': 'v'})`},
		{"f", `{"l":[],"d":{ },"n":[[1,[2]],{"a":{"b":[null]}}]}`, `f(l=[], d={}, n=[[1, [2]], {'a': {'b': [None]}}])`},
		{"f", `{"a": "tab\t nl\n cr\r nul\u0000 esc\u001b del\u007f back\\slash \/"}`, `f(a='tab\t nl\n cr\r nul\x00 esc\x1b del\x7f back\\slash /')`},
		{"f", `{"a": "é ü 日本 😀 \u00a0 \u00ad \u0085 \u200b \u2028 \ufeff \ue000 \ufffd"}`, `f(a='é ü 日本 😀 \xa0 \xad \x85 \u200b \u2028 \ufeff \ue000 �')`},
		{"f", `{"a": "\ud83d\ude00 \ud83d x\udbff\udfff"}`, `f(a='😀 � x\U0010ffff')`},
		{"f", `{"a": "\b\f", "b": "\\n"}`, `f(a='\x08\x0c', b='\\n')`},
		{"f", `{"a": {"it's": 1, "x": "\u0378"}}`, `f(a={"it's": 1, 'x': '\u0378'})`},
		{"f", `{"a": 12345678901234567890123, "b": 1.50, "c": 1e5, "d": -0.0, "e": -7}`, `f(a=12345678901234567890123, b=1.50, c=1e5, d=-0.0, e=-7)`},
		{"f", `{"dry-run": true, "ключ": 1, "a b": 2, "": 3}`, `f(dry-run=True, ключ=1, 'a b'=2, ''=3)`},
		{"f", `{"a": "", "a": 2}`, `f(a='', a=2)`},
		{"f", ``, `f()`},
		{"f", " {} \n", `f()`},
		{"f", `[1, "x"]`, `f([1, 'x'])`},
		{"f", `"x"`, `f('x')`},
		{"f", `null`, `f(None)`},
		{"f", `{"a": "x`, `f('{"a": "x')`},
		{"f", "{\"a\": \"\xff\"}", `f(a='�')`},
		{"", `{}`, `''()`},
		{"a\nb(", `{}`, `'a\nb('()`},
	} {
		if got := Call(c.name, c.arguments, asIs); got != c.want {
			t.Errorf("Call(%q, %s) =\n%s\nwant\n%s", c.name, c.arguments, got, c.want)
		}
	}
}

func TestCall_SecretsThatEscapesWouldHide(t *testing.T) {
	mask := func(s string) string { return strings.ReplaceAll(s, "it's\nsecret", "[redacted]") }
	got := Call("f", `{"a": "x it's\nsecret", "b": {"it's\nsecret": ["it's\u000asecret"]}}`, mask)
	if want := `f(a='x [redacted]', b={'[redacted]': ['[redacted]']})`; got != want {
		t.Errorf("Call(...) = %s, want %s", got, want)
	}
}

func FuzzCall(f *testing.F) {
	f.Add("f", `{"a": "it's\ud83d", "b": [1, {"c": null}]}`)
	f.Add("f", `{"a":`)
	f.Add("f", `[[[[1]]], "x"] `)
	f.Fuzz(func(t *testing.T, name, arguments string) {
		got := Call(name, arguments, asIs)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r\x00\x1b") && json.Valid([]byte(arguments)) {
			t.Fatalf("Call(%q, %q) = %q, want one line of text", name, arguments, got)
		}
		if again := Call(name, arguments, asIs); again != got {
			t.Fatalf("Call(%q, %q) = %q, then %q", name, arguments, got, again)
		}
		if !strings.HasSuffix(got, ")") {
			t.Fatalf("Call(%q, %q) = %q, want a whole call", name, arguments, got)
		}
	})
}
