package validate

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// head is an event line up to its payload.
const head = `{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12.000Z","run_id":"r1","step":0,"type":`

func TestStream_MessagesNameGotAndWant(t *testing.T) {
	finished := head + `"run_finished","data":{"exit_reason":"ok","ok":true,"final_output":"","error":null`
	for _, tt := range []struct{ line, want string }{
		{"abc", `:1:1: line/json: "a" at column 1, want JSON`},
		{"nope", `:1:1: line/json: "n" at column 1, want JSON`},
		{`{"a":1`, `:1:7: line/json: the line ends inside a value`},
		{`{}{}`, `:1:3: line/json: "{" at column 3, want the end of the line`},
		{"{\"a\":\"\xff\"}", `:1:7: line/utf8: byte 0xff at column 7, want UTF-8`},
		{"\ufeff{}", `:1:1: line/bom: the line begins with a byte order mark`},
		{"{\"a\":\t1}", `:1:6: line/control: byte 0x09 at column 6, want its escape, or nothing`},
		{"{}\r", `:1:3: line/control: the line ends with CR LF, want LF alone`},
		{"  ", `:1: line/blank: the line is blank`},
		{strings.Repeat("[", 65), `:1:65: line/depth: values are nested deeper than 64`},
		{"log {}", `:1:1: line/affix: "log " stands before the object, want nothing`},
		{"{},", `:1:3: line/affix: "," stands after the object, want nothing`},
		{`{"a":"\ud800"}`, `:1:7: line/surrogate: an escape leaves a lone surrogate`},
		{`"x"`, `:1:1: line/not-object: the line is a string, want an object`},
		{`  "\ud800" `, `:1:4: line/surrogate: an escape leaves a lone surrogate`},
		{` [1] `, `:1:2: line/not-object: the line is a list, want an object`},
		{`{"a":1,"\u0061":2}`, `:1:8: line/duplicate-key: the key "a" stands twice in one object`},
		{strings.Replace(finished, `"ok":true`, `"ok":"yes"`, 1) + "}}", `:1: schema/data: data.ok is a string, want boolean`},
		{strings.Replace(finished, `"error":null`, `"x_error":null`, 1) + "}}", `:1: schema/data: data lacks error`},
		{strings.Replace(finished, `"step":0`, `"step":"0"`, 1) + "}}", `:1: schema/envelope: step is a string, want integer`},
		{strings.Replace(finished, `"step":0`, `"step":-1`, 1) + "}}", `:1: schema/envelope: step is -1, want at least 0`},
		{strings.Replace(finished, `"step":0,`, `"step":0,"a":1,"b":2,`, 1) + "}}",
			`:1: schema/envelope: the envelope holds "a" and 1 more, want its seven members only`},
		{strings.Replace(finished, `"step":0`, `"step":1e3`, 1) + "}}",
			`:1: schema/number: step is 1e3, want an integer written with digits alone`},
		{strings.Replace(finished, `12.000Z`, `12`, 1) + "}}",
			`:1: schema/timestamp: ts is "2026-03-03T20:11:12", want a UTC time like 2026-03-03T20:11:12.000Z`},
		{strings.Replace(finished, `event.v1`, `event.v2`, 1) + "}}",
			`:1: schema/version: schema_version is "openagent.run_event.v2", want "openagent.run_event.v1"`},
		{strings.Replace(finished, `run_finished`, `run_ended`, 1) + "}}",
			`:1: schema/type: type is "run_ended", want a type of the contract; ` +
				`:1: stream/run-started: the first event is "run_ended", want run_started`},
		{finished + `,"original_bytes":7,"truncated":false}}`,
			`:1: size/truncation: data.original_bytes is 7, want null or the 0 of the whole final_output`},
		{finished + `,"error_code":"` + strings.Repeat("a", 257) + `"}}`,
			`:1: size/string: data.error_code is 257 bytes, want at most 256 bytes`},
		{finished + `,"usage":{"cost_usd":0.0000001}}}`,
			`:1: schema/number: data.usage.cost_usd is 0.0000001, want a number within 2^53 of at most 6 decimals, without an exponent`},
		{finished + `,"usage":{"cost_usd":-0.5}}}`, `:1: schema/data: data.usage.cost_usd is -0.5, want at least 0`},
		{finished + `,"source":{"terminal":"observed","unmapped":{"a/b~c\n":"x"}}}}`,
			`:1: schema/data: data.source.unmapped."a/b~c\n" is a string, want integer`},
		{finished + `,"source":{"terminal":"observed","unmapped":{"":"x"}}}}`,
			`:1: schema/data: data.source.unmapped."" is a string, want integer`},
		{finished + `,"source":{"terminal":"observed","unmapped":{"007":-0,"10":-0,"1a":-0,"9":-0}}}}`,
			`:1: schema/number: data.source.unmapped."007" is -0, want an integer written with digits alone; ` +
				`:1: schema/number: data.source.unmapped."10" is -0, want an integer written with digits alone; ` +
				`:1: schema/number: data.source.unmapped."1a" is -0, want an integer written with digits alone; ` +
				`:1: schema/number: data.source.unmapped."9" is -0, want an integer written with digits alone`},
		{finished + `,"source":{"terminal":"observed","unmapped":{"` + strings.Repeat("n", 257) + `":1}}}}`,
			`:1: size/string: a name in data.source.unmapped is 257 bytes, want at most 256 bytes`},
		{strings.Replace(finished, `"sequence":1`, `"sequence":9`, 1) + "}}",
			`:1: stream/sequence-start: sequence is 9, want 1`},
	} {
		var got []string
		for _, f := range NewStream(Options{}).Line([]byte(tt.line + "\n")) {
			got = append(got, f.String())
		}
		if got := strings.Join(got, "; "); got != tt.want {
			t.Errorf("Line(%.80s) = %s, want %s", tt.line, got, tt.want)
		}
	}
}

// A number that no line may have is told by the first line's own rule, and later
// by the schema's beside the gap.
func TestStream_SequenceBelowOne(t *testing.T) {
	started := strings.Replace(head, `"sequence":1`, `"sequence":0`, 1) + `"run_started","data":{}}` + "\n"
	s := NewStream(Options{})
	for _, want := range [][]string{{streamSequenceStart}, {schemaEnvelope, streamSequenceGap, streamRunStarted}} {
		var got []string
		for _, f := range s.Line([]byte(started)) {
			got = append(got, f.Rule)
		}
		if !slices.Equal(got, want) {
			t.Errorf("sequence 0 breaks %v, want %v", got, want)
		}
	}
}

func TestStream_MessagesQuoteAndBound(t *testing.T) {
	hostile := "\\u001b[31m##[error]\\n\u202e" + strings.Repeat("é\u009b", 300)
	for _, line := range []string{
		strings.Repeat("\u202e", 3) + "{}",
		hostile,
		`{"` + hostile + `":1,"` + hostile + `":2}`,
		head + `"` + hostile + `","data":{}}`,
		strings.Replace(head, `"step"`, `"`+hostile+`":1,"step"`, 1) + `"run_started","data":{}}`,
		strings.Replace(head, `"r1"`, `"`+hostile+`"`, 1) + `"tool_exec_started","data":{"tool_call_id":"` + hostile + `","tool":null}}`,
		head + `"step_started","data":{"step_index":` + strings.Repeat("9", 5000) + `}}`,
		head + `"run_finished","data":{"source":{"terminal":"x","unmapped":{"` + hostile + `":null}}}}`,
	} {
		s := NewStream(Options{})
		found := append(s.Line([]byte(line+"\n")), s.Close()...)
		for _, f := range found {
			for _, text := range []string{f.Message, f.Got, f.Want} {
				if len(text) > 250 {
					t.Errorf("a finding of %.60s has a text of %d bytes: %s", line, len(text), text)
				}
				if i := strings.IndexFunc(text, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e }); i >= 0 {
					t.Errorf("a finding of %.60s is %q, want no control character", line, text)
				}
			}
		}
	}
}

func TestQuote(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", `""`},
		{"a'b\"c\\d", `"a'b\"c\\d"`},
		{"\x00\n\x7f", `"\x00\n\x7f"`},
		{"\xff\ufffd", `"\xff` + "\ufffd" + `"`},
		{"\u202e", `"\u202e"`},
		{strings.Repeat("x", 75), `"` + strings.Repeat("x", 74) + `..."`},
		{strings.Repeat("x", 74), `"` + strings.Repeat("x", 74) + `"`},
	} {
		if got := quote(tt.in); got != tt.want || len(got) > maxQuoted {
			t.Errorf("quote(%q) = %s of %d bytes, want %s", tt.in, got, len(got), tt.want)
		}
	}
	if got := quote(strings.Repeat("\U000e0001", 90)); len(got) > maxQuoted || !utf8.ValidString(got) {
		t.Errorf("quote of 90 tags = %s of %d bytes, want at most %d", got, len(got), maxQuoted)
	}
}
