// Shows the data of the page. Whatever comes from there is set as text: this script
// writes no markup, and the page's policy lets no other script run.
(() => {
  "use strict";

  const $ = (id) => document.getElementById(id);
  const ROW = 26; // pixels of a row of the stream, as in the style
  const SVG = "http://www.w3.org/2000/svg";

  // What nobody sees, or what turns text around, is shown by its number.
  const hidden = /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
  // So are rows of spaces that hang over the end of a line instead of beginning the next.
  const hanging = /[\u1680\u2000-\u200a\u205f\u3000]{3,}/g;
  const escaped = (c) => "\\u{" + c.codePointAt(0).toString(16) + "}";
  // What stands on top of one letter is cut: it would reach over other lines.
  const shown = (text) => String(text).replace(/\r\n/g, "\n").replace(/(\p{M}{4})\p{M}+/gu, "$1\u2026")
    .replace(hidden, escaped).replace(hanging, (spaces) => spaces.replace(/(.)\1*/g, (same) => escaped(same) + "×" + same.length));

  // h makes an element. A child that is no element becomes text.
  function h(name, props, ...children) {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(props ?? {})) {
      if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
      else if (value === true) e.setAttribute(key, "");
      else if (value !== null && value !== undefined && value !== false) e.setAttribute(key, shown(value));
    }
    e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false)
      .map((c) => (c instanceof Node ? c : shown(c))));
    return e;
  }

  function svg(name, props, ...children) {
    const e = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(props ?? {})) e.setAttribute(key, shown(value));
    e.append(...children.map((c) => (c instanceof Node ? c : shown(c))));
    return e;
  }

  const known = (v) => v !== null && v !== undefined && v !== "";
  const number = (n) => (typeof n === "number" ? n.toLocaleString("en") : "?");
  const plural = (n, one, many) => number(n) + " " + (n === 1 ? one : many ?? one + "s");
  const brief = (text, most) => (text.length > most ? text.slice(0, most).replace(/[\ud800-\udbff]$/, "") + "…" : text);
  const object = (v) => (v !== null && typeof v === "object" && !Array.isArray(v) ? v : {});
  const list = (v) => (Array.isArray(v) ? v : []);

  function time(ms) {
    if (typeof ms !== "number" || !Number.isFinite(ms)) return "?";
    if (ms < 1000) return Math.round(ms) + " ms";
    if (ms < 60000) return (ms / 1000).toFixed(ms < 10000 ? 2 : 1) + " s";
    return Math.floor(ms / 60000) + " min " + Math.round((ms % 60000) / 1000) + " s";
  }

  function bytes(n) {
    if (typeof n !== "number") return "?";
    if (n < 1024) return plural(n, "byte");
    return n < 1 << 20 ? (n / 1024).toFixed(1) + " KiB" : (n / (1 << 20)).toFixed(1) + " MiB";
  }

  const kinds = { __proto__: null, success: "ok", pass: "ok", allow: "ok", flaky: "warn", cancelled: "warn", skip: "warn", missing: "warn", timeout: "bad" };
  const badge = (word, kind) => h("span", { class: "badge " + (kind ?? kinds[word] ?? "bad") }, word);
  const words = (verdict) => brief(shown(verdict || "unknown").replaceAll("_", " "), 40);

  // lacking reports that the evidence of a run could not be kept whole.
  const lacking = (run) => known(run.manifest.verdict) && run.manifest.evidence_complete === false;

  // told says what a run came to, as far as its evidence is to be believed.
  const told = (run) => words(run.manifest.verdict) + (lacking(run) ? ", not complete" : run.doubted ? ", not proven" : "");
  const verdictBadge = (run) => badge(told(run), run.doubted || lacking(run) ? "bad" : kinds[run.manifest.verdict]);
  const pre = (text, label) => h("pre", { tabindex: "0", role: "group", "aria-label": label }, text);
  const section = (id, title, ...children) => h("section", { id, "aria-labelledby": id + "-title" }, h("h2", { id: id + "-title" }, title), ...children);
  const facts = (rows) => h("dl", { class: "facts" }, rows.filter(([, v]) => known(v))
    .map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));

  function table(heads, rows, label) {
    return h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": label },
      h("table", null, h("thead", null, h("tr", null, heads.map((t) => (Array.isArray(t) ? h("th", { scope: "col" }, t) : h("th", { scope: "col", class: t.startsWith("#") ? "num" : null }, t.replace("#", "")))))),
        h("tbody", null, rows)));
  }

  const rests = new WeakMap(); // what shows the rest behind a button

  // more appends the items to a parent, some at once and the rest by a button.
  function more(parent, items, make, first) {
    let at = 0;
    const button = h("button", { type: "button", class: "more", onclick: () => {
      const last = parent.lastElementChild;
      add(first * 5);
      (last.nextElementSibling.querySelector("summary, a") ?? parent.closest("[tabindex]"))?.focus({ preventScroll: true });
    } });
    rests.set(button, () => add(Infinity));
    const add = (n) => {
      const end = Math.min(items.length, at + n);
      for (; at < end; at++) parent.append(make(items[at]));
      if (at < items.length) button.textContent = "Show " + number(Math.min(first * 5, items.length - at)) + " more of " + number(items.length);
      else button.remove();
    };
    add(first);
    return at < items.length ? button : null;
  }

  // --- What a stream tells ---

  function parse([line, text, length, flag]) {
    const event = { line, text, length, flag: flag === 1, type: "no event", step: null, at: NaN, data: {}, run: "", findings: [] };
    try {
      const value = object(JSON.parse(text));
      if (typeof value.type === "string") event.type = value.type;
      if (typeof value.step === "number") event.step = value.step;
      if (typeof value.run_id === "string") event.run = value.run_id;
      event.at = Date.parse(value.ts);
      event.data = object(value.data);
    } catch {
      // A line that is no JSON, or that was cut: it is shown as it is.
    }
    return event;
  }

  // fold makes steps with their calls of the events.
  function fold(events) {
    const steps = new Map();
    const calls = new Map();
    const stepOf = (e) => {
      const key = e.run + "\0" + e.step;
      if (!steps.has(key)) steps.set(key, { step: e.step, line: e.line, start: e.at, end: e.at, answered: NaN, calls: [], notes: [], retries: [], findings: 0 });
      return steps.get(key);
    };
    const callOf = (e, step) => {
      const key = e.run + "\0" + e.data.tool_call_id;
      if (!calls.has(key) || e.type === "tool_call_detected") {
        const call = { id: e.data.tool_call_id, tool: e.data.tool, line: e.line, data: {}, decision: null, start: NaN, end: NaN, result: null, retries: [], findings: 0 };
        calls.set(key, call);
        step.calls.push(call);
      }
      return calls.get(key);
    };
    for (const e of events) {
      if (typeof e.step !== "number" || (e.step === 0 && !e.type.startsWith("tool_"))) continue;
      const step = stepOf(e);
      if (!(step.start <= e.at)) step.start = e.at;
      if (!(step.end >= e.at)) step.end = e.at;
      step.findings += flags(e);
      if (e.type !== "step_started" && e.type !== "provider_retry" && Number.isNaN(step.answered)) step.answered = e.at;
      if (e.type.startsWith("tool_")) tellCall(callOf(e, step), e);
      else if (e.type === "provider_retry") step.retries.push(e);
      else if (e.type === "step_blocked" || e.type === "provider_error") step.notes.push(e);
    }
    return [...steps.values()];
  }

  function tellCall(call, e) {
    call.findings += flags(e);
    switch (e.type) {
    case "tool_call_detected": call.data = e.data; break;
    case "tool_decision": call.decision = e.data; break;
    case "tool_exec_started": call.start = e.at; break;
    case "tool_exec_finished": call.result = e.data; call.end = e.at; break;
    case "tool_retry": call.retries.push(e); break;
    }
  }

  // ofStream reports whether a finding is about the stream, and not what that was made of.
  const ofStream = (f) => f.file !== "source.jsonl";
  const flags = (e) => Math.max(e.findings.length, e.flag ? 1 : 0);

  // bare reports that nothing but its stream tells what a run was.
  const bare = (run) => !known(run.manifest.verdict);

  // read prepares a run for being shown.
  function read(run) {
    if (run.events) return run;
    run.events = list(run.lines).map(parse);
    const byLine = new Map(run.events.map((e) => [e.line, e]));
    for (const f of run.findings) if (ofStream(f)) byLine.get(f.line)?.findings.push(f);
    run.steps = fold(run.events);
    run.first = Math.min(...run.events.map((e) => e.at).filter(Number.isFinite).slice(0, 1));
    if (bare(run)) run.manifest = {};
    run.ids = new Set(run.files.map((f) => f.path));
    return run;
  }

  // doubts say why a run may not have been what its evidence says.
  function doubts(run) {
    const m = run.manifest;
    const notes = [...list(run.notes)];
    if (bare(run)) return notes;
    if (m.evidence_complete === false && !run.doubted) notes.push("The evidence is not complete: " + (list(m.lost).join("; ") || "something could not be saved") + ".");
    const counted = object(m.counts).events;
    if (typeof counted === "number" && counted !== run.total_lines) notes.push("The manifest counts " + plural(counted, "event") + ", and the stream here has " + plural(run.total_lines, "line") + ".");
    return notes;
  }

  // missing says that too, and what of a run the page does not hold.
  function missing(run) {
    const notes = doubts(run);
    const left = run.total_lines - run.lines.length;
    if (left > 0) {
      notes.push("The stream has " + plural(run.total_lines, "line") + "; this page holds " + number(run.lines.length) + " of them (" + ranges(run.lines) +
        "). Steps, calls and the time line are of these alone; " + run.base + "events.jsonl has them all.");
    }
    if (run.flagged < run.total_flagged) notes.push("Of " + plural(run.total_flagged, "line") + " with findings " + number(run.total_flagged - run.flagged) + " are not on this page.");
    if (run.total_findings > run.findings.length) notes.push("There are " + number(run.total_findings) + " findings; this page lists " + number(run.findings.length) + " of them.");
    return notes;
  }

  function ranges(lines) {
    const parts = [];
    for (const [n] of lines) {
      const last = parts.at(-1);
      if (last && last[1] === n - 1) last[1] = n;
      else parts.push([n, n]);
    }
    const some = parts.length > 6 ? [...parts.slice(0, 3), null, ...parts.slice(-2)] : parts;
    return some.map((p) => (p === null ? "…" : p[0] === p[1] ? number(p[0]) : number(p[0]) + "–" + number(p[1]))).join(", ");
  }

  // --- One run ---

  // unsaid returns the error that the agent reports, unless the reason has all of it.
  function unsaid(run) {
    const error = run.events.findLast((e) => e.type === "run_finished")?.data.error;
    const line = (text) => String(text ?? "").trim().replace(/\s+/g, " ");
    return line(run.manifest.reason).includes(line(error)) ? "" : line(error);
  }

  function summary(run) {
    const m = run.manifest;
    const v = object(m.versions);
    const agent = object(v.agent);
    const job = object(m.job);
    return h("section", { id: "summary", "aria-labelledby": "summary-title" },
      h("h1", { id: "summary-title", tabindex: "-1" }, verdictBadge(run), " ", run.name),
      known(m.reason) && h("p", null, m.reason),
      unsaid(run) && h("p", null, "The agent's error: ", unsaid(run)),
      known(run.way_out.text) && h("p", null, "Way out: ", run.way_out.text),
      missing(run).map((n) => h("p", { class: "note", role: "note" }, n)),
      facts([
        ["Agent", [agent.name, agent.version].filter(known).join(" ")], ["Model", [m.model, known(m.provider) && "by " + m.provider].filter(known).filter(Boolean).join(" ")],
        ["Exit reason", m.exit_reason], ["Exit status", known(m.signal) ? "ended by " + m.signal : m.exit_status],
        ["Steps", object(m.counts).steps], ["Tool calls", object(m.counts).tool_calls], ["Findings", run.unchecked ? "not known" : run.total_findings],
        ["Time", known(took(run)) ? time(took(run)) : "not known"], ["Started", m.started], ["Run", m.run_id],
        ["Command", run.command.join(" ") + (run.total_command > run.command.length ? " …" : "")],
        ["Converted from", object(m.source).format], ["Commit", known(object(m.git).commit) && m.git.commit + (m.git.dirty ? ", with changes" : "")],
        ["Job", known(job.run_id) && [job.job, "run " + job.run_id, "attempt " + job.attempt, job.matrix].filter(known).join(", ")],
        ["Sandbox", known(m.sandbox) && confined(object(m.sandbox))],
      ].map(([k, val]) => [k, val === false ? "" : val])),
      known(run.prompt.text) && [h("h3", null, "Prompt"), pre(run.prompt.text + (run.prompt.bytes > run.prompt.text.length * 4 ? " …" : ""), "Prompt")]);
  }

  // took is how long the run took, in ms: of a saved stream without a last word nobody knows.
  const took = (run) => (run.command.length || known(run.manifest.exit_reason) ? run.manifest.duration_ms : null);

  // confined says what the commands of a run were confined to, as the summary does.
  function confined(s) {
    if (s.level === "off") return "off";
    const lost = list(s.missing).length;
    return s.level + ": " + [known(s.landlock_abi) && "landlock " + s.landlock_abi, s.seccomp === true && "seccomp", "network " + s.network, known(s.user) && "user " + s.user, lost > 0 && lost + " missing"].filter(Boolean).join(", ");
  }

  function usage(run) {
    const u = object(run.manifest.usage);
    const cost = run.manifest.cost_usd ?? u.cost_usd;
    const rows = run.steps.map((s) => h("tr", null, h("th", { scope: "row" }, "step " + s.step), h("td", { class: "num" }, time(s.end - s.start)), h("td", { class: "num" }, time(s.answered - s.start)),
      h("td", { class: "num" }, number(s.calls.length)), h("td", { class: "num" }, bytes(s.calls.reduce((n, c) => n + (Number(object(c.result).output_bytes ?? object(c.result).original_bytes) || String(object(c.result).content_preview ?? "").length), 0))), h("td", { class: "num" }, number(s.retries.length))));
    const all = table(["Step", "#Time", "#Wait for the model", "#Calls", "#Output", "#Retries"], [], "Steps in figures");
    const button = more(all.querySelector("tbody"), rows, (row) => row, 100);
    return section("usage", "Usage and cost",
      facts([["Tokens in", u.input_tokens], ["of these cached", u.cached_input_tokens], ["Tokens out", u.output_tokens], ["of these reasoning", u.reasoning_tokens], ["Cost", typeof cost === "number" ? "$" + cost : ""]]
        .map(([k, v]) => [k, typeof v === "number" ? number(v) : v])),
      !known(run.manifest.usage) && h("p", { class: "muted" }, "The agent reported no usage."),
      h("p", { class: "muted" }, "Agents report tokens and cost for the run as a whole; by step the stream tells time and output."), rows.length > 0 && [all, button]);
  }

  // compared shows what changed since the run that this one was compared with.
  function compared(run) {
    const d = run.changes;
    if (!d) return null;
    const call = (c) => (c === null ? "" : number(c.number) + ". " + c.tool);
    const was = (c) => list(c.arguments).map((a) => [a.name, a.base, a.head])
      .concat(c.base && c.head ? ["decision", "result", "attempts"].filter((k) => c.base[k] !== c.head[k]).map((k) => [k, c.base[k], c.head[k]]) : []);
    const rows = list(d.calls).map((c) => h("tr", null, h("td", null, list(c.what).map((w) => h("div", { class: "word" }, w))), h("td", { class: "named" }, call(c.base)), h("td", { class: "named" }, call(c.head)),
      h("td", null, was(c).map(([name, from, to]) => h("p", null, name + ": ", h("del", { class: "bad" }, from), " ", h("ins", { class: "ok" }, to))),
        !c.base !== !c.head && h("span", { class: "mono" }, (c.base ?? c.head).arguments))));
    const figures = list(d.figures).filter((f) => f.base !== f.head).map((f) => h("tr", null, h("th", { scope: "row" }, words(f.name)),
      [f.base, f.head].map((n) => h("td", { class: "num" }, n === null ? "" : f.name === "duration_ms" ? time(n) : number(n))), h("td", { class: "num" }, f.percent === null ? "" : (f.percent > 0 ? "+" : "") + number(f.percent) + " %")));
    const lines = [["removed", "-"], ["not_deleted", "-deleted: "], ["added", "+"], ["deleted", "+deleted: "]].flatMap(([name, mark]) => list(d.files[name]).map((f) => mark + f));
    return section("changes", "Compared with " + d.base.name,
      list(d.failed).map((f) => h("p", { class: "note bad" }, "fails: " + f.name + ": " + f.why)),
      [d.base, d.head].map((s) => list(s.notes).map((n) => h("p", { class: "note" }, s.name + ": " + n))),
      h("p", null, list(d.changed).length > 0 ? "Changed: " + d.changed.join(", ") + "." : "No change."),
      d.base.verdict !== d.head.verdict && h("p", null, badge(words(d.base.verdict), kinds[d.base.verdict]), " → ", badge(words(d.head.verdict), kinds[d.head.verdict])),
      ["reason", "ended", "agent", "model", "schema"].filter((k) => d.base[k] !== d.head[k]).map((k) => h("p", null, k + ": ", h("del", { class: "bad" }, d.base[k]), " ", h("ins", { class: "ok" }, d.head[k]))),
      rows.length > 0 && table(["What", "Base", "Head", "Details"], rows, "Calls that changed"), d.more_calls > 0 && h("p", { class: "muted" }, "and " + plural(d.more_calls, "more call") + "."),
      figures.length > 0 && table(["Figure", "#Base", "#Head", "#Change"], figures, "Figures that changed"),
      lines.length > 0 && [h("h3", null, "Files"), pre(lines.join("\n"), "Files that changed")], list(d.final.lines).length > 0 && [h("h3", null, "Final text"), pre(d.final.lines.join("\n"), "Final text that changed")]);
  }

  function findings(run) {
    if (run.unchecked) return section("findings", "Findings", h("p", { class: "warn" }, "Not known: openagent check " + run.base + "events.jsonl finds them."));
    if (run.total_findings === 0) return section("findings", "Findings", h("p", null, "None."));
    const all = table(["Severity", "#Line", "Rule", "Finding"], [], "Findings");
    const button = more(all.querySelector("tbody"), run.findings, (f) => h("tr", null, h("td", null, badge(f.severity, f.severity === "error" ? "bad" : "warn")), h("td", { class: "num" }, f.line <= 0 ? "stream" : ofStream(f) ? lineLink(f.line) : f.file + ":" + number(f.line)),
      h("td", { class: "mono" }, f.rule), h("td", null, f.message + (known(f.shown) ? "; the line begins " + JSON.stringify(f.shown) : ""))), 200);
    return section("findings", "Findings (" + number(run.total_findings) + ")", all, button);
  }

  const lineLink = (n) => h("a", { href: "#L" + n, onclick: (e) => { e.preventDefault(); state.stream?.go(n); } }, number(n));

  // artifact links to a file of the evidence, if the manifest lists it.
  function artifact(run, path) {
    const whole = "artifacts/" + (known(run.manifest.run_id) ? run.manifest.run_id + "/" : "") + path;
    return run.ids.has(whole) ? fileLink(run, whole, path) : h("span", { class: "mono" }, path);
  }

  const fileLink = (run, path, text) => h("a", { class: "mono", href: link(run.base + path), rel: "noreferrer" }, text ?? path);
  // A path begins in the folder of the page, whatever it looks like.
  const link = (path) => (/^\.{0,2}\//.test(path) ? "" : "./") + path.split("/").map(encodeURIComponent).join("/");

  function callView(run, c) {
    const r = object(c.result);
    const d = object(c.decision);
    const failed = r.ok === false || d.decision === "deny";
    const ran = c.result === null ? "" : (r.ok === false ? "failed" : r.ok === true ? "ok" : "ended");
    return h("div", { class: "call" + (failed ? " bad" : "") },
      h("h3", null, c.tool ?? "unknown tool", " ", known(d.decision) && badge(d.decision, d.decision === "allow" ? "ok" : "bad"), " ", ran && badge(ran, r.ok === false ? "bad" : "ok"), " ",
        c.findings > 0 && badge(plural(c.findings, "finding"), "bad")),
      h("p", { class: "muted" }, [known(c.id) && "call " + c.id, known(d.source) && "decided by " + d.source, known(d.reason) && d.reason, c.end >= c.start && time(r.duration_ms ?? c.end - c.start), known(r.exit_status) && "exit status " + r.exit_status, known(r.error_kind) && r.error_kind,
        c.data.repaired === true && "call repaired"].filter(Boolean).join(" · "), " · line ", lineLink(c.line)),
      known(c.data.arguments_preview) && pre(pretty(c.data.arguments_preview), "Arguments"),
      known(r.summary_text) && h("p", null, r.summary_text),
      known(r.content_preview) && pre(r.content_preview, "Result"),
      (r.truncated === true || r.output_truncated === true) && h("p", { class: "muted" }, "This is the beginning of " + bytes(r.output_bytes ?? r.original_bytes) + "."),
      list(r.artifacts).length > 0 && h("p", null, "Complete output: ", list(r.artifacts).map((a) => [artifact(run, String(object(a).path)), " "])),
      c.result === null && !failed && h("p", { class: "warn" }, "The stream does not tell how this call ended."),
      c.retries.map((e) => h("p", { class: "warn" }, "attempt " + (e.data.attempt ?? "?") + " failed: " + [e.data.failure_class, e.data.reason, e.data.action].filter(known).join(", "))));
  }

  function pretty(text) {
    try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
  }

  const fills = new WeakMap(); // what fills the box of a step, once it is opened

  function stepView(run, s) {
    const inside = h("div", { class: "inside" });
    const failed = s.calls.filter((c) => object(c.result).ok === false).length;
    const denied = s.calls.filter((c) => object(c.decision).decision === "deny").length;
    const fill = () => {
      if (inside.firstChild) return;
      inside.append(...s.notes.map((e) => h("p", { class: "note bad" }, e.type + ": " + [e.data.reason, e.data.kind, e.data.status, e.data.message_short].filter(known).join(", "))),
        ...s.retries.map((e) => h("p", { class: "warn" }, "the provider was asked again: " + [e.data.kind, e.data.status, known(e.data.backoff_ms) && "after " + time(e.data.backoff_ms)].filter(Boolean).join(", "))),
        ...s.calls.map((c) => callView(run, c)));
      if (!inside.firstChild) inside.append(h("p", { class: "muted" }, "No tool calls."));
    };
    const box = h("details", { ontoggle: () => box.open && fill() }, h("summary", null, h("strong", null, "Step " + s.step), " ", h("span", { class: "muted" }, [plural(s.calls.length, "call"), Number.isFinite(s.end - s.start) && time(s.end - s.start)].filter(Boolean).join(", ") + " "),
      h("span", { class: "mono" }, [...new Set(s.calls.map((c) => c.tool ?? "?"))].join(" ")), " ",
      failed > 0 && badge(number(failed) + " failed", "bad"), " ", denied > 0 && badge(number(denied) + " denied", "bad"), " ", s.notes.length > 0 && badge(s.notes[0].type, "bad"), " ",
      s.retries.length > 0 && badge(plural(s.retries.length, "retry", "retries"), "warn"), " ", s.findings > 0 && badge(plural(s.findings, "finding"), "bad")), inside);
    fills.set(box, fill);
    return box;
  }

  function stepsView(run) {
    const body = h("div");
    const button = more(body, run.steps, (s) => stepView(run, s), 100);
    const open = (on) => () => body.querySelectorAll("details").forEach((d) => { d.open = on; });
    return section("steps", "Steps (" + number(run.steps.length) + ")",
      run.steps.length === 0 ? h("p", null, "None.") : h("div", { class: "bar" }, h("button", { type: "button", onclick: open(true) }, "Open all"), h("button", { type: "button", onclick: open(false) }, "Close all")), body, button);
  }

  // --- The time line ---

  function spans(run) {
    const found = [];
    const add = (lane, cls, from, to, title) => { if (Number.isFinite(from)) found.push({ lane, cls, from, to: Number.isFinite(to) ? Math.max(to, from) : from, title }); };
    for (const s of run.steps) {
      add(0, "t-step", s.start, s.end, "step " + s.step);
      add(1, "t-wait", s.start, s.answered, "step " + s.step + ": wait for the model");
      for (const c of s.calls) add(2, object(c.result).ok === false ? "t-fail" : "t-tool", c.start, c.end, (c.tool ?? "tool") + " in step " + s.step);
      for (const e of s.retries) add(3, "t-retry", e.at, e.at + (Number(e.data.backoff_ms) || 0), "step " + s.step + ": request sent again");
      for (const c of s.calls) for (const e of c.retries) add(3, "t-retry", e.at, e.at, (c.tool ?? "tool") + ": attempt failed");
    }
    return found;
  }

  const lanes = ["steps", "model", "tools", "retries"];
  const colors = [["t-step", "step"], ["t-wait", "wait for the model"], ["t-tool", "tool"], ["t-fail", "tool failed"], ["t-retry", "retry"]];

  function timeline(run) {
    const all = spans(run);
    if (all.length === 0) return section("timeline", "Time line", h("p", null, "The stream holds no times of steps."));
    const begin = all.reduce((n, s) => Math.min(n, s.from), Infinity);
    const end = Math.max(all.reduce((n, s) => Math.max(n, s.to), -Infinity), begin + 1);
    const picture = svg("svg", { role: "img", tabindex: "0", "aria-label": "Time line of " + plural(run.steps.length, "step") + " in " + time(end - begin) + "; the steps below have the same as text. Plus, minus and arrow keys zoom and move." });
    const where = h("span", { class: "muted", role: "status" });
    let from = begin;
    let to = end;
    const draw = () => drawSpans(picture, where, all, begin, from, to);
    const zoom = (by, at = 0.5) => {
      const span = Math.min(end - begin, Math.max((to - from) * by, 1));
      from = Math.max(begin, Math.min(from + (to - from - span) * at, end - span));
      to = from + span;
      draw();
    };
    const move = (by) => {
      const span = to - from;
      from = Math.max(begin, Math.min(from + span * by, end - span));
      to = from + span;
      draw();
    };
    const keys = { "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), ArrowLeft: () => move(-0.25), ArrowRight: () => move(0.25), 0: () => zoom(Infinity) };
    picture.addEventListener("keydown", (e) => { if (keys[e.key] && !e.ctrlKey && !e.metaKey) { e.preventDefault(); keys[e.key](); } });
    picture.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.shiftKey) return; // the page scrolls
      e.preventDefault();
      const box = picture.getBoundingClientRect();
      zoom((e.deltaY || e.deltaX) > 0 ? 1.25 : 0.8, (e.clientX - box.left) / box.width);
    }, { passive: false });
    const button = (text, label, press) => h("button", { type: "button", "aria-label": label, onclick: press }, text);
    state.redraw = draw;
    return section("timeline", "Time line",
      h("div", { class: "bar" }, button("+", "Zoom in", keys["+"]), button("−", "Zoom out", keys["-"]), button("←", "Earlier", keys.ArrowLeft), button("→", "Later", keys.ArrowRight), button("Whole", "Whole run", keys[0]), where, h("span", { class: "muted" }, "Ctrl and the wheel zoom too.")),
      picture, h("p", { class: "legend" }, colors.map(([cls, name]) => h("span", null, svg("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, svg("rect", { class: cls, width: 12, height: 12 })), name))));
  }

  function drawSpans(picture, where, all, begin, from, to) {
    const width = Math.max(picture.clientWidth || 900, 280);
    const left = 62;
    const scale = (width - left - 8) / (to - from);
    picture.setAttribute("viewBox", "0 0 " + width + " 128");
    const parts = [];
    for (let i = 0; i <= 4; i++) {
      const x = left + (i * (width - left - 8)) / 4;
      parts.push(svg("line", { class: "grid", x1: x, x2: x, y1: 0, y2: 108 }), svg("text", { x, y: 122, "text-anchor": i === 0 ? "start" : i === 4 ? "end" : "middle" }, time(from - begin + (i * (to - from)) / 4)));
    }
    lanes.forEach((name, i) => parts.push(svg("text", { x: 6, y: 21 + i * 26 }, name)));
    const drawn = new Set(); // what no eye could tell apart is drawn once
    for (const s of all) {
      if (s.to < from || s.from > to) continue;
      const x = left + (Math.max(s.from, from) - from) * scale;
      const w = Math.max((Math.min(s.to, to) - Math.max(s.from, from)) * scale - (s.lane === 0 ? 1 : 0), 2);
      const place = s.cls + Math.round(x) + " " + Math.round(w);
      if (drawn.has(place)) continue;
      drawn.add(place);
      parts.push(svg("rect", { class: s.cls, x: x.toFixed(1), width: w.toFixed(1), y: 8 + s.lane * 26, height: 18, rx: 2 }, svg("title", {}, s.title + ", " + time(s.to - s.from) + ", after " + time(s.from - begin))));
    }
    picture.replaceChildren(...parts);
    where.textContent = time(from - begin) + " to " + time(to - begin);
  }

  // --- The stream ---

  function gist(e) {
    const d = e.data;
    const parts = { tool_call_detected: [d.tool, d.arguments_preview], tool_decision: [d.tool, d.decision, d.reason], tool_exec_started: [d.tool], tool_exec_finished: [d.tool, d.ok === false ? "failed" : d.ok === true ? "ok" : "", d.summary_text ?? d.content_preview],
      run_finished: [d.exit_reason, d.final_output], provider_retry: [d.kind, d.status, known(d.backoff_ms) && "again after " + time(d.backoff_ms)], provider_error: [d.kind, d.status, d.message_short], step_blocked: [d.reason], tool_retry: [d.tool, d.failure_class, d.reason],
      run_started: [object(d.agent).name, d.model], step_started: [d.step_id] }[e.type];
    return (parts?.filter((p) => known(p) && p !== false).map(String).join("  ") || e.text).slice(0, 400).replace(/\s+/g, " ");
  }

  function streamView(run) {
    const types = [...new Set(run.events.map((e) => e.type))].sort();
    const type = h("select", { id: "type" }, h("option", { value: "" }, "all types"), types.map((t) => h("option", { value: t }, t)));
    const text = h("input", { id: "text", type: "search", placeholder: "text of the line", "aria-label": "Lines that hold this text", autocomplete: "off", spellcheck: "false" });
    const only = h("input", { id: "only", type: "checkbox" });
    const count = h("span", { id: "count", class: "muted", role: "status" });
    const spacer = h("div", { class: "spacer", role: "rowgroup" });
    const head = h("div", { class: "row head", role: "row", "aria-rowindex": "1" }, ["Line", "Step", "Type", "What"].map((t, i) => h("span", { role: "columnheader", class: i < 2 ? "num" : null }, t)));
    const rows = h("div", { id: "rows", class: "rows", role: "grid", tabindex: "0", "aria-label": "Lines of the stream; arrow keys choose one", "aria-colcount": "4" }, h("div", { class: "heads", role: "rowgroup" }, head));
    const detail = h("div", { id: "line", "aria-live": "polite" });
    rows.append(spacer);
    let found = run.events;
    let chosen = -1;
    const row = (i) => {
      const e = found[i];
      const r = h("div", { class: "row" + (flags(e) > 0 ? " flag" : ""), role: "row", id: "row-" + e.line, "aria-rowindex": i + 2, "aria-selected": i === chosen ? "true" : "false", onclick: () => choose(i) },
        h("span", { role: "gridcell", class: "num" }, number(e.line)), h("span", { role: "gridcell", class: "num" }, e.step ?? ""), h("span", { role: "gridcell" }, e.type), h("span", { role: "gridcell" }, (flags(e) > 0 ? "⚠ " : "") + gist(e)));
      r.style.top = i * ROW + "px";
      return r;
    };
    let drawn = [0, 0];
    // draw makes the rows of the window and some beside it, unless they are there.
    const draw = (all, scrolled) => {
      const top = Math.floor(rows.scrollTop / ROW);
      const seen = Math.ceil((rows.clientHeight || 416) / ROW);
      if (scrolled && top >= drawn[0] && Math.min(found.length, top + seen) <= drawn[1]) return;
      const first = all ? 0 : Math.max(0, top - 20);
      const last = all ? found.length : Math.min(found.length, top + seen + 20);
      drawn = [first, last];
      spacer.style.height = all ? "" : found.length * ROW + "px";
      spacer.replaceChildren(...Array.from({ length: last - first }, (_, k) => row(first + k)));
      if (chosen >= first && chosen < last) rows.setAttribute("aria-activedescendant", "row-" + found[chosen].line);
      else rows.removeAttribute("aria-activedescendant");
    };
    const filter = () => {
      const want = text.value.toLowerCase();
      found = run.events.filter((e) => (!type.value || e.type === type.value) && (!only.checked || flags(e) > 0) && (!want || e.text.toLowerCase().includes(want)));
      chosen = -1;
      rows.scrollTop = 0;
      rows.setAttribute("aria-rowcount", String(found.length + 1));
      count.textContent = number(found.length) + " of " + number(run.events.length);
      detail.replaceChildren();
      draw();
    };
    const choose = (i) => {
      chosen = Math.max(0, Math.min(found.length - 1, i));
      const e = found[chosen];
      if (!e) return;
      if (chosen * ROW < rows.scrollTop) rows.scrollTop = chosen * ROW;
      if ((chosen + 2) * ROW > rows.scrollTop + rows.clientHeight) rows.scrollTop = (chosen + 2) * ROW - rows.clientHeight;
      draw();
      detail.replaceChildren(h("h3", null, "Line " + number(e.line)), ...e.findings.map((f) => h("p", { class: "note bad" }, f.rule + ": " + f.message)),
        e.findings.length < flags(e) ? h("p", { class: "note bad" }, "This line has a finding that this page does not list; openagent check " + run.base + "events.jsonl names it.") : "",
        pre(e.length ? e.text : pretty(e.text), "Line " + e.line), e.length ? h("p", { class: "muted" }, "This is the beginning of " + bytes(e.length) + ".") : "");
    };
    const page = () => Math.max(1, Math.floor(rows.clientHeight / ROW) - 2);
    const keys = { ArrowDown: () => chosen + 1, ArrowUp: () => chosen - 1, PageDown: () => chosen + page(), PageUp: () => chosen - page(), Home: () => 0, End: () => found.length - 1 };
    rows.addEventListener("keydown", (e) => { if (keys[e.key]) { e.preventDefault(); choose(keys[e.key]()); } });
    rows.addEventListener("scroll", () => draw(false, true), { passive: true });
    for (const input of [type, text, only]) input.addEventListener("input", filter);
    state.stream = { draw, go(n) {
      if (!found.some((e) => e.line === n)) { type.value = ""; text.value = ""; only.checked = false; filter(); }
      const at = found.findIndex((e) => e.line === n);
      if (at >= 0) choose(at);
      $("stream").scrollIntoView();
      rows.focus({ preventScroll: true });
      history.replaceState(null, "", "#L" + n);
    } };
    state.filter = filter;
    return section("stream", "Stream (" + plural(run.total_lines, "line") + ")",
      h("div", { class: "bar" }, h("label", { for: "type" }, "Type"), type, text, h("label", { for: "only" }, only, "with findings"), count), rows, detail);
  }

  function filesView(run) {
    const m = run.manifest;
    const rows = [];
    for (const f of run.files) rows.push(h("tr", null, h("td", null, fileLink(run, f.path)), h("td", { class: "num" }, bytes(f.bytes)), h("td", { class: "mono" }, f.sha256)));
    const contract = object(object(m.versions).contract);
    return section("files", "Evidence",
      facts([["Contract", [contract.version, known(contract.revision) && "revision " + contract.revision].filter(Boolean).join(" ")], ["Digest of the contract", contract.digest], ["Digest of the policy", m.policy_digest], ["Digest of the prompt", m.prompt_sha256], ["Made by", [object(object(m.versions).tool).name, object(object(m.versions).tool).version].filter(known).join(" ")]]),
      table(["File", "#Size", "SHA-256"], rows, "Files with their digests"),
      run.total_files > run.files.length && h("p", { class: "muted" }, "and " + plural(run.total_files - run.files.length, "more file") + ", listed in manifest.json."),
      run.base === "" && !run.ids.has("report.html") && h("p", { class: "muted" }, "The digest of this page is in manifest.json, which was written after it."),
      run.total_left_out > 0 && h("details", null, h("summary", null, plural(run.total_left_out, "file") + " left out"), h("div", { class: "inside" }, table(["File", "Why"], run.left_out.map((l) => h("tr", null, h("td", { class: "mono" }, l.path), h("td", null, l.why))), "Files left out"))));
  }

  function texts(run) {
    const rest = (t) => t.bytes > new TextEncoder().encode(t.text).length && h("p", { class: "muted" }, "This is the beginning of " + bytes(t.bytes) + ".");
    return [known(run.final.text) && section("final", "Final output", pre(run.final.text, "Final output"), rest(run.final)),
      known(run.stderr.text) && section("stderr", "End of standard error", pre(run.stderr.text, "End of standard error"))];
  }

  // --- Several runs ---

  const columns = [["Run", (r) => r.name], ["Verdict", told], ["Agent", (r) => brief(shown([object(object(r.manifest.versions).agent).name, r.manifest.model].filter(known).join(" ")), 80)],
    ["#Steps", (r) => object(r.manifest.counts).steps], ["#Calls", (r) => object(r.manifest.counts).tool_calls], ["#Tokens in", (r) => object(r.manifest.usage).input_tokens], ["#Tokens out", (r) => object(r.manifest.usage).output_tokens],
    ["#Cost $", (r) => r.manifest.cost_usd], ["#Time", took], ["#Findings", (r) => (r.unchecked ? null : r.total_findings)]];

  function overview(runs) {
    let by = -1;
    let down = false;
    const body = h("tbody");
    const order = runs.map((r, i) => [r, i]);
    const cell = (name, value, r, i) => {
      const v = bare(r) && name.startsWith("#") ? null : value;
      if (name === "Run") return h("th", { scope: "row" }, h("button", { type: "button", class: "plain", onclick: () => show(i, true) }, v));
      if (name === "Verdict") {
        const [why, ...others] = doubts(r);
        return h("td", null, verdictBadge(r), why && h("p", { class: "warn" }, brief(why, 160) + (others.length > 0 ? " (and " + plural(others.length, "more note") + ")" : "")));
      }
      return h("td", { class: name.startsWith("#") ? "num" : "named" }, name === "#Time" ? (known(v) ? time(v) : "") : typeof v === "number" ? number(v) : v ?? "");
    };
    const draw = () => body.replaceChildren(...order.map(([r, i]) => h("tr", { class: i === state.at ? "chosen" : null, "aria-current": i === state.at ? "true" : null }, columns.map(([name, get]) => cell(name, get(r), r, i)))));
    const rank = (v) => (v === null || v === undefined || v === "" ? -Infinity : v);
    const sort = (k) => {
      down = by === k ? !down : columns[k][0].startsWith("#");
      by = k;
      const get = columns[k][1];
      order.sort(([a, i], [b, j]) => {
        const [x, y] = [a, b].map((r) => rank(bare(r) && heads[k].className === "num" ? null : get(r)));
        const less = typeof x === "string" && typeof y === "string" ? x.localeCompare(y, "en", { numeric: true }) : x === y ? 0 : x < y ? -1 : 1;
        return (down ? -less : less) || i - j;
      });
      heads.forEach((th, n) => (n === k ? th.setAttribute("aria-sort", down ? "descending" : "ascending") : th.removeAttribute("aria-sort")));
      draw();
    };
    const heads = columns.map(([name], k) => h("th", { scope: "col", class: name.startsWith("#") ? "num" : null }, h("button", { type: "button", onclick: () => sort(k) }, name.replace("#", ""))));
    state.overview = draw;
    const count = new Map();
    for (const r of runs) count.set(told(r), [r, (count.get(told(r))?.[1] ?? 0) + 1]);
    return section("overview", plural(runs.length, "run"), h("p", null, [...count.values()].map(([r, n]) => [verdictBadge(r), " " + number(n) + "  "])),
      h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Runs" }, h("table", { id: "runs" }, h("thead", null, h("tr", null, heads)), body)));
  }

  function matrix(results, runs) {
    const scenarios = list(results.scenarios).map(object);
    const base = (s) => (known(s.agent) ? String(s.id).slice(0, -String(s.agent).length - 1) : String(s.id));
    const held = scenarios.length;
    const ran = new Set(scenarios.map((s) => s.id));
    const absent = list(results.planned).map(String).filter((id) => held === results.total_scenarios && !ran.has(id));
    // What did not run is known by its id alone, which ends in #AGENT where there are agents.
    const ranBy = [...new Set(scenarios.map((s) => s.agent).filter(known))];
    const agentOf = (id) => ranBy.find((a) => id.endsWith("#" + a)) ?? (held === 0 || ranBy.length > 0 ? /#([^#]*)$/.exec(id)?.[1] : null);
    for (const id of known(results.shard) ? [] : absent) scenarios.push({ id, status: "missing", agent: agentOf(id) });
    const agents = [...new Set(scenarios.map((s) => s.agent ?? ""))];
    const grid = new Map();
    for (const s of scenarios) (grid.get(base(s)) ?? grid.set(base(s), new Map()).get(base(s))).set(s.agent ?? "", s);
    const cell = (s) => {
      if (!s) return h("td");
      const at = known(s.evidence) ? runs.findIndex((r) => r.name === s.evidence || r.base.replace(/\/$/, "") === s.evidence) : -1;
      const tries = list(s.attempts);
      return h("td", null, badge(s.status), " ", tries.length > 0 && time(tries.reduce((n, a) => n + (Number(object(a).ms) || 0), 0)), tries.length > 1 && " in " + plural(tries.length, "attempt"), " ", at >= 0 && h("button", { type: "button", class: "plain", onclick: () => show(at, true) }, "run"));
    };
    const rows = [...grid].map(([id, cells]) => h("tr", null, h("th", { scope: "row" }, id), agents.map((a) => cell(cells.get(a)))));
    return section("scenarios", "Scenarios (" + number(results.total_scenarios) + ")",
      known(results.commit) && h("p", { class: "muted" }, "commit " + results.commit), known(results.shard) && h("p", { class: "note" }, "These are the results of shard " + results.shard + " alone."),
      absent.length > 0 && h("p", { class: "note" }, plural(absent.length, "planned scenario") + " did not run: " + absent.slice(0, 20).join(", ") + (absent.length > 20 ? ", …" : "")),
      (results.total_scenarios > held || results.total_planned > list(results.planned).length) && h("p", { class: "note" }, "This page holds " + number(held) + " of " + plural(results.total_scenarios, "scenario") + "."),
      h("div", { class: "matrix" }, table(["Scenario", ...agents.map((a) => [a || "Result"])], rows, "Scenarios by agent")));
  }

  // --- The page ---

  const state = { at: 0, stream: null, redraw: null, overview: null, filter: null };
  let data;

  function show(at, scroll) {
    state.at = at;
    const run = read(data.runs[at]);
    const parts = [summary(run), compared(run), timeline(run), stepsView(run), findings(run), usage(run), ...texts(run), streamView(run), filesView(run)].flat().filter(Boolean);
    $("run").replaceChildren(...parts);
    state.filter();
    state.redraw?.();
    state.overview?.();
    sections();
    if (scroll) {
      $("run").scrollIntoView();
      $("summary-title").focus({ preventScroll: true }); // what was pressed may be gone
    }
  }

  // sections lists what the page has at its top.
  function sections() {
    const names = { summary: "Run", changes: "Changes", timeline: "Time line", steps: "Steps", findings: "Findings", usage: "Usage", final: "Output", stream: "Stream", files: "Evidence", overview: "Overview", scenarios: "Scenarios" };
    $("nav").replaceChildren(...[...document.querySelectorAll("main section[id]")].filter((s) => names[s.id]).map((s) => h("a", { href: "#" + s.id }, names[s.id])));
  }

  function theme() {
    const root = document.documentElement;
    const dark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    const button = $("theme");
    button.setAttribute("aria-pressed", String(dark()));
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      button.setAttribute("aria-pressed", String(dark()));
    });
  }

  function start() {
    data = JSON.parse($("data").textContent);
    theme();
    const runs = list(data.runs);
    $("what").textContent = "report by " + shown([object(data.made).name, object(data.made).version].filter(known).join(" "));
    const several = runs.length > 1 || data.results;
    document.title = shown((runs.length === 1 ? told(runs[0]) + ": " + runs[0].name : plural(runs.length, "run")) + " - openagent report");
    $("main").replaceChildren(...[several && runs.length > 0 && overview(runs), data.results && matrix(data.results, runs), h("div", { id: "run" })].filter(Boolean));
    if (runs.length === 0) {
      $("main").prepend(h("h1", null, "Results of scenarios"));
      sections();
    }
    else show(Math.min(Math.max(Number(/^#run=(\d+)$/.exec(location.hash)?.[1] ?? 1) - 1, 0), runs.length - 1));
    const line = /^#L(\d+)$/.exec(location.hash);
    if (line) state.stream?.go(Number(line[1]));
    addEventListener("resize", () => { state.redraw?.(); state.stream?.draw(); });
    addEventListener("beforeprint", () => {
      document.querySelectorAll("button.more").forEach((b) => rests.get(b)());
      document.querySelectorAll("details").forEach((d) => { fills.get(d)?.(); d.open = true; });
      state.stream?.draw(true);
    });
    addEventListener("afterprint", () => state.stream?.draw());
  }

  start();
})();
