package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// focused is the element that has the focus, as the test knows it again.
const focused = `(() => {
	const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
	const over = document.elementFromPoint(Math.max(0, Math.min(innerWidth - 1, box.left + Math.min(5, box.width / 2))), (Math.max(0, box.top) + Math.min(innerHeight - 1, box.bottom)) / 2);
	return {at: [...document.querySelectorAll("*")].indexOf(e), what: e.tagName + "#" + e.id + "." + e.className + " " + (e.getAttribute("aria-label") ?? e.textContent).slice(0, 40),
		outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2, seen: box.bottom > 0 && box.top < innerHeight && (e.contains(over) || over?.contains(e) || false)};
})()`

type focus struct {
	At       int    `json:"at"`
	What     string `json:"what"`
	Outlined bool   `json:"outlined"`
	Seen     bool   `json:"seen"`
}

// The Tab key reaches everything that can be used, in the order of the page, and what has
// the focus can be seen.
func TestPage_TabOrder(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "run", stream(40, plain...)+"no JSON\n")
	evidence(t, dir, "other", stream(20, plain...))
	if err := os.WriteFile(filepath.Join(dir, "results.json"), []byte(`{"schema":"openagent.test_results.v1","tool":{"name":"openagent","version":"1"},"commit":null,"shard":null,"planned":["a"],"scenarios":[{"id":"a","file":"a","agent":null,"status":"pass","attempts":[{"ok":true,"ms":1}],"evidence":"run"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	file := report(t, dir, "run", "other", "results.json")
	for _, width := range []int64{1280, 360} {
		s := show(t, file, width, "light")
		s.js(t, `document.querySelectorAll("details").forEach((d) => { d.open = true; }); document.querySelectorAll("#rows .spacer .row")[3].click(); scrollTo(0, 0)`)
		all := value[[]int](t, s, `(() => { const all = [...document.querySelectorAll("*")]; return [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")].map((e) => all.indexOf(e)); })()`)
		for i, want := range all {
			s.do(t, chromedp.KeyEvent(kb.Tab))
			got := value[focus](t, s, focused)
			if got.At != want {
				t.Fatalf("at %d the %d. Tab leads to element %d, %s, want %d", width, i+1, got.At, got.What, want)
			}
			if !got.Outlined || !got.Seen {
				t.Errorf("at %d the focus on %s is outlined: %v, seen: %v, want both", width, got.What, got.Outlined, got.Seen)
			}
		}
		s.quiet(t)
	}
}

// Whatever a key does, the focus stays where the reader is.
func TestPage_FocusStays(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "run", stream(1500, plain...))
	evidence(t, dir, "other", stream(20, plain...))
	file := report(t, dir, "other", "run")
	s := show(t, file, 1280, "light")
	press := func(selector, key, want string) {
		t.Helper()
		s.do(t, chromedp.Focus(selector), chromedp.KeyEvent(key))
		got := value[focus](t, s, focused)
		if !strings.HasPrefix(got.What, want) || !got.Seen {
			t.Errorf("after the key on %s the focus is on %s, seen: %v, want %s", selector, got.What, got.Seen, want)
		}
	}
	press("#runs thead th:nth-of-type(4) button", kb.Enter, "BUTTON#. Steps")
	press("#runs tbody tr:nth-of-type(1) button", kb.Enter, "H1#summary-title")
	if got := s.text(t, "h1"); !strings.HasSuffix(got, " run") {
		t.Fatalf("chosen is %q, want the run with most steps", got)
	}
	before := value[int](t, s, `document.querySelectorAll("#steps details").length`)
	press("#steps button.more", kb.Enter, "SUMMARY#")
	if got := value[int](t, s, `document.querySelectorAll("#steps details").length`); got <= before {
		t.Errorf("there are %d steps, want more than %d", got, before)
	}
	press("#steps details:nth-of-type(2) summary", " ", "SUMMARY#")
	if !value[bool](t, s, `document.querySelector("#steps details:nth-of-type(2)").open`) {
		t.Error("the key does not open a step")
	}
	press("#usage button.more", kb.Enter, "DIV#.wide Steps in figures")
	press("#theme", " ", "BUTTON#theme")
	press("#only", " ", "INPUT#only")
	if got := s.text(t, "#count"); strings.HasPrefix(got, "1,5") {
		t.Errorf("the key on the filter leaves %s", got)
	}
	press("#only", " ", "INPUT#only")
	press("#rows", kb.ArrowDown, "DIV#rows")
	press("#steps details[open] .call a", kb.Enter, "DIV#rows")
	if got := s.text(t, "#line h3"); !strings.HasPrefix(got, "Line ") {
		t.Errorf("the link of a call leads to %q, want its line", got)
	}
	s.quiet(t)
}
