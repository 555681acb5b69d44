// Reads an event stream from standard input; exit status 0 says that it keeps the contract.
// Its argument is the published schema: node reader.js "$(openagent schema path)" <events.jsonl
import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020";
import formats from "ajv-formats";
import type { Event } from "./run_event_v1"; // schema/bindings/typescript

const FAILING = /^(pre_run_error|provider_error|max_steps|budget_exceeded|timeout|denied|blocked|cancelled|internal_error|killed|no_terminal_event|stream_invalid)$/;
const size = (texts: unknown[]): number => texts.reduce<number>((sum, t) => sum + (typeof t === "string" ? Buffer.byteLength(t) : 0), 0);
function want(holds: unknown, what: string): asserts holds { if (!holds) throw new Error("want " + what); }
export function compile(schema: object): (value: unknown) => value is Event { // with bounds in bytes, as the contract has them
  const ajv = formats(new Ajv({ strict: true, allowUnionTypes: true }));
  for (const keyword of ["maxLength", "maxItems", "maxProperties"]) ajv.removeKeyword(keyword);
  ajv.addKeyword({ keyword: "maxLength", type: "string", validate: (max: number, text: string) => (max === 200 ? [...text].length : size([text])) <= max });
  ajv.addKeyword({ keyword: "maxProperties", type: "object", validate: (max: number, o: object) => Object.keys(o).length <= max && size(Object.keys(o)) <= 2048 });
  ajv.addKeyword({ keyword: "maxItems", type: "array", validate: (max: number, list: any[], { items: { properties: names } }: any) =>
    list.length <= max && size(list.flatMap((item) => names ? Object.keys(names).map((name) => item?.[name]) : item)) <= 2048 });
  return ajv.compile<Event>(schema);
}
function parse(line: Buffer): unknown {
  let text = line.toString(), open: Set<string>[] = [], name = "";
  want(line.length <= 1 << 20 && isUtf8(line) && /^\{[^\x00-\x1f]*\}$/.test(text), "one object alone on a line of at most 1 MiB");
  return JSON.parse(text) && JSON.parse(text.replace(/("(?:[^"\\]|\\.)*")(\s*:)?|[[\]{}]|-?\d[\d.eE+-]*/g, (token: string, quoted?: string, colon?: string) => {
    if (quoted) {
      const value: string = JSON.parse(quoted);
      want(value.isWellFormed() && !(colon && open.at(-1)!.has(value)), "no half of a surrogate pair, each key once");
      if (colon) open.at(-1)!.add(name = value);
    } else if (/[[{]/.test(token)) want(open.push(new Set()) <= 64, "at most 64 levels");
    else if (/[\]}]/.test(token)) open.pop();
    else if (!(name === "cost_usd" ? /^\d+(\.\d{1,6})?$/ : /^(0|-?[1-9]\d*)$/).test(token) || BigInt(token.replace(/^-|\..*/g, "")) + BigInt(/\.0*[1-9]/.test(token)) > 2n ** 53n)
      return "[[]]"; // a number as the contract does not write it: what no member is
    return token;
  }));
}
export function read(stream: Buffer, matches: (value: unknown) => value is Event, strict: boolean): void {
  let last: Event | undefined, calls = new Map<string | null, string>(), found = 0;
  for (let number = 1, end; stream.length > 0; number++, stream = stream.subarray(end + 1)) {
    end = stream.indexOf(10) < 0 ? stream.length : stream.indexOf(10);
    want(!strict || (end < stream.length && end < 65535), "a line of less than 64 KiB with its LF");
    const event = parse(stream.subarray(0, end));
    want(matches(event) && event.sequence === number && (event.run_id || event.type === "run_finished"), "every event, with a run_id");
    want(event.type === "run_finished" || (event.type === "run_started") === (number === 1), "run_started first");
    want(!last || (last.type !== "run_finished" && event.run_id === last.run_id && (event.step >= last.step || !strict)), "one run in order");
    let id = "tool_call_id" in event.data ? event.data.tool_call_id : null, now = calls.get(id), fine = true, cut, original, text: string | null = null; last = event;
    switch (event.type) {
      case "tool_call_detected": calls.set(id, "detected"), found++, fine = now !== "running"; break;
      case "tool_decision": if (/^(allow|deny)$/.test(event.data.decision ?? "")) calls.set(id, event.data.decision!), fine = now !== "running"; break;
      case "tool_exec_started": calls.set(id, "running"), fine = now === "allow"; break;
      case "tool_exec_finished": calls.set(id, "allow"), fine = now === "running", { content_preview: text, truncated: cut, original_bytes: original } = event.data; break;
      case "run_finished": ({ final_output: text, truncated: cut, original_bytes: original } = event.data);
        want((event.data.tool_calls ?? found) === found && (event.data.ok ? !event.data.error && !FAILING.test(event.data.exit_reason) : event.data.exit_reason !== "ok"), "a count of all calls, an outcome without contradiction");
        want(event.run_id || (number === 1 && event.data.error && !event.data.ok), "a run_id, or why the run did not begin");
    }
    want(id === null || fine || (now !== "deny" && !strict), "a call allowed, then started, then finished");
    want(cut ? text !== null && (original ?? size([text]) + Number(!strict)) > size([text]) : cut === undefined || (original ?? size([text])) === size([text]), "the whole size");
  }
  want(last?.type === "run_finished" && !(strict && [...calls].some(([id, now]) => id !== null && now === "running")), "a run that is finished");
}
if (require.main === module) try { read(readFileSync(0), compile(JSON.parse(readFileSync(process.argv[2]!, "utf8"))), process.env.OPENAGENT_STRICT === "1"); } catch (problem) { console.error(String(problem)); process.exitCode = 1; }
