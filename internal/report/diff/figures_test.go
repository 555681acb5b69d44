package diff

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/schema"
)

func TestFailOn_Set(t *testing.T) {
	for text, want := range map[string]string{
		"verdict": "verdict", "never": "never", "tools, files": "tools,files", "usage=20%,cost=0.5%": "usage=20%,cost=0.5%", "steps": "steps", "time=0%": "time",
	} {
		f := NewFailOn()
		if err := f.Set(text); err != nil || f.String() != want {
			t.Errorf("Set(%q) = %v, %q, want %q", text, err, &f, want)
		}
	}
	for _, text := range []string{"", "tool", "tools=3%", "usage=20", "usage=x%", "usage=-1%", "usage=NaN%", "usage=1e9%", "usage=+5%", "usage=1_0%", "usage=1e2%", "usage=5 %", "usage= 5%", "usage=.5%", "usage=5.%", "usage=0x5%", "usage=1.2.3%", "usage=1000001%", "usage=%", "usage=5%%", "tools,tools", "verdict,", "never,tools"} {
		f := NewFailOn()
		if err := f.Set(text); err == nil || f.String() != "verdict" {
			t.Errorf("Set(%q) = %v and leaves %q, want an error and the list as it was", text, err, &f)
		}
	}
}

// Of several names the wrong one is named, with the one that was probably meant.
func TestFailOn_NamesTheWrongOne(t *testing.T) {
	for text, want := range map[string][2]string{
		"tols": {`"tols" is none of its names: want never, or names of verdict, `, `did you mean "tools"?`}, "verdikt,files": {`"verdikt" `, `did you mean "verdict"?`},
		"VERDICT": {`"VERDICT" `, `did you mean "verdict"?`}, "tools,usages=20%": {`"usages" `, `did you mean "usage"?`}, "nevr": {`"nevr" `, `did you mean "never"?`},
		"tools,xyzzy,files": {`"xyzzy" is none of its names: `, ""}, "verdict,": {`"" is none of its names: `, ""}, strings.Repeat("x", 500): {"a text of 500 bytes is none of its names: ", ""},
	} {
		f := NewFailOn()
		if err := f.Set(text); err == nil || !strings.HasPrefix(err.Error(), want[0]) || !strings.HasSuffix(err.Error(), want[1]) {
			t.Errorf("Set(%q) = %v, want it to begin with %s and end with %s", text, err, want[0], want[1])
		}
	}
}

// What grew by just as much as is allowed is allowed, whatever binary fractions make
// of it.
func TestFailOn_JustAsMuch(t *testing.T) {
	for base := 1; base <= 2000; base += 37 {
		for percent := range 301 {
			figure := func(unit float64, more int) string {
				was, is := float64(base*100)*unit, float64(base*(100+percent)+more)*unit
				round := func(n float64) *float64 { n = math.Round(n*1e6) / 1e6; return &n }
				return Figure{Base: round(was), Head: round(is)}.grown(float64(percent))
			}
			for _, unit := range []float64{1, 1e-4} { // tokens, dollars
				if why := figure(unit, 0); why != "" {
					t.Fatalf("%d x %v grown by %d %% is %q, want it allowed", base*100, unit, percent, why)
				}
				if figure(unit, 1) == "" {
					t.Fatalf("%d x %v grown by more than %d %% is allowed", base*100, unit, percent)
				}
			}
		}
	}
}

func TestFailOn_Check(t *testing.T) {
	cost := func(n float64) func(*play) {
		return func(p *play) { p.usage.CostUSD = schema.Some(schema.USD(n)) }
	}
	for _, tt := range []struct {
		failOn string
		change func(*play)
		want   []Failure
	}{
		{"verdict", func(p *play) { p.verdict = "failure" }, []Failure{{"verdict", "became worse, success -> failure"}}},
		{"verdict", func(p *play) { p.calls = p.calls[1:] }, []Failure{}},
		{"tools,files", func(p *play) { p.calls = p.calls[1:] }, []Failure{{"tools", "changed"}}},
		{"never", func(p *play) { p.verdict = "crash" }, []Failure{}},
		{"cost=20%", cost(0.6), []Failure{}},
		{"cost=19.9%", cost(0.6), []Failure{{"cost", "grew by 20 %, allowed are 19.9 %"}}},
		{"cost", cost(0.5), []Failure{}},
		{"cost", cost(0.4), []Failure{}},
		{"cost", cost(0.51), []Failure{{"cost", "grew by 2 %, allowed are 0 %"}}},
		{"cost", func(p *play) { p.usage.CostUSD = schema.Optional[schema.USD]{} }, []Failure{{"cost", "not reported any more"}}},
		{"usage=10%", func(p *play) { p.usage.OutputTokens = new(int64(211)) }, []Failure{{"usage", "grew by 10.1 %, allowed are 10 %"}}},
		{"time=40%", func(p *play) { p.ms = 3000 }, []Failure{{"time", "grew by 50 %, allowed are 40 %"}}},
		{"retries", func(p *play) { p.providerRetries = 1 }, []Failure{{"retries", "changed"}}},
	} {
		base, head := usual(), usual()
		tt.change(&head)
		f := NewFailOn()
		if err := f.Set(tt.failOn); err != nil {
			t.Fatal(err)
		}
		d := Compare(base.run(), head.run())
		f.Check(&d)
		if diff := cmp.Diff(tt.want, d.Failed); diff != "" {
			t.Errorf("Check by %s (-want +got):\n%s", tt.failOn, diff)
		}
	}
	base, head := usual(), usual()
	base.usage.CostUSD = schema.Some(schema.USD(0))
	f := NewFailOn()
	_ = f.Set("cost=50%")
	d := Compare(base.run(), head.run())
	if f.Check(&d); len(d.Failed) != 1 || d.Failed[0].Why != "grew from 0" {
		t.Errorf("Check of a cost that there was none of = %v, want it to fail", d.Failed)
	}
}

// The order of verdicts is the gate's.
func TestCompare_VerdictBecomesWorse(t *testing.T) {
	order := append(append([]string(nil), verdicts...), "one of a later version")
	for i, base := range order {
		for j, head := range order {
			if got := Compare(&Run{Verdict: base}, &Run{Verdict: head}).Worse; got != (j > i || j < i && i == len(verdicts)) {
				t.Errorf("from %s to %s worse is %t, want it where it is worse, and where nothing can be said", base, head, got)
			}
		}
	}
}

// The whole that a run reports is no less than its parts: a gate looks at it.
func TestTotal_AtLeastThePartsInAndOut(t *testing.T) {
	for _, tt := range []struct {
		in, out, whole *int64
		want           *int64
	}{
		{new(int64(1000)), new(int64(10)), new(int64(110)), new(int64(1010))},
		{new(int64(100)), new(int64(10)), new(int64(150)), new(int64(150))}, // thoughts count too
		{new(int64(100)), new(int64(10)), nil, new(int64(110))},
		{new(int64(100)), nil, new(int64(150)), new(int64(150))},
		{new(int64(100)), nil, nil, nil},
	} {
		got := total(schema.Usage{InputTokens: tt.in, OutputTokens: tt.out, TotalTokens: tt.whole})
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("total (-want +got):\n%s", diff)
		}
	}
}
