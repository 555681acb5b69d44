"""Reads an event stream from standard input; exit status 0 says that it keeps the contract."""
import datetime, decimal, itertools, json, os, re, sys
from typing import Any, BinaryIO
from pydantic import BaseModel
import run_event_v1 as v1  # schema/bindings/python

BYTES = {"content_preview": 4096, "final_output": 4096, "error": 4096, "arguments_preview": 4096, "text_preview": 2048, "reason": 1024, "summary_text": 800, "message_short": 800}
NEVER_NULL = "agent source mcp_servers sandbox_status truncated_fields index status repaired repairs output_truncated artifacts truncated unmapped".split()
FAILING = "pre_run_error provider_error max_steps budget_exceeded timeout denied blocked cancelled internal_error killed no_terminal_event stream_invalid".split()

def want(holds: object, what: str) -> None:
    if not holds: raise ValueError("want " + what)
def size(v: Any) -> int:
    return len(v.encode()) if isinstance(v, str) else sum(size(member) for _, member in v) if isinstance(v, BaseModel) else 0
def fits(name: str, v: Any) -> bool:  # what the types cannot say: bounds in bytes, and members that may be absent but not null
    if isinstance(v, BaseModel):
        nulls = {k for k in v.model_fields_set if getattr(v, k) is None and not type(v).model_fields[k].is_required()}
        return not nulls.intersection(NEVER_NULL) and all(fits(k, member) for k, member in v)
    if isinstance(v, (list, dict)): return sum(map(size, v)) <= 2048 and all(fits("", item) for item in v)
    return size(v) <= BYTES.get(name, 256)

def parse(line: bytes) -> Any:
    want(len(line) <= 1 << 20 and re.fullmatch(rb"\{[^\0-\x1f]*\}", line), "one object alone on a line of at most 1 MiB")
    levels = itertools.accumulate(1 if b in b"[{" else -1 for b in re.sub(rb'"(?:\\.|[^"\\])*"|[^][{}]', b"", line))
    want(max(levels) <= 64, "at most 64 levels")
    value = json.loads(line.decode(), object_pairs_hook=lambda pairs: dict(pairs) if len(dict(pairs)) == len(pairs) else want(False, "each key once"),
                       parse_constant=lambda t: want(False, "JSON"), parse_int=lambda t: int(t) if t != "-0" and len(t) < 18 and abs(int(t)) <= 1 << 53 else [[t]],
                       parse_float=lambda t: float(t) if re.fullmatch(r"\d+\.\d{1,6}", t) and decimal.Decimal(t) <= 1 << 53 else [[t]])  # no member is a list of lists
    json.dumps(value, ensure_ascii=False).encode()  # refuses half of a surrogate pair
    event = v1.Event.model_validate(value).root
    want(datetime.datetime.fromisoformat(re.sub("^0000", "2000", event.ts[:19])) and fits("", event), "every member within its bounds")
    return event

def read(stream: BinaryIO, strict: bool) -> None:
    last, calls, found = None, dict[str | None, str](), 0
    for number, line in enumerate(iter(lambda: stream.readline((1 << 20) + 2), b""), 1):
        event = parse(line.removesuffix(b"\n"))
        want(not strict or line.endswith(b"\n") and len(line) < 1 << 16, "a line of less than 64 KiB with its LF")
        want(event.sequence == number and (event.run_id or event.type == "run_finished"), "every line, with a run_id")
        want(event.type == "run_finished" or (event.type == "run_started") == (number == 1), "run_started first")
        want(not last or last.type != "run_finished" and event.run_id == last.run_id and (event.step >= last.step or not strict), "one run in order")
        last, fine, id, text = event, True, getattr(event.data, "tool_call_id", None), getattr(event.data, "content_preview", None)
        now = calls.get(id)
        match event:
            case v1.ToolCallDetectedEvent(): calls[id], fine, found = "detected", now != "running", found + 1
            case v1.ToolDecisionEvent(data=d) if d.decision in ("allow", "deny"): calls[id], fine = d.decision, now != "running"
            case v1.ToolExecStartedEvent(): calls[id], fine = "running", now == "allow"
            case v1.ToolExecFinishedEvent(): calls[id], fine = "allow", now == "running"
            case v1.RunFinishedEvent(data=d):
                text = d.final_output
                want(d.tool_calls in (None, found) and (not d.error and d.exit_reason not in FAILING if d.ok else d.exit_reason != "ok"), "a count of all calls, an outcome without contradiction")
                want(event.run_id or number == 1 and d.error and not d.ok, "a run_id, or why the run did not begin")
        want(id is None or fine or now != "deny" and not strict, "a call allowed, then started, then finished")
        cut, original = getattr(event.data, "truncated", None), getattr(event.data, "original_bytes", None)
        want(text is not None and (size(text) + (not strict) if original is None else original) > size(text) if cut else cut is None or original in (None, size(text)), "the whole size")
    running = any(id is not None and now == "running" for id, now in calls.items())
    want(last and last.type == "run_finished" and not (strict and running), "a run that is finished")
if __name__ == "__main__":
    try: read(sys.stdin.buffer, os.environ.get("OPENAGENT_STRICT") == "1")
    except ValueError as problem: sys.exit(str(problem))
