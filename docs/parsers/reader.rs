//! Reads an event stream from standard input; exit status 0 says that it keeps the contract.
mod run_event_v1; // schema/bindings/rust
use {regex::{Captures, Regex}, run_event_v1::Event, serde_json::{from_str, to_value, Value}, std::collections::{HashMap, HashSet}, std::io::{stdin, BufRead, Read}};
const NEVER_NULL: &str = "agent source sandbox_status index status repaired output_truncated truncated";
const FAILING: &str = "pre_run_error|provider_error|max_steps|budget_exceeded|timeout|denied|blocked|cancelled|internal_error|killed|no_terminal_event|stream_invalid";
fn want(holds: bool, what: &str) { if !holds { eprintln!("want {what}"); std::process::exit(1) } }
fn is(form: &str, text: &str) -> bool { Regex::new(&format!("^({form})$")).unwrap().is_match(text) }
fn fits(name: &str, v: &Value) -> bool { // what the types cannot say: bounds in bytes, of lists and of sizes
    match v {
        Value::String(s) => s.len() <= match name { "content_preview" | "final_output" | "error" | "arguments_preview" => 4096, "text_preview" => 2048, "reason" => 1024, "summary_text" | "message_short" => 800, _ => 256 },
        Value::Array(list) => list.len() <= 64 && list.iter().all(|v| fits("", v)) && 2048 >= list.iter().flat_map(|v| v.as_object().map_or(vec![v], |o| o.values().collect())).filter_map(Value::as_str).map(str::len).sum::<usize>(),
        Value::Object(o) if name == "unmapped" => o.len() <= 64 && o.keys().all(|k| k.len() <= 256) && o.keys().map(String::len).sum::<usize>() <= 2048,
        Value::Number(n) if name.ends_with("_bytes") || name == "step" => n.as_f64() >= Some(0.0),
        _ => v.as_object().map_or(true, |o| o.iter().all(|(k, v)| fits(k, v))),
    }
}
fn parse(line: &str) -> (Event, Value) { // the event, and the members of it that the contract knows
    let (mut open, mut key) = (Vec::<HashSet<String>>::new(), String::new());
    want(is(r"\{[^\x00-\x1f]*\}", line) && from_str::<serde::de::IgnoredAny>(line).is_ok(), "one JSON object alone on a line");
    let exact = Regex::new(r#"("(?:[^"\\]|\\.)*")(\s*:)?|[\[\]{}]|-?[0-9][0-9.eE+-]*"#).unwrap().replace_all(line, |c: &Captures| {
        match (&c[0][..1], from_str::<String>(c.get(1).map_or("", |text| text.as_str()))) {
            ("\"", Err(_)) => want(false, "no half of a surrogate pair"),
            ("\"", Ok(text)) => if c.get(2).is_some() { want(open.last_mut().unwrap().insert(text.clone()), "each key once"); key = text }
            ("{" | "[", _) => { open.push(HashSet::new()); want(open.len() <= 64, "at most 64 levels") }
            ("}" | "]", _) => { open.pop(); }
            _ => if !is(if key == "cost_usd" { r"\d+(\.\d{1,6})?" } else { r"0|-?[1-9]\d*" }, &c[0]) || c[0].split('.').next().unwrap().parse().map_or(true, |n: i128| n.abs() + is(r".*\.0*[1-9]\d*", &c[0]) as i128 > 1 << 53) { return "[[]]".to_string() }
        }
        c[0].to_string() // but for a number as the contract does not write it: then what no member is
    });
    let (raw, event) = (from_str::<Value>(&exact).unwrap_or_default(), from_str::<Event>(&exact));
    want(event.is_ok() && is(r"\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z", raw["ts"].as_str().unwrap()), "an event");
    let known = to_value(event.as_ref().unwrap()).unwrap();
    want(fits("", &known) && !NEVER_NULL.split(' ').any(|k| raw["data"].get(k) == Some(&Value::Null) && known["data"].get(k).is_none()), "every member within its bounds");
    (event.unwrap(), known)
}
fn main() {
    let (strict, mut calls, mut found, mut last, mut line) = (std::env::var("OPENAGENT_STRICT").as_deref() == Ok("1"), HashMap::<String, &str>::new(), 0, Value::Null, vec![]);
    while stdin().lock().take((1 << 20) + 2).read_until(b'\n', &mut line).unwrap() > 0 {
        want(line.strip_suffix(b"\n").unwrap_or(&line).len() <= 1 << 20 && (!strict || line.ends_with(b"\n") && line.len() < 1 << 16), "a line of its own, not too long");
        let (event, e) = parse(std::str::from_utf8(line.strip_suffix(b"\n").unwrap_or(&line)).unwrap_or(""));
        want(e["sequence"].as_i64() == Some(last["sequence"].as_i64().unwrap_or(0) + 1) && (e["type"] == "run_finished" || last.is_null() == (e["type"] == "run_started")), "every line, run_started first");
        want(e["run_id"] != "" || e["type"] == "run_finished" && last.is_null() && e["data"]["ok"] == false && e["data"]["error"].as_str().unwrap_or("") != "", "a run_id, or why the run did not begin");
        want(last.is_null() || last["type"] != "run_finished" && e["run_id"] == last["run_id"] && (!strict || e["step"].as_i64() >= last["step"].as_i64()), "one run in order");
        let (id, text) = (e["data"]["tool_call_id"].as_str(), e["data"]["content_preview"].as_str().or(e["data"]["final_output"].as_str()));
        let (now, more) = (id.and_then(|id| calls.get(id)).copied().unwrap_or(""), e["data"]["original_bytes"].as_i64().map(|n| n - text.unwrap_or("").len() as i64));
        let (next, fine) = match &event {
            Event::ToolCallDetected { .. } => { found += 1; ("detected", now != "running") }
            Event::ToolDecision { data, .. } if matches!(data.decision.as_deref().map_or("", |d| d), "allow" | "deny") => (if data.decision.as_deref().unwrap() == "allow" { "allow" } else { "deny" }, now != "running"),
            Event::ToolExecStarted { .. } => ("running", now == "allow"),
            Event::ToolExecFinished { .. } => ("allow", now == "running"),
            Event::RunFinished { data, .. } => (now, e["data"]["tool_calls"].as_i64().unwrap_or(found) == found && if data.ok { data.error.as_deref().map_or(true, |e| e.is_empty()) && !is(FAILING, &data.exit_reason) } else { *data.exit_reason != "ok" }),
            _ => (now, true),
        };
        want(fine || if id.is_some() { now != "deny" && !strict } else { e["type"] != "run_finished" }, "a call allowed, then started, then finished; an outcome without contradiction");
        want(match e["data"]["truncated"].as_bool() { Some(true) => text.is_some() && more.map_or(!strict, |n| n > 0), cut => cut.is_none() || more.unwrap_or(0) == 0 }, "the size of the whole text");
        id.map(|id| calls.insert(id.into(), next));
        (last, line) = (e, vec![]);
    }
    want(last["type"] == "run_finished" && !(strict && calls.values().any(|now| *now == "running")), "a run that is finished");
}
