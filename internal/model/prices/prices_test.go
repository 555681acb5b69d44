package prices

import (
	"math"
	"strings"
	"testing"
)

const sample = `# dollars for a million tokens
gpt-5-mini: {input: 0.25, cached_input: 0.025, output: 2.00}
"openai/*": {input: 1, output: 10}
claude-?-[x]:
  input: 3
  output: 15
"*-free": {input: 0, output: 0}
`

func load(t *testing.T, text string) *Table {
	t.Helper()
	table, err := Load("p.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// The first pattern that matches a name counts; a slash in a name is a character
// like any other, and a bracket too.
func TestTable_For(t *testing.T) {
	table := load(t, sample+"\"openai/o3\": {input: 7, output: 7}\n")
	for model, want := range map[string]Price{
		"gpt-5-mini":        {0.25, 0.025, 2},
		"openai/gpt/latest": {1, 1, 10},
		"openai/o3":         {1, 1, 10},
		"claude-4-[x]":      {3, 3, 15},
		"qwen-free":         {},
	} {
		if got, err := table.For(model); err != nil || got != want {
			t.Errorf("For(%s) = %v, %v, want %v", model, got, err, want)
		}
	}
	for _, model := range []string{"gpt-5-mini-2026", "GPT-5-mini", "claude-44-[x]", "claude-4-x", "", "openai"} {
		if got, err := table.For(model); err == nil || !strings.Contains(err.Error(), "p.yaml has no price for model") {
			t.Errorf("For(%q) = %v, %v, want that there is no price", model, got, err)
		}
	}
}

func TestPrice_Cost(t *testing.T) {
	p := Price{Input: 0.25, CachedInput: 0.025, Output: 2}
	for _, tt := range []struct {
		tokens Tokens
		want   float64
	}{
		{Tokens{}, 0},
		{Tokens{Input: 1_000_000}, 0.25},
		{Tokens{Input: 1_000_000, CachedInput: 400_000, Output: 100_000}, 0.15 + 0.01 + 0.2},
		{Tokens{Input: 10, CachedInput: 400_000}, 0.00000025}, // not more from a cache than there was
		{Tokens{Input: -5, CachedInput: -7, Output: -9}, 0},
		{Tokens{Input: math.MaxInt64, Output: math.MaxInt64}, 2.25 * math.MaxInt64 / 1e6},
	} {
		if got := p.Cost(tt.tokens); math.Abs(got-tt.want) > 1e-12*max(1, tt.want) {
			t.Errorf("Cost(%+v) = %v, want %v", tt.tokens, got, tt.want)
		}
	}
	if got := Rounded(0.1234567); got != 0.123457 {
		t.Errorf("Rounded(0.1234567) = %v, want 0.123457", got)
	}
}

// A price that is none is refused with its line, and nothing that may be a secret
// is quoted.
func TestLoad_Refuses(t *testing.T) {
	const row = "m: {input: 1, output: 2}\n"
	for text, want := range map[string]string{
		"":                                     "prices p.yaml:1: want a mapping of models to their prices",
		"[1, 2]":                               "prices p.yaml:1: want a mapping of models to their prices",
		"{}":                                   "prices p.yaml:1: want a mapping of models to their prices",
		"m: 3":                                 `prices p.yaml:1: want a mapping with input, cached_input, output, got "3"`,
		"m: {input: 1}":                        "prices p.yaml:1: the price of output is missing",
		"m: {output: 1}":                       "prices p.yaml:1: the price of input is missing",
		row + "n: {input: -0.1, output: 2}":    `prices p.yaml:2: input: want dollars for a million tokens, from 0 to 1000000, got "-0.1"`,
		row + "n: {input: .nan, output: 2}":    `prices p.yaml:2: input: want dollars`,
		row + "n: {input: 1, output: .inf}":    `prices p.yaml:2: output: want dollars`,
		row + "n: {input: 1, output: 1e308}":   `prices p.yaml:2: output: want dollars`,
		row + "n: {input: 1, output: 1e999}":   `prices p.yaml:2: output: want dollars`,
		row + "n: {input: 1, output: 1000001}": `prices p.yaml:2: output: want dollars`,
		row + "n: {input: \"1\", output: 2}":   `prices p.yaml:2: input: want dollars`,
		row + "n: {input: 1, output: }":        `prices p.yaml:2: output: want dollars`,
		row + "n: {input: [1], output: 2}":     "prices p.yaml:2: input: want dollars",
		row + "n: {input: 1, outptu: 2}":       `prices p.yaml:2: unknown key "outptu"; accepted: input, cached_input, output; did you mean "output"?`,
		row + "n: {input: 1, input: 2}":        `prices p.yaml:2: key "input" appears twice`,
		row + "\n" + row:                       `prices p.yaml:3: key "m" appears twice`,
		row + "\"\": {input: 1, output: 2}":    "prices p.yaml:2: want the name of a model",
		row + "[a]: {input: 1, output: 2}":     "prices p.yaml:2: want a plain key, got a list",
		"a: &x {input: 1, output: 2}\nb: *x\n": "prices p.yaml:2: want a mapping with input, cached_input, output, got an alias",
		row + "n: {input: sk-test-0123456789}": "prices p.yaml:2: input: want dollars for a million tokens, from 0 to 1000000, got a text of 18 bytes",
		"OPENAI_API_KEY=sk-test-0123456789":    "prices p.yaml:1: want a mapping of models",
		row + "\t- [":                          "prices p.yaml:",
		row + "---\n" + row:                    "prices p.yaml:",
		"m: {input: 1, output: 2":              "prices p.yaml:",
	} {
		_, err := Load("p.yaml", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "sk-test") {
			t.Errorf("Load(%q) = %v, want %q", text, err, want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(sample, "gpt-5-mini")
	f.Fuzz(func(t *testing.T, text, model string) {
		table, err := Load("p.yaml", []byte(text))
		if err != nil {
			return
		}
		p, err := table.For(model)
		for _, usd := range []float64{p.Input, p.CachedInput, p.Output} {
			if err == nil && !(usd >= 0 && usd <= MaxPrice) {
				t.Errorf("For(%q) = %v, want prices from 0 to %v", model, p, MaxPrice)
			}
		}
	})
}
