package page

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// paper is how wide a page of A4 is between the usual margins.
const paper = 718

// onPaper shows the page as it is printed, in a dark room.
func (s *tab) onPaper(t *testing.T) {
	t.Helper()
	call(t, s, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	s.do(t, chromedp.EmulateViewport(paper, 1000))
	s.js(t, `dispatchEvent(new Event("beforeprint"))`)
}

// cut are the elements of which paper does not show all.
const cut = `[...document.querySelectorAll("main *")].filter((e) => getComputedStyle(e).overflowX !== "visible" && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1) && e.clientWidth > 0)
	.map((e) => e.tagName + "." + e.className + ": " + e.textContent.slice(0, 60))`

// On paper everything is open, dark on light, and nothing is cut.
func TestPage_Print(t *testing.T) {
	dir := t.TempDir()
	// The steps are more than a page shows at once, the lines more than it draws.
	evidence(t, dir, "run", stream(700, plain...)+strings.Repeat("no JSON\n", 50))
	evidence(t, dir, "hostile", stream(60, hostile...))
	for n, text := range []string{wide["ideographs"], wide["families"], wide["one word"]} {
		evidence(t, dir, fmt.Sprint("wide-", n), stream(60, text))
	}
	files := []string{filepath.Join(dir, "run", "report.html"), report(t, dir, "run", "hostile", "wide-0", "nothere")}
	for _, name := range []string{"hostile", "wide-0", "wide-1", "wide-2"} {
		files = append(files, filepath.Join(dir, name, "report.html"))
	}
	for _, file := range files {
		s := show(t, file, 1280, "light")
		s.do(t, chromedp.Click("#theme")) // dark
		s.onPaper(t)
		if got := value[string](t, s, `getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color`); got != "rgb(255, 255, 255)rgb(27, 31, 36)" {
			t.Errorf("%s is printed in %s, want dark on light", file, got)
		}
		s.fits(t)
		if got := value[[]string](t, s, cut); len(got) > 0 {
			t.Errorf("%s: paper cuts %q", file, got[:min(len(got), 5)])
		}
		if got := value[int](t, s, `document.querySelectorAll("button.more, details:not([open])").length`); got > 0 {
			t.Errorf("%s: paper lacks what %d buttons would show", file, got)
		}
		steps, figures := value[int](t, s, `document.querySelectorAll("#steps details").length`), value[int](t, s, `document.querySelectorAll("#usage tbody tr").length`)
		calls := value[int](t, s, `document.querySelectorAll("#steps details .call").length`)
		if title := s.text(t, "#steps h2"); steps == 0 || calls != steps || figures != steps || strings.ReplaceAll(title, ",", "") != fmt.Sprintf("Steps (%d)", steps) {
			t.Errorf("%s: %s are printed as %d with %d calls and %d rows of figures, want each", file, title, steps, calls, figures)
		}
		rows := value[int](t, s, "document.querySelectorAll('#rows .spacer .row').length")
		if all := s.text(t, "#count"); !strings.HasPrefix(strings.ReplaceAll(all, ",", ""), fmt.Sprint(rows, " ")) {
			t.Errorf("%s: %d rows are printed of %s", file, rows, all)
		}
		s.quiet(t)
		if file != files[2] {
			continue
		}
		s.picture(t, "print", false, false)
		if pdf, err := chromedp.Run(s, chromedp.PrintToPDF()); err != nil || len(pdf) < 20_000 {
			t.Errorf("%s: the printed page has %d bytes, %v", file, len(pdf), err)
		}
	}
	// Afterwards the screen has few rows again.
	s := show(t, files[0], 1280, "light")
	s.js(t, `dispatchEvent(new Event("beforeprint")); dispatchEvent(new Event("afterprint"))`)
	if rows := value[int](t, s, "document.querySelectorAll('#rows .spacer .row').length"); rows > 100 {
		t.Errorf("the page keeps %d rows once it was printed", rows)
	}
}
