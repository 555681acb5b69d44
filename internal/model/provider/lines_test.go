package provider

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestWithLineFeeds_EveryLawfulEnd(t *testing.T) {
	for in, want := range map[string]string{
		"":               "",
		"a\nb\n\n":       "a\nb\n\n",
		"a\rb\r\r":       "a\nb\n\n",
		"a\r\nb\r\n\r\n": "a\nb\n\n",
		"\r\n\r\n":       "\n\n",
		"\n\r\n\r":       "\n\n\n",
		"a\r\n\nb":       "a\n\nb",
		"a\r":            "a\n",
	} {
		for pieces, from := range map[string]io.Reader{
			"at once": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in)),
			"with its end": iotest.DataErrReader(strings.NewReader(in)),
		} {
			got, err := io.ReadAll(&lineFeeds{from: from})
			if err != nil || string(got) != want {
				t.Errorf("%q %s = %q, %v, want %q", in, pieces, got, err, want)
			}
		}
	}
}

// A line that ended is told at once, not when the next byte shows whether a
// feed follows.
func TestWithLineFeeds_WaitsForNothing(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	go func() { _, _ = w.Write([]byte("data: x\r\r")) }()
	got := make([]byte, 9)
	if _, err := io.ReadFull(&lineFeeds{from: r}, got); err != nil || string(got) != "data: x\n\n" {
		t.Errorf("Read = %q, %v, want both lines", got, err)
	}
}

func TestWithLineFeeds_ReportsErrors(t *testing.T) {
	from := io.MultiReader(strings.NewReader("a\r"), strings.NewReader("\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if got, err := io.ReadAll(&lineFeeds{from: from}); err != io.ErrUnexpectedEOF || string(got) != "a\n" {
		t.Errorf("Read = %q, %v, want the line and the error", got, err)
	}
}
