package drift

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A baseline forgets nothing that was seen: only that a key was always there.
func TestBaseline_Merge(t *testing.T) {
	var b Baseline
	for _, c := range []struct {
		line string
		want map[string]string
	}{
		{`{"type":"t","k":"x"}`, map[string]string{"t: ": "object", "t: k": "always string", "t: type": "always string =t"}},
		{`{"type":"t","k":[{"l":1}]}`, map[string]string{"t: ": "object", "t: k": "always array string", "t: k[]": "always object", "t: k[].l": "always integer", "t: type": "always string =t"}},
		{`{"type":"t","k":"x"}` + "\n" + `{"type":"t","more":{"in":1}}`, map[string]string{
			"t: ": "object", "t: k": "array string", "t: k[]": "always object", "t: k[].l": "always integer", "t: more": "object", "t: more.in": "always integer", "t: type": "always string =t"}},
		{`{"type":"t","more":{}}`, map[string]string{
			"t: ": "object", "t: k": "array string", "t: k[]": "always object", "t: k[].l": "always integer", "t: more": "object", "t: more.in": "integer", "t: type": "always string =t"}},
	} {
		o := observed(t, source{Agent: "a", Format: native}, c.line)
		b.Merge(o)
		if diff := cmp.Diff(c.want, b.Streams["a native"]); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", c.line, diff)
		}
		if r := o.Result(&b); r.Drifts != 0 {
			t.Errorf("what was merged drifts: %v", r.Drift)
		}
	}
}

// Keys and types that the baseline has are accepted.
func TestBaseline_AcceptsWhatReadersIgnore(t *testing.T) {
	o := observed(t, source{Agent: "a"}, contractLine("own", `{}`), contractLine("run_finished", `{"exit_reason":"ok","ok":true,"final_output":"","error":null,"more":1}`))
	if got := o.Result(nil).Drifts; got != 2 {
		t.Errorf("%d differences from the schema, want 2", got)
	}
	var b Baseline
	b.Merge(o)
	if r := o.Result(&b); r.Drifts != 0 {
		t.Errorf("drift is %v, want none", r.Drift)
	}
}

// A version that is not published has no place in a baseline.
func TestBaseline_LeavesOutUnknownVersions(t *testing.T) {
	o := observed(t, source{}, `{"schema_version":"openagent.run_event.v9","type":"x","data":{}}`)
	var b Baseline
	b.Merge(o)
	if len(b.Streams) != 0 {
		t.Errorf("the baseline has %v, want nothing", b.Streams)
	}
	if r := o.Result(&b); r.Drifts != 1 || r.Drift[0].Rule != ruleVersion {
		t.Errorf("drift is %v, want only the version", r.Drift)
	}
}

// The file has a line for each key, sorted, and reads back as it was.
func TestBaseline_Encode(t *testing.T) {
	o := observed(t, source{Agent: "b", Version: "2", Format: native}, `{"type":"t","status":"x","z":[null]}`, `{"type":"t","a":-1}`)
	o.add(t, source{Agent: "a", Format: native}, `{"type":"t"}`)
	var b Baseline
	b.Merge(o)
	const want = `{
  "schema": "openagent.schema_baseline.v2",
  "streams": {
    "a native": {
      "t: ": "object",
      "t: type": "always string =t"
    },
    "b native": {
      "t: ": "object",
      "t: a": "integer",
      "t: status": "string =x",
      "t: type": "always string =t",
      "t: z": "array",
      "t: z[]": "always null"
    }
  }
}
`
	got := string(b.Encode())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Encode (-want +got):\n%s", diff)
	}
	again, err := ParseBaseline([]byte(got))
	if err != nil || string(again.Encode()) != got {
		t.Errorf("ParseBaseline of it, %v, gives\n%s", err, again.Encode())
	}
}

func TestParseBaseline_Refuses(t *testing.T) {
	const form = `{"schema":"openagent.schema_baseline.v2"`
	for text, want := range map[string]string{
		"":      "no JSON from byte 0 on",
		"prose": "no JSON from byte 1 on",
		form:    "no JSON from byte 40 on",
		`{}`:    `schema is "", want "openagent.schema_baseline.v2"`,
		`{"schema":"openagent.schema_baseline.v1","streams":[]}`: `schema is "openagent.schema_baseline.v1", want "openagent.schema_baseline.v2"`,
		form + `,"streams":{},"streams":{}}`:                     "a member stands twice",
		form + `,"streams":{"a native":7}}`:                      "a value is of the wrong type",
	} {
		b, err := ParseBaseline([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseBaseline(%s) = %v, %v, want %s", text, b, err, want)
		}
	}
}

// Whatever a stream holds: nothing panics, the order of its lines changes nothing,
// and a baseline that has it finds no drift from itself.
func FuzzObserver(f *testing.F) {
	for _, pattern := range []string{"codex/*.jsonl", "*/n1.jsonl"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "adapter", "testdata", pattern))
		if err != nil || len(files) == 0 {
			f.Fatal("no streams: ", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text[:min(len(text), 20_000)])
		}
	}
	f.Add([]byte(`{"a":1,"a":{"b":[[{}],1e9,-0,"\ud800"]}}` + "\n" + `{"type":"x","*":1,"status":"\u0000"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := strings.Split(string(text), "\n")
		for _, format := range []string{native, ""} {
			source := source{Agent: "a", Version: "1", Format: format}
			var forth, back Observer
			turned := make([]string, len(lines))
			for i, line := range lines {
				turned[len(lines)-1-i] = line
			}
			err := forth.read(t.Context(), strings.Join(lines, "\n")+"\n", source)
			again := back.read(t.Context(), strings.Join(turned, "\n")+"\n", source)
			if (err == nil) != (again == nil) {
				t.Fatalf("Read forth %v, back %v", err, again)
			}
			want, got := forth.Result(nil), back.Result(nil)
			if format == native && want.Omitted == 0 && string(mustJSON(t, want.Streams)) != string(mustJSON(t, got.Streams)) {
				t.Errorf("forth\n%s\nback\n%s", mustJSON(t, want.Streams), mustJSON(t, got.Streams))
			}
			var b Baseline
			b.Merge(&forth)
			baseline, err := ParseBaseline(b.Encode())
			if err != nil {
				t.Fatalf("ParseBaseline of its own file: %v\n%s", err, b.Encode())
			}
			for _, d := range forth.Result(baseline).Drift {
				if strings.HasPrefix(d.Rule, "new-") || d.Rule == goneKey {
					t.Errorf("drift from itself: %s", d)
				}
			}
		}
	})
}

// Whatever a baseline holds that can be read: a stream is compared with it and added
// to it, and what is written can be read again.
func FuzzParseBaseline(f *testing.F) {
	f.Add([]byte(`{"schema":"openagent.schema_baseline.v2","streams":{"a native":{"t: ":"object","t: k":"always array string","t: k[]":"object","t: k[].l.m":"always integer","t: status":"string =x","t":"","u: []":"always","u: .":"= always"}}}`))
	f.Add([]byte(`{"schema":"openagent.schema_baseline.v2","streams":{"a native":null}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := ParseBaseline(text)
		if err != nil {
			return
		}
		o := observed(t, source{Agent: "a", Version: "1", Format: native}, `{"type":"t","k":[{"l":{}}],"status":"y"}`, `{"type":"u","k":null}`)
		b.Merge(o)
		again, err := ParseBaseline(b.Encode())
		if err != nil {
			t.Fatalf("ParseBaseline of what was written: %v\n%s", err, b.Encode())
		}
		if r := o.Result(again); r.Drifts > 0 {
			t.Errorf("what was added drifts: %v", r.Drift)
		}
	})
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
