package page

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

var update = flag.Bool("update", false, "make the pictures of the documentation anew")

// maxPicture bounds a picture in the documentation, in bytes.
const maxPicture = 150 << 10

// jobPage is a page that looks like the summary of a job.
const jobPage = `<!doctype html><meta charset="utf-8"><style>
body { font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; color: #1f2328; margin: 24px 32px; }
h2 { border-bottom: 1px solid #d1d9e0; padding-bottom: 6px; margin-top: 0; }
table { border-collapse: collapse; margin: 12px 0; } td, th { border: 1px solid #d1d9e0; padding: 5px 12px; text-align: left; }
tr:nth-child(2n) { background: #f6f8fa; } thead:not(:has(th:not(:empty))) { display: none; }
code { background: #eff1f3; border-radius: 5px; padding: 2px 5px; font: 12.5px "DejaVu Sans Mono", monospace; }
pre { background: #f6f8fa; border-radius: 6px; padding: 12px; } pre code { background: none; padding: 0; }
</style>`

// The pictures of the documentation are of the demo: its job page, and its report. Only
// with -update are they written, since their times differ.
func TestPictures(t *testing.T) {
	dir := t.TempDir()
	openagent(t, dir, "ci", "--script", "demo", "--out", "evidence")
	text, err := os.ReadFile(filepath.Join(dir, "evidence", "summary.md"))
	if err != nil {
		t.Fatal(err)
	}
	var job bytes.Buffer
	job.WriteString(jobPage)
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe())).Convert(text, &job); err != nil {
		t.Fatal(err)
	}
	signs := strings.NewReplacer("✅", `<span style="color: #1a7f37">✔</span>`, "❌", `<span style="color: #cf222e">✘</span>`) // fonts here may lack them
	shown := signs.Replace(job.String())
	if !strings.Contains(job.String(), "openagent: success · ") {
		t.Errorf("the job page is %s, want the verdict as its heading", job.String())
	}
	if err := os.WriteFile(filepath.Join(dir, "job.html"), []byte(shown), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"job": "job.html", "report": "evidence/report.html"} {
		s := show(t, filepath.Join(dir, file), 1000, "light")
		s.js(t, `document.querySelectorAll("details").forEach((d) => { d.open = d.open || d.textContent.startsWith("Transcript"); })`)
		height := int64(860)
		if name == "job" {
			height = value[int64](t, s, "Math.ceil(document.body.getBoundingClientRect().bottom) + 24")
		}
		s.do(t, chromedp.EmulateViewport(1000, height))
		shot, err := chromedp.Run(s, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		if len(shot) > maxPicture {
			t.Errorf("picture of the %s has %d bytes, want at most %d", name, len(shot), maxPicture)
		}
		path := filepath.Join("..", "..", "..", "docs", "pictures", name+".png")
		if *update {
			err = os.WriteFile(path, shot, 0o644)
		} else {
			_, err = os.Stat(path)
		}
		if err != nil {
			t.Error(fmt.Errorf("picture of the documentation: %w", err))
		}
	}
}
