package golden_test

import "strings"

// drop returns the run without the lines numbered, the rest as it was.
func drop(numbers ...int) string {
	l := lines(stream(events()...))
	for _, n := range numbers {
		l[n-1] = ""
	}
	return strings.Join(l, "")
}

// renumber returns a stream with the sequence of line n and all later ones
// moved by by; lines have one digit.
func renumber(s string, n, by int) string {
	l := lines(s)
	for i := n - 1; i < len(l); i++ {
		old := `"sequence":` + string(rune('1'+i))
		l[i] = strings.Replace(l[i], old, `"sequence":`+string(rune('1'+i+by)), 1)
	}
	return strings.Join(l, "")
}

// Streams whose lines are well formed and do not belong together.
var streamVectors = []vector{
	{"stream-sequence-start-zero", "the lines are counted from 0",
		renumber(stream(events()...), 1, -1), wants(at(1, "stream/sequence-start"))},
	{"stream-sequence-start-two", "the lines are counted from 2",
		renumber(stream(events()...), 1, 1), wants(at(1, "stream/sequence-start"))},
	{"stream-sequence-start-negative", "the first line has sequence -3, the next one 1",
		renumber(edit(1, `"sequence":1`, `"sequence":-3`), 2, -1), wants(at(1, "stream/sequence-start"),
			at(2, "stream/sequence-gap"))},

	{"stream-sequence-gap-of-one", "the line with sequence 2 is missing",
		drop(2), wants(at(2, "stream/sequence-gap"))},
	{"stream-sequence-gap-of-many", "the lines with sequence 2 to 4 are missing, and with them the call's decision",
		drop(2, 3, 4), wants(at(2, "stream/sequence-gap"), at(2, "flow/start-without-decision"))},
	{"stream-sequence-gap-repeated", "lines 2 and 3 have the same sequence",
		renumber(stream(events()...), 3, -1), wants(at(3, "stream/sequence-gap"))},
	{"stream-sequence-gap-swapped", "the numbers of lines 2 and 3 are swapped: each step is wrong",
		edit2(2, `"sequence":2`, `"sequence":3`, 3, `"sequence":3`, `"sequence":2`),
		wants(at(2, "stream/sequence-gap"), at(3, "stream/sequence-gap"), at(4, "stream/sequence-gap"))},
	{"stream-sequence-gap-after-lost", "one line between lines 3 and 4 cannot be read, two numbers are missing",
		behind(renumber(stream(events()...), 4, 2), 3, "prose\n"), wants(at(4, "line/json"), at(5, "stream/sequence-gap"))},

	{"stream-run-started-missing", "the stream begins with step_started",
		stream(events()[1:]...), wants(at(1, "stream/run-started"))},
	{"stream-run-started-second", "run_started stands at the beginning and before the end",
		stream(event{0, "run_started", nothing}, event{0, "run_started", nothing}, event{0, "run_finished", done}),
		wants(at(2, "stream/run-started"))},
	{"stream-run-started-late", "step_started stands before run_started",
		stream(event{0, "step_started", step1}, event{0, "run_started", nothing}, event{0, "run_finished", done}),
		wants(at(1, "stream/run-started"))},

	{"stream-run-id-changes", "line 3 has another run_id",
		edit(3, `"r1"`, `"r2"`), wants(at(3, "stream/run-id"))},
	{"stream-run-id-empty", "run_id of line 3 is empty",
		edit(3, `"r1"`, `""`), wants(at(3, "stream/run-id"))},
	{"stream-run-id-empty-first", "run_id of run_started is empty",
		edit(1, `"r1"`, `""`), wants(at(1, "stream/run-id"))},
	{"stream-run-id-empty-last", "run_id of a run_finished that is not alone is empty",
		edit(7, `"r1"`, `""`), wants(at(7, "stream/run-id"))},

	{"stream-terminal-missing-end", "the stream ends before run_finished",
		drop(7), wants(at(0, "stream/terminal-missing"))},
	{"stream-terminal-missing-empty", "the stream is empty",
		"", wants(at(0, "stream/terminal-missing"))},

	{"stream-terminal-duplicate-twice", "run_finished is printed twice",
		stream(event{0, "run_started", nothing}, event{0, "run_finished", done}, event{0, "run_finished", done}),
		wants(at(3, "stream/terminal-duplicate"))},
	{"stream-terminal-duplicate-differs", "a failure is printed after run_finished told success",
		stream(event{0, "run_started", nothing}, event{0, "run_finished", done}, event{0, "run_finished", failed("timeout")}),
		wants(at(3, "stream/terminal-duplicate"))},
	{"stream-terminal-duplicate-alone", "two runs that never began are told in one stream",
		stream(event{0, "run_finished", failed("pre_run_error")}, event{0, "run_finished", failed("pre_run_error")}),
		wants(at(2, "stream/terminal-duplicate"))},

	{"stream-terminal-not-last-one", "step_started follows run_finished",
		stream(event{0, "run_started", nothing}, event{0, "run_finished", done}, event{1, "step_started", step1}),
		wants(at(3, "stream/terminal-not-last"))},
	{"stream-terminal-not-last-two", "two events follow run_finished: one finding each",
		stream(event{0, "run_started", nothing}, event{0, "run_finished", done}, event{1, "step_started", step1},
			event{1, "step_started", step1}),
		wants(at(3, "stream/terminal-not-last"), at(4, "stream/terminal-not-last"))},
	{"stream-terminal-not-last-second-run", "a second run with its own numbers and id follows the first",
		short(done) + strings.ReplaceAll(short(done), `"r1"`, `"r2"`),
		wants(at(3, "stream/sequence-gap"), at(3, "stream/run-started"), at(3, "stream/run-id"),
			at(3, "stream/terminal-not-last"), at(3, "flow/ts-backwards"), at(4, "stream/run-id"),
			at(4, "stream/terminal-duplicate"))},

	{"stream-pre-run-ok", "a lone run_finished with an empty run_id tells success",
		preRun(done), wants(at(1, "stream/pre-run"))},
	{"stream-pre-run-error-null", "a lone run_finished with an empty run_id has no error",
		preRun(put(notFound, `"prompt.md: no such file"`, "null")), wants(at(1, "stream/pre-run"))},
	{"stream-pre-run-error-empty", "a lone run_finished with an empty run_id has an empty error",
		preRun(put(notFound, `"prompt.md: no such file"`, `""`)), wants(at(1, "stream/pre-run"))},

	{"run-outcome-ok-with-error", "ok is true beside an error",
		short(put(done, "null", `"disk full"`)), wants(at(2, "run/outcome"))},
	{"run-outcome-ok-with-failing-reason", "ok is true beside the exit reason max_steps",
		short(put(done, `"ok",`, `"max_steps",`)), wants(at(2, "run/outcome"))},
	{"run-outcome-not-ok-with-reason-ok", "ok is false beside the exit reason ok",
		short(put(done, "true", "false")), wants(at(2, "run/outcome"))},
	{"run-outcome-empty-reason", "exit_reason is empty: one finding, although the schema refuses it too",
		short(put(done, `"ok",`, `"",`)), wants(at(2, "run/outcome"))},

	{"run-tool-calls-executed", "of two calls one was denied, and tool_calls is 1: each call that was found counts",
		counting("1", found, deny, found, allow, start, finish), wants(at(8, "run/tool-calls"))},
	{"run-tool-calls-none-found", "tool_calls is 1 in a run without a call",
		counting("1"), wants(at(2, "run/tool-calls"))},
	{"run-tool-calls-unreadable-line", "tool_calls is 2 and one call can be read: the other may be in the line that cannot",
		behind(counting("2", found, allow, start, finish), 5, "{\n"), wants(at(6, "line/json"))},
}

// edit2 edits two lines of the run.
func edit2(n int, old, text string, m int, old2, text2 string) string {
	return editIn(edit(n, old, text), m, old2, text2)
}

// failed is the payload of a run that ended for that reason.
func failed(reason string) string {
	return `{"exit_reason":"` + reason + `","ok":false,"final_output":"","error":"` + reason + `"}`
}
