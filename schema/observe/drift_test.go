package observe

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
	long := strings.Repeat("é", 201)
	return map[string]driftCase{
		"unknown type":             {lines: []string{contractLine("other", `{}`)}, want: []string{`other: openagent.run_event.v1 has no such type (unknown-type)`}},
		"envelope type":            {lines: []string{contractLine("envelope", `{}`)}, want: []string{`*: openagent.run_event.v1 has no such type (unknown-type)`}},
		"unknown version":          {lines: []string{`{"schema_version":"openagent.run_event.v9","type":"x","data":{"y":1}}`}, want: []string{`: no schema of that name is published: openagent.run_event.v9 (unknown-version)`}},
		"other schema":             {lines: []string{`{"schema_version":"openagent.run_manifest.v1"}`}, want: []string{`: no schema of that name is published: openagent.run_manifest.v1 (unknown-version)`}},
		"a revision is no version": {lines: []string{`{"schema_version":"openagent.run_event.v1.r1"}`}, want: []string{`: no schema of that name is published: openagent.run_event.v1.r1 (unknown-version)`}},
		"unknown key": {lines: []string{contractLine("run_finished", finished+`,"more":{"deep":1},"x_own":{"more":1},"usage":{"far":1,"input_tokens":1}}`)},
			want: []string{`run_finished more: openagent.run_event.v1 has no such key, object (unknown-key)`, `run_finished usage.far: openagent.run_event.v1 has no such key, integer (unknown-key)`}},
		"names that are data": {lines: []string{contractLine("run_finished", finished+`,"source":{"terminal":"observed","unmapped":{"a b":1,"c":2}}}`)}},
		"envelope": {lines: []string{strings.Replace(contractLine("run_finished", finished+`}`), `"step":1`, `"steps":1`, 1)},
			want: []string{`envelope step: declared, and missing in 1 of 1 (missing-key)`, `envelope steps: openagent.run_event.v1 has no such key, integer (unknown-key)`}},
		"wrong kind": {lines: []string{contractLine("run_finished", `{"exit_reason":"ok","ok":"yes","final_output":"","error":null,"steps":1.5,"usage":{"cost_usd":1}}`)},
			want: []string{`run_finished ok: string, want boolean (wrong-kind)`, `run_finished steps: number, want integer or null (wrong-kind)`}},
		"data is none": {lines: []string{contractLine("run_finished", `[]`)}, want: []string{`envelope data: array, want object (wrong-kind)`}},
		"missing key": {lines: []string{contractLine("run_finished", `{"exit_reason":"ok","ok":true,"final_output":""}`), contractLine("run_finished", finished+`}`), contractLine("run_started", `{"agent":{"name":"a"}}`)},
			want: []string{`run_finished error: declared, and missing in 1 of 2 (missing-key)`, `run_started agent.version: declared, and missing in 1 of 1 (missing-key)`}},
		"over bound": {lines: []string{contractLine("tool_decision", `{"tool_call_id":"`+strings.Repeat("x", 257)+`","tool":null,"decision":null,"reason":null,"source":null}`),
			contractLine("provider_error", `{"kind":null,"status":9007199254740993,"retryable":null,"message_short":"`+long+`"}`),
			contractLine("run_finished", finished+`,"original_bytes":-1,"duration_ms":-99999999999999999999}`)},
			want: []string{
				`provider_error message_short: 201 characters, want at most 200 (over-bound)`, `provider_error status: 9007199254740993, want at most 9007199254740992 (over-bound)`,
				`run_finished duration_ms: -9223372036854775807, want at least -9007199254740992 (over-bound)`, `run_finished original_bytes: -1, want at least 0 (over-bound)`,
				`tool_decision tool_call_id: 257 bytes, want at most 256 (over-bound)`,
			}},
		"at the bounds": {lines: []string{contractLine("tool_decision", `{"tool_call_id":"`+strings.Repeat("x", 256)+`","tool":null,"decision":null,"reason":null,"source":null}`),
			contractLine("provider_error", `{"kind":null,"status":9007199254740992,"retryable":null,"message_short":"`+long[:400]+`"}`)}},

		"new type":          {before: []string{`{"type":"t"}`}, lines: []string{`{"type":"t"}`, `{"type":"u","k":1}`}, want: []string{`u: a type of lines that was never seen (new-type)`}},
		"new key":           {before: []string{`{"type":"t"}`}, lines: []string{`{"type":"t"}`, `{"type":"t","k":{"l":1}}`}, want: []string{`t k: a key that was never seen, object in 1 of 2 (new-key)`}},
		"new deep key":      {before: []string{`{"type":"t","k":[{"l":1}]}`}, lines: []string{`{"type":"t","k":[{"l":1,"m":null}]}`}, want: []string{`t k[].m: a key that was never seen, null in 1 of 1 (new-key)`}},
		"new kind":          {before: []string{`{"type":"t","k":1}`}, lines: []string{`{"type":"t","k":1}`, `{"type":"t","k":null}`}, want: []string{`t k: null, before always integer (new-kind)`}},
		"integer of number": {before: []string{`{"type":"t","k":1.5}`}, lines: []string{`{"type":"t","k":1}`}},
		"number of integer": {before: []string{`{"type":"t","k":1}`}, lines: []string{`{"type":"t","k":1e3}`}, want: []string{`t k: number, before always integer (new-kind)`}},
		"new value":         {before: []string{`{"type":"t","status":"a"}`, `{"type":"t","status":"b"}`}, lines: []string{`{"type":"t","status":"b"}`, `{"type":"t","status":"c"}`}, want: []string{`t status: "c", before a, b (new-value)`}},
		"no word":           {before: []string{`{"type":"t","status":"a"}`}, lines: []string{`{"type":"t","status":"all is well"}`}, want: []string{`t status: other texts than a few words, before a (new-value)`}},
		"never a word":      {before: []string{`{"type":"t","status":"a b"}`}, lines: []string{`{"type":"t","status":"c"}`}},
		"many words":        {before: codes(), lines: []string{`{"type":"t","code":"other"}`}},
		"text of a class":   {before: []string{`{"type":"t","k":""}`}, lines: []string{`{"type":"t","k":"` + strings.Repeat("x", 256) + `"}`}},
		"longer text":       {before: []string{`{"type":"t","k":""}`}, lines: []string{`{"type":"t","k":"` + strings.Repeat("x", 257) + `"}`}, want: []string{`t k: a text of 257 bytes, none before had more than 256 (new-size)`}},
		"longer array":      {before: []string{`{"type":"t","k":[1]}`}, lines: []string{`{"type":"t","k":[1,1,1,1,1]}`}, want: []string{`t k: an array of 5 items, none before had more than 4 (new-size)`}},
		"larger integer":    {before: []string{`{"type":"t","k":1}`}, lines: []string{`{"type":"t","k":2147483648}`, `{"type":"t","k":-1}`}, want: []string{`t k: integers from -1 to 2147483648, before 32 bits were enough (new-size)`}},
		"smaller integer":   {before: []string{`{"type":"t","k":1}`}, lines: []string{`{"type":"t","k":-9007199254740993}`}, want: []string{`t k: integers from -9007199254740993 to -9007199254740993, before 32 bits were enough (new-size)`}},
		"longer line":       {before: []string{`{"type":"t","k":[]}`}, lines: []string{`{"type":"t","k":[` + strings.Repeat(" ", 4096) + `]}`}, want: []string{`t: a line of 4116 bytes, none before had more than 4096 (new-size)`}},
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
		source := Source{Agent: "a", Version: "1", Native: c.before != nil}
		var baseline *Baseline
		if c.before != nil {
			baseline = &Baseline{}
		}
		if len(c.before) > 0 {
			baseline.Merge(observed(t, source, c.before...).Result(nil))
		}
		var got []string
		for _, d := range observed(t, source, c.lines...).Result(baseline).Drift {
			line := strings.TrimPrefix(strings.TrimPrefix(d.String(), "a 1"), " native")
			got = append(got, strings.TrimPrefix(line, " "))
			seen[d.Rule] = true
		}
		slices.Sort(got)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: drift (-want +got):\n%s", name, diff)
		}
	}
	for _, r := range Rules() {
		if !seen[r.ID] {
			t.Errorf("no case breaks %s", r.ID)
		}
	}
}

// A difference is where it was seen first, and nowhere if something is missing.
func TestDrift_Places(t *testing.T) {
	var b Baseline
	b.Merge(observed(t, Source{Native: true}, `{"type":"t","k":1,"m":1,"s":"","l":[],"n":1,"status":"a"}`).Result(nil))
	o := observed(t, Source{Native: true, File: "one"}, `{"type":"t","k":1,"s":"","l":[],"n":1,"status":"a"}`)
	o.add(t, Source{Native: true, File: "two"},
		`{"type":"t","k":2147483648,"m":2147483648,"s":"`+strings.Repeat("x", 257)+`","l":[1,1,1,1,1],"n":1,"status":"a"}`,
		`{"type":"t","k":-9007199254740993,"m":-1,"s":"`+strings.Repeat("x", 300)+`","l":[],"n":null,"status":"b"}`,
		`{"type":"t","k":1,"s":"","l":[],"n":null,"new":1,"status":"b"}`, `{"type":"u"}`, `{"type":"t"}`)
	got := map[string]string{}
	for _, d := range o.Result(&b).Drift {
		got[d.Rule+" "+d.Path] = fmt.Sprintf("%s:%d", d.File, d.Line)
	}
	want := map[string]string{
		"new-size k": "two:2", "new-size m": "two:1", "new-size s": "two:2", "new-size l": "two:1", "new-key l[]": "two:1", "new-kind n": "two:2", "new-value status": "two:2", "new-key new": "two:3",
		"new-type ": "two:4", "gone-key k": ":0", "gone-key m": ":0", "gone-key l": ":0", "gone-key n": ":0", "gone-key s": ":0", "gone-key status": ":0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

// The documentation lists each rule as it is.
func TestRules_AreThoseOfTheDocs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "schema-versions.md"))
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, r := range Rules() {
		fmt.Fprintf(&want, "| `%s` | %s |\n", r.ID, r.What)
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/schema-versions.md does not list the rules as they are:\n%s", &want)
	}
}
