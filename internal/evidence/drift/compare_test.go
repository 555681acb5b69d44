package drift

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// codes are more words than a choice has.
func codes() (lines []string) {
	for i := range maxWords + 1 {
		lines = append(lines, fmt.Sprintf(`{"type":"t","code":"c%d"}`, i))
	}
	return lines
}

// driftCase is lines and their drift: from what was seen before, where that is not
// nil, and then of a native stream.
type driftCase struct {
	before, lines []string
	want          []string // lines of Drift without the agent
}

func driftCases() map[string]driftCase {
	const finished = `{"exit_reason":"ok","ok":true,"final_output":"","error":null`
	return map[string]driftCase{
		"unknown type":             {lines: []string{contractLine("other", `{"x":1}`)}, want: []string{`other: openagent.run_event.v1 has no such type (unknown-type)`}},
		"envelope type":            {lines: []string{contractLine("envelope", `{}`)}, want: []string{`envelope: openagent.run_event.v1 has no such type (unknown-type)`}},
		"unknown version":          {lines: []string{`{"schema_version":"openagent.run_event.v9","type":"x","data":{"y":1}}`}, want: []string{`: no schema of that name is published: openagent.run_event.v9 (unknown-version)`}},
		"other schema":             {lines: []string{`{"schema_version":"openagent.run_manifest.v1"}`}, want: []string{`: no schema of that name is published: openagent.run_manifest.v1 (unknown-version)`}},
		"a revision is no version": {lines: []string{`{"schema_version":"openagent.run_event.v1.r1"}`}, want: []string{`: no schema of that name is published: openagent.run_event.v1.r1 (unknown-version)`}},
		"unknown key": {lines: []string{contractLine("run_finished", finished+`,"more":{"deep":1},"x_own":{"more":1},"usage":{"far":1,"input_tokens":1}}`)},
			want: []string{`run_finished data.more: openagent.run_event.v1 has no such key, object (unknown-key)`, `run_finished data.usage.far: openagent.run_event.v1 has no such key, integer (unknown-key)`}},
		"names that are data": {lines: []string{contractLine("run_finished", finished+`,"source":{"terminal":"observed","unmapped":{"a b":1,"c":2}}}`)}},
		"envelope": {lines: []string{strings.Replace(contractLine("run_finished", finished+`}`), `"step":1`, `"steps":1`, 1)},
			want: []string{`run_finished steps: openagent.run_event.v1 has no such key, integer (unknown-key)`}},

		"new type":          {before: []string{`{"type":"t"}`}, lines: []string{`{"type":"t"}`, `{"type":"u","k":1}`}, want: []string{`u: a type of lines that was never seen (new-type)`}},
		"new key":           {before: []string{`{"type":"t"}`}, lines: []string{`{"type":"t"}`, `{"type":"t","k":{"l":1}}`}, want: []string{`t k: a key that was never seen, object in 1 of 2 (new-key)`}},
		"new deep key":      {before: []string{`{"type":"t","k":[{"l":1}]}`}, lines: []string{`{"type":"t","k":[{"l":1,"m":null}]}`}, want: []string{`t k[].m: a key that was never seen, null in 1 of 1 (new-key)`}},
		"new kind":          {before: []string{`{"type":"t","k":1}`}, lines: []string{`{"type":"t","k":1}`, `{"type":"t","k":null}`}, want: []string{`t k: null, before integer (new-kind)`}},
		"integer of number": {before: []string{`{"type":"t","k":1.5}`}, lines: []string{`{"type":"t","k":1}`}},
		"number of integer": {before: []string{`{"type":"t","k":1}`}, lines: []string{`{"type":"t","k":1e3}`}, want: []string{`t k: number, before integer (new-kind)`}},
		"new value":         {before: []string{`{"type":"t","status":"a"}`, `{"type":"t","status":"b"}`}, lines: []string{`{"type":"t","status":"b"}`, `{"type":"t","status":"c"}`}, want: []string{`t status: "c", before string, =a, =b (new-value)`}},
		"no word":           {before: []string{`{"type":"t","status":"a"}`}, lines: []string{`{"type":"t","status":"all is well"}`}, want: []string{`t status: "*", before string, =a (new-value)`}},
		"never a word":      {before: []string{`{"type":"t","status":"a b"}`}, lines: []string{`{"type":"t","status":"c"}`}},
		"many words":        {before: codes(), lines: []string{`{"type":"t","code":"other"}`}},
		"gone key":          {before: []string{`{"type":"t","k":1,"a":{"b":1},"l":[{"c":1}]}`}, lines: []string{`{"type":"t","a":{},"l":[{}]}`}, want: []string{`t a.b: was always there, missing in 1 of 1 (gone-key)`, `t k: was always there, missing in 1 of 1 (gone-key)`, `t l[].c: was always there, missing in 1 of 1 (gone-key)`}},
		"less often":        {before: []string{`{"type":"t","k":1}`}, lines: []string{`{"type":"t","k":1}`, `{"type":"t"}`}, want: []string{`t k: was always there, missing in 1 of 2 (gone-key)`}},
		"not always there":  {before: []string{`{"type":"t","k":1}`, `{"type":"t"}`}, lines: []string{`{"type":"t"}`}},
		"what held it gone": {before: []string{`{"type":"t","a":{"b":1},"l":[1]}`, `{"type":"t","l":[]}`}, lines: []string{`{"type":"t","l":[]}`}},
		"other agent":       {before: []string{}, lines: []string{`{"type":"t"}`}, want: []string{`: the baseline has no native stream of a (new-stream)`}},
	}
}

func TestDrift(t *testing.T) {
	seen := map[string]bool{}
	for name, c := range driftCases() {
		source := source{Agent: "a", Version: "1"}
		var baseline *Baseline
		if c.before != nil {
			baseline, source.Format = &Baseline{}, native
		}
		if len(c.before) > 0 {
			baseline.Merge(observed(t, source, c.before...))
		}
		var got []string
		r := observed(t, source, c.lines...).Result(baseline)
		for _, d := range slices.Concat(r.Drift, r.Notes) {
			if isNote := slices.Contains(r.Notes, d); isNote != (d.Rule == newValue) || r.Drifts != len(r.Drift) {
				t.Errorf("%s: %s is a note: %v; %d counted", name, d, isNote, r.Drifts)
			}
			line := strings.TrimPrefix(strings.TrimPrefix(d.String(), "a 1"), " native")
			got = append(got, strings.TrimPrefix(line, " "))
			seen[d.Rule] = true
		}
		slices.Sort(got)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: drift (-want +got):\n%s", name, diff)
		}
	}
	for _, rule := range rules {
		if !seen[rule] {
			t.Errorf("no case breaks %s", rule)
		}
	}
}

// rules are all that drift has.
var rules = []string{ruleVersion, ruleType, ruleKey, newStream, newType, newKey, newKind, newValue, goneKey}

// A difference is where it was seen first, and nowhere if something is missing.
func TestDrift_Places(t *testing.T) {
	var b Baseline
	b.Merge(observed(t, source{Format: native}, `{"type":"t","k":1,"n":1,"status":"a"}`))
	o := observed(t, source{Format: native, File: "one"}, `{"type":"t","k":1,"n":1,"status":"a"}`)
	o.add(t, source{Format: native, File: "two"}, `{"type":"t","k":2,"n":1,"status":"a"}`, `{"type":"t","k":1,"n":null,"status":"b"}`,
		`{"type":"t","k":1,"n":null,"new":1,"status":"b"}`, `{"type":"u"}`, `{"type":"t"}`)
	got := map[string]string{}
	r := o.Result(&b)
	for _, d := range slices.Concat(r.Drift, r.Notes) {
		got[d.Rule+" "+d.Path] = fmt.Sprintf("%s:%d", d.File, d.Line)
	}
	want := map[string]string{
		"new-kind n": "two:2", "new-value status": "two:2", "new-key new": "two:3", "new-type ": "two:4", "gone-key k": ":0", "gone-key n": ":0", "gone-key status": ":0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

// The documentation lists each rule.
func TestRules_AreInTheDocs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "schema-versions.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range rules {
		if !strings.Contains(string(text), "| `"+rule+"` |") {
			t.Errorf("docs/schema-versions.md does not list %s", rule)
		}
	}
}
