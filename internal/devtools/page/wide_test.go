package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wide are texts that do not break where others do, or are wider or higher than others.
var wide = map[string]string{
	"ideographic space": strings.Repeat("\u3000", 60),
	"em space":          strings.Repeat("\u2003", 300) + "q",
	"ogham space":       strings.Repeat("\u1680", 200),
	"mixed spaces":      strings.Repeat("a\u3000\u3000", 200),
	"no-break space":    strings.Repeat("\u00a0", 900) + strings.Repeat("\u202f", 900),
	"tabs":              strings.Repeat("\t", 300) + "q",
	"lines":             strings.Repeat("\n", 300) + strings.Repeat("\u2028", 300) + "q",
	"Tibetan":           strings.Repeat("\u0f56\u0f7c\u0f51\u0f0c", 300),
	"Thai":              strings.Repeat("กขค", 300),
	"Khmer":             strings.Repeat("ក្ម", 300),
	"Arabic":            strings.Repeat("\ufdfd", 60) + strings.Repeat("\ufdfa", 300),
	"wide signs":        strings.Repeat("\U00012031\U0001242b\u2e3b", 60),
	"families":          strings.Repeat("👩‍👩‍👧‍👦", 200) + strings.Repeat("🏳️‍🌈", 90),
	"flags":             strings.Repeat("🇩🇪", 300) + strings.Repeat("1️⃣", 300),
	"marks":             strings.Repeat("Z"+strings.Repeat("\u0301\u0335\u20dd\u0488", 40), 20),
	"marks alone":       strings.Repeat("\u0301", 900),
	"joined":            strings.Repeat("w\u2060\u200d", 300) + strings.Repeat("\u2011", 300),
	"fillers":           strings.Repeat("\u3164\u115f\u2800", 300),
	"ideographs":        strings.Repeat("漢。", 400) + strings.Repeat("。", 400) + strings.Repeat("「", 400),
	"one word":          strings.Repeat("W", 900),
	"path":              "/" + strings.Repeat("ab_", 300) + ".go",
	"dots":              strings.Repeat(".", 900) + strings.Repeat("-", 900) + strings.Repeat("%", 900),
}

// Nothing is wider than the window, whatever stands in any of the fields.
func TestPage_WideTexts(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "base", stream(30, plain...))
	names := slices.Sorted(maps.Keys(wide))
	args := []string{"results.json"}
	var planned, scenarios []any
	for i, name := range names {
		text, run := wide[name], fmt.Sprint("run-", i)
		evidence(t, dir, run, stream(30, text)+text+"\n", "--compare-with", "base")
		args = append(args, run)
		planned = append(planned, text+"#"+text)
		scenarios = append(scenarios, map[string]any{"id": text + "#" + text, "file": text, "agent": text, "status": "skip", "attempts": []any{}, "evidence": run})
	}
	for _, name := range names { // which are no folders
		args = append(args, wide[name][:min(len(wide[name]), 200)])
	}
	text := strings.Join(slices.Collect(maps.Values(wide)), "")
	results, err := json.Marshal(map[string]any{"schema": "openagent.test_results.v1", "tool": map[string]any{"name": text, "version": text}, "commit": text, "shard": text, "planned": append(planned, text), "scenarios": scenarios})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "results.json"), results, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	file := report(t, dir, args...)
	for _, width := range []int64{1280, 360} {
		s := show(t, file, width, "light")
		for i, name := range names {
			s.js(t, fmt.Sprintf(`document.querySelectorAll("#runs tbody button")[%d].click();
				document.querySelectorAll("button.more").forEach((b) => b.click()); document.querySelectorAll("details").forEach((d) => { d.open = true; });
				document.querySelectorAll("#rows .spacer .row")[3]?.click()`, i))
			if !strings.HasSuffix(s.text(t, "h1"), fmt.Sprint("run-", i)) {
				t.Fatalf("shown is %s, want run-%d", s.text(t, "h1"), i)
			}
			if !t.Run(fmt.Sprint(name, " ", width), s.fits) {
				s.picture(t, "wide-"+strings.ReplaceAll(name, " ", "-")+fmt.Sprint("-", width), false, false)
			}
		}
		s.js(t, "scrollTo(0, 0)")
		s.picture(t, fmt.Sprint("wide-", width), false, false)
		s.js(t, `document.getElementById("scenarios").scrollIntoView()`)
		s.picture(t, fmt.Sprint("wide-scenarios-", width), false, false)
		s.quiet(t)
	}
}
