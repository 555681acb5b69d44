package golden_test

import "strings"

// Lines that are lost to a reader: each stands where line 3 of a run stood or
// between lines, so that the numbers of the rest show no second fault.
var lineVectors = []vector{
	{"line-too-long-by-one", "line 3 has 1,048,577 bytes without its LF, one above the default cap",
		padded(1<<20 + 1), wants(at(3, "line/too-long"))},
	{"line-too-long-not-json", "line 3 is 1,048,577 letters: the cap is tried before the syntax",
		replace(3, repeated(1<<20+1, "a")+"\n"), wants(at(3, "line/too-long"))},

	{"line-utf8-stray-byte", "a tool's name in line 3 holds the byte 0xff",
		edit(3, "read_file", "read\xfffile"), wants(at(3, "line/utf8"))},
	{"line-utf8-cut-rune", "a text in line 3 ends inside a code point",
		edit(3, "read_file", "read_\xe2\x82"), wants(at(3, "line/utf8"))},
	{"line-utf8-surrogate-bytes", "a surrogate in line 3 is encoded in three bytes, which UTF-8 forbids",
		edit(3, "read_file", "\xed\xa0\x80"), wants(at(3, "line/utf8"))},

	{"line-bom-in-middle", "line 3 begins with a byte order mark",
		edit(3, `{"schema_version"`, "\ufeff"+`{"schema_version"`), wants(at(3, "line/bom"))},
	{"line-bom-alone", "a line between lines 3 and 4 holds a byte order mark and nothing else",
		insert(3, "\ufeff\n"), wants(at(4, "line/bom"))},

	{"line-bom-at-start", "the stream begins with a byte order mark: run_started is lost, and the next event is the first",
		edit(1, `{"schema_version"`, "\ufeff"+`{"schema_version"`), wants(at(1, "line/bom"), at(2, "stream/run-started"))},

	{"line-blank-empty", "an empty line stands between lines 3 and 4",
		insert(3, "\n"), wants(at(4, "line/blank"))},
	{"line-blank-spaces", "a line of three blanks stands between lines 3 and 4",
		insert(3, "   \n"), wants(at(4, "line/blank"))},
	{"line-blank-at-end", "an empty line follows the last event",
		insert(7, "\n"), wants(at(8, "line/blank"))},

	{"line-control-cr", "line 3 ends with CR LF",
		edit(3, "\n", "\r\n"), wants(at(3, "line/control"))},
	{"line-control-esc", "a raw ESC stands in a text of line 3",
		edit(3, "read_file", "\x1b[1mread_file"), wants(at(3, "line/control"))},
	{"line-control-tab", "a TAB stands between two members of line 3",
		edit(3, `,"ts"`, ",\t"+`"ts"`), wants(at(3, "line/control"))},
	{"line-control-nul", "a NUL follows the object of line 3",
		edit(3, "\n", "\x00\n"), wants(at(3, "line/control"))},

	{"line-depth-lists", "an unknown key of line 3 holds lists, the innermost at level 65",
		edit(3, `"c1"`, `"c1","x_deep":`+repeated(63, "[")+repeated(63, "]")), wants(at(3, "line/depth"))},
	{"line-depth-objects", "an unknown key of line 3 holds objects, the innermost at level 65",
		edit(3, `"c1"`, `"c1","x_deep":`+repeated(62, `{"a":`)+"{}"+repeated(62, "}")), wants(at(3, "line/depth"))},
	{"line-depth-unclosed", "line 3 is 1,000 brackets that open: the depth is told, not the syntax",
		replace(3, repeated(1000, "[")+"\n"), wants(at(3, "line/depth"))},

	{"line-affix-prefix", "the name of a log stands before the object of line 3",
		edit(3, `{"schema_version"`, `INFO: {"schema_version"`), wants(at(3, "line/affix"))},
	{"line-affix-leading-blank", "a blank stands before the object of line 3",
		edit(3, `{"schema_version"`, ` {"schema_version"`), wants(at(3, "line/affix"))},
	{"line-affix-trailing-blank", "a blank stands after the object of line 3",
		edit(3, "\n", " \n"), wants(at(3, "line/affix"))},
	{"line-affix-comma", "a comma stands after the object of line 3",
		edit(3, "\n", ",\n"), wants(at(3, "line/affix"))},
	{"line-affix-brace", "a second closing brace stands after the object of line 3",
		edit(3, "\n", "}\n"), wants(at(3, "line/affix"))},

	{"line-json-prose", "a line of prose stands between lines 3 and 4",
		insert(3, "Reading go.mod now\n"), wants(at(4, "line/json"))},
	{"line-json-prose-first", "a line of prose stands before the first event, which has number 1 all the same",
		"Starting the agent\n" + stream(events()...), wants(at(1, "line/json"))},
	{"line-json-torn", "line 3 stops inside its payload",
		replace(3, strings.TrimSuffix(ofLine(3), "_file\"}}\n")+"\n"), wants(at(3, "line/json"))},
	{"line-json-nan", "step of line 3 is NaN",
		edit(3, `"step":1`, `"step":NaN`), wants(at(3, "line/json"))},
	{"line-json-two-values", "two objects stand on line 3",
		edit(3, "\n", "{}\n"), wants(at(3, "line/json"))},
	{"line-json-two-values-blank", "a number follows the object of line 3 after a blank",
		edit(3, "\n", " 1\n"), wants(at(3, "line/json"))},
	{"line-json-trailing-comma", "a comma stands before the last brace of line 3",
		edit(3, "}}", "},}"), wants(at(3, "line/json"))},
	{"line-json-single-quotes", "type of line 3 is in single quotes",
		edit(3, `"tool_call_detected"`, `'tool_call_detected'`), wants(at(3, "line/json"))},
	{"line-json-leading-zero", "step of line 3 is 01",
		edit(3, `"step":1`, `"step":01`), wants(at(3, "line/json"))},
	{"line-json-pretty", "line 3 is printed over three lines",
		replace(3, "{\n\"a\": 1\n}\n"), wants(at(3, "line/json"), at(4, "line/json"), at(5, "line/json"))},
	{"line-json-lost-number-used", "a line of prose stands between lines 3 and 4 and used up a number: no gap",
		behind(renumber(stream(events()...), 4, 1), 3, "prose\n"), wants(at(4, "line/json"))},
	{"line-json-torn-tail", "the last line is a torn run_finished without LF: the terminal event is lost",
		strings.TrimSuffix(stream(events()...), `"error":null}}`+"\n"),
		wants(at(7, "line/json"), at(0, "stream/terminal-missing"))},

	{"line-surrogate-high", "an escape in line 3 leaves a high surrogate alone",
		edit(3, "read_file", `read\ud83d`), wants(at(3, "line/surrogate"))},
	{"line-surrogate-low", "an escape in line 3 leaves a low surrogate alone",
		edit(3, "read_file", `\ude00read`), wants(at(3, "line/surrogate"))},
	{"line-surrogate-reversed", "the halves of a pair stand in the wrong order in line 3",
		edit(3, "read_file", `\ude00\ud83d`), wants(at(3, "line/surrogate"))},
	{"line-surrogate-in-key", "a key of line 3 holds half a pair",
		edit(3, `"c1"`, `"c1","x_\ud83d":1`), wants(at(3, "line/surrogate"))},

	{"line-not-object-list", "line 3 is a list",
		replace(3, "[1,2]\n"), wants(at(3, "line/not-object"))},
	{"line-not-object-string", "line 3 is a string",
		replace(3, "\"started\"\n"), wants(at(3, "line/not-object"))},
	{"line-not-object-null", "line 3 is null",
		replace(3, "null\n"), wants(at(3, "line/not-object"))},

	{"line-duplicate-key-envelope", "sequence stands twice in line 3",
		edit(3, `"ts"`, `"sequence":3,"ts"`), wants(at(3, "line/duplicate-key"))},
	{"line-duplicate-key-data", "tool stands twice in the payload of line 3",
		edit(3, `"tool":"read_file"`, `"tool":"read_file","tool":"read_file"`), wants(at(3, "line/duplicate-key"))},
	{"line-duplicate-key-escaped", "tool stands twice in line 3, once with an escape",
		edit(3, `"tool":"read_file"`, `"tool":"read_file","t\u006fol":"run_command"`), wants(at(3, "line/duplicate-key"))},
	{"line-duplicate-key-deep", "a key stands twice in an object inside a list in line 3",
		edit(3, `"c1"`, `"c1","x_a":[{"b":1,"b":1}]`), wants(at(3, "line/duplicate-key"))},

	{"line-no-newline-end", "the last line is complete and has no LF",
		strings.TrimSuffix(stream(events()...), "\n"), wants(at(7, "line/no-newline"))},
	{"line-no-newline-pre-run", "the only line has no LF",
		strings.TrimSuffix(preRun(notFound), "\n"), wants(at(1, "line/no-newline"))},

	{"line-over-64k-by-one", "line 3 has 65,536 bytes with its LF",
		padded(65535), wants(at(3, "line/over-64k"))},
	{"line-over-64k-at-cap", "line 3 has 1,048,576 bytes without its LF, the default cap",
		padded(1 << 20), wants(at(3, "line/over-64k"))},
	{"line-over-64k-twice", "line 3 has 131,072 bytes with its LF",
		padded(131071), wants(at(3, "line/over-64k"))},
}

// Lines that break two rules: the one that stands first in the table is told.
var lineOrderVectors = []vector{
	{"line-too-long-before-utf8", "line 3 is above the default cap and not UTF-8: the cap is tried first",
		replace(3, repeated(1<<20, "a")+"\xff\n"), wants(at(3, "line/too-long"))},
	{"line-utf8-before-bom", "line 3 begins with a byte order mark and is not UTF-8: the encoding is tried first",
		replace(3, "\ufeff\xff\n"), wants(at(3, "line/utf8"))},
	{"line-bom-before-blank", "line 3 is a byte order mark and blanks: the mark is tried first",
		replace(3, "\ufeff  \n"), wants(at(3, "line/bom"))},
	{"line-bom-before-control", "line 3 is a byte order mark and a TAB: the mark is tried first",
		replace(3, "\ufeff\t\n"), wants(at(3, "line/bom"))},
	{"line-control-before-depth", "line 3 is a TAB and 65 lists: the raw byte is tried first",
		replace(3, "\t"+repeated(65, "[")+repeated(65, "]")+"\n"), wants(at(3, "line/control"))},
	{"line-depth-before-affix", "the name of a log stands before an object of 65 levels in line 3: the depth is tried first",
		replace(3, "INFO: "+repeated(64, `{"a":`)+"{}"+repeated(64, "}")+"\n"), wants(at(3, "line/depth"))},
	{"line-depth-before-json", "line 3 is no JSON before its brackets open 65 levels: the depth is tried first",
		replace(3, `{"a" 1,"b":`+repeated(64, "[")+repeated(64, "]")+"}\n"), wants(at(3, "line/depth"))},
	{"line-depth-before-json-two-values", "an object and 65 lists stand on line 3: the depth is tried first",
		replace(3, "{}"+repeated(65, "[")+repeated(65, "]")+"\n"), wants(at(3, "line/depth"))},
	{"line-json-before-depth-in-text", "line 3 is no JSON, and 65 brackets stand in a text of it: no level is theirs",
		replace(3, `{"a" 1,"b\"":"`+repeated(65, "[")+"\"}\n"), wants(at(3, "line/json"))},
	{"line-json-before-depth-closed", "line 3 is no JSON, and 65 lists stand in it one behind the other: it is two levels deep",
		replace(3, `{"a" 1,"b":`+repeated(65, "[]")+"}\n"), wants(at(3, "line/json"))},
	{"line-affix-before-surrogate", "a blank stands before an object with half a pair in line 3: the blank is tried first",
		replace(3, ` {"a":"\ud83d"}`+"\n"), wants(at(3, "line/affix"))},
	{"line-affix-before-duplicate-key", "a comma stands after an object with a key twice in line 3: the comma is tried first",
		replace(3, `{"a":1,"a":1},`+"\n"), wants(at(3, "line/affix"))},
	{"line-json-before-surrogate", "line 3 stops behind half a pair: the syntax is tried first",
		replace(3, `{"a":"\ud83d"`+"\n"), wants(at(3, "line/json"))},
	{"line-json-before-duplicate-key", "line 3 stops behind a key that stands twice: the syntax is tried first",
		replace(3, `{"a":1,"a":1`+"\n"), wants(at(3, "line/json"))},
	{"line-surrogate-before-not-object", "line 3 is a list with half a pair: the pair is tried first",
		replace(3, `["\ud83d"]`+"\n"), wants(at(3, "line/surrogate"))},
	{"line-surrogate-before-duplicate-key", "line 3 holds a key twice and then half a pair: the pair is tried first",
		replace(3, `{"a":1,"a":"\ud83d"}`+"\n"), wants(at(3, "line/surrogate"))},
	{"line-not-object-before-duplicate-key", "line 3 is a list of an object with a key twice: that it is no object is tried first",
		replace(3, `[{"a":1,"a":1}]`+"\n"), wants(at(3, "line/not-object"))},
	{"line-duplicate-key-before-schema", "sequence stands twice in line 3, the second time as a string: a broken line is not held against the schema",
		edit(3, `"ts"`, `"sequence":"3","ts"`), wants(at(3, "line/duplicate-key"))},
	{"line-no-newline-and-over-64k", "the last line has 65,536 bytes and no LF: both warnings are told, in this order",
		strings.TrimSuffix(editIn(stream(events()...), 7, `"error":null`, `"error":null,"x_pad":"`+repeated(65536-(len(ofLine(7))-1)-len(`,"x_pad":""`), "a")+`"`), "\n"),
		wants(at(7, "line/no-newline"), at(7, "line/over-64k"))},
}

// padded brings line 3 of the run to n bytes without its LF, by an unknown key.
func padded(n int) string {
	l := ofLine(3)
	pad := n - (len(l) - 1) - len(`,"x_pad":""`)
	return edit(3, `"read_file"`, `"read_file","x_pad":"`+repeated(pad, "a")+`"`)
}

const notFound = `{"exit_reason":"pre_run_error","ok":false,"final_output":"","error":"prompt.md: no such file"}`

// preRun returns the record of a run that failed before it began.
func preRun(data string) string {
	return editIn(stream(event{0, "run_finished", data}), 1, `"run_id":"r1"`, `"run_id":""`)
}
