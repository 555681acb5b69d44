package drift

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/schema"
)

// contractLine returns a line of the contract.
func contractLine(typ, data string) string {
	return fmt.Sprintf(`{"schema_version":%q,"sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"r","step":1,"type":%q,"data":%s}`, schema.Version, typ, data)
}

// source is a stream as tests give it, one of the contract unless Format says otherwise.
type source struct{ File, Agent, Version, Format string }

// read reads a text as that stream.
func (o *Observer) read(ctx context.Context, text string, s source) error {
	if s.File == "" {
		s.File = "f"
	}
	if s.Format == "" {
		s.Format = schema.Version
	}
	return o.lines(ctx, strings.NewReader(text), s.File, ident{s.Agent, s.Version, s.Format})
}

// observed returns an observer that has read the lines of one stream.
func observed(t testing.TB, source source, lines ...string) *Observer {
	t.Helper()
	o := &Observer{}
	o.add(t, source, lines...)
	return o
}

// add reads the lines of a further stream.
func (o *Observer) add(t testing.TB, source source, lines ...string) {
	t.Helper()
	if err := o.read(t.Context(), strings.Join(lines, "\n")+"\n", source); err != nil {
		t.Fatal(err)
	}
}

// seenOf lists what was seen of a type of lines, without its envelope.
func seenOf(r Observation, name string) (list []string) {
	for _, s := range r.Streams {
		for _, k := range s.Keys {
			if k.Type == name && (s.Format == native || strings.HasPrefix(k.Path, "data.")) {
				list = append(list, strings.TrimSpace(fmt.Sprintf("%s %d/%d %s %s", k.Path, k.Count, k.Of, strings.Join(k.Seen, " "), k.Standing)))
			}
		}
	}
	return list
}

func TestObserver_Contract(t *testing.T) {
	r := observed(t, source{},
		contractLine("tool_retry", `{"tool_call_id":"c1","tool":null,"attempt":-2,"max_retries":7,"failure_class":"timeout","action":"repair","x_own":[{"a":1},{"a":0.5}]}`),
		contractLine("tool_retry", `{"tool_call_id":"a\u00e9","tool":null,"attempt":3,"max_retries":7,"failure_class":"a text","action":"stop","extra":{"deep":true}}`),
	).Result(nil)
	want := []string{
		"data.action 2/2 string =repair =stop declared", "data.attempt 2/2 integer declared", "data.extra 1/2 object unknown", "data.extra.deep 1/1 boolean unknown",
		"data.failure_class 2/2 string =* declared", "data.max_retries 2/2 integer declared", "data.tool 2/2 null declared", "data.tool_call_id 2/2 string declared",
		"data.x_own 1/2 array free", "data.x_own[] 2/2 object free", "data.x_own[].a 2/2 integer number free",
	}
	if diff := cmp.Diff(want, seenOf(r, "tool_retry")); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	s := r.Streams[0]
	if got, want := fmt.Sprintln(s.Agent, s.Version, s.Format, s.Files, s.Lines), "unknown unknown "+schema.Version+" 1 2\n"; got != want {
		t.Errorf("stream is %s, want %s", got, want)
	}
}

// streamsOf lists what was seen as "agent version format lines".
func streamsOf(r Observation) (list []string) {
	for _, s := range r.Streams {
		list = append(list, fmt.Sprintf("%s %s %s %d", s.Agent, s.Version, s.Format, s.Lines))
	}
	return list
}

// Each run is that of the agent that announces it, whatever the one before was; a
// line of another version is told apart.
func TestObserver_SeparatesStreams(t *testing.T) {
	start := func(agent string) string { return contractLine("run_started", agent) }
	o := observed(t, source{Agent: "told", Version: "0"},
		start(`{"agent":{"name":"a","version":"1"}}`), "torn {", start(`{"agent":{"name":"a","version":"2"}}`),
		start(`{}`), start(`{"agent":{"name":"\u001b[31mred","version":7}}`), `{"no":"event"}`,
		strings.Replace(start(`{"agent":{"name":"a","version":"1"}}`), "event.v1", "event.v9", 1))
	o.add(t, source{Agent: "claude", Format: native}, `{"type":"system","subtype":"init","claude_code_version":"2.1"}`, `{"type":"user"}`)
	want := []string{
		"* unknown " + schema.Version + " 1", "a 1 " + schema.Version + " 1", "a 1 openagent.run_event.v9 1", "a 2 " + schema.Version + " 1",
		"claude 2.1 native 2", "told 0 " + schema.Version + " 1",
	}
	r := o.Result(nil)
	if diff := cmp.Diff(want, streamsOf(r)); diff != "" || r.Unread != 2 {
		t.Errorf("%d lines are not read, want 2; streams (-want +got):\n%s", r.Unread, diff)
	}
}

func TestObserver_nativeTypes(t *testing.T) {
	r := observed(t, source{Agent: "a", Version: "1", Format: native},
		`{"type":"item.completed","item":{"id":"1","type":"error"}}`, `{"type":"system","subtype":"init"}`, `{"type":"tool_use","part":{"type":"tool"}}`,
		`{"type":"x","item":[{"type":"no"}]}`, `{"untyped":1}`, `{"type":7}`, `{"type":"\u001b[2J"}`).Result(nil)
	var names []string
	for _, k := range r.Streams[0].Keys {
		if k.Path == "" {
			names = append(names, k.Type)
		}
	}
	want := []string{"*", "item.completed/error", "system/init", "tool_use/tool", "x"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}

// Names of models are data, the arguments of a call are a model's, and a name that
// could do something to a terminal is printed nowhere.
func TestObserver_KeysThatAreData(t *testing.T) {
	r := observed(t, source{Format: native},
		`{"type":"t","models":{"m-1":{"in":1},"m-2":{"in":2}},"input":{"command":"x"},"\u001b[31m":1,"a b":2,"9":3,"`+strings.Repeat("k", 65)+`":4,"k-`+"é"+`":5,"":6}`).Result(nil)
	want := []string{"1/1 object", "* 1/1 integer", "input 1/1 object", "models 1/1 object", "models.* 1/1 object", "models.*.in 2/2 integer", "type 1/1 string =t"}
	if diff := cmp.Diff(want, seenOf(r, "t")); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

func TestRead_NoStream(t *testing.T) {
	for _, c := range []struct {
		text string
		want error
	}{
		{"", errNothing}, {"\n\n", errNothing}, {"prose\n[1]\n", errNothing}, {"{\"type\":\"torn", errNothing},
		{strings.Repeat("x", maxLine+1), errNothing}, {strings.Repeat("[", 1000), errNothing},
		{"prose\n{\"other\":1}\n" + codex, errUnknown}, {"prose\n" + codex + "{\"other\":1}", nil},
	} {
		var o Observer
		err := o.lines(t.Context(), strings.NewReader(c.text), "f", ident{})
		if !errors.Is(err, c.want) || (err == nil) != (len(o.Result(nil).Streams) == 1) {
			t.Errorf("Read(%.20q) = %v with streams %v, want %v", c.text, err, streamsOf(o.Result(nil)), c.want)
		}
	}
}

// A line of 4 MiB is read, a longer one is not, and what follows it is.
func TestRead_LongLines(t *testing.T) {
	fill := func(size int) string {
		head := `{"type":"t","text":"`
		return head + strings.Repeat("x", size-len(head)-2) + `"}`
	}
	blanks := fill(100) + strings.Repeat(" ", maxLine)
	r := observed(t, source{Format: native}, fill(maxLine), fill(maxLine+1), fill(3*maxLine), blanks, blanks[:maxLine+1], fill(100)).Result(nil)
	if n := r.Streams[0].Lines; n != 2 || r.Unread != 4 {
		t.Errorf("%d lines, %d not read; want 2 and 4", n, r.Unread)
	}
}

// Below 16 levels nothing is gathered, and that is counted.
func TestObserver_Depth(t *testing.T) {
	for levels, want := range map[int]int{maxDepth - 1: 0, maxDepth: 1, 400: 1} {
		for _, brackets := range []string{`{"a": }`, `[ ]`} {
			open, end, _ := strings.Cut(brackets, " ")
			line := `{"type":"t","d":` + strings.Repeat(open, levels) + "1" + strings.Repeat(end, levels) + `}`
			r := observed(t, source{Format: native}, line).Result(nil)
			if keys := len(r.Streams[0].Keys); r.Omitted != want || keys != min(levels, maxDepth-1)+3 {
				t.Errorf("%d levels of %s: %d keys and %d omitted, want %d and %d", levels, brackets, keys, r.Omitted, min(levels, maxDepth-1)+3, want)
			}
		}
	}
}

// Memory is bounded whatever a stream invents, what is beyond the bounds is counted,
// and keys of the contract have their place all the same.
func TestObserver_Bounds(t *testing.T) {
	var keys, deep strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&keys, `"k%d":{"a":%d},`, i, i)
	}
	fmt.Fprintf(&deep, "%s1%s", strings.Repeat(`{"d":`, 400), strings.Repeat("}", 400))
	o := observed(t, source{},
		contractLine("run_finished", `{`+keys.String()+`"ok":true,"exit_reason":"ok","final_output":"","error":null}`),
		contractLine("run_finished", `{"x_deep":`+deep.String()+`,"ok":true,"exit_reason":"ok","final_output":"","error":null}`))
	for i := range 500 {
		var wide strings.Builder
		for j := range 100 {
			fmt.Fprintf(&wide, `"w%d":{"v%d":1},`, j, i)
		}
		o.add(t, source{Agent: "types", Format: native}, fmt.Sprintf(`{%s"type":"wide%d"}`, &wide, i%2))
	}
	for i := range 300 {
		o.add(t, source{Agent: fmt.Sprint("a", i)}, contractLine(fmt.Sprint("t", i), `{}`))
		o.add(t, source{Agent: "types", Format: native}, fmt.Sprintf(`{"type":"t%d"}`, i))
	}
	r := o.Result(nil)
	all := 0
	for _, s := range r.Streams {
		all += len(s.Keys)
	}
	if r.Omitted == 0 {
		t.Error("nothing is omitted, want some")
	}
	if len(r.Streams) > maxStreams+2 || all > maxKeys+3000 {
		t.Errorf("%d streams with %d keys, want at most %d and %d", len(r.Streams), all, maxStreams+2, maxKeys+3000)
	}
}

// The order of streams and of their lines changes nothing.
func TestResult_OrderOfLinesIsOfNoAccount(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "adapter", "testdata", "*", "*.jsonl"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d streams, %v", len(files), err)
	}
	read := func(o *Observer, file string, turned bool) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if turned {
			slices.Reverse(lines)
		}
		source := source{Agent: filepath.Base(filepath.Dir(file)), Version: "1", Format: native}
		err = o.read(t.Context(), strings.Join(lines, "\n")+"\n", source)
		if err != nil && !errors.Is(err, errNothing) {
			t.Fatal(err)
		}
	}
	var forth, back Observer
	for _, file := range files {
		read(&forth, file, false)
	}
	for _, file := range slices.Backward(files) {
		read(&back, file, true)
	}
	want, got := forth.Result(nil), back.Result(nil)
	if len(want.Streams) != 6 || want.Omitted != 0 {
		t.Fatalf("%d streams, omitted %d, want six and nothing", len(want.Streams), want.Omitted)
	}
	if diff := cmp.Diff(string(mustJSON(t, want)), string(mustJSON(t, got))); diff != "" {
		t.Errorf("what was seen backwards (-want +got):\n%s", diff)
	}
}
