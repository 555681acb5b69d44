package agent

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/tool"
)

// Tools that come between two steps are on offer in the next one, those that went are
// unknown there, and a system prompt that describes them says so.
func TestRun_FollowsChangedTools(t *testing.T) {
	other := tool.NewRegistry(define("late", false, func(_ context.Context, _ tool.Call, a echoArgs) (did, *tool.Error) { return did{"late " + a.Text}, nil }))
	for _, mode := range []CallMode{CallsNative, CallsText} {
		call := func(name string) []string { return []string{name, `{"text":"x"}`} }
		answers := model(calls(call("echo")...), calls(append(call("late"), call("echo")...)...), says("done"))
		asked := 0
		_, k := try(t, answers, func(c *Config) {
			c.Calls = mode
			c.Changed = func(context.Context) *tool.Registry {
				if asked++; asked == 2 {
					return other
				}
				return nil
			}
		})
		var offered []string
		for _, s := range of[event.StepStarted](k) {
			offered = append(offered, strings.Join(s.AllowedTools, " "))
		}
		if want := []string{"act boom burst echo fail hang", "late", "late"}; !cmp.Equal(want, offered) {
			t.Errorf("%s: tools on offer are %q, want %q", mode, offered, want)
		}
		var ended []string
		for _, e := range of[event.ToolExecEnd](k) {
			ended = append(ended, e.Tool+": "+e.Content)
		}
		if want := []string{"echo: wrote x", "late: late x"}; !cmp.Equal(want, ended) {
			t.Errorf("%s: executed were %q, want %q", mode, ended, want)
		}
		before, after := answers.requests[0][0].Content, answers.requests[1][0].Content
		if changed := strings.Contains(after, "\nlate: ") && !strings.Contains(after, "\necho: "); changed != (mode == CallsText) || mode == CallsNative && before != after {
			t.Errorf("%s: the system prompt was\n%s\nthen\n%s", mode, before, after)
		}
	}
}
