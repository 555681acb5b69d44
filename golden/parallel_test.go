package golden

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// story returns a stream of words: +a detects the call a, -a ends it, !a denies it, | begins
// a step. What stands behind a colon is the call's argument, otherwise its name.
func story(words string) []byte {
	var b strings.Builder
	step, detected := 0, 0
	event := func(typ, data string) {
		n := strings.Count(b.String(), "\n") + 1
		fmt.Fprintf(&b, `{"sequence":%d,"ts":"2026-03-03T20:11:%02dZ","run_id":"r","step":%d,"type":%q,"data":{%s}}`+"\n", n, n, step, typ, data)
	}
	event("run_started", "")
	for _, word := range strings.Fields(words) {
		name, argument, _ := strings.Cut(word[1:], ":")
		if argument == "" {
			argument = name
		}
		data := fmt.Sprintf(`"tool_call_id":%q,"tool":"run"`, name)
		switch word[0] {
		case '|':
			step++
			detected = 0
			event("step_started", "")
		case '+':
			event("tool_call_detected", fmt.Sprintf(`%s,"index":%d,"arguments_preview":"{\"a\":\"%s\"}"`, data, detected, argument))
			detected++
		case '-':
			event("tool_exec_finished", data+`,"ok":true`)
		case '!':
			event("tool_decision", data+`,"decision":"deny"`)
		}
	}
	event("run_finished", "")
	return []byte(b.String())
}

// Calls that ran in parallel are compared as a set, whether streams are compared
// line by line or by their calls; all others in their order.
func TestCompare_ParallelCalls(t *testing.T) {
	for name, tt := range map[string]struct {
		got, want string
		equal     bool
	}{
		"the same":                         {"+a +b -a -b", "+a +b -a -b", true},
		"ends in another order":            {"+a +b -b -a", "+a +b -a -b", true},
		"detected in another order":        {"+b +a -a -b", "+a +b -a -b", true},
		"other ids":                        {"+y:b +x:a -x -y", "+a +b -a -b", true},
		"one after the other":              {"+b -b +a -a", "+a -a +b -b", false},
		"one had ended":                    {"+c +b +a -b -a -c", "+a +b -a +c -b -c", false},
		"two that overlap":                 {"+a +c -a -c +b -b", "+a +b -a +c -b -c", true},
		"denied, then another":             {"+b !b +a !a", "+a !a +b !b", false},
		"within a step":                    {"| +b -b +a -a | +c -c", "| +a -a +b -b | +c -c", true},
		"across steps":                     {"| +b -b | +a -a", "| +a -a | +b -b", false},
		"open across steps":                {"| +b | +a -a -b", "| +a | +b -b -a", false},
		"a call that never ended":          {"+b +a -b", "+a +b -b", true},
		"another argument":                 {"+a:x +b -a -b", "+a +b -a -b", false},
		"another argument, in other order": {"+b +a:x -a -b", "+a +b -a -b", false},
		"twice the same":                   {"+a +x:a -a -x", "+a +b -a -b", false},
		"one more":                         {"+a +b +c -a -b -c", "+a +b -a -b", false},
	} {
		got, want := story(tt.got), story(tt.want)
		var shown []string
		for _, d := range Compare(got, want) {
			if !strings.HasSuffix(d.Pointer, "/tool_call_id") {
				shown = append(shown, d.String())
			}
		}
		if (len(shown) == 0) != tt.equal {
			t.Errorf("%s: Compare has the differences %q, want equal %v", name, shown, tt.equal)
		}
		if found := (Roots{}).CompareCalls(got, want); (len(found) == 0) != tt.equal {
			t.Errorf("%s: CompareCalls has the differences %v, want equal %v", name, found, tt.equal)
		}
	}
}

// Of parallel calls in another order, the one that differs is named, and no other.
func TestCompare_ParallelCallsNameTheOneThatDiffers(t *testing.T) {
	got, want := story("+c +b:x +a -b -a -c"), story("+a +b -a +c -b -c")
	var lines []string
	for _, d := range append(Compare(story("+c +b:x +a -a -b -c"), story("+a +b +c -a -b -c")), (Roots{}).CompareCalls(story("+z:c +y:x +a"), story("+a +b +c"))...) {
		lines = append(lines, d.String())
	}
	if diff := cmp.Diff([]string{
		`line 3 (sequence 3) /data/arguments_preview: got "{\"a\":\"x\"}", want "{\"a\":\"b\"}"`,
		`call 2 in line 3 /arguments/a: got "x", want "b"`,
	}, lines); diff != "" {
		t.Errorf("Compare and CompareCalls (-want +got):\n%s", diff)
	}
	if found := Compare(got, want); len(found) == 0 {
		t.Error("Compare has no difference, want one: c came before a had ended")
	}
}
