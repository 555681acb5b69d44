package toolcall

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the readings in testdata anew")

// reading is a text and what is made of it, or only what the readings after it are about.
type reading struct {
	About string `json:"about,omitempty"`
	Text  string `json:"text,omitempty"`
	// Whole is what a reply that ended by itself holds, Cut what one that may have been
	// cut does; nil for the same.
	Whole *string `json:"whole,omitempty"`
	Cut   *string `json:"cut,omitempty"`
	// Left is what the calls leave of the text, nil for all of it.
	Left *string `json:"left,omitempty"`
}

// readingOf reads a text that may call every tool, under each finish reason.
func readingOf(t *testing.T, text string) reading {
	t.Helper()
	r := reading{Text: text}
	read := func(finish string) (*string, Result) {
		found := Parse(text, Options{Tools: everySpec(), FinishReason: finish})
		sound(t, text, found)
		return new(brief(found)), found
	}
	whole, found := read("stop")
	if r.Whole = whole; found.Leftover != text {
		r.Left = &found.Leftover
	}
	if cut, _ := read("length"); *cut != *whole {
		r.Cut = cut
	}
	for same, as := range map[string]string{"tool_calls": "stop", "": "length", "Stop": "length", "error": "length", "content_filter": "length"} {
		one, _ := read(same)
		if other, _ := read(as); *one != *other {
			t.Errorf("Parse(%q, %q) = %q, and %q for %q", text, same, *one, *other, as)
		}
	}
	return r
}

// TestParse_Readings reads texts in all forms, with slips, cut and quoted.
func TestParse_Readings(t *testing.T) {
	const name = "testdata/readings.jsonl"
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	encoder := json.NewEncoder(&got)
	encoder.SetEscapeHTML(false)
	for line := range strings.Lines(string(want)) {
		var r reading
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if r.About == "" {
			r = readingOf(t, r.Text)
		}
		from := got.Len()
		if err := encoder.Encode(r); err != nil {
			t.Fatal(err)
		}
		if one := got.String()[from:]; one != line && !*update {
			t.Errorf("Parse(%q) gives\n%swant\n%s", r.Text, one, line)
		}
	}
	if *update {
		if err := os.WriteFile(name, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
