package testscript

import (
	"strings"
	"testing"
)

// streams are what the scripts of these tests ask about: one that is clean and
// one that is not.
const streams = `
-- good.jsonl --
{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"x","step":0,"type":"run_started","data":{}}
{"schema_version":"openagent.run_event.v1","sequence":2,"ts":"2026-03-03T20:11:12Z","run_id":"x","step":1,"type":"tool_exec_started","data":{"tool_call_id":"a","tool":"read_file"}}
{"schema_version":"openagent.run_event.v1","sequence":3,"ts":"2026-03-03T20:11:12Z","run_id":"x","step":1,"type":"tool_exec_finished","data":{"tool_call_id":"a","tool":"read_file","ok":true,"content_preview":"some text","truncated":true,"original_bytes":5000,"artifacts":[{"path":"a/b"},{"path":"c~d"}],"exit_status":null}}
{"schema_version":"openagent.run_event.v1","sequence":4,"ts":"2026-03-03T20:11:12Z","run_id":"x","step":1,"type":"tool_exec_started","data":{"tool_call_id":"b","tool":"run"}}
{"schema_version":"openagent.run_event.v1","sequence":5,"ts":"2026-03-03T20:11:12Z","run_id":"x","step":1,"type":"tool_exec_finished","data":{"tool_call_id":"b","tool":"run","ok":false,"content_preview":null,"truncated":false,"original_bytes":null,"x":{"m":1.50}}}
{"schema_version":"openagent.run_event.v1","sequence":6,"ts":"2026-03-03T20:11:13Z","run_id":"x","step":1,"type":"run_finished","data":{"exit_reason":"ok","ok":true,"final_output":"true","error":null}}
-- bad.jsonl --
{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"x","step":0,"type":"run_started","data":{}}
not an event
{"schema_version":"openagent.run_event.v1","sequence":2,"ts":"2026-03-03T20:11:13Z","run_id":"x","step":0,"type":"run_finished","data":{"exit_reason":"ok","ok":true,"final_output":"","error":null}}
-- empty.jsonl --
`

// A command that could not fail would let every script pass.
func TestCommands_Fail(t *testing.T) {
	for line, want := range map[string]string{
		"stream-check bad.jsonl":                       "bad.jsonl is not clean:\nbad.jsonl:2:1: line/json",
		"! stream-check good.jsonl":                    "good.jsonl is clean, want findings",
		"! stream-check -rule stream/gap bad.jsonl":    "bad.jsonl does not break stream/gap; it breaks:\nbad.jsonl:2:1: line/json",
		"stream-check -rule line/json bad.jsonl":       "usage: [!] stream-check",
		"stream-check":                                 "usage: [!] stream-check",
		"stream-check -loud good.jsonl":                "usage: [!] stream-check",
		"stream-check good.jsonl bad.jsonl":            "usage: [!] stream-check",
		"stream-check none.jsonl":                      "none.jsonl",
		"stream-has good.jsonl tool_retry":             "s.txtar:1: got no tool_retry, want one\ngood.jsonl has no tool_retry; it has 1 run_started, 2 tool_exec_started, 2 tool_exec_finished, 1 run_finished",
		"stream-has good.jsonl run_finished /ok=false": "s.txtar:1: /ok: got true, want false\ngood.jsonl has 1 of run_finished:\nsequence 6: /ok=true\n",
		"stream-has good.jsonl":                        "usage: stream-has",
		"! stream-has good.jsonl tool_retry":           "stream-has takes no !",
		"stream-has good.jsonl run_finished ok=true":   `"ok=true": want a comparison such as /ok=true; operators: = != *= ~= < <= > >=`,
		"stream-has good.jsonl run_finished /ok":       `"/ok": want a comparison such as name=value`,
		// The event that comes closest is named, without what nobody asked for.
		"stream-has good.jsonl tool_exec_finished /tool=run /ok=true":                  "s.txtar:1: /ok: got false, want true\ngood.jsonl has 2 of tool_exec_finished:\nsequence 3: /tool=\"read_file\" /ok=true\nsequence 5: /tool=\"run\" /ok=false\n",
		"stream-has good.jsonl run_finished /final_output*=Water":                      `/final_output: got "true", want *="Water"`,
		"stream-has good.jsonl tool_exec_finished /original_bytes>5000":                `/original_bytes: got 5000, want >5000`,
		"stream-has good.jsonl run_finished '/final_output~=^t.*e$' /exit_reason~=^no": `/exit_reason: got "ok", want ~="^no"`,
		"stream-has good.jsonl run_finished /steps>=1":                                 `/steps: got nothing, want >=1`,
		"stream-count good.jsonl tool_exec_started >2":                                 "tool_exec_started: got 2, want >2",
		"stream-count good.jsonl tool_exec_started >=1.5":                              "want a whole number",
		"stream-has good.jsonl run_finished /final_output~=(":                          "missing closing )",
		"stream-has good.jsonl run_finished /steps>many":                               `"/steps>many": strconv.ParseFloat: parsing "many"`,
		"stream-lacks good.jsonl run_finished /ok*=tru":                                `/ok of run_finished is never *="tru": the contract has true or false there`,
		"stream-lacks good.jsonl run_finished /final_output>3":                         `/final_output of run_finished is never >3: the contract has a text there`,
		"stream-lacks good.jsonl run_finished /usage>3":                                `/usage of run_finished is never >3: the contract has no number there`,
		// A typo would be lacked by every stream.
		"stream-lacks good.jsonl tool_exec_strated":                                 `the contract has no event type "tool_exec_strated"; known: run_started, `,
		"stream-count good.jsonl tool_retries 0":                                    `the contract has no event type "tool_retries"`,
		"stream-has good.jsonl run_finish":                                          `the contract has no event type "run_finish"`,
		"stream-order good.jsonl run_started run_end":                               `the contract has no event type "run_end"`,
		"stream-order good.jsonl run_started:x":                                     `no run_started has a member /tool`,
		"stream-lacks good.jsonl tool_exec_finished /nothing=null":                  "no tool_exec_finished has a member /nothing; the contract names: /tool_call_id, /tool, /ok,",
		"stream-lacks good.jsonl run_finished /tool=x":                              "no run_finished has a member /tool;",
		"stream-lacks good.jsonl tool_exec_finished /artifacts/-1/path*=c":          "has a member /artifacts/-1/path",
		"stream-lacks good.jsonl tool_exec_finished /artifacts/x*=a":                "has a member /artifacts/x",
		"stream-lacks good.jsonl tool_exec_finished /artifacts//path=a":             "has a member /artifacts//path",
		"stream-lacks good.jsonl tool_exec_finished /tool/deeper=run":               "has a member /tool/deeper",
		"stream-lacks good.jsonl run_finished /usage/tokens=1":                      "has a member /usage/tokens",
		"stream-lacks good.jsonl tool_exec_started":                                 "got 2 of tool_exec_started, want none\ngood.jsonl has 2 of tool_exec_started:\nsequence 2: /tool=\"read_file\"",
		"! stream-lacks good.jsonl run_started":                                     "stream-lacks takes no !",
		"stream-count good.jsonl tool_exec_started 1":                               "s.txtar:1: tool_exec_started: got 2, want 1\n",
		"stream-count good.jsonl tool_exec_started":                                 "usage: stream-count",
		"stream-count good.jsonl tool_exec_started two":                             "two",
		"! stream-count good.jsonl tool_exec_started 2":                             "stream-count takes no !",
		"stream-order good.jsonl run_finished run_started":                          "good.jsonl has no run_started after \"run_finished\"; it has, in order:\nrun_started\ntool_exec_started:read_file\ntool_exec_finished:read_file\n",
		"stream-order good.jsonl tool_exec_started:run tool_exec_started:read_file": `good.jsonl has no tool_exec_started:read_file after "tool_exec_started:run"`,
		"stream-order good.jsonl run_started run_started":                           `good.jsonl has no run_started after "run_started"`,
		"stream-order good.jsonl":                                                   "usage: stream-order",
		"stream-lacks good.jsonl run_finished /ok=False":                            `/ok of run_finished is never "False": the contract has true or false there`,
		"stream-lacks good.jsonl run_finished /steps=1o":                            `/steps of run_finished is never "1o": the contract has a whole number there`,
		"stream-lacks good.jsonl tool_exec_finished /truncated=":                    `/truncated of tool_exec_finished is never ""`,
		"stream-truncated good.jsonl read_file 5k":                                  `/original_bytes of tool_exec_finished is never "5k"`,
		"! stream-order good.jsonl run_started":                                     "stream-order takes no !",
		"stream-truncated good.jsonl read_file 5001":                                "s.txtar:1: /original_bytes: got 5000, want 5001\ngood.jsonl has 2 of tool_exec_finished:\nsequence 3: /tool=\"read_file\"",
		"stream-truncated good.jsonl run 5000":                                      `/truncated: got false, want true`,
		"stream-truncated good.jsonl read_file":                                     "usage: stream-truncated",
		"! stream-truncated good.jsonl read_file 5000":                              "stream-truncated takes no !",
		"stream-cmp good.jsonl":                                                     "usage: [!] stream-cmp",
		"! stream-cmp good.jsonl good.jsonl":                                        "good.jsonl is as good.jsonl, want a difference",
		"stream-cmp good.jsonl none.jsonl":                                          "none.jsonl is not there: add a line -- none.jsonl -- at the end of the script",
		"stream-cmp good.jsonl bad.jsonl":                                           "s.txtar:12) is no JSON object",
		"stream-cmp good.jsonl empty.jsonl":                                         "empty.jsonl is no stream: it is empty",
		"[moon] stream-check good.jsonl":                                            `bad condition "moon": unknown condition; known are network, git`,
		"[network] stream-check bad.jsonl\nstream-check bad.jsonl":                  "s.txtar:2:",
		"openagent run --model m --base-url http://192.0.2.1/v1 p":                  "network access to 192.0.2.1 is refused",
		"openagent check bad.jsonl":                                                 "unexpected command failure",
		"! openagent check --no-such-flag":                                          "exit status 2: ! accepts only 1, a judgment; if 2 is expected, write: status 2 openagent ...",
		"status 2 openagent check bad.jsonl":                                        "exit status 1, want 2",
		"status 1 openagent check good.jsonl":                                       "exit status 0, want 1",
		"status 3 exec sh -c 'exit 4'":                                              "exit status 4, want 3",
		"status 1 exec no-such-program":                                             "no-such-program has no exit status: exec: ",
		"status 1 exec sh -c 'kill -9 $$'":                                          "sh has no exit status: signal: killed",
		"! status 1 exec false":                                                     "usage: status N openagent ARGS, or status N exec PROGRAM ARGS",
		"status exec false":                                                         "usage: status N", "status 1": "usage: status N", "status 1 exec": "usage: status N",
		"status 1 stream-check bad.jsonl": "usage: status N", "status one exec false": `"one" is no exit status`,
		"status -1 exec false": `"-1" is no exit status`, "status 256 exec false": `"256" is no exit status`,
		"status 0 exec sleep 1 &": "exec runs in the foreground",
		"stream-run":              "usage: [!] stream-run [-verdict V] COMMAND...", "stream-run -verdict success": "usage: [!] stream-run", "stream-run -loud x": "usage: [!] stream-run",
		"stream-run -verdict good cat good.jsonl":       `"good" is no verdict; known: success, failure, violation, crash, pre_run_error, timeout`,
		"stream-run cat good.jsonl &":                   "cat runs in the foreground",
		"stream-run cat bad.jsonl":                      "the verdict is violation, want success: 1 error in line 2: line/json",
		"stream-run sh -c 'cat good.jsonl; exit 1'":     "the verdict is violation, want success: 1 error in the stream as a whole: run/exit-status",
		"stream-run -verdict failure cat good.jsonl":    "the verdict is success, want failure: the agent reported success",
		"! stream-run cat good.jsonl":                   "the verdict is success, want another",
		"! stream-run -verdict violation cat bad.jsonl": "the verdict is violation, want another",
		"stream-run no-such-agent":                      "the agent could not be started: exec: ",
		"! stream-run no-such-agent":                    "the agent could not be started: exec: ",
		"stream-run -verdict crash ./no-such-agent":     "the agent could not be started: ",
		"agent":                   "usage: [!] agent [-allow] NAME [ARG]...",
		"agent codx hi":           `unknown agent "codx"; known: claude, codex, `,
		"agent codex hi &":        "agent runs in the foreground: write exec openagent ci --agent codex",
		"agent codex hi &mine&":   "agent runs in the foreground",
		"agent codex --full-auto": `"--full-auto" stands where the prompt is expected`,
		"# only a remark\n\n":     "s.txtar:0: the script has no command",
		"! exec no-such-program":  "s.txtar:1: ! exec no-such-program: there is no such program",
		"# why\n\n! exec ./no-such-program arg  # remark": "s.txtar:3: ! exec ./no-such-program: there is no such program",
		"mkdir d\ncd d\n! exec ./good.jsonl":              "s.txtar:3: ! exec ./good.jsonl: there is no such program",
		"! exec $WORK/good.jsonl":                         "! exec $WORK/good.jsonl: there is no such program", // it cannot be executed
		"[unix] ! exec no-such-program &":                 "s.txtar:1: ! exec no-such-program",
		"[!windows] ! exec no-such-program":               "s.txtar:1: ! exec no-such-program",
		"! openagent check good.jsonl":                    "unexpected command success",
	} {
		if f, _ := script(t, line+"\n"+streams, false); !f.failed || !strings.Contains(f.log.String(), want) {
			t.Errorf("%s: failed %v, want it to say %q:\n%s", line, f.failed, want, f.log.String())
		}
	}
}

func TestCommands_Pass(t *testing.T) {
	for _, line := range []string{
		"stream-check good.jsonl", "! stream-check bad.jsonl", "! stream-check -rule line/json bad.jsonl",
		"! stream-check -strict -rule line/json bad.jsonl",
		"stream-has bad.jsonl run_finished", "stream-has good.jsonl run_finished /ok=true /exit_reason=ok",
		`stream-has good.jsonl run_finished /final_output=true`, `stream-has good.jsonl run_finished '/final_output="true"'`,
		"stream-has good.jsonl run_finished /error=null",
		"stream-has good.jsonl tool_exec_finished /content_preview*='me te'", "stream-has good.jsonl tool_exec_finished /artifacts/1/path=c~d",
		"stream-has good.jsonl tool_exec_finished /artifacts/0/path*=/b", "stream-has good.jsonl tool_exec_finished /x/m=1.50",
		`stream-has good.jsonl tool_exec_finished '/artifacts=[ {"path":"a/b"}, {"path":"c~d"} ]'`,
		"stream-lacks good.jsonl tool_retry", "stream-lacks good.jsonl run_finished /ok=false",
		// Nothing is there to be equal, or to be a part.
		"stream-lacks good.jsonl run_finished /usage/input_tokens=3", "stream-lacks good.jsonl tool_exec_finished /artifacts/2/path*=c",
		"stream-lacks good.jsonl run_finished /ok=null", "stream-lacks good.jsonl run_finished /steps=-1", "stream-lacks good.jsonl run_finished /exit_reason=True",
		// What the contract never has, but the stream.
		"exec sed 's/true/\"yes\"/w other.jsonl' good.jsonl\nstream-has other.jsonl tool_exec_finished /ok=yes",
		"stream-has good.jsonl tool_exec_finished /original_bytes>=5000 '/content_preview~=^some' /tool!=run /original_bytes<5001",
		"stream-count good.jsonl tool_exec_finished <=2", "stream-lacks good.jsonl tool_exec_finished /original_bytes<5000", "stream-lacks good.jsonl run_started /agent/name=x",
		// What the contract does not name, but the stream has.
		"stream-lacks good.jsonl tool_exec_finished /x/m=1",
		// Two values of one event, not of two.
		"stream-lacks good.jsonl tool_exec_finished /tool=run /ok=true",
		"stream-count good.jsonl tool_exec_finished 2", "stream-count good.jsonl tool_retry 0",
		"stream-order good.jsonl run_started tool_exec_started:run tool_exec_finished:run run_finished",
		"stream-order good.jsonl tool_exec_started tool_exec_started", "stream-truncated good.jsonl read_file 5000",
		"stream-cmp good.jsonl good.jsonl", "! stream-cmp bad.jsonl good.jsonl",
		"stream-run cat good.jsonl\nstream-has stdout run_finished /ok=true\n! stderr .", "! stream-run cat bad.jsonl\nstream-has stdout run_finished",
		"stream-run -verdict violation cat bad.jsonl", "stream-run -verdict crash sh -c 'echo help >&2; exit 3'\nstderr help",
		"stream-run -verdict pre_run_error no-such-agent", "! stream-run -verdict success cat bad.jsonl",
		"env X=good.jsonl\nmkdir d\ncd d\nstream-run sh -c 'test -d $OPENAGENT_ARTIFACTS_DIR && cat ../$X'",
		"mkdir d\nexec sh -c '(echo \"#!/bin/sh\"; echo cat good.jsonl) >d/mine; chmod +x d/mine'\nstream-run ./d/mine\nenv PATH=$WORK/d${:}$PATH\nstream-run mine",
		"status 1 openagent check bad.jsonl", "status 0 openagent check good.jsonl", "status 2 openagent check --no-such-flag",
		"status 7 exec sh -c 'exit 7'", "status 0 exec true", "status 1 exec openagent check bad.jsonl", "! exec false",
		"exec sh -c 'echo exit 1 >made; chmod +x made'\n! exec ./made\n! exec $WORK/made",
		"mkdir d\nexec sh -c 'echo exit 1 >d/made; chmod +x d/made'\ncd d\n! exec ./made",
		// What a line cannot show by itself is not judged.
		"[windows] ! exec no-such-program", "[!unix] ! exec no-such-program", "[exec:no-such-program] ! exec no-such-program",
		"stop\n! exec no-such-program", "env PATH=$WORK${:}$PATH\n! exec no-such-program", "env P=no-such-program\n! exec $P",
		"stream-has -help", "stream-check --help", "stream-cmp -h",
	} {
		if f, _ := script(t, line+"\n"+streams, false); f.failed {
			t.Errorf("%s: failed, want it to pass:\n%s", line, f.log.String())
		}
	}
}

// Of streams that have little in common only the first differences are shown.
func TestStreamCmp_ManyDifferences(t *testing.T) {
	line := `{"sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"a","step":0,"type":"run_finished","data":{}}` + "\n"
	text := "stream-cmp got.jsonl want.jsonl\n-- got.jsonl --\n" + line + "-- want.jsonl --\n" + strings.Repeat(line, maxDifferences+6)
	f, _ := script(t, text, false)
	if shown := strings.Count(f.log.String(), "got nothing"); !f.failed || shown != maxDifferences || !strings.Contains(f.log.String(), "and 5 more") {
		t.Errorf("stream-cmp shows %d differences, want %d and a count of the rest:\n%s", shown, maxDifferences, f.log.String())
	}
}
