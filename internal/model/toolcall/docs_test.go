package toolcall

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocs_Examples runs every example of the page on tool calls; the words
// behind text in its fence say what comes of it.
func TestDocs_Examples(t *testing.T) {
	page, err := os.ReadFile("../../../docs/agent.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?ms)^````?text ([^\n]+)\n(.*?)^````?$").FindAllStringSubmatch(string(page), -1)
	if len(examples) < 15 {
		t.Fatalf("%d examples found, want all", len(examples))
	}
	var sources []string
	for _, e := range examples {
		want := strings.Fields(e[1])
		r := parse(e[2])
		switch want[0] {
		case "call":
			sources = append(sources, want[1])
			if got := brief(r); got != `read_file{"path":"README.md"} `+strings.Join(want[1:], " ") {
				t.Errorf("Parse(%q) = %q, want a call by %q", e[2], got, want[1:])
			}
		case "leaked":
			if leaks := Leaked(e[2], offered()); brief(r) != "" || len(leaks) != 1 {
				t.Errorf("Leaked(%q) = %+v, want a call that Parse does not read", e[2], leaks)
			}
		case "none":
			if got := brief(r); got != "" || r.Leftover != e[2] || Leaked(e[2], offered()) != nil {
				t.Errorf("Parse(%q) = %q, want nothing", e[2], got)
			}
		default:
			if got := brief(r); !strings.HasPrefix(got, e[1]) || len(r.Calls) != 0 || len(r.Refused) != 1 {
				t.Errorf("Parse(%q) = %q, want %s", e[2], got, e[1])
			}
		}
	}
	for id := range dialects() {
		if !slices.Contains(sources, id) {
			t.Errorf("the page has no example of %s", id)
		}
	}
	for _, word := range append(repairs(), append(reasons(), SourceLeaked, ReasonLeaked)...) {
		if !strings.Contains(string(page), "`"+word+"`") {
			t.Errorf("the page does not explain %s", word)
		}
	}
}
