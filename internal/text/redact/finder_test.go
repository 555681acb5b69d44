package redact

import (
	"strings"
	"testing"
)

func TestFinder_WordAnywhere(t *testing.T) {
	words := []string{"needle01", "needle02 that is long", "xx"}
	for _, test := range []struct {
		words []string
		text  string
		want  bool
	}{
		{nil, "anything", false},
		{words[:2], "needle01", true},
		{words[:2], "needle02 that is lon", false},
		{words[:2], strings.Repeat("needle0", 30), false},
		{words[:2], strings.Repeat("needle0", 30) + "2 that is long", true},
		{words, "a x x", false},
		{words, "a xx", true},
		{words, "", false},
	} {
		if got := newFinder(test.words).in(test.text); got != test.want {
			t.Errorf("newFinder(%q).in(%q) = %v, want %v", test.words, test.text, got, test.want)
		}
	}
	for at := range 200 {
		text := strings.Repeat("-", at) + words[0] + strings.Repeat("e", 200-at)
		if !newFinder(words[:2]).in(text) {
			t.Errorf("in(word at %d) = false, want true", at)
		}
	}
}

func FuzzFinder(f *testing.F) {
	f.Add("abc", "bcd", "xxabcdxx")
	f.Add("aa", "aaaa", "aba")
	f.Fuzz(func(t *testing.T, one, two, text string) {
		if len(one) < block || len(two) < block {
			return
		}
		want := strings.Contains(text, one) || strings.Contains(text, two)
		if got := newFinder([]string{one, two}).in(text); got != want {
			t.Errorf("newFinder(%q, %q).in(%q) = %v, want %v", one, two, text, got, want)
		}
	})
}

func TestTrigger_CaseDoesNotMatterWithFold(t *testing.T) {
	for text, want := range map[string]bool{
		"a Bearer x": true, "BEARER": true, "bEaReR": true, "beare": false, "xbearer": true, "Bear earer": false,
		"bearebearer": true, "": false,
	} {
		if got := (trigger{"bearer", true, 0}).in(text); got != want {
			t.Errorf("trigger(bearer).in(%q) = %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"access_token": true, "ACCESS_TOKEN": true, "_access_token": true, "access_": false, "ess_token": false, "______access_tokenx": true,
	} {
		if got := (trigger{"access_token", true, 6}).in(text); got != want {
			t.Errorf("trigger(access_token).in(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestSafeStart(t *testing.T) {
	key := "IGtleQ==\n-----END RSA PRIVATE KEY-----"
	for text, want := range map[string]string{
		"":                                       "",
		"one line":                               "one line",
		"rest\nnext\n":                           "next\n",
		"rest\n" + key + "\nmore\n":              "\nmore\n",
		key + "\nmore\n-----BEGIN PRIVATE KEY":   "\nmore\n-----BEGIN PRIVATE KEY",
		"a\n-----BEGIN PRIVATE KEY-----\n" + key: "-----BEGIN PRIVATE KEY-----\n" + key,
		"lQ\n-----END PGP PRIVATE KEY BLOCK-----\nmore": "\nmore",
		"a\nPRIVATE KEY-----\nb\n":                      "PRIVATE KEY-----\nb\n",
	} {
		if got := text[SafeStart([]byte(text)):]; got != want {
			t.Errorf("SafeStart(%q) leaves %q, want %q", text, got, want)
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
