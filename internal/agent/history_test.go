package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/agent/history"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
)

// savedHistory is a History that holds what a run appends, and what came before.
type savedHistory struct {
	past  history.Past
	asks  bool // for a summary of some talk
	lines []string
	asked error // what the summary came to
	fail  string
}

func (m *savedHistory) append(format string, args ...any) error {
	line := fmt.Sprintf(format, args...)
	if m.fail != "" && strings.HasPrefix(line, m.fail) {
		return errors.New("append to session s: no space left")
	}
	m.lines = append(m.lines, line)
	return nil
}

func (m *savedHistory) Begin(ctx context.Context, prompt string, summarise history.Summarise) (history.Past, error) {
	if m.asks {
		m.past.Summary, m.asked = summarise(ctx, "sum up", "USER: x")
	}
	return m.past, m.append("user %s", prompt)
}

func (m *savedHistory) Called(_ context.Context, c history.Call) error {
	return m.append("called %s %s(%s) %.40s", c.ID, c.Tool, c.Arguments, c.Result)
}

func (m *savedHistory) Answer(_ context.Context, text string) error {
	return m.append("answer %s", text)
}

func wantLines(t *testing.T, m *savedHistory, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, m.lines); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

// Calls are kept in their order, whatever became of them; what the model says
// beside calls is no answer.
func TestHistory_SavesWhatIsSaidAndDone(t *testing.T) {
	h := &savedHistory{}
	beside := replies(chat.Reply{Text: "I look first", FinishReason: "tool_calls", Calls: []chat.ToolCall{{ID: "c1", Name: "echo", Arguments: `{"text":"a"}`}}})
	m := model(beside, calls("fail", `{"text":"b"}`, "nope", `{"x":1`, "echo", `{"wrong":1}`, "act", `{"text":"c"}`), says("all done"))
	try(t, m, func(c *Config) { c.History = h; c.Limits.ToolCalls = 2; c.Prompt = "go" })
	wantLines(t, h, "user go",
		`called c1 echo({"text":"a"}) wrote a`,
		`called id-fail-0 fail({"text":"b"}) Error (not_found): no b
Hint: Use list_f`,
		`called id-nope-2 nope({"x":1) Error (tool_call_incomplete): the argume`,
		`called id-echo-4 echo({"wrong":1}) Error (invalid_tool_input): argument "wr`,
		`called id-act-6 act({"text":"c"}) Error (limit_reached): --max-tool-calls `,
	)
}

func TestHistory_FinalTextsAlone(t *testing.T) {
	for name, c := range map[string]struct {
		model *answers
		limit Limits
		want  []string
	}{
		"ok":        {model(says("done")), Limits{}, []string{"user do it", "answer done"}},
		"cut":       {model(replies(chat.Reply{Text: "half", FinishReason: "length"})), Limits{}, []string{"user do it", "answer half"}},
		"no answer": {model(), Limits{}, []string{"user do it"}},
		"max steps": {model(replies(chat.Reply{Text: "on it", FinishReason: "tool_calls", Calls: []chat.ToolCall{{ID: "i", Name: "boom", Arguments: `{"text":"x"}`}}})), Limits{Steps: 1},
			[]string{"user do it", `called i boom({"text":"x"}) Error (tool_panicked): tool panicked: bo`}},
		"tokens": {model(replies(chat.Reply{Text: "long", FinishReason: "stop", Usage: chat.Usage{Input: new(int64(9))}})), Limits{Tokens: 1}, []string{"user do it", "answer long"}},
	} {
		h := &savedHistory{}
		try(t, c.model, func(cfg *Config) { cfg.History, cfg.Limits = h, c.limit })
		if diff := cmp.Diff(c.want, h.lines); diff != "" {
			t.Errorf("%s: kept (-want +got):\n%s", name, diff)
		}
	}
}

func TestHistory_FailedSaveFailsTheRun(t *testing.T) {
	for _, step := range []string{"user", "called", "answer"} {
		res, k := try(t, model(calls("echo", `{"text":"a"}`), says("done")), func(c *Config) { c.History = &savedHistory{fail: step} })
		if res.ExitReason != "internal_error" || !strings.Contains(res.Error, "append to session s: no space left") {
			t.Errorf("Run without room for %s = %+v, want internal_error that says so", step, res)
		}
		if k.outcome == nil {
			t.Errorf("Run without room for %s has no record", step)
		}
	}
}

func TestHistory_SummaryByTheModel(t *testing.T) {
	tokens := new(int64(5))
	for name, c := range map[string]struct {
		reply func(context.Context, chat.Request) (chat.Reply, error)
		want  string // of the error
	}{
		"good": {replies(chat.Reply{Text: "they spoke", FinishReason: "stop", Usage: chat.Usage{Input: tokens}}), ""},
		"cut":  {replies(chat.Reply{Text: "they", FinishReason: "length"}), "finish reason length"},
		"none": {replies(chat.Reply{Text: " ", FinishReason: "stop"}), "summary is empty"},
		"fails": {func(context.Context, chat.Request) (chat.Reply, error) {
			return chat.Reply{}, &chat.Failure{Kind: chat.FailServer, Message: "overloaded"}
		}, "overloaded"},
	} {
		h, m := &savedHistory{asks: true}, model(c.reply, replies(chat.Reply{Text: "done", FinishReason: "stop", Usage: chat.Usage{Input: tokens}}))
		res, k := try(t, m, func(cfg *Config) { cfg.History = h })
		want := []chat.Message{{Role: chat.RoleSystem, Content: "sum up"}, {Role: chat.RoleUser, Content: "USER: x"}}
		if diff := cmp.Diff(want, m.requests[0], cmp.AllowUnexported(chat.Message{})); diff != "" {
			t.Errorf("%s: request for a summary (-want +got):\n%s", name, diff)
		}
		if got := fmt.Sprint(h.asked); (c.want == "") != (h.asked == nil) || !strings.Contains(got, c.want) {
			t.Errorf("%s: summary came to %v, want %q", name, h.asked, c.want)
		}
		if !res.OK {
			t.Errorf("%s: Run = %+v, want ok: a summary is no reason to fail", name, res)
		}
		wantEvents(t, k, "run_start", "step_started", "run_end:ok")
		if c.want == "" && (*k.outcome.Usage.Input != 10 || m.requests[1][1].Content != "Summary of what was said before:\n\nthey spoke") {
			t.Errorf("%s: usage %v, request %+v, want the summary in both", name, k.outcome.Usage, m.requests[1])
		}
	}
}

func TestHistory_AnnouncesThatTalkIsSummarizedSoon(t *testing.T) {
	for _, closing := range []bool{false, true} {
		m := model(says("done"))
		try(t, m, func(c *Config) { c.History = &savedHistory{past: history.Past{Closing: closing}}; c.Task = "own task" })
		system := m.requests[0][0].Content
		if strings.Contains(system, "about to be replaced by a summary") != closing || !strings.HasPrefix(system, "own task\n") {
			t.Errorf("system prompt with closing %v = %q", closing, system)
		}
	}
}

// Nothing that a session holds about tools is ever sent to the model, whatever
// the run does and whatever the file looks like.
func TestHistory_NoRequestHoldsLinesAboutTools(t *testing.T) {
	for name, consolidation := range map[string]*history.Consolidation{"window": nil, "consolidation": {Threshold: 2, Keep: 0.5}} {
		dir := t.TempDir()
		var file strings.Builder
		for i := range 30 {
			for _, r := range []string{"user", "system", "tool", "tool_call", "tool_result", "assistant"} {
				text := "talk"
				if r != "user" && r != "assistant" {
					text = "SENTINEL"
				}
				fmt.Fprintf(&file, `{"v":1,"ts":"2026-01-01T00:00:%02dZ","session":"s","run_id":"old","role":%q,"content":"%s %d"}`+"\n", i, r, text, i)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(file.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		m := model(says("they spoke"), calls("echo", `{"text":"a"}`, "fail", `{"text":"b"}`), calls("nope", `{}`), says("done"))
		if consolidation == nil {
			m.list = m.list[1:]
		}
		session := func() history.Options {
			return history.Options{Dir: dir, Session: "s", RunID: "r", Window: 5, Consolidation: consolidation, Mask: strings.Clone, Clock: event.NewFixedClock(time.Unix(0, 0)), Log: slog.New(slog.DiscardHandler)}
		}
		h, err := history.Open(t.Context(), session())
		if err != nil {
			t.Fatal(err)
		}
		if res, _ := try(t, m, func(c *Config) { c.History = h }); !res.OK {
			t.Fatalf("%s: Run = %+v, want ok", name, res)
		}
		for i, request := range m.requests {
			for _, msg := range request {
				switch msg.Role {
				case chat.RoleSystem, chat.RoleUser, chat.RoleAssistant, chat.RoleTool:
				default:
					t.Errorf("%s: request %d has a message of role %q", name, i, msg.Role)
				}
				if strings.Contains(msg.Content, "SENTINEL") || strings.Contains(msg.Content, "echo(text=") {
					t.Errorf("%s: request %d holds a line about a tool: %q", name, i, msg.Content)
				}
			}
		}
		last := m.requests[len(m.requests)-1]
		if len(last) < 8 || last[len(last)-1].Role != chat.RoleTool {
			t.Errorf("%s: the last request has %d messages, want the talk and the present calls", name, len(last))
		}
	}
}
