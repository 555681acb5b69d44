package validate_test

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// check returns all findings of a stream in the order of reports.
func check(stream string, opts validate.Options) []validate.Finding {
	s := validate.NewStream(opts)
	var findings []validate.Finding
	for line := range strings.Lines(stream) {
		findings = append(findings, s.Line([]byte(line))...)
	}
	findings = append(findings, s.Close()...)
	validate.Sort(findings)
	return findings
}

// brief returns findings as "line rule" each.
func brief(findings []validate.Finding) []string {
	list := []string{}
	for _, f := range findings {
		list = append(list, fmt.Sprintf("%d %s", f.Line, f.Rule))
	}
	return list
}

// vector returns the stream of a vector of the conformance kit.
func vector(t testing.TB, name string) string {
	t.Helper()
	for _, v := range golden.Vectors() {
		if v.Name == name {
			return string(v.Stream)
		}
	}
	t.Fatalf("no vector %s", name)
	return ""
}

func TestStream_FindsWhatTheKitSays(t *testing.T) {
	golden.Conform(t, func(stream []byte, strict bool) (found []golden.Expect) {
		for _, f := range check(string(stream), validate.Options{Strict: strict}) {
			found = append(found, golden.Expect{Rule: f.Rule, Line: f.Line})
		}
		return found
	})
}

func TestStream_FindingsInOrderOfTheKit(t *testing.T) {
	for _, v := range golden.Vectors() {
		var want []string
		for _, e := range v.Findings {
			want = append(want, fmt.Sprintf("%d %s", e.Line, e.Rule))
		}
		if got := brief(check(string(v.Stream), validate.Options{Strict: v.Strict})); !slices.Equal(got, want) {
			t.Errorf("%s: findings are %v, want %v in this order", v.Name, got, want)
		}
	}
}

// Every finding says what it got and wanted; only those about bytes have a
// column.
func TestStream_FindingsAreComplete(t *testing.T) {
	whole := []string{"line/too-long", "line/blank", "line/over-64k"}
	for _, v := range golden.Vectors() {
		for _, f := range check(string(v.Stream), validate.Options{}) {
			if f.Message == "" || f.Got == "" || f.Want == "" {
				t.Errorf("%s: %+v, want a message, got and want", v.Name, f)
			}
			rule, _ := validate.RuleByID(f.Rule)
			atByte := rule.Stage == validate.StageLine && !slices.Contains(whole, f.Rule)
			if (f.Column > 0) != atByte {
				t.Errorf("%s: %s has column %d, want one: %t", v.Name, f.Rule, f.Column, atByte)
			}
		}
	}
}

func TestStream_StrictTurnsWarningsIntoErrors(t *testing.T) {
	seen := map[validate.Severity]bool{}
	for _, v := range golden.Vectors() {
		loose := check(string(v.Stream), validate.Options{})
		strict := check(string(v.Stream), validate.Options{Strict: true})
		for i, f := range loose {
			rule, _ := validate.RuleByID(f.Rule)
			want := rule.Severity
			if f.Severity != want {
				t.Errorf("%s: %s has severity %s, want %s", v.Name, f.Rule, f.Severity, want)
			}
			if want == validate.SeverityWarning {
				want = validate.SeverityError
			}
			if strict[i].Severity != want {
				t.Errorf("%s: strictly, %s has severity %s, want %s", v.Name, f.Rule, strict[i].Severity, want)
			}
			seen[f.Severity] = true
		}
	}
	if len(seen) != 3 {
		t.Errorf("the kit shows severities %v, want all three", seen)
	}
}

func TestStream_WarningsDoNotHideErrors(t *testing.T) {
	run := vector(t, "run")
	bad := strings.TrimSuffix(strings.Replace(run, `"ok":true,"final_output"`, `"ok":1,"final_output"`, 1), "\n")
	want := []string{"7 line/no-newline", "7 schema/data"}
	if got := brief(check(bad, validate.Options{})); !slices.Equal(got, want) {
		t.Errorf("findings of a bad last line without LF are %v, want %v", got, want)
	}
	long := strings.Replace(run, `"12345"`, `"`+strings.Repeat("a", 70000)+`"`, 1)
	want = []string{"6 line/over-64k", "6 size/preview"}
	if got := brief(check(long, validate.Options{})); !slices.Equal(got, want) {
		t.Errorf("findings of a preview of 70,000 bytes are %v, want %v", got, want)
	}
}

func TestStream_Runs(t *testing.T) {
	run, preRun := vector(t, "minimal"), vector(t, "pre-run")
	other := strings.ReplaceAll(run, `"r1"`, `"r2"`)
	started, _, _ := strings.Cut(run, "\n")
	torn := started + "\n"
	for _, tt := range []struct {
		name, stream string
		want         []string
	}{
		{"one", run, []string{}},
		{"two", run + other, []string{}},
		{"two with the same id", run + run, []string{}},
		{"a run that never began between two", run + preRun + other, []string{}},
		{"two that never began", preRun + preRun, []string{}},
		{"the first one torn", torn + other, []string{"0 stream/terminal-missing"}},
		{"the last one torn", run + strings.ReplaceAll(torn, `"r1"`, `"r2"`), []string{"0 stream/terminal-missing"}},
		{"a repeated terminal", run + strings.SplitAfter(run, "\n")[1], []string{"3 stream/sequence-gap", "3 stream/terminal-duplicate"}},
		{"none", "", []string{"0 stream/terminal-missing"}},
		{"prose between two", run + "prose\n" + other, []string{"3 line/json"}},
		{"a fault in the second", run + strings.Replace(other, `"sequence":2`, `"sequence":3`, 1), []string{"4 stream/sequence-gap"}},
		{"an unfinished call in the first", strings.ReplaceAll(vector(t, "flow-unfinished-tool-end"), `"r1"`, `"r0"`) + run,
			[]string{"4 flow/unfinished-tool"}},
	} {
		if got := brief(check(tt.stream, validate.Options{Runs: true})); !slices.Equal(got, tt.want) {
			t.Errorf("%s: findings are %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestStream_VersionAskedFor(t *testing.T) {
	run := vector(t, "minimal")
	for _, tt := range []struct {
		version string
		want    []string
	}{
		{"", []string{}},
		{schema.Version, []string{}},
		{"openagent.run_event.v2", []string{"1 schema/version", "2 schema/version"}},
	} {
		if got := brief(check(run, validate.Options{Version: tt.version})); !slices.Equal(got, tt.want) {
			t.Errorf("findings for version %q are %v, want %v", tt.version, got, tt.want)
		}
	}
	v2 := strings.ReplaceAll(run, "run_event.v1", "run_event.v2")
	want := []string{"1 schema/version", "2 schema/version"}
	if got := brief(check(v2, validate.Options{Version: "openagent.run_event.v2"})); !slices.Equal(got, want) {
		t.Errorf("findings for a version that is not published are %v, want %v", got, want)
	}
}

func TestStream_MaxLine(t *testing.T) {
	run := vector(t, "minimal")
	first, _, _ := strings.Cut(run, "\n")
	if got := brief(check(run, validate.Options{MaxLine: len(first)})); slices.Contains(got, "1 line/too-long") {
		t.Errorf("findings with a cap of the line's length are %v, want none of line 1", got)
	}
	s := validate.NewStream(validate.Options{MaxLine: len(first) - 1})
	// A caller with bounded memory hands one byte more than the cap.
	cut := first[:] + "\n"
	want := []string{"1 line/too-long"}
	if got := brief(s.Line([]byte(cut))); !slices.Equal(got, want) {
		t.Errorf("findings above the cap are %v, want %v", got, want)
	}
}

func TestStream_UnfinishedCallsStandAtTheirStart(t *testing.T) {
	stream := vector(t, "flow-unfinished-tool-end")
	s := validate.NewStream(validate.Options{})
	for line := range strings.Lines(stream) {
		if got := s.Line([]byte(line)); len(got) > 0 {
			t.Fatalf("Line(%s) = %v, want no finding before the end", line, got)
		}
	}
	want := []validate.Finding{{
		Line: 4, Rule: "flow/unfinished-tool", Severity: validate.SeverityWarning,
		Message: `the call "c1" started here and never finished`, Got: "no end", Want: "tool_exec_finished",
	}}
	if d := diff.Diff(want, s.Close()); d != "" {
		t.Errorf("Close (-want +got):\n%s", d)
	}
}

// A line that was just judged is judged by memory: with a number of its own,
// and whatever became of the finding before.
func TestStream_TheSameLineAgain(t *testing.T) {
	s := validate.NewStream(validate.Options{})
	want := s.Line([]byte("y\n"))[0]
	for i := 2; i < 5; i++ {
		got := s.Line([]byte("y\n"))
		if want.Line = i; len(got) != 1 || got[0] != want {
			t.Errorf("Line = %v, want %v", got, want)
		}
		got[0].Message = "changed"
	}
	if got := s.Line([]byte("y")); len(got) != 1 || got[0].Rule != "line/json" {
		t.Errorf("Line without LF = %v, want one finding of its JSON", got)
	}
	started := strings.Replace(vector(t, "minimal"), `"sequence":1`, `"sequence":5`, 1)
	if got := s.Line([]byte(strings.SplitAfter(started, "\n")[0])); len(got) != 0 {
		t.Errorf("Line after 5 that could not be read = %v, want each to have used up a number", got)
	}
}

func TestSort_WholeStreamLast(t *testing.T) {
	findings := []validate.Finding{{Line: 0, Rule: "a"}, {Line: 3, Rule: "b"}, {Line: 1, Rule: "c"}, {Line: 3, Rule: "a"}}
	validate.Sort(findings)
	want := []string{"1 c", "3 b", "3 a", "0 a"}
	if got := brief(findings); !slices.Equal(got, want) {
		t.Errorf("Sort = %v, want %v", got, want)
	}
}

// What a stream of any bytes must not do: panic, break the order of the
// rules within a line, name rules that do not exist, or differ from itself.
func FuzzStream(f *testing.F) {
	for _, v := range golden.Vectors() {
		if len(v.Stream) < 1<<13 {
			f.Add(v.Stream, v.Strict, false)
			f.Add(v.Stream, v.Strict, true)
		}
	}
	rank := map[string]int{}
	for i, r := range validate.Rules() {
		rank[r.ID] = i
	}
	f.Fuzz(func(t *testing.T, stream []byte, strict, runs bool) {
		opts := validate.Options{Strict: strict, Runs: runs}
		s := validate.NewStream(opts)
		n := 0
		for line := range bytes.Lines(stream) {
			n++
			found := s.Line(line)
			if !slices.IsSortedFunc(found, func(a, b validate.Finding) int { return cmp.Compare(rank[a.Rule], rank[b.Rule]) }) {
				t.Errorf("Line(%q) = %v, want the order of the rules", line, found)
			}
			for _, f := range found {
				if f.Line != n || f.Column < 0 || f.Column > len(line)+1 || f.Message == "" {
					t.Errorf("Line(%q) = %+v, want line %d, a column in it and a message", line, f, n)
				}
			}
		}
		for _, f := range s.Close() {
			if f.Line < 0 || f.Line > n {
				t.Errorf("Close = %+v, want a line of the %d", f, n)
			}
		}
		if a, b := check(string(stream), opts), check(string(stream), opts); !slices.Equal(a, b) {
			t.Errorf("two readings differ: %v and %v", a, b)
		}
	})
}

// A number that the schema library never sees is one finding, not also what
// the library says of its stand-in.
func TestStream_NumbersWithExponents(t *testing.T) {
	for _, number := range []string{"2e0", "1e400", "-2e0"} {
		line := `{"schema_version":"openagent.run_event.v1","sequence":` + number +
			`,"ts":"2026-03-03T20:11:12Z","run_id":"x","step":0,"type":"run_started","data":{}}` + "\n"
		got := brief(check(line, validate.Options{}))
		if want := []string{"1 schema/number", "0 stream/terminal-missing"}; !slices.Equal(got, want) {
			t.Errorf("sequence %s: found %v, want %v", number, got, want)
		}
	}
}

// The first line has none before it, whatever its time.
func TestStream_FirstTimeIsNeverBackwards(t *testing.T) {
	line := `{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"0000-01-01T00:00:00Z","run_id":"x","step":0,"type":"run_started","data":{}}` + "\n"
	got := brief(check(line, validate.Options{}))
	if want := []string{"0 stream/terminal-missing"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// A stream that is closed gives its scanner to the next one: its own lines after that
// are checked without.
func TestStream_LineAfterClose(t *testing.T) {
	closed, open := validate.NewStream(validate.Options{}), validate.NewStream(validate.Options{})
	closed.Close()
	for line := range strings.Lines(vector(t, "run-tool-calls-none-found") + "no event\n") {
		want, got := open.Line([]byte(line)), closed.Line([]byte(line))
		if d := diff.Diff(want, got); d != "" {
			t.Errorf("Line(%.80s) after Close (-want +got):\n%s", line, d)
		}
	}
}
