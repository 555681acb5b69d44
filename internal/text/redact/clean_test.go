package redact

import "testing"

// lookers are secrets that JSON, or what stands around them, may spell in ways of
// its own.
var lookers = []string{"sk-test-abcdefgh", `sk"test\\abcdefgh`, "sk test\nabcdefgh", "sk-tést-äöüabc", "sequence"}

// Nearly every line must be seen to be clean without a look at each string.
func TestClean_OrdinaryLines(t *testing.T) {
	r := New(lookers[:1])
	for line, want := range map[string]bool{
		`{"a":"b","n":[1,true,null]}` + "\n":              true,
		`{"a":"two\nlines, a \"quote\", a \\","b":"ü"} `:  true,
		"{\"a\" :\n\t\"b\\t\" ,\r\n\"c\":\"\\u0041\" }\n": true,
		"":                                    true,
		"no JSON\n":                           true,
		"no JSON, of \x1b[1m two lines\nor\n": false,
		`{"a":"sk-test-abcdefgh"}`:            false,
		`{"sk-test-abcdefgh":1}`:              false,
		`{"a":"\u0073k-test-abcdefgh"}`:       false,
		`{"a":"x\ny","b":"plain","c":"sk-te\u0073t-abcdefgh"}`: false,
		`{"a":"sk-test-\nabcdefgh"}`:                           false,
		"{\"a\":\"sk-test-\u200babcdefgh\"}":                   false,
	} {
		if got := r.clean([]byte(line)); got != want {
			t.Errorf("clean(%q) = %v, want %v", line, got, want)
		}
	}
}

// What is said to be clean has nothing to replace.
func FuzzClean(f *testing.F) {
	for _, line := range []string{
		`{"a":"sk-test-abcdefgh"}`, `{"a":"sk\"test\\abcdefgh","b":"x"}`, `{"a":"sk test\nabcdefgh"}`, `{"a":"sk-t\u00e9st-\u00e4öüabc"}`,
		`{"sequence":1,"[redacted]":"sequence"}`, "{\"a\":\"sk-test-\\babcdefgh\"}", "{\"a\":\"sk-test-\u200babcdefgh\"}\n",
		`{"a":"sk%2dtest-abcdefgh","b":"&#115;k-test-abcdefgh"}`, "[\"a\"\n,\"sk-test-\\tabcdefgh\"]", `"c2stdGVzdC1hYmNkZWZnaA"`, "sk-test-\nabcdefgh",
	} {
		f.Add([]byte(line))
	}
	r := New(lookers)
	f.Fuzz(func(t *testing.T, line []byte) {
		if !r.clean(line) {
			return
		}
		if out, n := r.maskLine(line); n != 0 {
			t.Errorf("clean(%q) = true, but of it becomes %q", line, out)
		}
	})
}

// BenchmarkJSONLine looks through lines that hold no secret.
func BenchmarkJSONLine(b *testing.B) {
	r := New([]string{"sk-test-0123456789", "ghs-test-zq9876543210"})
	for name, line := range map[string]string{
		"plain":   `{"schema_version":"openagent.run_event.v1","sequence":4,"ts":"2026-03-03T20:11:12.000Z","run_id":"r","step":1,"type":"tool_exec_started","data":{"tool_call_id":"call_1_0","tool":"read_file"}}` + "\n",
		"escapes": `{"schema_version":"openagent.run_event.v1","sequence":5,"ts":"2026-03-03T20:11:12.000Z","run_id":"r","step":1,"type":"tool_exec_finished","data":{"tool_call_id":"call_1_0","content_preview":"package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n"}}` + "\n",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if _, n := r.JSONLine([]byte(line)); n != 0 {
					b.Fatal("a secret was found")
				}
			}
		})
	}
}
