package diff

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/schema"
)

// events returns a run of such events, words with a blank between them: ID=ARGUMENTS
// for a call of read_file, ID+ and ID- for one that began and came through or failed,
// ID~ACTION for a retry, ID!DECISION for a decision, and / for a step.
func events(words string) *Run {
	r, step := &Run{}, int64(1)
	for word := range strings.FieldsSeq(words) {
		at := strings.IndexAny(word, "=+-~!/")
		id, sign, rest := new(word[:at]), word[at], word[at+1:]
		tool := new("read_file")
		var data []any
		switch sign {
		case '/':
			step++
		case '=':
			data = []any{&schema.ToolCallDetected{ToolCallID: id, Tool: tool, ArgumentsPreview: schema.Some(`{"path":"` + rest + `"}`)}}
		case '+', '-':
			data = []any{&schema.ToolExecStarted{ToolCallID: id, Tool: tool}, &schema.ToolExecFinished{ToolCallID: id, Tool: tool, OK: new(sign == '+')}}
		case '~':
			data = []any{&schema.ToolRetry{ToolCallID: id, Tool: tool, Action: &rest, FailureClass: new("E_OTHER")}}
		case '!':
			data = []any{&schema.ToolDecision{ToolCallID: id, Tool: tool, Decision: &rest}}
		}
		for _, d := range data {
			r.Add(&schema.Event{Step: step, Data: d})
		}
	}
	return r
}

// What ran or was decided about without having been called is a call too.
func TestCompare_CallsThatWereNeverMade(t *testing.T) {
	for head, want := range map[string][]string{
		"a=x a+ b+":      {"tools", "inserted > 2 read_file"},
		"a=x a+ b!deny":  {"tools,decisions", "inserted > 2 read_file"},
		"a=x a+ b!allow": {"tools", "inserted > 2 read_file"},
		"a=x a+ b~retry": {""},
	} {
		if diff := cmp.Diff(want, brief(Compare(events("a=x a+"), events(head)))); diff != "" {
			t.Errorf("Compare with %q (-want +got):\n%s", head, diff)
		}
	}
}

// A call that did not come through and was tried again is one call, however the
// stream says so.
func TestCompare_Attempts(t *testing.T) {
	once := []string{"retries", "attempts 1 read_file > 1 read_file"}
	for name, tt := range map[string]struct {
		base, head string
		want       []string
	}{
		"runs again under its id":            {"a=x a+", "a=x a- a~retry a+", once},
		"runs again without tool_retry":      {"a=x a+", "a=x a- a+", once},
		"runs twice again":                   {"a=x a- a~retry a+", "a=x a- a~retry a- a~retry a+", once},
		"called again by its id":             {"a=x a+", "a=x a- a=x a+", once},
		"called again by its id, announced":  {"a=x a+", "a=x a- a~retry / a=x a+", once},
		"called again, others between":       {"a=x a+ b=y b+", "a=x a- b=y b+ a=x a+", once},
		"by its id with other arguments":     {"a=x a+", "a=z a- a=x a+", once},
		"in a later step":                    {"a=x a+ / b=y b+", "a=x a- / b=y b+ a=x a+", once},
		"announced, and another id":          {"a=x a+ b=y b+", "a=x a- a~retry b=y b+ c=x c+", once},
		"announced, and no more":             {"a=x a+", "a=x a+ a~retry", once},
		"announced and failed":               {"a=x a-", "a=x a- a~retry", once},
		"denied, then allowed":               {"a=x a!allow a+", "a=x a!deny a~retry a!allow a+", once},
		"told to the model":                  {"a=x a+", "a=x a- a~repair", []string{"results", "result 1 read_file > 1 read_file"}},
		"told to the model, who goes on":     {"a=x a+ b=y b+", "a=x a- a~repair b=y b+", []string{"results", "result 1 read_file > 1 read_file"}},
		"the last one":                       {"a=x a+", "a=x a- a~stop", []string{"results", "result 1 read_file > 1 read_file"}},
		"an id that is used again":           {"a=x a+", "a=x a+ / a=x a+", []string{"tools", "inserted > 2 read_file"}},
		"an id of each step":                 {"a=x a- / b=y b+", "a=x a- / a=y a+", []string{""}},
		"the same again, nothing announced":  {"a=x a- b=y b+", "a=x a- b=y b+ c=x c+", []string{"tools", "inserted > 3 read_file"}},
		"the same again after it was tried":  {"a=x a- a~retry a+ b=y b+", "a=x a- a~retry a+ b=y b+ c=x c+", []string{"tools", "inserted > 3 read_file"}},
		"as often as before, in another way": {"a=x a- a~retry a+", "a=x a- b=x b+", []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, brief(Compare(events(tt.base), events(tt.head)))); diff != "" {
				t.Errorf("Compare (-want +got):\n%s", diff)
			}
		})
	}
}
