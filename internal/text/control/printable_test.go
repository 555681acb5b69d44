package control

import "testing"

func TestPrintable(t *testing.T) {
	for give, want := range map[string]string{
		"plain ä.txt": "plain ä.txt", "a\nb": `a\nb`, "\x1b[31mred": `\x1b[31mred`, "tab\t": `tab\t`, "\u0085": `\u0085`, "quote'\"": `quote'"`, "'\n": `'\n`,
	} {
		if got := Printable(give); got != want {
			t.Errorf("Printable(%q) = %q, want %q", give, got, want)
		}
	}
}
