package observe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/schema"
)

// shapes returns what the baseline has of the lines of type t.
func shapes(b *Baseline) string {
	text, err := json.Marshal(b.Streams[0].Types["t"])
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// A baseline forgets nothing that was seen: only that a key was always there.
func TestBaseline_Merge(t *testing.T) {
	var b Baseline
	native := Source{Agent: "a", Native: true}
	for _, c := range []struct{ version, line, want string }{
		{"1", `{"type":"t","k":"x"}`, `{"":{"bytes":4096},"k":{"always":true,"kinds":["string"],"bytes":256},"type":{"always":true,"kinds":["string"],"bytes":256,"values":["t"]}}`},
		{"1", `{"type":"t","k":[{"l":1}]}`, `{"":{"bytes":4096},"k":{"always":true,"kinds":["array","string"],"bytes":256,"items":4},"k[]":{"always":true,"kinds":["object"]},"k[].l":{"always":true,"kinds":["integer"],"bits":32},"type":{"always":true,"kinds":["string"],"bytes":256,"values":["t"]}}`},
		{"2", `{"type":"t","k":"x"}` + "\n" + `{"type":"t","more":{"in":1}}`, `{"":{"bytes":4096},"k":{"kinds":["array","string"],"bytes":256,"items":4},"k[]":{"always":true,"kinds":["object"]},"k[].l":{"always":true,"kinds":["integer"],"bits":32},"more":{"kinds":["object"]},"more.in":{"always":true,"kinds":["integer"],"bits":32},"type":{"always":true,"kinds":["string"],"bytes":256,"values":["t"]}}`},
	} {
		b.Merge(observed(t, Source{Agent: "a", Version: c.version, Native: true}, c.line).Result(&b))
		if diff := cmp.Diff(c.want, shapes(&b)); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", c.line, diff)
		}
		if r := observed(t, native, c.line).Result(&b); r.Drifts != 0 {
			t.Errorf("what was merged drifts: %v", r.Drift)
		}
	}
	if diff := cmp.Diff([]string{"1", "2"}, b.Streams[0].Versions); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
}

// Keys and types that the baseline has are accepted, what breaks the contract is not.
func TestBaseline_AcceptsWhatReadersIgnore(t *testing.T) {
	lines := []string{contractLine("own", `{}`), contractLine("run_finished", `{"exit_reason":"ok","ok":"yes","final_output":"","error":null,"more":1}`)}
	o := observed(t, Source{Agent: "a"}, lines...)
	if got := o.Result(nil).Drifts; got != 3 {
		t.Errorf("%d differences from the schema, want 3", got)
	}
	var b Baseline
	b.Merge(o.Result(nil))
	if r := o.Result(&b); r.Drifts != 1 || r.Drift[0].Rule != ruleKind {
		t.Errorf("drift is %v, want only the kind that is wrong", r.Drift)
	}
}

// A version that is not published has no place in a baseline.
func TestBaseline_LeavesOutUnknownVersions(t *testing.T) {
	o := observed(t, Source{}, `{"schema_version":"openagent.run_event.v9","type":"x","data":{}}`)
	var b Baseline
	b.Merge(o.Result(nil))
	if len(b.Streams) != 0 {
		t.Errorf("the baseline has %v, want nothing", b.Streams)
	}
	if r := o.Result(&b); r.Drifts != 1 || r.Drift[0].Rule != ruleVersion {
		t.Errorf("drift is %v, want only the version", r.Drift)
	}
}

// The file has a line for each key, sorted, and reads back as it was.
func TestBaseline_Encode(t *testing.T) {
	o := observed(t, Source{Agent: "b", Version: "2", Native: true}, `{"type":"t","status":"x","z":[null]}`, `{"type":"t","a":-1}`)
	o.add(t, Source{Agent: "a", Native: true}, `{"type":"t"}`)
	var b Baseline
	b.Merge(o.Result(nil))
	const want = `{
  "schema": "openagent.schema_baseline.v1",
  "streams": [
    {
      "agent": "a",
      "format": "native",
      "versions": ["unknown"],
      "types": {
        "t": {
          "": {"bytes": 4096},
          "type": {"always": true, "kinds": ["string"], "bytes": 256, "values": ["t"]}
        }
      }
    },
    {
      "agent": "b",
      "format": "native",
      "versions": ["2"],
      "types": {
        "t": {
          "": {"bytes": 4096},
          "a": {"kinds": ["integer"], "bits": 32},
          "status": {"kinds": ["string"], "bytes": 256, "values": ["x"]},
          "type": {"always": true, "kinds": ["string"], "bytes": 256, "values": ["t"]},
          "z": {"kinds": ["array"], "items": 4},
          "z[]": {"always": true, "kinds": ["null"]}
        }
      }
    }
  ]
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
	const form = `{"schema":"openagent.schema_baseline.v1"`
	for text, want := range map[string]string{
		"":      "it is empty",
		"prose": "no JSON from byte 1 on",
		form:    "no JSON from byte 40 on",
		`[]`:    "the value that ends at byte 1 is of the wrong type",
		`{}`:    `schema is "", want "openagent.schema_baseline.v1"`,
		`{"schema":"openagent.schema_baseline.v2","streams":{}}`:                                      `schema is "openagent.schema_baseline.v2", want "openagent.schema_baseline.v1"`,
		`{"schema":"openagent.schema_lock.v1","pins":[]}`:                                             `schema is "openagent.schema_lock.v1"`,
		form + `,"streams":[],"streams":[]}`:                                                          "a member stands twice",
		form + `,"streams":[{"agent":"a","format":"native","types":{"t":{"k":{"kinds":["text"]}}}}]}`: `"k" has a kind that no value is of; kinds are object,`,
		form + `,"streams":[{"agent":"a","format":"native","types":{"t":{"k":{"bytes":-1}}}}]}`:       `a size of "k" is below 0`,
		form + `,"pins":[]}`: "it holds a member that no baseline has",
		form + `,"streams":[{"format":"openagent.run_event.v9"}]}`: `it has streams of "openagent.run_event.v9", which is no version of the contract that is published here`,
		form + `,"streams":[{"format":7}]}`:                        "the value that ends at byte",
	} {
		b, err := ParseBaseline([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseBaseline(%s) = %v, %v, want %s", text, b, err, want)
		}
	}
	if b, err := ParseBaseline([]byte(form + `,"streams":[{"agent":"a","format":"` + schema.Version + `"}]}`)); err != nil || len(b.Streams) != 1 {
		t.Errorf("ParseBaseline = %v, %v, want a stream", b, err)
	}
}

func TestClass(t *testing.T) {
	for _, c := range [][3]int64{{0, 256, 256}, {256, 256, 256}, {257, 256, 1024}, {4096, 256, 4096}, {4097, 4096, 16384}, {1 << 40, 4, 1 << 40}} {
		if got := class(c[0], c[1]); got != c[2] {
			t.Errorf("class(%d, %d) = %d, want %d", c[0], c[1], got, c[2])
		}
	}
	for _, c := range []struct {
		least, most int64
		want        int
	}{{0, 0, 32}, {-1 << 31, 1<<31 - 1, 32}, {0, 1 << 31, 53}, {-1<<31 - 1, 0, 53}, {-1 << 53, 1 << 53, 53}, {0, 1<<53 + 1, 64}, {-1<<53 - 1, 0, 64}} {
		if got := bits(c.least, c.most); got != c.want {
			t.Errorf("bits(%d, %d) = %d, want %d", c.least, c.most, got, c.want)
		}
	}
}

// Whatever a stream holds: nothing panics, the order of its lines changes nothing,
// and a baseline that has it finds no drift from itself.
func FuzzObserver(f *testing.F) {
	for _, pattern := range []string{"codex/*.jsonl", "*/n1.jsonl"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "internal", "adapter", "testdata", pattern))
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
		for _, native := range []bool{true, false} {
			source := Source{File: "f", Agent: "a", Version: "1", Native: native}
			var forth, back Observer
			turned := make([]string, len(lines))
			for i, line := range lines {
				turned[len(lines)-1-i] = line
			}
			err := forth.Read(t.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"), source)
			again := back.Read(t.Context(), strings.NewReader(strings.Join(turned, "\n")+"\n"), source)
			if (err == nil) != (again == nil) {
				t.Fatalf("Read forth %v, back %v", err, again)
			}
			want, got := forth.Result(nil), back.Result(nil)
			if native && want.Omitted == nil && string(mustJSON(t, want.Streams)) != string(mustJSON(t, got.Streams)) {
				t.Errorf("forth\n%s\nback\n%s", mustJSON(t, want.Streams), mustJSON(t, got.Streams))
			}
			var b Baseline
			b.Merge(want)
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
	f.Add([]byte(`{"schema":"openagent.schema_baseline.v1","streams":[{"agent":"a","format":"native","versions":["1"],"types":{"t":{"":{"bytes":4096},"k":{"always":true,"kinds":["string","array"],"bytes":256,"items":4},"k[]":{"kinds":["object"]},"k[].l.m":{"always":true,"kinds":["integer"],"bits":32},"status":{"kinds":["string"],"values":["x"]}}}}]}`))
	f.Add([]byte(`{"schema":"openagent.schema_baseline.v1","streams":[{"agent":"a","format":"native","types":{"t":null,"u":{"[]":{"always":true},".":{"always":true},"":{"always":true,"kinds":[""]}}}},{"agent":"a","format":"native"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := ParseBaseline(text)
		if err != nil {
			return
		}
		o := observed(t, Source{Agent: "a", Version: "1", Native: true}, `{"type":"t","k":[{"l":{}}],"status":"y"}`, `{"type":"u","k":null}`)
		b.Merge(o.Result(b))
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
