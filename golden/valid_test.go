package golden_test

import (
	"fmt"
	"strings"
)

// Streams without a finding, in the strict mode too. Those of a bound are the
// neighbours of the broken ones.
var validVectors = []vector{
	{name: "run", why: "a run that reads one file", stream: stream(events()...)},
	{name: "minimal", why: "a producer that prints the declared keys only", stream: short(done)},
	{name: "pre-run", why: "a run that failed before it began: one line with an empty run_id", stream: preRun(notFound)},
	{name: "lone-finished", why: "a lone run_finished may have an id",
		stream: stream(event{0, "run_finished", failed("pre_run_error")})},
	{name: "member-order", why: "members in another order, with blanks between them",
		stream: editIn(short(done), 2, `{"schema_version":"openagent.run_event.v1","sequence":2,`,
			`{ "sequence": 2, "schema_version": "openagent.run_event.v1", `)},
	{name: "unknown-keys", why: "data holds keys that the contract does not know, of any type",
		stream: edit(3, `"c1"`, `"c1","x_a":{"b":[1.5,1e300,-0,null]},"new":1`)},
	{name: "tool-calls", why: "tool_calls counts a call that was denied and one that ran", stream: counting("2", found, deny, found, allow, start, finish)},
	{name: "tool-calls-null", why: "a producer that does not count its calls", stream: counting("null", found, allow, start, finish)},
	{name: "key-case-differs", why: "Tool and tool are two keys",
		stream: edit(3, `"read_file"`, `"read_file","Tool":1`)},
	{name: "same-key-in-two-objects", why: "a key stands in two objects, once in each",
		stream: edit(3, `"c1"`, `"c1","x_a":{"tool":1},"x_b":[{"tool":1},{"tool":1}]`)},
	{name: "surrogate-pair", why: "an escaped pair of surrogates is one character",
		stream: edit(3, "read_file", `\ud83d\ude00`)},
	{name: "escapes", why: "every escape of JSON, and characters that job logs act on, escaped",
		stream: edit(3, "read_file", `\"\\\/\b\f\n\r\t\u0000\u001b\u007f\u009b\u2028\u0023#[`)},
	{name: "ask", why: "a decision other than allow and deny takes no part",
		stream: calls(found, event{1, "tool_decision", put(allowed, `"allow"`, `"ask"`)}, allow, start, finish)},
	{name: "denied", why: "a denied call that does not run", stream: calls(found, deny)},
	{name: "denied-then-allowed", why: "an id that was denied is used again and allowed",
		stream: calls(found, deny, found, allow, start, finish)},
	{name: "null-ids", why: "calls without an id are not paired",
		stream: calls(event{1, "tool_exec_finished", put(read, `"c1"`, "null")})},
	{name: "two-calls-at-once", why: "two calls run at the same time and end in the other order",
		stream: calls(found, allow, second(found), second(allow), start, second(start), second(finish), finish)},
	{name: "step-jumps", why: "step may rise by more than one",
		stream: stream(event{0, "run_started", nothing}, event{7, "step_started", step1}, event{7, "run_finished", done})},
	{name: "step-2-to-53", why: "an integer of 2^53",
		stream: strings.ReplaceAll(short(done), `"step":0`, `"step":9007199254740992`)},
	{name: "same-ts", why: "two events at the same time", stream: edit(2, ".001Z", ".000Z")},
	{name: "ts-no-fraction", why: "a time without fraction", stream: edit(1, ".000Z", "Z")},
	{name: "ts-9-digits", why: "a time with nine fraction digits", stream: edit(1, ".000Z", ".000000001Z")},
	{name: "ts-leap-day", why: "the 29th of February of a leap year", stream: edit(1, "2026-03-03", "2024-02-29")},
	{name: "ts-year-1", why: "the first second of the calendar", stream: edit(1, "2026-03-03T20:11:12", "0001-01-01T00:00:00")},
	{name: "run-id-256", why: "a run_id of 256 bytes",
		stream: strings.ReplaceAll(short(done), `"r1"`, jsonString(256, "r"))},
	{name: "run-id-256-wide", why: "a run_id of 128 characters and 256 bytes",
		stream: strings.ReplaceAll(short(done), `"r1"`, jsonString(128, "é"))},
	{name: "depth-64", why: "values nested to level 64, in an unknown key",
		stream: edit(3, `"c1"`, `"c1","x_deep":`+repeated(62, "[")+repeated(62, "]"))},
	{name: "line-65535", why: "line 3 has 65,535 bytes with its LF", stream: padded(65534)},

	{name: "preview-4096", why: "a preview of 4096 letters", stream: preview(jsonString(4096, "a"), "false", "null")},
	{name: "preview-4096-wide-2", why: "a preview of 2048 characters of 2 bytes",
		stream: preview(jsonString(2048, "é"), "false", "null")},
	{name: "preview-4095-wide-3", why: "a preview of 1365 characters of 3 bytes, all that fit",
		stream: preview(jsonString(1365, "€"), "true", "9000")},
	{name: "preview-4096-wide-4", why: "a preview of 1024 characters of 4 bytes",
		stream: preview(jsonString(1024, "😀"), "true", "9000")},
	{name: "preview-4096-escaped", why: "a preview of 1024 characters of 4 bytes, written as escaped pairs",
		stream: preview(jsonString(1024, `\ud83d\ude00`), "true", "9000")},
	{name: "preview-one-more", why: "a cut preview whose text has one byte more", stream: preview(`"12345"`, "true", "6")},
	{name: "preview-exact-size", why: "a whole preview with its exact size", stream: preview(`"éé"`, "false", "4")},
	{name: "preview-null", why: "a preview that is null and not cut", stream: preview("null", "false", "null")},
	{name: "preview-empty", why: "an empty preview of size 0", stream: preview(`""`, "false", "0")},
	{name: "final-output-4096", why: "a final output of 4096 bytes",
		stream: short(put(done, `"done"`, jsonString(4096, "a")))},
	{name: "final-output-cut", why: "a final output that was cut, its size told",
		stream: short(put(done, "null}", `null,"truncated":true,"original_bytes":5}`))},
	{name: "error-4096", why: "an error of 4096 bytes",
		stream: short(`{"exit_reason":"timeout","ok":false,"final_output":"","error":` + jsonString(4096, "a") + `}`)},
	{name: "arguments-4096", why: "an arguments_preview of 4096 bytes",
		stream: edit(3, `"read_file"`, `"read_file","arguments_preview":`+jsonString(4096, "a"))},
	{name: "text-2048", why: "a text_preview of 2048 bytes",
		stream: edit(3, `"read_file"`, `"read_file","text_preview":`+jsonString(2048, "a")+`,"parent_call_id":"c0"`)},
	{name: "reason-1024", why: "a reason of 1024 bytes", stream: edit(4, `"reason":null`, `"reason":`+jsonString(1024, "a"))},
	{name: "tool-256", why: "a tool's name of 256 bytes", stream: edit(3, `"read_file"`, jsonString(256, "a"))},
	{name: "tool-256-wide", why: "a tool's name of 128 characters and 256 bytes",
		stream: edit(3, `"read_file"`, jsonString(128, "é"))},
	{name: "summary-200-wide", why: "a summary of 200 characters and 800 bytes",
		stream: edit(6, `"original_bytes":null`, `"original_bytes":null,"summary_text":`+jsonString(200, "😀"))},
	{name: "message-200-wide", why: "a short message of 200 characters and 800 bytes",
		stream: among("provider_error", message(jsonString(200, "😀")))},
	{name: "list-64", why: "a list of 64 items", stream: edit(2, `["read_file"]`, names(64, 1))},
	{name: "list-2048", why: "a list of 2048 bytes of text", stream: edit(2, `["read_file"]`, names(8, 256))},
	{name: "negative-exit-status", why: "an integer that is no size may be negative",
		stream: edit(6, `"original_bytes":null`, `"original_bytes":null,"exit_status":-1`)},
	{name: "usage-null", why: "a provider that counts nothing of the run, neither tokens nor cost",
		stream: short(put(done, "null}", `null,"usage":{"input_tokens":null,"output_tokens":null,"total_tokens":null,`+
			`"cached_input_tokens":null,"cost_usd":null,"reasoning_tokens":null}}`))},
	{name: "usage-in-part", why: "a provider that counts only one kind of token",
		stream: short(put(done, "null}", `null,"usage":{"input_tokens":10}}`))},
}

// second returns the event for another call.
func second(e event) event {
	e.data = put(e.data, `"c1"`, `"c2"`)
	return e
}

// everyType has, per type, all keys that the contract names and null for each
// declared key that may be null.
var everyType = map[string][2]string{
	"run_started": {`{"agent":{"name":"a","version":"1"},"provider":"p","model":"m","prompt_sha256":"00",` +
		`"config_fingerprint":"f","sandbox":null,"source":{"format":"codex","mapping":"codex/1","time":"arrival"},` +
		`"parent_run_id":"r0","mcp_servers":[{"name":"s","tools":2,"status":"connected"}],"sandbox_status":{"level":"full",` +
		`"landlock_abi":6,"seccomp":true,"network":"off","user":"nobody","missing":["network"]}}`, nothing},
	"step_started": {step1, `{"step_id":null,"step_index":null,"allowed_tools":null,"enforcement_mode":null}`},
	"tool_call_detected": {put(detected, `"read_file"`, `"read_file","index":0,"source":"native","status":"complete",`+
		`"repaired":false,"repairs":[],"arguments_preview":"{}","arguments_bytes":2,"text_preview":"say","text_bytes":3,"parent_call_id":"c0"`), `{"tool_call_id":null,"tool":null}`},
	"tool_decision":     {allowed, `{"tool_call_id":null,"tool":null,"decision":null,"reason":null,"source":null}`},
	"tool_exec_started": {begun, `{"tool_call_id":null,"tool":null}`},
	"tool_exec_finished": {put(read, `"original_bytes":null`, `"original_bytes":null,"status":"ok","summary_text":"s",`+
		`"error_kind":null,"exit_status":null,"output_truncated":false,"output_bytes":5,"duration_ms":1,`+
		`"artifacts":[{"path":"a"}]`),
		`{"tool_call_id":null,"tool":null,"ok":null,"content_preview":null,"truncated":false,"original_bytes":null}`},
	"tool_retry": {`{"tool_call_id":"c1","tool":"read_file","attempt":1,"max_retries":2,"failure_class":"f",` +
		`"action":"repair","reason":"r"}`,
		`{"tool_call_id":null,"tool":null,"attempt":null,"max_retries":null,"failure_class":null,"action":null}`},
	"step_blocked": {`{"reason":"r","tool":"read_file","step_id":"step_1","code":"c"}`,
		`{"reason":null,"tool":null,"step_id":null}`},
	"provider_retry": {`{"attempt":1,"max_attempts":4,"kind":"rate_limit","status":429,"backoff_ms":500}`,
		`{"attempt":null,"max_attempts":null,"kind":null,"status":null,"backoff_ms":null}`},
	"provider_error": {message(`"m"`), `{"kind":null,"status":null,"retryable":null,"message_short":null}`},
	"run_finished": {put(done, "null}", `null,"truncated":false,"original_bytes":4,"final_output_artifact":null,`+
		`"error_code":null,"steps":1,"tool_calls":0,"duration_ms":12,"usage":{"input_tokens":1,"output_tokens":2,`+
		`"total_tokens":3,"cached_input_tokens":null,"cost_usd":0.0125,"reasoning_tokens":1},`+
		`"source":{"terminal":"observed","unmapped":{"item.updated":3,"*":1}}}`), done},
}

// counting returns a run of these events whose run_finished counts so many calls.
func counting(count string, evs ...event) string {
	return put(calls(evs...), `"error":null}`, `"error":null,"tool_calls":`+count+`}`)
}

// typeVectors returns two valid streams per type.
func typeVectors() (vectors []vector) {
	for _, form := range []struct {
		i         int
		name, why string
	}{{0, "full", "every key that the contract names for %s"}, {1, "null", "null for every key of %s that may be null"}} {
		for typ, data := range everyType {
			v := vector{name: "type-" + strings.ReplaceAll(typ, "_", "-") + "-" + form.name, why: fmt.Sprintf(form.why, typ)}
			cut := put(data[form.i]+"\n", "}\n", `,"truncated_fields":[{"field":"reason","original_bytes":2000}]}`)
			switch typ {
			case "run_started":
				v.stream = stream(event{0, typ, strings.Replace(cut, "{,", "{", 1)}, event{0, "run_finished", done})
			case "run_finished":
				v.stream = short(cut)
			case "tool_exec_started", "tool_exec_finished":
				v.stream = executed(typ, cut)
			default:
				v.stream = among(typ, cut)
			}
			vectors = append(vectors, v)
		}
	}
	return vectors
}

// executed returns a run of one call whose start or end has that payload; the
// other one has the same id.
func executed(typ, data string) string {
	start, finish := start, finish
	if strings.Contains(data, `"tool_call_id":null`) {
		start.data, finish.data = put(start.data, `"c1"`, "null"), put(finish.data, `"c1"`, "null")
	}
	if typ == "tool_exec_started" {
		start.data = data
	} else {
		finish.data = data
	}
	return calls(allow, start, finish)
}

// reasonVectors returns one valid stream per exit reason of the contract, and
// one with a reason of the producer's own.
func reasonVectors() []vector {
	vectors := []vector{
		{name: "exit-reason-ok", why: "a run that ended normally", stream: short(done)},
		{name: "exit-reason-own", why: "an exit reason that the contract does not know", stream: short(failed("out_of_coffee"))},
		{name: "exit-reason-own-ok", why: "an exit reason that the contract does not know may be a success",
			stream: short(put(done, `"ok",`, `"goal_reached",`))},
	}
	for _, reason := range []string{
		"pre_run_error", "provider_error", "max_steps", "budget_exceeded", "timeout", "denied", "blocked",
		"cancelled", "internal_error", "killed", "no_terminal_event", "stream_invalid",
	} {
		vectors = append(vectors, vector{name: "exit-reason-" + strings.ReplaceAll(reason, "_", "-"),
			why: "a run that ended with " + reason, stream: short(failed(reason))})
	}
	return vectors
}
