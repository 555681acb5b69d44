// Package page holds only tests: report pages in a real browser. They run where
// OPENAGENT_TEST_PROGRAM names the program; .ci/run does that. Pictures go to the
// folder that OPENAGENT_TEST_PICTURES names, and OPENAGENT_TEST_AXE names axe.js.
package page

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is the one that all tests use.
var browser context.Context

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if program() == "" {
		return m.Run()
	}
	options := chromedp.DefaultExecAllocatorOptions[:]
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium has none for root
	}
	all, end := chromedp.NewExecAllocator(context.Background(), options...)
	defer end()
	var closeBrowser func()
	browser, closeBrowser = chromedp.NewContext(all)
	defer closeBrowser()
	if err := chromedp.Do(browser); err != nil {
		fmt.Fprintln(os.Stderr, "start Chromium:", err)
		return 1
	}
	return m.Run()
}

func program() string { return os.Getenv("OPENAGENT_TEST_PROGRAM") }

// openagent runs the program in a folder.
func openagent(t *testing.T, dir string, args ...string) {
	t.Helper()
	if program() == "" {
		t.Skip("OPENAGENT_TEST_PROGRAM names no program")
	}
	c := exec.Command(program(), args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GITHUB_ACTIONS=", "HOME="+dir)
	if out, err := c.CombinedOutput(); err != nil && c.ProcessState.ExitCode() != 1 {
		t.Fatalf("openagent %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// evidence leaves a folder about a run that printed the lines.
func evidence(t *testing.T, dir, name, lines string, options ...string) {
	t.Helper()
	stream := filepath.Join(t.TempDir(), "stream.jsonl")
	if err := os.WriteFile(stream, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	openagent(t, dir, append(append([]string{"ci", "--out", name}, options...), "--", "cat", stream)...)
}

// tab is a page that is open.
type tab struct {
	context.Context
	mu       sync.Mutex
	requests []string // beside that for the page
	errors   []string
}

// show opens a file in a window of that width, as a system with light or dark colors
// shows it.
func show(t *testing.T, file string, width int64, scheme string) *tab {
	t.Helper()
	return visit(t, (&url.URL{Scheme: "file", Path: file}).String(), width, scheme)
}

// visit opens an address as show opens a file.
func visit(t *testing.T, address string, width int64, scheme string) *tab {
	t.Helper()
	s := &tab{}
	listen := func(event any) {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if e.Request.URL != address {
				s.requests = append(s.requests, e.Request.URL)
			}
		case *runtime.EventExceptionThrown:
			s.errors = append(s.errors, e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			s.errors = append(s.errors, fmt.Sprint("console: ", e.Type))
		case *log.EventEntryAdded:
			s.errors = append(s.errors, e.Entry.Text)
		case *page.EventJavascriptDialogOpening:
			s.errors = append(s.errors, "dialog: "+e.Message)
		}
	}
	ctx, end := chromedp.NewContext(browser, chromedp.WithListener(listen))
	t.Cleanup(end)
	var stop func()
	s.Context, stop = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(stop)
	call(t, s, network.Enable, network.EnableParams{})
	call(t, s, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	s.do(t, chromedp.EmulateViewport(width, 900), chromedp.Navigate(address))
	return s
}

// call calls a command of the browser.
func call[P, R any](t *testing.T, s *tab, command cdp.Command[P, R], params P) {
	t.Helper()
	if _, err := chromedp.Call(s, command, params); err != nil {
		t.Fatal(err)
	}
}

func (s *tab) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(s, actions...); err != nil {
		t.Fatal(err)
	}
}

// js runs statements.
func (s *tab) js(t *testing.T, statements string) {
	t.Helper()
	value[bool](t, s, "(() => { "+statements+"; return true; })()")
}

// value returns what an expression comes to.
func value[T any](t *testing.T, s *tab, expression string) (v T) {
	t.Helper()
	v, err := chromedp.Run(s, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// text returns the text of the first element.
func (s *tab) text(t *testing.T, selector string) string {
	t.Helper()
	return value[string](t, s, fmt.Sprintf("document.querySelector(%q)?.textContent ?? 'there is no such element'", selector))
}

// quiet checks that the page asked nobody for anything and had no error.
func (s *tab) quiet(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) > 0 || len(s.errors) > 0 {
		t.Errorf("page made requests %q and errors %q, want none", s.requests, s.errors)
	}
}

// fits checks that nothing is wider than the window, or than the element it stands in
// where that hides what is.
func (s *tab) fits(t *testing.T) {
	t.Helper()
	wide := value[[]string](t, s, `(() => {
		const width = document.documentElement.clientWidth;
		const inside = (e) => e && (getComputedStyle(e).overflowX !== "visible" || inside(e.parentElement));
		return [...document.querySelectorAll("main *, header *")].filter((e) => {
			const box = e.getBoundingClientRect();
			return box.width > 0 && (box.right > width + 1 || box.left < -1) && !inside(e.parentElement);
		}).map((e) => e.tagName + "." + e.className + ": " + e.textContent.slice(0, 60)).concat(document.documentElement.scrollWidth > width ? ["the page"] : []);
	})()`)
	if len(wide) > 0 {
		t.Errorf("wider than the window: %q", wide)
	}
}

// picture saves what the window shows, or all of the page, and compares it loosely: it
// is light or dark, and not one color.
func (s *tab) picture(t *testing.T, name string, dark, whole bool) {
	t.Helper()
	take := chromedp.CaptureScreenshot()
	if whole {
		take = chromedp.FullScreenshot(100)
	}
	shot, err := chromedp.Run(s, take)
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("OPENAGENT_TEST_PICTURES"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), shot, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	img, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	light, colors := look(img)
	if colors < 20 || dark != (light < 0.25) || dark == (light > 0.75) {
		t.Errorf("picture %s has %d colors and %.0f %% light, want many and dark: %v", name, colors, 100*light, dark)
	}
}

// look returns how light a picture is, and how many colors it has.
func look(img image.Image) (light float64, colors int) {
	seen := map[[3]uint32]bool{}
	sum, n := 0.0, 0
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y += 2 {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x += 2 {
			r, g, b, _ := img.At(x, y).RGBA()
			seen[[3]uint32{r, g, b}] = true
			sum += float64(r+g+b) / 3 / 0xffff
			n++
		}
	}
	return sum / float64(n), len(seen)
}
