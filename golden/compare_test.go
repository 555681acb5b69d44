package golden_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/golden"
)

func TestCompare(t *testing.T) {
	run := stream(events()...)
	finish := put(read, `"original_bytes":null`, `"original_bytes":null,"duration_ms":3,"artifacts":[{"path":"a"},{"path":"b"}]`)
	for _, tt := range []struct {
		name, got, want string
		diffs           []string
	}{
		{"equal", run, run, nil},
		{"other times", strings.ReplaceAll(run, "2026-03-03T20", "2027-01-01T08"), run, nil},
		{"times of another form", strings.ReplaceAll(run, ".000Z", "Z"), run, nil},
		{"another run id", strings.ReplaceAll(run, `"r1"`, `"r2"`), run, nil},
		{"another duration", payload(6, strings.Replace(finish, `"duration_ms":3`, `"duration_ms":99`, 1)), payload(6, finish), nil},
		{"members in another order", strings.Replace(run, `"sequence":1,"ts":"2026-03-03T20:11:12.000Z"`, `"ts":"2026-03-03T20:11:12.000Z","sequence":1`, 1), run, nil},
		{"a new key in data", edit(3, `"c1"`, `"c1","source":"native"`), run, nil},
		{"a time that falls", edit(3, ".002Z", ".000Z"), run,
			[]string{`line 3 (sequence 3) /ts: got "2000-01-01T00:00:00.001Z", want "not before 2000-01-01T00:00:00.002Z"`}},
		{"a time that may fall", edit(3, ".002Z", ".000Z"), edit(3, ".002Z", ".000Z"), nil},
		{"a run id that changes", edit(3, `"r1"`, `"r2"`), run, []string{`line 3 (sequence 3) /run_id: got "r2", want "run"`}},
		{"an empty run id", preRun(notFound), stream(event{0, "run_finished", notFound}),
			[]string{`line 1 (sequence 1) /run_id: got "", want "run"`}},
		{"a missing key in data", run, edit(3, `"c1"`, `"c1","source":"native"`),
			[]string{`line 3 (sequence 3) /data/source: got nothing, want "native"`}},
		{"null for a text", edit(3, `"read_file"`, "null"), run, []string{`line 3 (sequence 3) /data/tool: got null, want "read_file"`}},
		{"a new member of the envelope", edit(3, `"step"`, `"x":1,"step"`), run, []string{`line 3 (sequence 3) /x: got 1, want nothing`}},
		{"another type", edit(3, "tool_call_detected", "step_blocked"), run,
			[]string{`line 3 (sequence 3) /type: got "step_blocked", want "tool_call_detected"`}},
		{"a shorter list", payload(6, strings.Replace(finish, `,{"path":"b"}`, "", 1)), payload(6, finish),
			[]string{`line 6 (sequence 6) /data/artifacts: got [{"path":"a"}], want [{"path":"a"},{"path":"b"}]`}},
		{"another item", payload(6, strings.Replace(finish, `{"path":"b"}`, `{"path":"c"}`, 1)), payload(6, finish),
			[]string{`line 6 (sequence 6) /data/artifacts/1/path: got "c", want "b"`}},
		{"a list for an object", edit(1, "{}", "[]"), run, []string{`line 1 (sequence 1) /data: got [], want {}`}},
		{"a duration that is null", payload(6, strings.Replace(finish, `"duration_ms":3`, `"duration_ms":null`, 1)), payload(6, finish),
			[]string{`line 6 (sequence 6) /data/duration_ms: got null, want 0`}},
		{"a line too few", strings.Join(lines(short(done))[:1], ""), short(nothing),
			[]string{`line 2 (sequence 2): got nothing, want {"data":{},"run_id":"run","schema_version":"openagent.run_event.v1","sequence":2,"step":0,"ts":"2000-01-01T00:00:00.002Z","type":"run_finished"}`}},
		{"a line too many", short(done) + "prose\n", short(done), []string{`line 3 (sequence 0): got "prose\n", want nothing`}},
		{"prose for a line", replace(3, "prose\n"), replace(3, "other\n"), []string{`line 3 (sequence 0): got "prose\n", want "other\n"`}},
		{"no LF at the end", strings.TrimSuffix(run, "\n"), run, nil},
		{"a name with a slash", edit(3, `"c1"`, `"c1","a/b~":1`), edit(3, `"c1"`, `"c1","a/b~":2`),
			[]string{`line 3 (sequence 3) /data/a~1b~0: got 1, want 2`}},
	} {
		var diffs []string
		for _, d := range golden.Compare([]byte(tt.got), []byte(tt.want)) {
			diffs = append(diffs, d.String())
		}
		if diff := cmp.Diff(tt.diffs, diffs); diff != "" {
			t.Errorf("Compare with %s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestCompare_LongValuesAreCut(t *testing.T) {
	got := golden.Compare([]byte(preview(jsonString(4000, "é"), "false", "null")), []byte(stream(events()...)))
	if len(got) != 1 || utf8.RuneCountInString(got[0].Got) > 310 || !strings.HasSuffix(got[0].Got, "é...") {
		t.Errorf("Compare of a long preview = %v, want one difference with a cut text", got)
	}
}

func TestRoots_PathsBelowThem(t *testing.T) {
	roots := golden.Roots{Workspace: "/tmp/a/work", State: "/tmp/a/work/state/"}
	got := edit(3, `"read_file"`, `"read_file","x_paths":["/tmp/a/work/go.mod","in /tmp/a/work/state/runs","/tmp/b"]`)
	want := edit(3, `"read_file"`, `"read_file","x_paths":["$WORKSPACE/go.mod","in $STATE/runs","/tmp/b"]`)
	if diffs := roots.Compare([]byte(got), []byte(want)); len(diffs) > 0 {
		t.Errorf("Compare = %v, want no difference", diffs)
	}
	if diffs := golden.Compare([]byte(got), []byte(want)); len(diffs) != 2 {
		t.Errorf("Compare without roots = %v, want two differences", diffs)
	}
}

func TestRoots_Normalize(t *testing.T) {
	in := edit(3, ".002Z", ".000Z")
	want := in
	for i, ms := range []string{"1", "2", "1", "2", "3", "4", "5"} {
		n := i
		if n == 2 {
			n = 0
		}
		old := `"sequence":` + string(rune('1'+i)) + `,"ts":"2026-03-03T20:11:12.00` + string(rune('0'+n)) + `Z","run_id":"r1"`
		want = strings.Replace(want, old, `"sequence":`+string(rune('1'+i))+`,"ts":"2000-01-01T00:00:00.00`+ms+`Z","run_id":"run"`, 1)
	}
	got := golden.Roots{}.Normalize([]byte(in))
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("Normalize (-want +got):\n%s", diff)
	}
	if again := (golden.Roots{}).Normalize(got); !bytes.Equal(again, got) {
		t.Errorf("Normalize twice = %s, want %s", again, got)
	}
}

func FuzzRoots_NormalizeKeepsLines(f *testing.F) {
	for _, v := range golden.Vectors() {
		if len(v.Stream) < 1<<12 {
			f.Add(v.Stream)
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got := golden.Roots{Workspace: "/w"}.Normalize(in)
		if bytes.Count(got, []byte("\n")) != bytes.Count(in, []byte("\n")) {
			t.Fatalf("Normalize(%q) = %q, want as many lines", in, got)
		}
		a, b := bytes.SplitAfter(in, []byte("\n")), bytes.SplitAfter(got, []byte("\n"))
		for i := range a {
			if json.Valid(a[i]) != json.Valid(b[i]) {
				t.Fatalf("Normalize(%q) = %q, want JSON exactly when it was", a[i], b[i])
			}
		}
		if diffs := golden.Compare(in, in); len(diffs) > 0 {
			t.Fatalf("Compare(%q) with itself = %v, want none", in, diffs)
		}
	})
}

// A line that no reader would accept is compared as the text that it is.
func TestCompare_LineBeyondMeasure(t *testing.T) {
	line := func(space string) []byte { return []byte(`{"a":[` + space + strings.Repeat("[],", 1<<19) + "[]]}\n") }
	if found := golden.Compare(line(""), line("")); len(found) != 0 {
		t.Errorf("Compare of equal lines = %v, want no difference", found)
	}
	if found := golden.Compare(line(" "), line("")); len(found) != 1 || found[0].Pointer != "" {
		t.Errorf("Compare = %v, want the lines to differ as texts", found)
	}
}

// The port of a model that is served on this machine is another one each time; any
// other provider is compared.
func TestRoots_NormalizeProvider(t *testing.T) {
	for provider, want := range map[string]string{
		"127.0.0.1:34557": "127.0.0.1", "localhost:1": "localhost", "[::1]:8080": "::1", "127.0.0.1": "127.0.0.1",
		"models.example:8080": "models.example:8080", "10.0.0.1:80": "10.0.0.1:80", "script": "script",
	} {
		fingerprint := strings.Repeat("a", 64)
		line := `{"type":"run_started","data":{"provider":"` + provider + `","config_fingerprint":"` + fingerprint + `"}}`
		if want != provider {
			fingerprint = strings.Repeat("0", 64)
		}
		got := string(golden.Roots{}.Normalize([]byte(line)))
		if want := `{"type":"run_started","data":{"provider":"` + want + `","config_fingerprint":"` + fingerprint + `"}}`; got != want {
			t.Errorf("Normalize(%s) = %s, want %s", line, got, want)
		}
	}
}

// Other agents have random ids for their steps, and waits that are measured; of our
// own both are compared.
func TestRoots_NormalizeForeign(t *testing.T) {
	const rest = `{"type":"step_started","data":{"step_id":"b7"}}
{"type":"step_started","data":{"step_id":"a1"}}
{"type":"step_started","data":{"step_id":"b7"}}
{"type":"step_started","data":{"step_id":null}}
{"type":"provider_retry","data":{"backoff_ms":17,"attempt":1}}
`
	foreign := `{"type":"run_started","data":{"source":{"format":"qwen"}}}` + "\n"
	want := foreign + strings.NewReplacer("b7", "step-1", "a1", "step-2", "17", "0").Replace(rest)
	got := golden.Roots{}.Normalize([]byte(foreign + rest))
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("Normalize (-want +got):\n%s", diff)
	}
	if again := (golden.Roots{}).Normalize(got); !bytes.Equal(again, got) {
		t.Errorf("Normalize twice = %s, want %s", again, got)
	}
	if own := string(golden.Roots{}.Normalize([]byte(rest))); own != rest {
		t.Errorf("Normalize of a stream of ours = %s, want it as it is", own)
	}
}

// meter notes how far it is read ahead of another.
type meter struct {
	io.Reader
	read, ahead int
	other       *meter
}

func (c *meter) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.read += n
	c.ahead = max(c.ahead, c.read-c.other.read)
	return n, err
}

// Streams are compared while they are read, and lines that are equal count for the
// times of those after them.
func TestCompareStreams_LineByLine(t *testing.T) {
	line := func(ts int, step string) string {
		return fmt.Sprintf(`{"ts":"2026-03-03T20:%02d:%02d.000Z","run_id":"r","step":%s,"type":"x","data":{}}`+"\n", ts/60, ts%60, step)
	}
	var same strings.Builder
	for i := range 3000 {
		same.WriteString(line(i, "1"))
	}
	got := &meter{Reader: strings.NewReader(same.String() + line(0, "2"))}
	want := &meter{Reader: strings.NewReader(same.String() + line(3000, "3")), other: got}
	got.other = want
	found, err := golden.Roots{}.CompareStreams(got, want)
	if err != nil || len(found) != 2 || found[0].Pointer != "/ts" || found[1].Pointer != "/step" {
		t.Errorf("CompareStreams() = %v, %v, want a time that falls and another step in the last line", found, err)
	}
	if ahead := max(got.ahead, want.ahead); ahead > 128<<10 {
		t.Errorf("one stream was read %d bytes before the other, want 128 KiB at most", ahead)
	}
}
