package golden_test

import (
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/golden"
)

// vector is one entry of the tables that the kit is generated from. The
// findings are written by hand: they say what a reader must come to, not what
// ours comes to.
type vector struct {
	name   string
	why    string
	stream string
	want   []golden.Expect
}

func at(line int, rule string) golden.Expect { return golden.Expect{Rule: rule, Line: line} }

func wants(w ...golden.Expect) []golden.Expect { return w }

// event is a line before it has its envelope.
type event struct {
	step      int
	typ, data string
}

// Payloads of a run that reads one file and ends well.
const (
	nothing  = `{}`
	step1    = `{"step_id":"step_1","step_index":1,"allowed_tools":["read_file"],"enforcement_mode":"policy"}`
	detected = `{"tool_call_id":"c1","tool":"read_file"}`
	allowed  = `{"tool_call_id":"c1","tool":"read_file","decision":"allow","reason":null,"source":"policy"}`
	denied   = `{"tool_call_id":"c1","tool":"read_file","decision":"deny","reason":"no","source":"policy"}`
	begun    = `{"tool_call_id":"c1","tool":"read_file"}`
	read     = `{"tool_call_id":"c1","tool":"read_file","ok":true,"content_preview":"12345","truncated":false,"original_bytes":null}`
	done     = `{"exit_reason":"ok","ok":true,"final_output":"done","error":null}`
)

// events returns the run's events; line n is events()[n-1].
func events() []event {
	return []event{
		{0, "run_started", nothing},         // 1
		{1, "step_started", step1},          // 2
		{1, "tool_call_detected", detected}, // 3
		{1, "tool_decision", allowed},       // 4
		{1, "tool_exec_started", begun},     // 5
		{1, "tool_exec_finished", read},     // 6
		{1, "run_finished", done},           // 7
	}
}

// stream gives each event its envelope and number.
func stream(evs ...event) string {
	var b strings.Builder
	for i, e := range evs {
		fmt.Fprintf(&b, `{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-03-03T20:11:12.%03dZ",`+
			`"run_id":"r1","step":%d,"type":"%s","data":%s}`+"\n", i+1, i, e.step, e.typ, e.data)
	}
	return b.String()
}

// short is a run of two lines whose terminal event carries data.
func short(data string) string {
	return stream(event{0, "run_started", nothing}, event{0, "run_finished", data})
}

// lines splits a stream after each LF.
func lines(s string) []string {
	l := strings.SplitAfter(s, "\n")
	return l[:len(l)-1]
}

// edit replaces old, which stands once in line n of the run, by text.
func edit(n int, old, text string) string { return editIn(stream(events()...), n, old, text) }

// editIn is edit for another stream.
func editIn(s string, n int, old, text string) string {
	l := lines(s)
	if strings.Count(l[n-1], old) != 1 {
		panic(fmt.Sprintf("line %d holds %q not once: %s", n, old, l[n-1]))
	}
	l[n-1] = strings.Replace(l[n-1], old, text, 1)
	return strings.Join(l, "")
}

// replace puts text, which brings its own LF, in the place of line n of the run.
func replace(n int, text string) string {
	l := lines(stream(events()...))
	l[n-1] = text
	return strings.Join(l, "")
}

// insert puts text behind line n of the run without renumbering it.
func insert(n int, text string) string { return behind(stream(events()...), n, text) }

// behind is insert for another stream.
func behind(s string, n int, text string) string {
	l := lines(s)
	l[n-1] += text
	return strings.Join(l, "")
}

// payload replaces the payload of line n of the run.
func payload(n int, data string) string {
	evs := events()
	evs[n-1].data = data
	return stream(evs...)
}

// among returns a run of three lines with one further event as line 2.
func among(typ, data string) string {
	return stream(event{0, "run_started", nothing}, event{1, typ, data}, event{1, "run_finished", done})
}

// ofLine returns line n of the run, its LF included.
func ofLine(n int) string { return lines(stream(events()...))[n-1] }

// put replaces old by text in a payload.
func put(data, old, text string) string {
	if strings.Count(data, old) != 1 {
		panic(fmt.Sprintf("payload holds %q not once: %s", old, data))
	}
	return strings.Replace(data, old, text, 1)
}

func repeated(n int, of string) string { return strings.Repeat(of, n) }
