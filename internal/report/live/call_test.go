package live

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// The longest values give way, the short ones stay whole.
func TestCall_FitsTheWidth(t *testing.T) {
	write := `{"path":"cmd/greet/main.go","content":"package main and a lot of text after it","mode":7}`
	for _, tt := range []struct {
		arguments string
		width     int
		want      string
	}{
		{write, 100, `write_file content="package main and a lot of text after it" mode=7 path=cmd/greet/main.go`},
		{write, 70, `write_file content="package main and a…" mode=7 path=cmd/greet/main.go`},
		{write, 60, `write_file content="package mai…" mode=7 path=cmd/greet/mai…`},
		{write, 30, `write_file content="package m…`},
		{write, 5, `writ…`}, {write, 0, ``}, {``, 100, `write_file`}, {`{}`, 100, `write_file`},
		{`{"torn": "`, 18, `write_file {"torn…`},
		{`["a list"]`, 100, `write_file ["a list"]`},
		{`{"text":"漢字テスト漢字テスト漢字テスト"}`, 34, `write_file text=漢字テスト漢字テ…`},
		{`{"quotes":"\"\"\"\"\"\"\"\"\"\"\"\""}`, 26, `write_file quotes="\"\"\"…`},
	} {
		got := newCall(event.ToolCallDetected{Tool: "write_file", ArgumentsPreview: &tt.arguments}).format(tt.width)
		if got != tt.want || term.Cells(got) > tt.width {
			t.Errorf("text(%d) of %s =\n%s, want\n%s", tt.width, tt.arguments, got, tt.want)
		}
	}
}

func TestCall_ManyArguments(t *testing.T) {
	args := map[string]string{}
	for _, name := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		args[name] = strings.Repeat(name, 500)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	got := newCall(event.ToolCallDetected{Tool: "t", ArgumentsPreview: new(string(raw))}).format(term.PlainWidth)
	if !strings.HasPrefix(got, "t a=aaaa") || !strings.HasSuffix(got, " t=ttttttttttttttt… …=…") || term.Cells(got) > term.PlainWidth {
		t.Errorf("text of 26 arguments = %s, want the first 20, shortened", got)
	}
}

func TestDuration_AsPeopleSayIt(t *testing.T) {
	for want, ms := range map[string]int64{
		"0 ms": 0, "999 ms": 999, "1.0 s": 1049, "59.9 s": 59_999, "1 min 0 s": 60_000, "59 min 59 s": 3_599_999,
		"1 h 0 min": 3_600_000, "25 h 1 min": 90_060_000, "9223372036854775807 ms": math.MaxInt64, "-5 ms": -5,
	} {
		if got := duration(&ms); got != want {
			t.Errorf("took(%d) = %q, want %q", ms, got, want)
		}
	}
	if got, want := duration(nil), "<nil> ms"; got != want {
		t.Errorf("took(nil) = %q, want %q", got, want)
	}
}

func TestTokens_AsFarAsReported(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for want, u := range map[string]event.Usage{
		"77 tokens in and 5 out": {Input: n(77), Output: n(5), Total: n(82)},
		"1 token in and 0 out":   {Input: n(1), Output: n(0)},
		"82 tokens":              {Input: n(77), Total: n(82)},
		"":                       {Input: n(77)},
	} {
		if got := tokens(u); got != want {
			t.Errorf("tokens(%v) = %q, want %q", u, got, want)
		}
	}
	if got := tokens(event.Usage{}); got != "" {
		t.Errorf("tokens of no usage = %q, want nothing", got)
	}
}

func TestLine_OneRowUnlessWhole(t *testing.T) {
	l := line{indent: "    ", word: "failed", colour: term.Red, text: ": " + strings.Repeat("long ", 20)}
	if got, want := l.show(20, false), "    failed: long lo…"; got != want {
		t.Errorf("show = %q, want %q", got, want)
	}
	if got, want := l.show(20, true), "    \x1b[31mfailed\x1b[0m: long lo…"; got != want {
		t.Errorf("show in colour = %q, want %q", got, want)
	}
	l.whole = true
	if got, want := l.show(20, false), "    failed: "+strings.TrimSpace(strings.Repeat("long ", 20)); got != want {
		t.Errorf("show of a whole line = %q, want %q", got, want)
	}
	if got, want := (line{text: "::error::x"}).show(20, false), ": :error::x"; got != want {
		t.Errorf("show = %q, want %q", got, want)
	}
}
