package testscript

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

// has is stream-has FILE TYPE [POINTER=VALUE]...: an event of the type matches.
func has(ts *testscript.TestScript, _ bool, args []string) {
	events := read(ts, args)
	if len(matching(ts, events, args)) == 0 {
		ts.Fatalf("%s has no %s\n%s", args[0], strings.Join(args[1:], " "), there(args[0], args[1], events))
	}
}

// lacks is stream-lacks FILE TYPE [POINTER=VALUE]...: no event does.
func lacks(ts *testscript.TestScript, _ bool, args []string) {
	if found := matching(ts, read(ts, args), args); len(found) > 0 {
		ts.Fatalf("%s has %d of %s, want none\n%s", args[0], len(found), strings.Join(args[1:], " "), there(args[0], args[1], found))
	}
}

// count is stream-count FILE TYPE N: the stream has N events of the type.
func count(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: stream-count FILE TYPE N")
	}
	want, err := strconv.Atoi(args[2])
	ts.Check(err)
	events := read(ts, args)
	if got := len(matching(ts, events, args[:2])); got != want {
		ts.Fatalf("%s has %d of %s, want %d\n%s", args[0], got, args[1], want, there(args[0], args[1], events))
	}
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
			checkMember(ts, typ, memberCondition{pointer: "/tool"}, events)
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
	const typ = "tool_exec_finished"
	events := read(ts, args)
	ofTool := matching(ts, events, []string{args[0], typ, "/tool=" + args[1]})
	if len(matching(ts, ofTool, []string{args[0], typ, "/truncated=true", "/original_bytes=" + args[2]})) > 0 {
		return
	}
	if len(ofTool) == 0 {
		ofTool = events
	}
	ts.Fatalf("%s has no result of %s cut from %s bytes\n%s", args[0], args[1], args[2], there(args[0], typ, ofTool))
}

// matching returns the events that have args' type and values. A type or a
// member that cannot occur ends the script.
func matching(ts *testscript.TestScript, events []streamEvent, args []string) []streamEvent {
	if len(args) < 2 {
		ts.Fatalf("usage: stream-has FILE TYPE [POINTER=VALUE]...")
	}
	checkType(ts, args[1])
	var conditions []memberCondition
	for _, text := range args[2:] {
		c := parseCondition(ts, text)
		checkMember(ts, args[1], c, events)
		conditions = append(conditions, c)
	}
	var found []streamEvent
	for _, e := range events {
		if e.typ == args[1] && !slices.ContainsFunc(conditions, func(c memberCondition) bool { return !e.matches(c) }) {
			found = append(found, e)
		}
	}
	return found
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
	var events []streamEvent
	text := ts.ReadFile(args[0])
	for line := range bytes.Lines([]byte(text)) {
		if e, ok := decode(line); ok && e.typ != "" {
			events = append(events, e)
		}
	}
	if len(events) == 0 {
		first, _, _ := strings.Cut(text, "\n")
		first, _ = clip.Prefix(first, maxFirst)
		ts.Fatalf("%s is no stream: it has %d bytes and no event\n%s", args[0], len(text), first)
	}
	return events
}
