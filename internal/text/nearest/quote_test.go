package nearest

import "testing"

func TestQuote_DescribesWhatMayBeASecret(t *testing.T) {
	for name, want := range map[string]string{
		"": `""`, "tol_calls": `"tol_calls"`, "k0": `"k0"`, "<<": `"<<"`, "sk-test-0123": "a text of 12 bytes", "two words": "a text of 9 bytes",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": "a text of 33 bytes",
	} {
		if got := Quote(name); got != want {
			t.Errorf("Quote(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestUnquoted(t *testing.T) {
	for message, want := range map[string]string{
		"unknown anchor 'sk-test-0123' referenced": "unknown anchor ... referenced", "did not find expected ',' or ']'": "did not find expected ',' or ']'",
		"cannot construct !sk-test-0123 `x` into T": "cannot construct ... `x` into T", "want `sk-test-0123`": "want ...",
	} {
		if got := Unquoted(message); got != want {
			t.Errorf("Unquoted(%q) = %q, want %q", message, got, want)
		}
	}
}
