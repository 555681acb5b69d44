"""A reader that was written from docs/contract.md alone, and reads the tables there.

    reader.py CONTRACT < STREAM     exits with 0 exactly when the stream is valid
    reader.py CONTRACT VECTORS      says what it gets wrong of those in vectors.json
"""
import datetime, decimal, json, os, re, sys

with open(sys.argv[1], encoding="utf-8") as file:
    contract = file.read()
TABLES = {  # of the envelope and of each type: its members by path, each declared or not, and what it is
    name: {path: (when == "declared", what) for path, when, what in re.findall(r"^\| `(\S+)` \| (\w+) \| (.*?) \|", text, re.M)}
    for name, text in re.findall(r"^### `(\w+)`\n(.*?)^```json", contract, re.M | re.S)
}
SAFE = 2**53  # how far integers go, either way
ENVELOPE = TABLES.pop("envelope")
FAILING = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \| false \|", contract, re.M)))


class Number(str):
    """A number as it is written."""

    def whole(self):
        m = re.fullmatch(r"(-?\d{1,16})(\.0+)?", self)
        return int(m[1]) if m and abs(int(m[1])) <= SAFE else None


def once(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def refuse(constant):
    raise ValueError(constant)


def parse(raw):
    """Returns the object of a line; a line that breaks an error of the line stage raises ValueError."""
    text = raw.decode("utf-8")
    if len(raw) > 1 << 20 or re.search("[\0-\x1f]", text) or text[:1] + text[-1:] != "{}":
        raise ValueError("too long, a control byte, or something beside the object")
    depth = 0
    for c in re.findall(r'"(?:\\.|[^"\\])*"|[{}[\]]', text):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(c, 0)
        if depth > 64:
            raise ValueError("too deep")
    event = json.loads(text, object_pairs_hook=once, parse_int=Number, parse_float=Number, parse_constant=refuse)
    json.dumps(event, ensure_ascii=False).encode("utf-8")  # refuses lone surrogates
    return event


def timestamp(ts):
    """Returns the time without its fraction, and the fraction's digits."""
    m = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?Z", ts, re.A)
    return m and datetime.datetime.strptime(re.sub("^0000", "2000", m[1]), "%Y-%m-%dT%H:%M:%S") and m[0]


class Reader:
    def __init__(self, strict):
        self.strict, self.valid = strict, True
        self.seen = self.finished = False
        self.sequence = self.lost = self.step = 0
        self.run_id, self.calls, self.detected = "", {}, 0

    def want(self, holds, warning=False):
        self.valid = self.valid and (bool(holds) or warning and not self.strict)
        return holds

    def warn(self, holds):
        self.want(holds, warning=True)

    def read(self, stream):
        """Reports whether the stream is valid."""
        *lines, last = stream.split(b"\n")
        self.warn(not last)
        for raw in lines + [last] * bool(last):
            self.warn(len(raw) + (raw is not last) < 65536)
            try:
                self.event(parse(raw))
            except ValueError:
                self.want(False)
                self.lost += 1
        self.want(self.finished)
        self.warn(not any(running for _, running in self.calls.values()))
        return self.valid

    def event(self, event):
        """Checks one event, and where that can be read, its place in the stream."""
        self.want(event.keys() == ENVELOPE.keys())
        self.want(event.get("schema_version") == ENVELOPE["schema_version"][1].strip("`"))
        typ, data, step, run_id = (event.get(name) for name in ("type", "data", "step", "run_id"))
        sequence, step = (v.whole() if isinstance(v, Number) else None for v in (event.get("sequence"), event.get("step")))
        for name in ("sequence", "ts", "run_id", "step", "data"):
            self.value({}, name, ENVELOPE[name][1], event.get(name))
        try:
            timestamp(event.get("ts", "")) or refuse("ts")
        except (ValueError, TypeError):
            self.want(False)
        if self.want(type(typ) is str and typ in TABLES) and type(data) is dict:
            self.members(TABLES[typ], "", data)
        if sequence is None or step is None or type(typ) is not str or type(run_id) is not str:
            raise ValueError("a lost line")
        data = data if type(data) is dict else {}
        self.order(typ, sequence, step, run_id, data)
        self.call(typ, data)
        for kind, name in ("tool_exec_finished", "content_preview"), ("run_finished", "final_output"):
            if typ == kind:
                self.truncation(data, name)

    def members(self, table, prefix, of):
        """Checks what the table has of the members of an object."""
        for path, (declared, what) in table.items():
            name = path.removeprefix(prefix)
            if path.startswith(prefix) and re.fullmatch(r"\w+", name):
                if name in of:
                    self.value(table, path, what, of[name])
                else:
                    self.want(not declared)

    def value(self, table, path, what, v):
        """Checks a value by what the table says that it is."""
        kind, *bounds = what.split(", ")
        kind, nullable = re.subn(" or null$", "", kind)
        kind, _, of = kind.partition(" of ")
        bound = re.match(r"(?:at least )?(\d+) ?(\w*)(?: of (\d+) bytes)?", " ".join(bounds))
        if v is None:
            return self.want(nullable)
        if kind in ("integer", "number"):
            return self.number(kind, int(bound[1]) if bound else -SAFE, v)
        if not self.want(type(v) is {"string": str, "boolean": bool, "list": list, "object": dict}[kind]):
            return
        if kind == "string" and bound:
            self.want((len(v) if bound[2] == "characters" else len(v.encode())) <= int(bound[1]))
            self.want(not path == "message_short" or not re.search("[\r\n]", v))
        elif of:
            self.want(len(v) <= int(bound[1]))
            item = of + (f", {bound[3]} bytes" if bound[3] and kind == "list" else "")
            texts = list(v) if kind == "object" else []
            self.want(all(len(name.encode()) <= int(bound[3]) for name in texts))
            for part in v if kind == "list" else v.values():
                self.value(table, path + "[]", item, part)
                named = [part] if type(part) is str else [part[k] for k in part if f"{path}[].{k}" in table] if type(part) is dict else []
                texts += [text for text in named if type(text) is str]
            self.want(sum(len(text.encode()) for text in texts) <= 2048)
        elif kind == "object":
            self.members(table, path + ".", v)

    def number(self, kind, least, v):
        digits = r"-?\d+" if kind == "integer" else r"-?\d+(\.\d{1,6})?"
        if self.want(isinstance(v, Number) and re.fullmatch(digits, v)):
            exact = decimal.Decimal(v)
            self.want(least <= exact <= SAFE and (exact < 0 or not v.startswith("-")))

    def truncation(self, data, name):
        text, truncated, size = data.get(name), data.get("truncated"), data.get("original_bytes")
        length = len(text.encode()) if type(text) is str else None
        size = size.whole() if isinstance(size, Number) else None
        if truncated is True:
            self.want(length is not None and (size is None or size > length))
            self.warn(size is not None)
        elif truncated is False:
            self.want(size is None or size == length)

    def order(self, typ, sequence, step, run_id, data):
        """Checks the place of an event among the lines."""
        finished = typ == "run_finished"
        self.want(self.sequence < sequence <= self.sequence + 1 + self.lost)
        self.want(not self.finished and (typ == "run_started") != self.seen or finished and not self.finished)
        if run_id == "":
            self.want(finished and not self.seen and data.get("ok") is not True and data.get("error"))
        self.want(run_id == "" or self.run_id in ("", run_id))
        self.warn(step >= self.step)
        if finished:
            ok, reason = data.get("ok"), data.get("exit_reason")
            self.want(reason != "" and not (ok is True and (data.get("error") or reason in FAILING)) and not (ok is False and reason == "ok"))
            count = data.get("tool_calls")
            count = count.whole() if isinstance(count, Number) else None
            self.want(count in (None, self.detected))
        self.detected += typ == "tool_call_detected"
        self.seen, self.finished = True, self.finished or finished
        self.sequence, self.lost, self.step, self.run_id = sequence, 0, step, self.run_id or run_id

    def call(self, typ, data):
        """Checks the place of an event in the life of a call."""
        name, decision = data.get("tool_call_id"), data.get("decision")
        if type(name) is not str:
            return
        decided, running = self.calls.get(name, (None, False))
        if typ == "tool_call_detected" or typ == "tool_decision" and decision in ("allow", "deny"):
            self.warn(not running)
            self.calls[name] = (decision if typ == "tool_decision" else None, False)
        elif typ == "tool_exec_started":
            self.warn(not running and decided == "allow")
            self.want(decided != "deny")
            self.calls[name] = (decided, True)
        elif typ == "tool_exec_finished":
            self.warn(running)
            self.want(decided != "deny")
            self.calls[name] = (decided, False)


def main():
    if len(sys.argv) < 3:
        return not Reader(os.environ.get("OPENAGENT_STRICT") == "1").read(sys.stdin.buffer.read())
    with open(sys.argv[2], encoding="utf-8") as index:
        vectors = json.load(index)
    wrong = 0
    for vector in vectors:
        with open(os.path.join(os.path.dirname(sys.argv[2]), vector["file"]), "rb") as stream:
            if Reader(vector["strict"]).read(stream.read()) != vector["valid"]:
                wrong += 1
                print(f"{vector['name']}: {vector['why']}: valid is {vector['valid']}, not so here")
    print(f"{len(vectors) - wrong} of {len(vectors)} vectors judged rightly")
    return wrong > 0


sys.exit(main())
