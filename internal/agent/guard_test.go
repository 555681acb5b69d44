package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/openagent-ci/openagent/internal/tool"
)

// happened is one execution as the guard sees it.
type happened struct {
	tool, arguments string
	kind            string // of outcome: ok, act (ok with side effects), error, or a command's output
}

func (h happened) report(g *guard) int {
	res := tool.Result{Status: tool.StatusSuccess, Result: json.RawMessage(`{"exit_status":0}`)}
	switch h.kind {
	case "ok", "act":
	case "running", "ready":
		res.Result = json.RawMessage(`{"retrieval_status":"` + h.kind + `"}`)
	case "error":
		e := tool.NewError(tool.KindNotFound, "no such thing")
		res = tool.Result{Status: tool.StatusError, Error: e}
	default:
		res.Result = json.RawMessage(`{"exit_status":1}`)
	}
	return g.executed(h.tool, json.RawMessage(h.arguments), res.Facts(), h.kind, h.kind == "act")
}

// several returns n executions with different arguments, each told times times.
func several(n, times int, kind string) (list []happened) {
	for i := range n {
		for range times {
			list = append(list, happened{"t", fmt.Sprint(i), kind})
		}
	}
	return list
}

func TestGuard_Refuses(t *testing.T) {
	same := func(kinds ...string) (list []happened) {
		for _, k := range kinds {
			list = append(list, happened{"t", "0", k})
		}
		return list
	}
	times := func(n int, kind string) []happened { return same(slices.Repeat([]string{kind}, n)...) }
	other := func(kind string) happened { return happened{"u", "0", kind} }
	for name, tt := range map[string]struct {
		past []happened
		want string // code for the call of t with arguments 0
	}{
		"nothing":                              {nil, ""},
		"an error twice":                       {same("error", "error"), ""},
		"an error three times":                 {same("error", "error", "error"), "repeat_call"},
		"a command fails alike twice":          {same("a", "a"), ""},
		"a command fails alike three times":    {same("a", "a", "a"), "repeat_call"},
		"a command fails otherwise":            {same("a", "a", "b", "a", "a"), ""},
		"a command fails in ever new ways":     {same("a", "b", "c", "d", "e", "f", "g", "h"), ""},
		"another call fails":                   {[]happened{{"t", "1", "error"}, {"t", "1", "error"}, {"t", "1", "error"}}, ""},
		"success in between":                   {same("error", "error", "ok", "error", "error"), ""},
		"four calls with errors":               {several(4, 1, "error"), ""},
		"five calls with errors":               {several(5, 1, "error"), "repeat_tool"},
		"five calls of another tool":           {[]happened{other("error"), other("error"), other("error"), other("error"), other("error")}, ""},
		"success among errors":                 {append(append(several(4, 1, "error"), happened{"t", "9", "ok"}), several(4, 1, "error")...), ""},
		"new commands fail once each":          {several(9, 1, "a"), ""},
		"four commands fail alike twice":       {several(4, 2, "a"), ""},
		"five commands fail alike twice":       {several(5, 2, "a"), "repeat_tool"},
		"success of another call":              {append(same("error", "error", "error"), happened{"t", "9", "ok"}), "repeat_call"},
		"success of another tool":              {append(several(5, 1, "error"), other("ok")), "repeat_tool"},
		"progress by another call":             {append(same("error", "error", "error"), happened{"t", "9", "act"}), ""},
		"progress by another tool":             {append(several(5, 1, "error"), other("act")), ""},
		"errors again after progress":          {append(append(same("error", "error", "error"), other("act")), same("error", "error")...), ""},
		"a success nine times":                 {times(9, "ok"), ""},
		"a success ten times":                  {times(10, "ok"), "repeat_call"},
		"a success with effects ten times":     {times(10, "act"), "repeat_call"},
		"a success ten times, twice otherwise": {append(times(9, "ok"), append(times(1, "act"), times(9, "ok")...)...), ""},
		"another call in between":              {append(times(9, "ok"), other("ok"), happened{"t", "0", "ok"}), ""},
		"another call after ten":               {append(times(10, "ok"), other("ok")), ""},
		"ten times another call":               {append(times(9, "ok"), several(10, 1, "ok")[1:]...), ""},
		"a task that runs":                     {times(30, "running"), ""},
		"a task that has ended":                {append(times(30, "running"), times(10, "ready")...), "repeat_call"},
		"an error after failures of its own":   {same("a", "a", "error"), "repeat_call"},
	} {
		g := newGuard()
		for _, h := range tt.past {
			h.report(&g)
		}
		code, reason := g.refuses("t", json.RawMessage("0"))
		if code != tt.want || (reason == "") != (code == "") {
			t.Errorf("%s: refuses = %q, %q, want %q", name, code, reason, tt.want)
		}
	}
}

func TestGuard_CountsFailuresOfACall(t *testing.T) {
	g := newGuard()
	for i, tt := range []struct {
		kind string
		want int
	}{{"a", 1}, {"a", 2}, {"b", 1}, {"b", 2}, {"ok", 0}, {"b", 1}, {"error", 2}, {"error", 3}, {"act", 0}, {"error", 1}} {
		if got := (happened{"t", "0", tt.kind}).report(&g); got != tt.want {
			t.Errorf("executed, time %d, %s = %d, want %d", i+1, tt.kind, got, tt.want)
		}
	}
}

// A tool and arguments that only look alike when put together are two calls.
func TestGuard_ToolAndArgumentsAreApart(t *testing.T) {
	g := newGuard()
	for range maxSameFailure {
		happened{"tool", "1", "a"}.report(&g)
	}
	if code, _ := g.refuses("tool1", json.RawMessage("")); code != "" {
		t.Errorf("refuses(tool1) = %q, want the call of tool with 1 to be another", code)
	}
}
