package testscript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

// has is stream-has FILE TYPE [POINTER OP VALUE]...: an event of the type matches.
func has(ts *testscript.TestScript, _ bool, args []string) {
	q := query(ts, args)
	if found, line := q.matching(); len(found) == 0 {
		ts.Fatalf("%s\n%s", cmp.Or(line, fmt.Sprintf("got no %s, want one", q.typ)), q.there(q.events))
	}
}

// lacks is stream-lacks FILE TYPE [POINTER OP VALUE]...: no event does.
func lacks(ts *testscript.TestScript, _ bool, args []string) {
	q := query(ts, args)
	if found, _ := q.matching(); len(found) > 0 {
		ts.Fatalf("got %d of %s, want none\n%s", len(found), strings.Join(args[1:], " "), q.there(found))
	}
}

// count is stream-count FILE TYPE [OP]N: the stream has N events of the type, or more
// or fewer as the operator says.
func count(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: stream-count FILE TYPE N")
	}
	q := query(ts, args[:2])
	found, _ := q.matching()
	if line := counted(ts, q.typ, len(found), args[2]); line != "" {
		ts.Fatalf("%s\n%s", line, q.there(q.events))
	}
}

// counted compares a count with N or OP N, and returns what is wrong as a line.
func counted(ts *testscript.TestScript, what string, got int, want string) string {
	if operator().FindStringIndex(want) == nil {
		want = "=" + want
	}
	c, err := parseComparison(what + want)
	ts.Check(err)
	if _, err := strconv.Atoi(c.value); err != nil {
		ts.Fatalf("%q: want a whole number, with an operator or without", want)
	}
	line, _ := unmet([]comparison{c}, func(string) (any, bool) { return json.Number(strconv.Itoa(got)), true })
	return line
}

// order is stream-order FILE TYPE[:tool]...: events of these types, and of
// that tool where one is named, occur in this order.
func order(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: stream-order FILE TYPE[:tool]...")
	}
	events, want := read(ts, args), args[1:]
	for _, w := range want {
		typ, _, tool := strings.Cut(w, ":")
		checkType(ts, typ)
		if tool {
			checkMember(ts, typ, comparison{member: "/tool", op: "*="}, events)
		}
	}
	for _, e := range events {
		typ, tool, named := strings.Cut(want[0], ":")
		if e.typ != typ || named && e.data["tool"] != tool {
			continue
		}
		if want = want[1:]; len(want) == 0 {
			return
		}
	}
	done := len(args) - 1 - len(want)
	ts.Fatalf("%s has no %s after %q; it has, in order:\n%s", args[0], want[0], strings.Join(args[1:1+done], " "), sequence(events))
}

// truncated is stream-truncated FILE TOOL BYTES: the preview of that tool's
// result was cut from a text of that size.
func truncated(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: stream-truncated FILE TOOL BYTES")
	}
	q := query(ts, []string{args[0], "tool_exec_finished", "/tool=" + args[1], "/truncated=true", "/original_bytes=" + args[2]})
	if found, line := q.matching(); len(found) == 0 {
		ts.Fatalf("%s\n%s", cmp.Or(line, "got no "+q.typ+", want one"), q.there(q.events))
	}
}

// streamQuery asks for events of a type whose data meet conditions.
type streamQuery struct {
	file, typ  string
	conditions []comparison
	events     []streamEvent
}

// query reads FILE TYPE [POINTER OP VALUE]... A type or a member that cannot occur ends
// the script.
func query(ts *testscript.TestScript, args []string) streamQuery {
	events := read(ts, args)
	if len(args) < 2 {
		ts.Fatalf("usage: stream-has FILE TYPE [POINTER OP VALUE]...")
	}
	q := streamQuery{file: args[0], typ: args[1], events: events}
	checkType(ts, q.typ)
	for _, text := range args[2:] {
		if !strings.HasPrefix(text, "/") {
			ts.Fatalf("%q: want a comparison such as /ok=true; operators: %s", text, operators)
		}
		c, err := parseComparison(text)
		ts.Check(err)
		checkMember(ts, q.typ, c, events)
		q.conditions = append(q.conditions, c)
	}
	return q
}

// matching returns the events of the type that match.
func (q streamQuery) matching() (found []streamEvent, line string) {
	return matching(slices.DeleteFunc(slices.Clone(q.events), func(e streamEvent) bool { return e.typ != q.typ }), q.conditions)
}

func (q streamQuery) there(events []streamEvent) string {
	return there(q.file, q.typ, events, q.conditions)
}

// maxFirst bounds what is shown of what is no stream, in bytes.
const maxFirst = 200

// read decodes the lines of the stream that args name first; what is no event
// is no match. A file without any is no stream, which lacks everything and proves
// nothing: it ends the script.
func read(ts *testscript.TestScript, args []string) []streamEvent {
	if len(args) == 0 {
		ts.Fatalf("usage: no FILE; write -help behind the command")
	}
	text := ts.ReadFile(args[0])
	list := events([]byte(text))
	if len(list) == 0 {
		first, _, _ := strings.Cut(text, "\n")
		first, _ = clip.Prefix(first, maxFirst)
		ts.Fatalf("%s is no stream: it has %d bytes and no event\n%s", args[0], len(text), first)
	}
	return list
}
