package testscript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/adapter/toolname"
	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/internal/tool/policy"
)

// toolCall is a call that a model made, whether it ran or not.
type toolCall struct {
	golden.Call
	title     string
	arguments map[string]any
	cut       string // the argument of which the stream has only a part, "" for none
}

// callQuery asks for calls of a tool whose arguments meet conditions.
type callQuery struct {
	tool       string
	conditions []comparison
}

func (q callQuery) String() string {
	text := q.tool
	for _, c := range q.conditions {
		text += " " + c.String()
	}
	return text
}

// callHas is call-has TOOL [ARG OP VALUE]...: a call of the tool matches.
func callHas(ts *testscript.TestScript, _ bool, args []string) {
	calls := findCalls(ts)
	q := queryCalls(ts, calls, args)
	if found, line := q.matching(calls); len(found) == 0 {
		if line == "" {
			line = fmt.Sprintf("got no call of %s, want one", q.tool)
		}
		ts.Fatalf("%s\n%s", line, made(calls))
	}
}

// callLacks is call-lacks TOOL [ARG OP VALUE]...: no call does.
func callLacks(ts *testscript.TestScript, _ bool, args []string) {
	calls := findCalls(ts)
	q := queryCalls(ts, calls, args)
	if found, _ := q.matching(calls); len(found) > 0 {
		ts.Fatalf("got %s of %s, want none\n%s", term.Counted(len(found), "call"), q, titles(found))
	}
	for _, c := range calls {
		if why, met := unmet(q.conditions, c.member); c.Tool == q.tool && why != "" && c.cut == q.conditions[met].member {
			ts.Fatalf("the stream has only a part of %s in: %s", c.cut, c.title)
		}
	}
}

// callCount is call-count TOOL [OP]N: so many calls of the tool.
func callCount(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: call-count TOOL N")
	}
	calls := findCalls(ts)
	found, _ := queryCalls(ts, calls, args[:1]).matching(calls)
	if line := counted(ts, args[0], len(found), args[1]); line != "" {
		ts.Fatalf("%s\n%s", line, made(calls))
	}
}

// callOrder is call-order TOOL[:ARG OP VALUE]...: such calls were made in this order,
// which calls that ran in parallel have not.
func callOrder(ts *testscript.TestScript, _ bool, args []string) {
	calls := findCalls(ts)
	if len(args) == 0 {
		ts.Fatalf("usage: call-order TOOL[:ARG OP VALUE]...")
	}
	var taken []toolCall
	for i, word := range args {
		name, condition, ok := strings.Cut(word, ":")
		words := []string{name}
		if ok {
			words = append(words, condition)
		}
		found, _ := queryCalls(ts, calls, words).matching(calls)
		at := slices.IndexFunc(found, func(c toolCall) bool {
			return !slices.ContainsFunc(taken, func(t toolCall) bool { return t.Line == c.Line || c.Before(t.Call) })
		})
		if at < 0 {
			ts.Fatalf("got no %s after %q, want one\n%s", word, strings.Join(args[:i], " "), made(calls))
		}
		taken = append(taken, found[at])
	}
}

// findCalls returns the calls of the run, in their order.
func findCalls(ts *testscript.TestScript) (calls []toolCall) {
	run := findRun(ts)
	roots := golden.Roots{Workspace: ts.MkAbs(".")}
	for _, c := range roots.Calls(run.stream) {
		one := toolCall{Call: c, arguments: map[string]any{}, title: transcript.Title(c.Own.Tool, c.Own.Arguments)}
		own := c.Own
		members, cut := transcript.Arguments(own.Arguments)
		if cut != "" {
			own.Arguments = string(jsontext.MustMarshal(members))
			one.Call.Tool = toolname.Neutral(own, roots.Workspace).Tool
		}
		for name, raw := range members {
			one.arguments[name] = value(raw)
		}
		neutral, _ := transcript.Arguments(toolname.Neutral(own, roots.Workspace).Arguments)
		for name, raw := range neutral {
			one.arguments[name] = value(raw)
			if cut != "" && name != cut && bytes.Equal(raw, members[cut]) {
				cut = name
			}
		}
		one.cut = cut
		calls = append(calls, one)
	}
	return calls
}

// value returns what a JSON text stands for.
func value(raw json.RawMessage) (v any) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	_ = dec.Decode(&v) // it is JSON
	return v
}

// queryCalls reads TOOL [ARG OP VALUE]... A tool or an argument that no agent has ends
// the script.
func queryCalls(ts *testscript.TestScript, calls []toolCall, args []string) callQuery {
	if len(args) == 0 {
		ts.Fatalf("usage: no TOOL; write -help behind the command")
	}
	q := callQuery{tool: args[0]}
	arguments := argumentsOf(ts, calls, q.tool)
	for _, text := range args[1:] {
		c, err := parseComparison(text)
		ts.Check(err)
		kind, known := arguments[c.member]
		if arguments != nil && !known {
			ts.Fatalf("%s has no argument %q; known: %s", q.tool, c.member, strings.Join(slices.Sorted(maps.Keys(arguments)), ", "))
		}
		if kind == "string" && c.comparesNumbers() {
			ts.Fatalf("%q: %s of %s is a text, and %s compares numbers", text, c.member, q.tool, c.op)
		}
		q.conditions = append(q.conditions, c)
	}
	return q
}

// argumentsOf returns the arguments of a tool by name: those of its neutral form and all
// that the run gave it, nil where nothing is known of them. Texts have the kind "string". A tool that has no
// neutral form must be one that the run called or was offered, or one of a server.
func argumentsOf(ts *testscript.TestScript, calls []toolCall, tool string) map[string]string {
	kinds, known := map[string]string{}, map[string]bool{}
	for _, spec := range session.Tools() {
		known[spec.Name] = true
		if spec.Name == tool {
			var parameters struct{ Properties map[string]struct{ Type any } }
			ts.Check(json.Unmarshal(spec.Parameters, &parameters))
			for name, p := range parameters.Properties {
				kinds[name], _ = p.Type.(string)
			}
		}
	}
	for _, c := range calls {
		known[c.Tool] = true
		if c.Tool == tool {
			for name, value := range c.arguments {
				kind := kinds[name]
				if _, isText := value.(string); isText {
					kind = "string"
				}
				kinds[name] = kind
			}
		}
	}
	if !known[tool] && !strings.HasPrefix(tool, policy.ServerTools) && !strings.Contains(tool, ".") {
		list := slices.Sorted(maps.Keys(known))
		if neutral := toolname.Neutral(toolname.Call{Tool: tool}, "").Tool; neutral != tool {
			ts.Fatalf("tool %s: write its neutral name, %s", tool, neutral)
		}
		ts.Fatalf("unknown tool %q%s; known: %s", tool, nearest.Hint(tool, list), strings.Join(list, ", "))
	}
	if len(kinds) == 0 {
		return nil
	}
	return kinds
}

// member returns an argument.
func (c toolCall) member(name string) (any, bool) {
	v, ok := c.arguments[name]
	return v, ok
}

// matching returns the calls of the tool that match.
func (q callQuery) matching(calls []toolCall) (found []toolCall, line string) {
	return matching(slices.DeleteFunc(slices.Clone(calls), func(c toolCall) bool { return c.Tool != q.tool }), q.conditions)
}

// made lists the calls of the run.
func made(calls []toolCall) string {
	if len(calls) == 0 {
		return "the run made no call"
	}
	return "the run made " + term.Counted(len(calls), "call") + ":\n" + titles(calls)
}

// titles lists calls by their titles.
func titles(calls []toolCall) string {
	var list []string
	for _, c := range calls {
		list = append(list, term.OneLine(c.Tool+": "+c.title, maxLine))
	}
	return bounded(list)
}
