package result

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/tool"
)

func capture(t *testing.T, opts Options, text string) Stream {
	t.Helper()
	c := NewCapture(tool.Call{Step: 2, Index: 0}, "stdout", opts)
	for len(text) > 0 {
		n := min(len(text), 1000)
		if got, err := c.Write([]byte(text[:n])); got != n || err != nil {
			t.Fatalf("Write(%d bytes) = %d, %v, want all taken", n, got, err)
		}
		text = text[n:]
	}
	return c.Stream()
}

func numbered(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line %d of the log\n", i+1)
	}
	return b.String()
}

var omissionLine = regexp.MustCompile(`(?m)^\[\.\.\. (\d+) lines, (\d+) bytes omitted(; [^\]]*)? \.\.\.\]\n`)

// checkCut proves of a cut text that pieces and marker fit, that the pieces are
// ends of the whole, and that the marker counts exactly what is missing.
func checkCut(t *testing.T, whole, got string, max int) {
	t.Helper()
	if len(got) > max {
		t.Errorf("headTail(...) has %d bytes, want at most %d", len(got), max)
	}
	m := omissionLine.FindStringSubmatchIndex(got)
	if m == nil {
		t.Fatalf("headTail(...) = %q, want a line that tells of the cut", got)
	}
	head, tail := got[:m[0]], got[m[1]:]
	if !strings.HasPrefix(whole, head) {
		head = strings.TrimSuffix(head, "\n") // a line that was cut ends before the marker
	}
	if !strings.HasPrefix(whole, head) || !strings.HasSuffix(whole, tail) {
		t.Fatalf("headTail(...) = %q ... %q, want ends of the whole", head, tail)
	}
	middle := whole[len(head) : len(whole)-len(tail)]
	lines, _ := strconv.Atoi(got[m[2]:m[3]])
	bytes, _ := strconv.Atoi(got[m[4]:m[5]])
	if lines != strings.Count(middle, "\n") || bytes != len(middle) {
		t.Errorf("headTail(...) tells of %d lines, %d bytes, want %d, %d", lines, bytes, strings.Count(middle, "\n"), len(middle))
	}
}

func TestHeadTail_ExactCountsAndBounds(t *testing.T) {
	for name, text := range map[string]string{
		"lines":       numbered(5000),
		"one line":    strings.Repeat("x", 90000),
		"code points": strings.Repeat("äß€😀", 9000),
		"blank lines": strings.Repeat("\n", 50000),
		"long last":   "first\n" + strings.Repeat("y", 70000),
	} {
		for _, max := range []int{200, 1001, 4096, 32 << 10} {
			t.Run(fmt.Sprintf("%s in %d", name, max), func(t *testing.T) {
				s := capture(t, Options{MaxCommandOutput: max}, text)
				got := headTail(s, max, "whole output: artifacts/2-0-stdout.log")
				checkCut(t, text, got, max)
				if !utf8.ValidString(got) {
					t.Errorf("headTail(...) = %q, want valid UTF-8", got)
				}
			})
		}
	}
}

func TestHeadTail_CutsOnLineEnds(t *testing.T) {
	text := numbered(1000)
	got := headTail(capture(t, Options{MaxCommandOutput: 500}, text), 500, "")
	m := omissionLine.FindStringIndex(got)
	if m == nil {
		t.Fatalf("headTail(...) = %q, want a marker", got)
	}
	for _, line := range strings.Split(strings.TrimSuffix(got[:m[0]]+got[m[1]:], "\n"), "\n") {
		if !strings.HasPrefix(line, "line ") || !strings.HasSuffix(line, " of the log") {
			t.Errorf("headTail(...) shows %q, want whole lines only", line)
		}
	}
	if !strings.HasSuffix(got, "line 1000 of the log\n") {
		t.Errorf("headTail(...) ends with %q, want the last line", got[len(got)-30:])
	}
}

func TestHeadTail_TinyBudgetShowsHeadOnly(t *testing.T) {
	for _, max := range []int{1, 3, 10, 40} {
		got := headTail(capture(t, Options{MaxCommandOutput: max}, "€€€"+numbered(100)), max, "")
		if len(got) > max || !utf8.ValidString(got) || strings.Contains(got, "[") {
			t.Errorf("headTail(..., %d) = %q, want only a head that fits", max, got)
		}
	}
}

func TestHeadTail_InvalidBytesFitToo(t *testing.T) {
	text := strings.Repeat("\xff\xfe\x80x", 2000)
	got := headTail(capture(t, Options{MaxCommandOutput: 1000}, text), 1000, "")
	if len(got) > 1000 || !utf8.ValidString(got) || !omissionLine.MatchString(got) {
		t.Errorf("headTail(invalid bytes) = %d bytes %q, want at most 1000 with a marker", len(got), got)
	}
}

func TestShare(t *testing.T) {
	for _, test := range []struct{ budget, a, b, wantA, wantB int }{
		{100, 1000, 1000, 50, 50},
		{101, 1000, 1000, 51, 50},
		{100, 10, 1000, 10, 90},
		{100, 1000, 10, 90, 10},
		{100, 0, 1000, 0, 100},
		{100, 20, 30, 20, 80},
		{100, 60, 40, 60, 40},
	} {
		a, b := share(test.budget, test.a, test.b)
		if a != test.wantA || b != test.wantB {
			t.Errorf("share(%d, %d, %d) = %d, %d, want %d, %d", test.budget, test.a, test.b, a, b, test.wantA, test.wantB)
		}
	}
}

func FuzzHeadTail(f *testing.F) {
	f.Add([]byte(numbered(20)), 120)
	f.Add([]byte("\xff\xff\n\xe2\x82"), 5)
	f.Fuzz(func(t *testing.T, text []byte, max int) {
		if max < 1 || max > 1<<16 {
			return
		}
		c := NewCapture(tool.Call{}, "stdout", Options{MaxCommandOutput: max})
		_, _ = c.Write(text)
		s := c.Stream()
		if textSize(s) <= max {
			return
		}
		if got := headTail(s, max, ""); len(got) > max || !utf8.ValidString(got) {
			t.Errorf("headTail(%q, %d) = %d bytes %q, want valid text that fits", text, max, len(got), got)
		}
	})
}
