package golden_test

// calls returns a run of these events between run_started and run_finished.
func calls(evs ...event) string {
	all := append([]event{{0, "run_started", nothing}}, evs...)
	return stream(append(all, event{1, "run_finished", done})...)
}

// The events of one call.
var (
	found  = event{1, "tool_call_detected", detected}
	allow  = event{1, "tool_decision", allowed}
	deny   = event{1, "tool_decision", denied}
	start  = event{1, "tool_exec_started", begun}
	finish = event{1, "tool_exec_finished", read}
)

// Runs whose tool calls, steps or times are out of order.
var flowVectors = []vector{
	{"flow-exec-after-deny-started", "a denied call starts: its start and its end are told",
		calls(found, deny, start, finish), wants(at(4, "flow/exec-after-deny"), at(5, "flow/exec-after-deny"))},
	{"flow-exec-after-deny-finished", "a denied call finishes without a start: the denial is told, not the start",
		calls(found, deny, finish), wants(at(4, "flow/exec-after-deny"))},
	{"flow-exec-after-deny-second-life", "an id is used again, and its second life is denied and starts",
		calls(found, allow, start, finish, deny, start, finish),
		wants(at(7, "flow/exec-after-deny"), at(8, "flow/exec-after-deny"))},

	{"flow-finish-without-start-never", "an allowed call finishes that never started",
		calls(found, allow, finish), wants(at(4, "flow/finish-without-start"))},
	{"flow-finish-without-start-twice", "a call finishes twice",
		calls(found, allow, start, finish, finish), wants(at(6, "flow/finish-without-start"))},

	{"flow-unfinished-tool-end", "a call starts and the run ends: the finding stands at the start",
		calls(found, allow, start), wants(at(4, "flow/unfinished-tool"))},
	{"flow-unfinished-tool-second-life", "the id of a running call is detected again: its first start stays open",
		calls(found, allow, start, found, allow, start, finish), wants(at(4, "flow/unfinished-tool"))},

	{"flow-start-without-decision-none", "a call starts that was never decided",
		calls(found, start, finish), wants(at(3, "flow/start-without-decision"))},
	{"flow-start-without-decision-new-life", "the id of a finished call is detected again and starts undecided",
		calls(found, allow, start, finish, found, start, finish), wants(at(7, "flow/start-without-decision"))},
	{"flow-start-without-decision-other", "the only decision is ask, which takes no part",
		calls(found, event{1, "tool_decision", put(allowed, `"allow"`, `"ask"`)}, start, finish),
		wants(at(4, "flow/start-without-decision"))},

	{"flow-step-backwards-by-one", "step falls from 2 to 1 and stays there: one finding",
		stream(event{0, "run_started", nothing}, event{2, "step_started", step1}, event{1, "step_started", step1},
			event{1, "run_finished", done}), wants(at(3, "flow/step-backwards"))},
	{"flow-step-backwards-to-zero", "step falls to 0 on run_finished",
		edit(7, `"step":1`, `"step":0`), wants(at(7, "flow/step-backwards"))},
}

// Falling times are told and are no error, strictly neither.
var warningVectors = []vector{
	{"flow-ts-backwards-second", "ts of line 3 is one second before that of line 2",
		edit(3, "20:11:12", "20:11:11"), wants(at(3, "flow/ts-backwards"))},
	{"flow-ts-backwards-nanosecond", "ts of line 3 is one nanosecond before that of line 2",
		edit(3, ".002Z", ".000999999Z"), wants(at(3, "flow/ts-backwards"))},
}
